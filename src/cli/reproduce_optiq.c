/*
 * The experiments of Bui et al., "Improving data movement throughput by balancing network load on the Blue Gene/Q
 * supercomputer" (a manuscript), by simulation: those it shows (figures 4 and 5), and those it only names. Channels of
 * 2 GB/s, the two cables of dimension E taken as one, one rank a node, as in its records.
 *
 *     fig4          m/n constant, everything growing with p: patterns 3, 27 and 87
 *     fixed         m = 128 and n = 256 constant, p growing
 *     destinations  p and m constant, n growing
 *     distance      p, m and n constant, the destinations further and further away
 *     fig5          all 91 patterns with chunks of 16 KiB to 1 MiB
 *     messages      messages of 8 KiB to 32 MiB
 *     paths         number of paths against z and search time
 *     patterns      all 91 patterns
 *
 * The optimum of some of the 91 takes minutes beyond 512 nodes: there, and for the chunks, greedy stands in for it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/optiq_figures.h"
#include "cli/optiq_jobs.h"
#include "cli/reproduce.h"
#include "route/engine.h"
#include "topo/topology.h"

#define PATTERNS 91
#define BYTES    ((uint64_t)8 << 20)
#define CHUNK    ((uint64_t)64 << 10)

static const uint32_t sizes[] = {512, 1024, 2048, 4096, 8192};
enum { SIZES = sizeof sizes / sizeof *sizes, SMALL = 3 };

static const char *const figures[] = {"fig4", "fixed",    "destinations", "distance",
                                      "fig5", "messages", "paths",        "patterns"};
enum { FIGURES = sizeof figures / sizeof *figures };

/* Everything under way. */
struct work {
    struct invocation *invocation;
    size_t n_sizes;
    uint32_t base; /* index of the size of experiments with one size */
    struct cw_network *nets[SIZES];
    struct cw_routes *routes[SIZES];
    struct optiq_job *jobs;
    size_t n, capacity;
    int error;
};

static const char *directory_of(const struct work *work)
{
    return ((const struct reproduce_options *)work->invocation->values)->directory;
}

/* --- the jobs ----------------------------------------------------------------------------------------------------- */

/* Adds a job for PATTERN on network SIZE with the manuscript's message and chunk sizes; NULL after an error, which is
 * kept. */
static struct optiq_job *add(struct work *work, const char *figure, size_t size, enum optiq_role role,
                             const char *pattern)
{
    void *jobs = work->jobs;
    if (!work->error) work->error = cw_grow_array(&jobs, &work->capacity, work->n + 1, sizeof *work->jobs, "jobs");
    work->jobs = jobs;
    if (work->error) return NULL;
    struct optiq_job *job = &work->jobs[work->n++];
    const double number = strtod(pattern, NULL);
    *job = (struct optiq_job){.figure = figure,
                              .net = work->nets[size],
                              .routes = work->routes[size],
                              .role = role,
                              .k = 16,
                              .ties = CW_TIES_PENALISED,
                              .variants = {{.bytes = BYTES, .chunk = number >= 64 ? 2 * CHUNK : CHUNK}},
                              .n_variants = 1};
    snprintf(job->pattern, sizeof job->pattern, "%s", pattern);
    return job;
}

static void add_roles(struct work *work, const char *figure, size_t size, const char *pattern)
{
    for (int role = 0; role < OPTIQ_ROLES; role++) add(work, figure, size, (enum optiq_role)role, pattern);
}

static void add_growing(struct work *work)
{
    static const char *const patterns[] = {"3", "27", "87"};
    for (size_t size = 0; size < work->n_sizes; size++)
        for (size_t i = 0; i < 3; i++) add_roles(work, "fig4", size, patterns[i]);
    for (size_t size = 0; size < work->n_sizes; size++) add_roles(work, "fixed", size, "disjoint:128x256");
}

static void add_destinations(struct work *work)
{
    const uint32_t p = sizes[work->base];
    char pattern[48];
    for (uint32_t n = p / 64; n <= p / 2; n *= 2) {
        snprintf(pattern, sizeof pattern, "disjoint:%ux%u", p / 16, n);
        add_roles(work, "destinations", work->base, pattern);
    }
}

static void add_distances(struct work *work)
{
    const uint32_t p = sizes[work->base], m = p / 16, n = p / 8;
    char pattern[48];
    for (uint32_t first = m; first + n <= p; first += p / 32) {
        snprintf(pattern, sizeof pattern, "%ux%u from %u", m, n, first);
        for (int role = 0; role < OPTIQ_ROLES; role++) {
            struct optiq_job *job = add(work, "distance", work->base, (enum optiq_role)role, pattern);
            if (!job) return;
            job->variants[0].chunk = CHUNK;
            job->m = m;
            job->n = n;
            job->first = first;
        }
    }
}

