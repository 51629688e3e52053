#include "study/overlap/overlap_measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "base/units.h"
#include "report/chart.h"
#include "report/rows.h"

#define BEATEN      1.5                  /* times as long as the best: not tried with the next smaller size */
#define DEFAULT_MIN ((uint64_t)32 << 10) /* bytes of CROSSWIND_NBC_MIN, if nothing else is known */
#define DISTURBED   1.5                  /* times as long as it should take */
#define BETTER      0.95                 /* of what it takes by itself, at most, to be taken: noise decides nothing */

/* --- methods ------------------------------------------------------------------------------------------------------ */

static const struct cw_overlap_method mpis[] = {
    {.name = "blocking", .of_mpi = true, .blocking = true},
    {.name = "native", .of_mpi = true},
    {.name = "native-yield", .of_mpi = true, .yields = true},
    {.name = "blocking@all", .of_mpi = true, .blocking = true, .all_cores = true},
    {.name = "native@all", .of_mpi = true, .all_cores = true},
    {.name = "native-yield@all", .of_mpi = true, .yields = true, .all_cores = true},
};

static int parse(const char *name, struct cw_overlap_method *out)
{
    for (size_t i = 0; i < sizeof mpis / sizeof *mpis; i++) {
        if (strcmp(mpis[i].name, name) != 0) continue;
        *out = mpis[i];
        if (!out->blocking && cw_overlap_async_setting())
            snprintf(out->name, sizeof out->name, "native-async%s%s", out->yields ? "-yield" : "",
                     out->all_cores ? "@all" : "");
        return 0;
    }
    *out = (struct cw_overlap_method){0};
    snprintf(out->name, sizeof out->name, "%s", name);
    if (cw_nbc_sharing_parse("--methods", name, &out->sharing) == 0) return 0;
    return cw_fail(
        CW_EUSAGE,
        "--methods: '%s' is not a method; expected blocking, native, native-yield, the same with @all, auto, "
        "slices:F (0 to 1), binomial, k-nomial:K or split-tree:S",
        name);
}

int cw_overlap_methods_parse(const char *list, struct cw_overlap_methods *out)
{
    struct cw_overlap_methods methods = {.n = 0};
    for (int rc; list;) {
        char name[32];
        const size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        if (methods.n == CW_OVERLAP_METHODS)
            return cw_fail(CW_EUSAGE, "--methods: expected %d names at most", CW_OVERLAP_METHODS);
        if ((rc = parse(name, &methods.items[methods.n++]))) return rc;
        list = list[length] ? list + length + 1 : NULL;
    }
    *out = methods;
    return 0;
}

size_t cw_overlap_least(const double *times, size_t n)
{
    size_t least = 0;
    for (size_t m = 1; m < n; m++)
        if (times[m] < times[least]) least = m;
    return least;
}

bool cw_overlap_methods_need_cores(const struct cw_overlap_methods *methods)
{
    for (size_t m = 0; m < methods->n; m++)
        if (!methods->items[m].of_mpi) return true;
    return false;
}

void cw_overlap_methods_keep_native(struct cw_overlap_methods *methods)
{
    size_t kept = 0;
    for (size_t m = 0; m < methods->n; m++)
        if (methods->items[m].of_mpi) methods->items[kept++] = methods->items[m];
    methods->n = kept;
}

void cw_overlap_methods_fit(struct cw_overlap_methods *methods, enum cw_collective_kind collective)
{
    size_t kept = 0;
    for (size_t m = 0; m < methods->n; m++)
        if (methods->items[m].sharing.schedule != CW_NBC_SPLIT_TREE || cw_collectives[collective].tree)
            methods->items[kept++] = methods->items[m];
    methods->n = kept;
}

const char *cw_overlap_async_setting(void)
{
    static const char *const names[] = {"MPICH_ASYNC_PROGRESS", "MPIR_CVAR_ASYNC_PROGRESS", "I_MPI_ASYNC_PROGRESS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value && strcmp(value, "0") != 0) return names[i];
    }
    return NULL;
}

