/* crosswind-mpi overlap --tuning. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/stopwatch.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/overlap/overlap_measure.h"

#define REPETITIONS 25
#define SHORTLY     5.0                  /* [s] that all of it takes, little more, unless the user says otherwise */
#define ROOM        ((uint64_t)16 << 20) /* bytes of all parts of a rank, at most */

/* What matters most comes first, in case time runs out. */
static const uint64_t sizes[] = {2 << 20, 256 << 10, 32 << 10, 8 << 10};
#define SIZES (sizeof sizes / sizeof *sizes)

struct tune {
    struct overlap *overlap;
    struct cw_nbc_tuning *tuning;
    struct cw_text path; /* of rank 0: where that is kept */
    struct cw_overlap_tuned tuned;
    size_t n_left;       /* points to come */
    double begin, limit; /* [s] */
    unsigned
        beaten[OVERLAP_OPERATIONS]; /* split trees with so many steps, as bits, that larger messages have ruled out */
};

/* Each point has its share of the time that is left. */
static double share_of(const struct tune *tune)
{
    const double left = tune->limit - (cw_stopwatch_now() - tune->begin);
    return tune->limit == 0 ? 0 : fmax(left, 1e-3) / (double)tune->n_left;
}

static int measure_size(struct tune *tune, size_t index, int n, uint64_t bytes)
{
    const struct cw_collective_traits *operation = tune->overlap->operations[index];
    struct overlap *overlap = tune->overlap;
    struct cw_overlap_methods methods;
    struct cw_overlap_measurement point;
    double blocking = 0;
    int rc = cw_overlap_tuning_methods(operation, tune->beaten[index], &methods);
    const struct overlap_setup setup = {.operation = operation,
                                        .bytes = bytes,
                                        .methods = &methods,
                                        .kind = (enum cw_overlap_kind)overlap->values->beside,
                                        .rate = overlap->rate,
                                        .places = overlap->places,
                                        .repetitions = invocation_has(overlap->invocation, "repetitions")
                                                           ? (size_t)overlap->values->repetitions
                                                           : REPETITIONS,
                                        .time = share_of(tune),
                                        .enough = cw_overlap_is_clear};
    if (!rc) rc = overlap_measure_blocking(overlap, &setup, n, &blocking);
    if (!rc) rc = overlap_measure(overlap, &setup, n, blocking * n, &point);
    if (rc) return rc;
    tune->beaten[index] |= cw_overlap_beaten(&point); /* all ranks that take part have the same samples */
    if (overlap->ranks->program.rank == 0) {
        rc = cw_overlap_tuned_add(&tune->tuned, &point, bytes, blocking, tune->tuning);
        if (!rc) rc = cw_nbc_tuning_write(tune->path.data, tune->tuning); /* whatever ends this later */
    }
    cw_overlap_samples_free(&point.samples);
    rc = ranks_agree(overlap->ranks, rc);
    return rc ? rc : ranks_agree(overlap->ranks, cw_interrupt_check());
}

static bool has_room(const struct cw_collective_traits *operation, int n, uint64_t bytes)
{
    return !(operation->gives_blocks || operation->takes_blocks) || bytes * (uint64_t)n <= ROOM;
}

/* Whether rank 0 has time for another point; the first is always measured. Collective. */
static bool is_over(const struct tune *tune)
{
    int over = tune->tuned.n > 0 && tune->limit > 0 && cw_stopwatch_now() - tune->begin > tune->limit;
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return over;
}

static int measure_number(struct tune *tune, int n)
{
    struct overlap *overlap = tune->overlap;
    unsigned cores;
    int rc = overlap_start_cores(overlap, n, &cores);
    if (!rc && cores == 0 && overlap->ranks->program.rank == 0)
        cw_result_note(
            overlap->invocation->result,
            "%d ranks leave no core to spare: stay with MPI's own collectives, as the library does by itself. "
            "Start fewer ranks, or, if ranks wait for accelerators, name cores (--cores 0 --beside accelerator).",
            n);
    memset(tune->beaten, 0, sizeof tune->beaten); /* others take part */
    for (size_t s = 0; !rc && s < SIZES; s++)
        for (size_t i = 0; !rc && i < overlap->n_operations; i++) {
            if (cores > 0 && has_room(overlap->operations[i], n, sizes[s])) {
                const bool over = is_over(tune);
                tune->tuned.n_omitted += over;
                if (!over) rc = measure_size(tune, i, n, sizes[s]);
                cw_progress_step(overlap->progress, 1);
            }
            tune->n_left--;
        }
    return rc;
}