static void add_patterns(struct work *work, const char *figure, size_t size, const enum optiq_role *roles,
                         size_t n_roles, size_t n_chunks)
{
    char pattern[16];
    for (unsigned i = 0; i < PATTERNS; i++) {
        snprintf(pattern, sizeof pattern, "%u", i);
        for (size_t r = 0; r < n_roles; r++) {
            struct optiq_job *job = add(work, figure, size, roles[r], pattern);
            if (!job) return;
            for (size_t v = 0; v < n_chunks; v++)
                job->variants[v] = (struct optiq_variant){.bytes = BYTES, .chunk = (uint64_t)16384 << v};
            if (n_chunks > 0) job->n_variants = n_chunks;
        }
    }
}

static void add_messages(struct work *work)
{
    static const char *const patterns[] = {"3", "27", "87"};
    for (size_t i = 0; i < 3; i++)
        for (int role = 0; role < OPTIQ_ROLES; role++) {
            struct optiq_job *job = add(work, "messages", work->base, (enum optiq_role)role, patterns[i]);
            if (!job) return;
            const uint64_t chunk = job->variants[0].chunk;
            job->n_variants = 7;
            for (size_t v = 0; v < job->n_variants; v++)
                job->variants[v] = (struct optiq_variant){.bytes = (uint64_t)8192 << (2 * v), .chunk = chunk};
        }
}

static void add_paths(struct work *work)
{
    static const uint32_t counts[] = {1, 2, 4, 8, 16, 32, 50};
    static const enum cw_ties ties[] = {CW_TIES_PLAIN, CW_TIES_DISJOINT, CW_TIES_PENALISED};
    static const enum optiq_role roles[] = {OPTIQ_LP, OPTIQ_HEURISTIC};
    add(work, "paths", work->base, OPTIQ_DEFAULT, "3");
    add(work, "paths", work->base, OPTIQ_OPTIMUM, "3");
    for (size_t role = 0; role < 2; role++)
        for (size_t order = 0; order < 3; order++)
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
                struct optiq_job *job = add(work, "paths", work->base, roles[role], "3");
                if (!job) return;
                job->k = counts[i];
                job->ties = ties[order];
            }
}

static void add_jobs(struct work *work)
{
    static const enum optiq_role compared[] = {OPTIQ_DEFAULT, OPTIQ_HEURISTIC, OPTIQ_GREEDY, OPTIQ_OPTIMUM};
    static const enum optiq_role greedy[] = {OPTIQ_GREEDY};
    add_growing(work);
    add_destinations(work);
    add_distances(work);
    add_patterns(work, "fig5", work->base, greedy, 1, 7);
    add_messages(work);
    add_paths(work);
    for (size_t size = 0; size < work->n_sizes; size++)
        if (sizes[size] == 512 || (work->n_sizes == SIZES && (sizes[size] == 2048 || sizes[size] == 8192)))
            add_patterns(work, "patterns", size, compared, sizes[size] == 512 ? 4 : 3, 0);
}

/* --- what comes of them ------------------------------------------------------------------------------------------- */

static const struct cw_column columns[] = {
    {"figure", CW_COLUMN_TEXT, NULL, "experiment: optiq-FIGURE.csv"},
    {"nodes", CW_COLUMN_INT, NULL, "endpoints"},
    {"method", CW_COLUMN_TEXT, NULL, "compared with the default routes"},
    {"cases", CW_COLUMN_INT, NULL, "patterns and sizes"},
    {"z_ratio", CW_COLUMN_REAL, NULL, "z / that of the default routes, geometric mean"},
    {"speedup", CW_COLUMN_REAL, NULL, "predicted throughput / that of the default routes, geometric mean"},
    {"speedup_min", CW_COLUMN_REAL, NULL, "least of the cases"},
    {"speedup_max", CW_COLUMN_REAL, NULL, "greatest of the cases"},
    {"slower", CW_COLUMN_INT, NULL, "cases in which the default routes are faster"},
};

struct gain {
    size_t cases, slower;
    double log_z, log_speed, min, max;
};

/* The job that takes the default routes where JOB does not, or NULL. */
static const struct optiq_job *default_of(const struct work *work, const struct optiq_job *job)
{
    for (size_t i = 0; i < work->n; i++) {
        const struct optiq_job *other = &work->jobs[i];
        if (other->role == OPTIQ_DEFAULT && other->net == job->net && strcmp(other->figure, job->figure) == 0 &&
            strcmp(other->pattern, job->pattern) == 0)
            return other;
    }
    return NULL;
}