/* --- what was measured -------------------------------------------------------------------------------------------- */

const char *const cw_overlap_kinds[] = {"cpu", "accelerator", NULL};

void cw_overlap_sample_add(struct cw_overlap_sample *sample, const struct cw_overlap_times *times)
{
    struct cw_overlap_times *most = &sample->most;
    if (times->total > most->total) {
        sample->imb = cw_overlap_imb(times);
        sample->osu = cw_overlap_osu(times);
    }
    most->pure = fmax(most->pure, times->pure);
    most->compute = fmax(most->compute, times->compute);
    most->total = fmax(most->total, times->total);
    most->init = fmax(most->init, times->init);
    most->within = fmax(most->within, times->within);
}

void cw_overlap_samples_free(struct cw_overlap_samples *samples)
{
    free(samples->items);
    *samples = (struct cw_overlap_samples){0};
}

/* --- what it says ------------------------------------------------------------------------------------------------- */

static const struct cw_column columns[] = {
    {"operation", CW_COLUMN_TEXT, NULL, "collective"},
    {"bytes", CW_COLUMN_INT, "byte", "its size, as MPI counts it"},
    {"ranks", CW_COLUMN_INT, NULL, "that take part"},
    {"cores", CW_COLUMN_INT, NULL, "for communication, of a host"},
    {"beside", CW_COLUMN_TEXT, NULL, "cpu: ranks compute in a loop; accelerator: they sleep, as one that waits for it"},
    {"method", CW_COLUMN_TEXT, NULL, "how the collective is carried out"},
    {"repetitions", CW_COLUMN_INT, NULL, "measured"},
    {"pure", CW_COLUMN_REAL, "s", "the collective alone: median over repetitions of the slowest rank's time"},
    {"pure_low", CW_COLUMN_REAL, "s", "lower end of its 95 % confidence interval", .detail = true},
    {"pure_high", CW_COLUMN_REAL, "s", "upper end", .detail = true},
    {"compute", CW_COLUMN_REAL, "s", "the computation alone, median"},
    {"total", CW_COLUMN_REAL, "s", "collective and computation, median"},
    {"total_low", CW_COLUMN_REAL, "s", "lower end of its 95 % confidence interval"},
    {"total_high", CW_COLUMN_REAL, "s", "upper end"},
    {"total_q10", CW_COLUMN_REAL, "s", "a tenth of the totals is below", .detail = true},
    {"total_q90", CW_COLUMN_REAL, "s", "a tenth of the totals is above", .detail = true},
    {"init", CW_COLUMN_REAL, "s", "of the total, the call that starts the collective, median"},
    {"within", CW_COLUMN_REAL, "s", "of the total, the computation, median", .detail = true},
    {"overlap_imb", CW_COLUMN_REAL, "%",
     "share of the communication that is hidden, as the Intel MPI Benchmarks "
     "define it, median"},
    {"overlap_imb_low", CW_COLUMN_REAL, "%", "lower end of its 95 % confidence interval", .detail = true},
    {"overlap_imb_high", CW_COLUMN_REAL, "%", "upper end", .detail = true},
    {"overlap_osu", CW_COLUMN_REAL, "%", "the same as the OSU micro-benchmarks define it, median"},
    {"speedup", CW_COLUMN_REAL, NULL, "total of the best method of MPI itself / total"},
};

/* Of a sample; the first six are in files, too, in this order. */
enum quantity { PURE, COMPUTE, TOTAL, INIT, IMB, OSU, WITHIN };

static double quantity_of(const struct cw_overlap_sample *sample, enum quantity quantity)
{
    switch (quantity) {
    case PURE:
        return sample->most.pure;
    case COMPUTE:
        return sample->most.compute;
    case TOTAL:
        return sample->most.total;
    case INIT:
        return sample->most.init;
    case WITHIN:
        return sample->most.within;
    case IMB:
        return sample->imb;
    default:
        return sample->osu;
    }
}