/* What is kept of this machine stays, but for what is measured again; if it is of another machine, nothing does. */
static void begin_with_kept(const char *path, struct cw_nbc_tuning *tuning)
{
    const struct cw_nbc_site here = overlap_site();
    if (access(path, R_OK) != 0 || cw_nbc_tuning_read(path, tuning) || cw_nbc_tuning_check(tuning, &here))
        tuning->n = 0;
    tuning->site = here;
}

static int measure(struct tune *tune)
{
    struct overlap *overlap = tune->overlap;
    int rc = 0;
    tune->begin = cw_stopwatch_now();
    tune->limit = invocation_has(overlap->invocation, "time") ? overlap->values->time : SHORTLY;
    tune->n_left = overlap->numbers.n * overlap->n_operations * SIZES;
    overlap_find_rate(overlap, (int)overlap->numbers.values[overlap->numbers.n - 1]);
    for (size_t i = 0; !rc && i < overlap->numbers.n; i++) rc = measure_number(tune, (int)overlap->numbers.values[i]);
    return rc;
}

/* On rank 0 with a file and a table, on others without. */
static int measure_and_write(struct tune *tune)
{
    struct overlap *overlap = tune->overlap;
    const bool speaks = overlap->ranks->program.rank == 0;
    int rc = 0;
    if (speaks) {
        rc = cw_nbc_tuning_path(cw_nbc_mpi_name(overlap_site().mpi), &tune->path);
        if (!rc) begin_with_kept(tune->path.data, tune->tuning);
        if (!rc) rc = cw_overlap_tuned_begin(overlap->invocation->result, &tune->tuned);
        overlap->progress = invocation_progress(overlap->invocation, "overlap --tuning",
                                                overlap->numbers.n * overlap->n_operations * SIZES);
    }
    rc = ranks_agree(overlap->ranks, rc);
    if (!rc) rc = measure(tune);
    cw_progress_free(overlap->progress);
    if (!rc && speaks && tune->tuned.n > 0)
        cw_overlap_tuned_end(&tune->tuned, cw_stopwatch_now() - tune->begin, tune->limit, tune->path.data,
                             overlap->invocation->result);
    cw_text_free(&tune->path);
    return ranks_agree(overlap->ranks, rc);
}

/* What is kept is of a machine. */
static int check_one_host(void)
{
    MPI_Comm host;
    int n, n_here;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &n_here);
    MPI_Comm_free(&host);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n_here == n) return 0;
    return cw_fail(CW_EUSAGE,
                   "--tuning measures one host, but %d of %d ranks are on another; expected all on one, and its "
                   "file for others like it (CROSSWIND_NBC_TUNING)",
                   n - n_here, n);
}

int overlap_tune(struct overlap *overlap)
{
    static const char *const others[] = {"bytes", "methods", "compute", "plot", "save", "dry-run", NULL};
    struct tune tune = {.overlap = overlap};
    int rc =
        invocation_refuse(overlap->invocation, others, "means nothing with --tuning, which measures what it needs");
    if (!rc) rc = overlap_prepare(overlap, invocation_has(overlap->invocation, "op") ? overlap->values->op : "");
    if (!rc) rc = check_one_host();
    if (!rc && !(tune.tuning = cw_new_array(1, sizeof *tune.tuning, "measurements"))) rc = CW_ENOMEM;
    rc = ranks_agree(overlap->ranks, rc);
    setenv("CROSSWIND_NBC_TUNING", "off", 1); /* auto is what it is without */
    setenv("CROSSWIND_NBC_MIN", "1B", 1);
    unsetenv("CROSSWIND_NBC_SCHEDULE");
    if (!rc) rc = measure_and_write(&tune);
    free(tune.tuning);
    return rc;
}