static struct gain gain_of(const struct work *work, const char *figure, const struct cw_network *net,
                           enum optiq_role role)
{
    struct gain gain = {.min = INFINITY};
    for (size_t i = 0; i < work->n; i++) {
        const struct optiq_job *job = &work->jobs[i];
        if (job->role != role || job->net != net || strcmp(job->figure, figure) != 0) continue;
        const struct optiq_job *machine = default_of(work, job);
        for (size_t v = 0; machine && v < job->n_variants; v++) {
            const double speed = job->variants[v].bytes_per_second / machine->variants[v].bytes_per_second;
            gain.cases++;
            gain.slower += speed < 1;
            gain.log_z += log(job->z / machine->z);
            gain.log_speed += log(speed);
            gain.min = fmin(gain.min, speed);
            gain.max = fmax(gain.max, speed);
        }
    }
    return gain;
}

static void add_gain(struct cw_table *table, const char *figure, uint32_t nodes, enum optiq_role role,
                     const struct gain *gain)
{
    const double cases = (double)gain->cases;
    cw_table_text(table, figure);
    cw_table_int(table, nodes);
    cw_table_text(table, optiq_role_labels[role]);
    cw_table_int(table, (int64_t)gain->cases);
    cw_table_real(table, exp(gain->log_z / cases));
    cw_table_real(table, exp(gain->log_speed / cases));
    cw_table_real(table, gain->min);
    cw_table_real(table, gain->max);
    cw_table_int(table, (int64_t)gain->slower);
}

static int add_summary(const struct work *work)
{
    struct cw_table *table;
    const int error = cw_table_new("optiq", "Multi-path plans against MPI's default routes", columns,
                                   sizeof columns / sizeof *columns, &table);
    if (error) return error;
    for (size_t f = 0; f < FIGURES; f++)
        for (size_t size = 0; size < work->n_sizes; size++)
            for (int role = OPTIQ_HEURISTIC; role < OPTIQ_ROLES; role++) {
                const struct gain gain = gain_of(work, figures[f], work->nets[size], (enum optiq_role)role);
                if (gain.cases > 0) add_gain(table, figures[f], sizes[size], (enum optiq_role)role, &gain);
            }
    cw_result_note(
        work->invocation->result,
        "Written to %s: optiq-FIGURE.csv with every measurement, and pictures, each with its gnuplot script.",
        directory_of(work));
    return cw_result_add_table(work->invocation->result, table);
}

static int write_csv(const struct work *work, const char *figure)
{
    struct cw_table *table;
    struct cw_text path = {0};
    int error = optiq_jobs_table(figure, work->jobs, work->n, &table);
    if (error) return error;
    cw_text_printf(&path, "%s/optiq-%s.csv", directory_of(work), figure);
    error = cw_text_check(&path);
    if (!error) error = cw_result_save_csv(work->invocation->result, table, path.data);
    cw_table_free(table);
    cw_text_free(&path);
    return error;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int make_networks(struct work *work)
{
    char spec[64];
    int error = 0;
    for (size_t i = 0; !error && i < work->n_sizes; i++) {
        snprintf(spec, sizeof spec, "bgq:%u,merge2@2GB/s", sizes[i]);
        error = cw_network_open(spec, &work->nets[i]);
        if (!error) error = cw_engine_route(work->nets[i], "bgq", 1, 1, &work->routes[i]);
    }
    return error;
}

static int run(struct invocation *invocation)
{
    const bool all = ((const struct reproduce_options *)invocation->values)->sizes == SIZES_ALL;
    struct work work = {.invocation = invocation, .n_sizes = all ? SIZES : SMALL, .base = all ? 2 : 0};
    int error = make_networks(&work);
    if (!error) {
        add_jobs(&work);
        error = work.error;
    }
    struct cw_progress *progress = invocation_progress(invocation, "optiq", work.n);
    if (!error) error = optiq_jobs_run(work.jobs, work.n, (unsigned)invocation->common.threads, progress);
    cw_progress_free(progress);
    for (size_t f = 0; !error && f < FIGURES; f++) error = write_csv(&work, figures[f]);
    if (!error) error = optiq_figures_draw(work.jobs, work.n, directory_of(&work));
    if (!error) error = add_summary(&work);
    free(work.jobs);
    for (size_t i = 0; i < work.n_sizes; i++) {
        cw_routes_free(work.routes[i]);
        cw_network_free(work.nets[i]);
    }
    return error;
}

static const char *const takes[] = {"sizes", NULL};

const struct reproduction reproduction_optiq = {
    .name = "optiq",
    .help = "multi-path data movement on Blue Gene/Q partitions",
    .takes = takes,
    .run = run,
};