/* The samples of one method, a quantity of them sorted into ROOM. */
static void sort_samples(const struct cw_overlap_measurement *item, size_t method, enum quantity quantity, double *room)
{
    for (size_t i = 0; i < item->samples.n; i++)
        room[i] = quantity_of(&item->samples.items[i * item->methods.n + method], quantity);
    cw_sort_reals(room, item->samples.n);
}

static struct cw_estimate median(const struct cw_overlap_measurement *item, size_t method, enum quantity quantity,
                                 double *room)
{
    sort_samples(item, method, quantity, room);
    return cw_quantile_estimate(room, item->samples.n, 0.5, 0.95);
}

/* The method of MPI whose total is the least; methods.n: there is none. */
static size_t best_of_mpi(const struct cw_overlap_measurement *item, double *total, double *room)
{
    size_t best = item->methods.n;
    *total = INFINITY;
    for (size_t m = 0; m < item->methods.n; m++) {
        if (!item->methods.items[m].of_mpi) continue;
        const double time = median(item, m, TOTAL, room).value;
        if (time >= *total) continue;
        *total = time;
        best = m;
    }
    return best;
}

static void add_row(const struct cw_overlap_measurements *measured, const struct cw_overlap_measurement *item,
                    size_t method, double of_mpi, double *room, struct cw_table *table)
{
    const struct cw_estimate pure = median(item, method, PURE, room);
    const struct cw_estimate total = median(item, method, TOTAL, room);
    const struct cw_estimate imb = median(item, method, IMB, room);
    sort_samples(item, method, TOTAL, room);
    const double low = cw_quantile(room, item->samples.n, 0.1), high = cw_quantile(room, item->samples.n, 0.9);
    cw_table_row(table, "%s %zu %d %u %s %s %zu %g %g %g %g %g %g %g %g %g %g %g %g %g %g %g %g", item->operation->name,
                 measured->bytes, item->ranks, item->cores, cw_overlap_kinds[measured->kind],
                 item->methods.items[method].name, item->samples.n, pure.value, pure.low, pure.high,
                 median(item, method, COMPUTE, room).value, total.value, total.low, total.high, low, high,
                 median(item, method, INIT, room).value, median(item, method, WITHIN, room).value, imb.value, imb.low,
                 imb.high, median(item, method, OSU, room).value, isinf(of_mpi) ? NAN : of_mpi / total.value);
}

/* Which method is best, and by how much better than MPI's own. */
static void note_best(const struct cw_overlap_measurements *measured, const struct cw_overlap_measurement *item,
                      double *room, struct cw_result *result)
{
    size_t best = 0;
    double least = INFINITY, of_mpi;
    const size_t rival = best_of_mpi(item, &of_mpi, room);
    for (size_t m = 0; m < item->methods.n; m++) {
        const double time = median(item, m, TOTAL, room).value;
        if (time >= least) continue;
        least = time;
        best = m;
    }
    const char *name = item->methods.items[best].name;
    char bytes[32], time[32];
    cw_format_bytes(measured->bytes, bytes, sizeof bytes);
    cw_format_time(least, time, sizeof time);
    if (rival == item->methods.n || rival == best)
        cw_result_note(result, "%s of %s among %d ranks: %s takes least, %s with the computation.",
                       item->operation->name, bytes, item->ranks, name, time);
    else
        cw_result_note(result,
                       "%s of %s among %d ranks: %s takes least, %s with the computation: %.2f times as fast "
                       "as the best of MPI itself (%s).",
                       item->operation->name, bytes, item->ranks, name, time, of_mpi / least,
                       item->methods.items[rival].name);
}

static double *new_room(const struct cw_overlap_measurements *measured)
{
    size_t most = 1;
    for (size_t i = 0; i < measured->n; i++)
        if (measured->items[i].samples.n > most) most = measured->items[i].samples.n;
    return cw_new_array(most, sizeof(double), "samples");
}

