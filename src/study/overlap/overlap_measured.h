/*
 * What `crosswind-mpi overlap` has measured, and what it says of it: methods by name, samples of each; a table,
 * sentences, a file and a picture; and which method is best, by which the library is tuned.
 *
 * Methods are ways in which a collective is carried out beside a computation: as MPI does it, or with communication
 * cores (mpi/nbc/nbc.h) by one of their schedules. Those of MPI are all that a program can have without us. Ranks that
 * poll on shared processors without end, as in MPICH's MPI_Wait, measure time slices of the kernel; a program can test
 * and yield instead, which Open MPI does by itself there.
 */
#ifndef CW_STUDY_OVERLAP_OVERLAP_MEASURED_H
#define CW_STUDY_OVERLAP_OVERLAP_MEASURED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"
#include "base/estimate.h"
#include "base/result.h"
#include "nbc/nbc_sharing.h"
#include "nbc/nbc_tuning.h"
#include "study/overlap/overlap_runs.h"
#include "traffic/collectives.h"

CW_BEGIN_DECLS

/* --- methods ------------------------------------------------------------------------------------------------------ */

#define CW_OVERLAP_METHODS 16 /* at most */

struct cw_overlap_method {
    char name[CW_NBC_SHARING_SIZE]; /* "blocking", "native", "native-yield" ("native-async…" with progress threads; and
                                     * "@all"), or a schedule: "auto", "slices:0.8", "split-tree:1" */
    bool of_mpi;                    /* what a program has without us */
    bool blocking;                  /* the collective begins when the computation has ended */
    bool yields;                    /* who waits tests, and lets others run */
    bool all_cores;                 /* ranks have communication cores, too */
    struct cw_nbc_sharing sharing;  /* if it is none of MPI's */
};

struct cw_overlap_methods {
    struct cw_overlap_method items[CW_OVERLAP_METHODS];
    size_t n;
};

/* LIST: "NAME[,NAME…]". CW_EUSAGE. */
int cw_overlap_methods_parse(const char *list, struct cw_overlap_methods *out);

/* Which of N > 0 methods takes the least of TIMES; the first of several. */
size_t cw_overlap_least(const double *times, size_t n);

/* Whether one of them needs communication cores; and takes those away. */
bool cw_overlap_methods_need_cores(const struct cw_overlap_methods *methods);
void cw_overlap_methods_keep_native(struct cw_overlap_methods *methods);

/* Takes those away that COLLECTIVE does not have. */
void cw_overlap_methods_fit(struct cw_overlap_methods *methods, enum cw_collective_kind collective);

/* The variable by which MPI was told to make progress in a thread of its own; NULL: not as far as is known. */
const char *cw_overlap_async_setting(void);

/* --- what was measured -------------------------------------------------------------------------------------------- */

/* What ranks do beside a collective, for a given time: compute, or wait for a device. */
enum cw_overlap_kind {
    CW_OVERLAP_CPU,        /* a loop of so many rounds: it takes longer if somebody else uses the core */
    CW_OVERLAP_ACCELERATOR /* sleeps, as a rank whose device computes */
};
extern const char *const cw_overlap_kinds[]; /* "cpu", "accelerator"; ended by NULL */

/* Of one repetition: as the slowest rank of each part has it, and the metrics of the rank whose total is the largest.
 */
struct cw_overlap_sample {
    struct cw_overlap_times most;
    double imb, osu;
};

struct cw_overlap_samples {
    struct cw_overlap_sample *items; /* [n][methods]; the same on all ranks */
    size_t n;
};

/* Adds the TIMES of another rank to SAMPLE, which is zeroed before the first. */
void cw_overlap_sample_add(struct cw_overlap_sample *sample, const struct cw_overlap_times *times);

void cw_overlap_samples_free(struct cw_overlap_samples *samples);

/* What was measured among one number of ranks. */
struct cw_overlap_measurement {
    const struct cw_collective_traits *operation;
    int ranks;
    unsigned cores; /* for communication, of the first host */
    struct cw_overlap_methods methods;
    struct cw_overlap_samples samples;
};

struct cw_overlap_measurements {
    struct cw_overlap_measurement *items; /* by ranks, then by operation */
    size_t n;
    struct cw_overlap_methods methods; /* that were asked for; an item may lack those that need communication cores */
    size_t bytes;
    enum cw_overlap_kind kind;
};

/* --- what it says ------------------------------------------------------------------------------------------------- */

/* Adds the table, a row for each item and method, and a sentence for each item, to RESULT. */
int cw_overlap_show(const struct cw_overlap_measurements *measured, struct cw_result *result);

/* Writes every repetition, measured at SITE, to PATH in place of what is there, and beside it what RESULT knows of the
 * run: overlap_runs.h reads it. */
int cw_overlap_save(const struct cw_overlap_measurements *measured, const struct cw_nbc_site *site,
                    const struct cw_result *result, const char *path);

/* Draws the total times of all methods over the number of ranks; all items are of one operation. */
int cw_overlap_draw(const struct cw_overlap_measurements *measured, const char *path);

/* --- what is best ------------------------------------------------------------------------------------------------- */

/* Methods that are tried before a collective is tuned: native, auto, what tells how fast communication cores are by
 * themselves; and, where OPERATION has trees, split trees, but those of BEATEN steps (bits). */
int cw_overlap_tuning_methods(const struct cw_collective_traits *operation, unsigned beaten,
                              struct cw_overlap_methods *out);

/* Whether it is clear from SAMPLES of these METHODS if MPI's own or ours takes less: the fewer, the farther they must
 * be apart. */
bool cw_overlap_is_clear(const struct cw_overlap_samples *samples, size_t methods);

/* Split trees, as bits of their steps, that take so much longer than the best that smaller messages need not try. */
unsigned cw_overlap_beaten(const struct cw_overlap_measurement *measured);

/* Choices, as rows of a table. */
struct cw_overlap_tuned {
    struct cw_table *table; /* of the result */
    size_t n, n_native;     /* choices; those that leave a collective to MPI */
    size_t n_disturbed;     /* where the computation alone took longer than it should */
    size_t n_omitted;       /* for which there was no time; the caller counts them */
};

int cw_overlap_tuned_begin(struct cw_result *result, struct cw_overlap_tuned *tuned);

/* Puts the method that is best for messages of BYTES into TUNING and the table. MEASURED has at least one sample of the
 * methods of cw_overlap_tuning_methods, with a computation that is to take BLOCKING, as MPI's blocking collective does
 * alone, in s. All times are lower quartiles: disturbances only lengthen them. CW_ENOMEM, CW_ELIMIT. */
int cw_overlap_tuned_add(struct cw_overlap_tuned *tuned, const struct cw_overlap_measurement *measured, uint64_t bytes,
                         double blocking, struct cw_nbc_tuning *tuning);

/* Sentences of what was chosen, in SECONDS of a LIMIT (0: none), and written to PATH. */
void cw_overlap_tuned_end(const struct cw_overlap_tuned *tuned, double seconds, double limit, const char *path,
                          struct cw_result *result);

CW_END_DECLS

#endif