int cw_overlap_show(const struct cw_overlap_measurements *measured, struct cw_result *result)
{
    struct cw_table *table;
    double *room = new_room(measured);
    int rc = room ? cw_table_new("overlap", "Collectives beside computation", columns, sizeof columns / sizeof *columns,
                                 &table)
                  : CW_ENOMEM;
    if (!rc) rc = cw_result_add_table(result, table);
    for (size_t i = 0; !rc && i < measured->n; i++) {
        double of_mpi;
        best_of_mpi(&measured->items[i], &of_mpi, room);
        for (size_t m = 0; m < measured->items[i].methods.n; m++)
            add_row(measured, &measured->items[i], m, of_mpi, room, table);
    }
    for (size_t i = 0; !rc && i < measured->n; i++) note_best(measured, &measured->items[i], room, result);
    free(room);
    return rc;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static void add_sample(const struct cw_overlap_measurements *measured, const struct cw_overlap_measurement *item,
                       size_t method, size_t repetition, const struct cw_nbc_site *site, struct cw_table *table)
{
    const struct cw_overlap_sample *sample = &item->samples.items[repetition * item->methods.n + method];
    cw_table_row(table, "%s %u %s %zu %s %d %u %s %zu", site->mpi, site->processors, item->operation->name,
                 measured->bytes, cw_overlap_kinds[measured->kind], item->ranks,
                 cw_overlap_methods_need_cores(&item->methods) ? item->cores : 0, item->methods.items[method].name,
                 repetition);
    for (int q = PURE; q <= OSU; q++) cw_table_real(table, quantity_of(sample, (enum quantity)q));
}

int cw_overlap_save(const struct cw_overlap_measurements *measured, const struct cw_nbc_site *site,
                    const struct cw_result *result, const char *path)
{
    struct cw_table *table;
    int rc = cw_overlap_runs_table(&table);
    if (rc) return rc;
    for (size_t i = 0; i < measured->n; i++)
        for (size_t s = 0; s < measured->items[i].samples.n; s++)
            for (size_t m = 0; m < measured->items[i].methods.n; m++)
                add_sample(measured, &measured->items[i], m, s, site, table);
    rc = cw_result_save_described(result, table, path);
    cw_table_free(table);
    return rc;
}

/* --- the picture -------------------------------------------------------------------------------------------------- */

/* Where METHOD is among those of ITEM; methods.n: it was not measured. */
static size_t index_of(const struct cw_overlap_measurement *item, const struct cw_overlap_method *method)
{
    size_t m = 0;
    while (m < item->methods.n && strcmp(item->methods.items[m].name, method->name) != 0) m++;
    return m;
}

/* A curve for each method, and one of the computation alone (METHOD is NULL); bars are half of what their intervals
 * span. */
static void add_curve(const struct cw_overlap_measurements *measured, const struct cw_overlap_method *method,
                      double *room, struct cw_chart *chart)
{
    struct cw_plot_series *series = cw_chart_begin(chart, "%s", method ? method->name : "computation alone");
    series->style = method ? CW_PLOT_LINES_AND_POINTS : CW_PLOT_LINES;
    series->dashed = !method || method->of_mpi;
    for (size_t i = 0; i < measured->n; i++) {
        const struct cw_overlap_measurement *item = &measured->items[i];
        const size_t m = method ? index_of(item, method) : 0;
        if (m == item->methods.n) continue;
        const struct cw_estimate time = median(item, m, method ? TOTAL : COMPUTE, room);
        cw_chart_point(chart, item->ranks, 1e6 * time.value, method ? 1e6 * time.low : 0, method ? 1e6 * time.high : 0);
    }
}

int cw_overlap_draw(const struct cw_overlap_measurements *measured, const char *path)
{
    double *room = new_room(measured);
    if (!room) return CW_ENOMEM;
    struct cw_chart chart = {0};
    char title[128], bytes[32];
    for (size_t m = 0; m <= measured->methods.n; m++)
        add_curve(measured, m < measured->methods.n ? &measured->methods.items[m] : NULL, room, &chart);
    free(room);
    snprintf(title, sizeof title, "%s of %s beside computation (%s)", measured->items[0].operation->name,
             cw_format_bytes(measured->bytes, bytes, sizeof bytes), cw_overlap_kinds[measured->kind]);
    const struct cw_plot plot = {
        .title = title,
        .x = {.label = "ranks",
              .min = measured->items[0].ranks - 0.5,
              .max = measured->items[measured->n - 1].ranks + 0.5},
        .y = {.label = "collective and computation, median", .unit = "µs", .min = 0, .max = NAN}};
    return cw_chart_draw(&chart, plot, path);
}

/* --- what is best ------------------------------------------------------------------------------------------------- */

/* Native comes first, auto second, and third what tells how fast communication cores are by themselves. */
enum { NATIVE, AUTO, WORKERS };

int cw_overlap_tuning_methods(const struct cw_collective_traits *operation, unsigned beaten,
                              struct cw_overlap_methods *out)
{
    size_t kept = WORKERS + 1;
    const int rc = cw_overlap_methods_parse("native,auto,slices:1,split-tree:0,split-tree:1", out);
    if (rc) return rc;
    cw_overlap_methods_fit(out, cw_collective_kind_of(operation));
    for (size_t m = kept; m < out->n; m++)
        if (!(beaten >> out->items[m].sharing.steps & 1)) out->items[kept++] = out->items[m];
    out->n = kept;
    return 0;
}

/* The least total of METHOD. */
static double least_total(const struct cw_overlap_samples *samples, size_t methods, size_t method)
{
    double best = INFINITY;
    for (size_t i = 0; i < samples->n; i++) best = fmin(best, samples->items[i * methods + method].most.total);
    return best;
}

bool cw_overlap_is_clear(const struct cw_overlap_samples *samples, size_t methods)
{
    const double native = least_total(samples, methods, NATIVE);
    double ours = INFINITY;
    for (size_t m = AUTO; m < methods; m++) ours = fmin(ours, least_total(samples, methods, m));
    const double apart = samples->n == 1 ? 2 : samples->n == 2 ? 1.5 : 1.15;
    return native > apart * ours || ours > apart * native;
}

unsigned cw_overlap_beaten(const struct cw_overlap_measurement *measured)
{
    const size_t n = measured->methods.n;
    unsigned beaten = 0;
    double best = INFINITY;
    for (size_t m = 0; m < n; m++) best = fmin(best, least_total(&measured->samples, n, m));
    for (size_t m = WORKERS + 1; m < n && measured->samples.n > 0; m++)
        if (least_total(&measured->samples, n, m) > BEATEN * best)
            beaten |= 1u << measured->methods.items[m].sharing.steps;
    return beaten;
}

/* What QUANTITY takes if nothing disturbs. */
static double quartile(const struct cw_overlap_measurement *item, size_t method, enum quantity quantity, double *room)
{
    sort_samples(item, method, quantity, room);
    return cw_quantile(room, item->samples.n, 0.25);
}

/* Sets the method that is best, and what that takes, in CHOICE, whose bytes are there already. *COMPUTE: what the
 * computation alone took. All times are lower quartiles. */
static int decide(const struct cw_overlap_measurement *measured, struct cw_nbc_choice *choice, double *compute)
{
    size_t best = AUTO;
    double *room = cw_new_array(measured->samples.n, sizeof *room, "samples");
    if (!room) return CW_ENOMEM;
    double lowest = quartile(measured, AUTO, TOTAL, room);
    choice->native_total = quartile(measured, NATIVE, TOTAL, room);
    choice->workers = quartile(measured, WORKERS, PURE, room);
    for (size_t m = AUTO + 1; m < measured->methods.n; m++) {
        const double time = quartile(measured, m, TOTAL, room);
        if (time > (best == AUTO ? BETTER : 1) * lowest) continue;
        lowest = time;
        best = m;
    }
    choice->total = lowest;
    choice->sharing = measured->methods.items[best].sharing;
    choice->start = quartile(measured, best, INIT, room);
    choice->native =
        choice->bytes < DEFAULT_MIN ? lowest > BETTER * choice->native_total : choice->native_total < BETTER * lowest;
    *compute = quartile(measured, NATIVE, COMPUTE, room);
    free(room);
    return 0;
}

static const struct cw_column tuned_columns[] = {
    {"operation", CW_COLUMN_TEXT, NULL, "collective"},
    {"ranks", CW_COLUMN_INT, NULL, "that took part"},
    {"cores", CW_COLUMN_INT, NULL, "for communication, of a host"},
    {"bytes", CW_COLUMN_INT, "byte", "its size, as MPI counts it"},
    {"choice", CW_COLUMN_TEXT, NULL, "what takes least: native, MPI's own, or a schedule"},
    {"native", CW_COLUMN_REAL, "s", "collective and computation with MPI's own, lower quartile"},
    {"ours", CW_COLUMN_REAL, "s", "the same with the best schedule of communication cores"},
    {"blocking", CW_COLUMN_REAL, "s", "MPI's blocking collective alone", .detail = true},
    {"workers", CW_COLUMN_REAL, "s", "the collective alone, by communication cores alone", .detail = true},
    {"start", CW_COLUMN_REAL, "s", "of ours, the call that starts it"},
};

int cw_overlap_tuned_begin(struct cw_result *result, struct cw_overlap_tuned *tuned)
{
    *tuned = (struct cw_overlap_tuned){.n = 0};
    return cw_result_new_table(result, "tuning", "What is best here", CW_ITEMS(tuned_columns), &tuned->table);
}

int cw_overlap_tuned_add(struct cw_overlap_tuned *tuned, const struct cw_overlap_measurement *measured, uint64_t bytes,
                         double blocking, struct cw_nbc_tuning *tuning)
{
    struct cw_nbc_choice choice = {.collective = cw_collective_kind_of(measured->operation),
                                   .ranks = (uint32_t)measured->ranks,
                                   .cores = measured->cores,
                                   .bytes = bytes,
                                   .blocking = blocking};
    char way[CW_NBC_SHARING_SIZE];
    double compute;
    const int rc = decide(measured, &choice, &compute);
    if (rc) return rc;
    cw_table_row(tuned->table, "%s %d %u %zu %s %g %g %g %g %g", measured->operation->name, measured->ranks,
                 measured->cores, (size_t)bytes, choice.native ? "native" : cw_nbc_sharing_format(&choice.sharing, way),
                 choice.native_total, choice.total, choice.blocking, choice.workers, choice.start);
    tuned->n++;
    tuned->n_native += choice.native;
    tuned->n_disturbed += compute > DISTURBED * blocking;
    return cw_nbc_tuning_put(tuning, &choice);
}

void cw_overlap_tuned_end(const struct cw_overlap_tuned *tuned, double seconds, double limit, const char *path,
                          struct cw_result *result)
{
    char used[32], most[32];
    cw_result_note(result, "It took %s%s%s.", cw_format_time(seconds, used, sizeof used),
                   limit > 0 ? ", of --time " : "", limit > 0 ? cw_format_time(limit, most, sizeof most) : "");
    if (tuned->n_omitted > 0)
        cw_result_note(result, "%zu short collective%s not measured for lack of time: --time sets it.",
                       tuned->n_omitted, tuned->n_omitted == 1 ? " was" : "s were");
    if (5 * tuned->n_disturbed > tuned->n)
        cw_result_note(
            result,
            "Warning: in %zu of %zu measurements the computation alone took more than %g times as long as it "
            "should: something else uses these cores. Measure again when the machine is idle.",
            tuned->n_disturbed, tuned->n, DISTURBED);
    if (tuned->n_native == tuned->n)
        cw_result_note(result, "MPI's own collectives are the fastest everywhere: the library leaves all to MPI.");
    cw_result_note(
        result,
        "Written to %s. From there, libcrosswind-nbc takes its schedules and what it leaves to MPI, and crosswind "
        "cores its costs. Sums of floating-point numbers are excepted: their last bits would depend on it. "
        "CROSSWIND_NBC_TUNING=off ignores the file.",
        path);
}
