#include "study/bench/bench_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/estimate.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "base/units.h"

const char *const cw_bench_state_names[] = {"clean", "perturbed", "control", NULL};
const char *const cw_bench_status_names[] = {"ok", "late", "expired", "uncovered", NULL};

void cw_bench_run_free(struct cw_bench_run *run)
{
    if (!run) return;
    for (uint32_t r = 0; r < run->n_ranks; r++) free(run->hosts[r]);
    for (size_t s = 0; s < run->n_splits; s++) free(run->splits[s].roles);
    free(run->hosts);
    free(run->cases);
    free(run->splits);
    free(run->blocks);
    free(run->samples);
    free(run->name);
    free(run->version);
    free(run->command);
    json_decref(run->conditions);
    json_decref(run->environment);
    *run = (struct cw_bench_run){0};
}

int cw_bench_run_begin(struct cw_bench_run *run, uint32_t n, const char *const *hosts, json_t *conditions,
                       json_t *environment)
{
    run->conditions = conditions;
    run->environment = environment;
    if (n == 0) return cw_fail(CW_EUSAGE, "a run without ranks");
    if (!json_is_object(conditions) || !json_is_object(environment))
        return cw_fail(CW_EUSAGE, "conditions and environment of a run are no JSON objects");
    run->hosts = cw_new_array(n, sizeof *run->hosts, "names of hosts");
    if (!run->hosts) return CW_ENOMEM;
    run->n_ranks = n;
    for (uint32_t r = 0; r < n; r++) {
        run->hosts[r] = cw_copy_text(hosts[r], strlen(hosts[r]));
        if (!run->hosts[r]) return CW_ENOMEM;
    }
    return 0;
}

/* --- cases and splits --------------------------------------------------------------------------------------------- */

static int check_name(const char *what, const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (*name && strspn(name, allowed) == strlen(name)) return 0;
    return cw_fail(CW_EUSAGE, "%s '%s' is not a name of letters, digits, '_' and '-'", what, name);
}

int cw_bench_case_check(const struct cw_bench_case *one)
{
    int rc = check_name("operation", one->operation);
    if (!rc) rc = check_name("perturbation", one->perturbation);
    if (!rc && !(one->ratio >= 0 && one->ratio <= 1))
        rc = cw_fail(CW_EUSAGE, "a perturbation ratio of %g, expected 0 to 1", one->ratio);
    return rc;
}

static bool same_case(const struct cw_bench_case *a, const struct cw_bench_case *b)
{
    return strcmp(a->operation, b->operation) == 0 && a->bytes == b->bytes && a->root == b->root &&
           strcmp(a->perturbation, b->perturbation) == 0 && a->perturbation_bytes == b->perturbation_bytes &&
           a->ratio == b->ratio;
}

int cw_bench_run_case(struct cw_bench_run *run, const struct cw_bench_case *one, uint32_t *index)
{
    for (size_t c = 0; c < run->n_cases; c++) {
        if (!same_case(&run->cases[c], one)) continue;
        *index = (uint32_t)c;
        return 0;
    }
    int rc = cw_bench_case_check(one);
    void *cases = run->cases;
    if (!rc) rc = cw_grow_array(&cases, &run->cases_capacity, run->n_cases + 1, sizeof *run->cases, "cases of a run");
    run->cases = cases;
    if (rc) return rc;
    *index = (uint32_t)run->n_cases;
    run->cases[run->n_cases++] = *one;
    return 0;
}

static int count_roles(const struct cw_bench_run *run, struct cw_bench_split *split)
{
    for (uint32_t r = 0; r < run->n_ranks; r++) {
        if (split->roles[r] >= CW_BENCH_ROLES)
            return cw_fail(CW_EUSAGE, "rank %u of a split has the unknown role %u", r, split->roles[r]);
        split->n_application += split->roles[r] == CW_BENCH_APPLICATION;
        split->n_perturbing += split->roles[r] == CW_BENCH_PERTURBING;
    }
    return split->n_application > 0 ? 0 : cw_fail(CW_EUSAGE, "a split without ranks of the application");
}

int cw_bench_run_split(struct cw_bench_run *run, const uint8_t *roles, uint32_t *index)
{
    for (size_t s = 0; s < run->n_splits; s++) {
        if (memcmp(run->splits[s].roles, roles, run->n_ranks) != 0) continue;
        *index = (uint32_t)s;
        return 0;
    }
    struct cw_bench_split split = {.roles = cw_new_array(run->n_ranks, 1, "roles of ranks")};
    if (!split.roles) return CW_ENOMEM;
    memcpy(split.roles, roles, run->n_ranks);
    int rc = count_roles(run, &split);
    void *splits = run->splits;
    if (!rc)
        rc = cw_grow_array(&splits, &run->splits_capacity, run->n_splits + 1, sizeof *run->splits, "splits of a run");
    run->splits = splits;
    if (rc) {
        free(split.roles);
        return rc;
    }
    *index = (uint32_t)run->n_splits;
    run->splits[run->n_splits++] = split;
    return 0;
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

static int check_sample(const struct cw_bench_sample *sample)
{
    char time[32];
    if (!isfinite(sample->start)) return cw_fail(CW_EUSAGE, "a sample that starts at %g", sample->start);
    if (!(sample->time > 0 && isfinite(sample->time)))
        return cw_fail(CW_EUSAGE, "a sample that took %s, expected more than 0",
                       cw_format_time(sample->time, time, sizeof time));
    if (!(sample->slowest >= 0 && isfinite(sample->slowest)))
        return cw_fail(CW_EUSAGE, "a sample whose slowest rank took %s",
                       cw_format_time(sample->slowest, time, sizeof time));
    return 0;
}

/* Whether the clock's error exceeds the median of the calls that are OK. */
static int judge_clock(const struct cw_bench_sample *samples, struct cw_bench_block *block)
{
    double *times = cw_new_array(block->n_samples, sizeof *times, "times of calls");
    size_t n = 0;
    if (!times) return CW_ENOMEM;
    for (size_t i = 0; i < block->n_samples; i++) /* files of others may not have the slowest rank's own time */
        if (samples[i].status == CW_BENCH_OK)
            times[n++] = samples[i].slowest > 0 ? samples[i].slowest : samples[i].time;
    cw_sort_reals(times, n);
    block->unclocked = n > 0 && block->clock_error > cw_quantile(times, n, 0.5);
    free(times);
    return 0;
}

int cw_bench_run_block(struct cw_bench_run *run, const struct cw_bench_block *block,
                       const struct cw_bench_sample *samples, size_t n)
{
    if (block->case_index >= run->n_cases || block->split >= run->n_splits)
        return cw_fail(CW_EUSAGE, "a block of case %u on split %u, expected below %zu and %zu", block->case_index,
                       block->split, run->n_cases, run->n_splits);
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) rc = check_sample(&samples[i]);
    void *blocks = run->blocks, *all = run->samples;
    if (!rc)
        rc = cw_grow_array(&blocks, &run->blocks_capacity, run->n_blocks + 1, sizeof *run->blocks, "blocks of a run");
    if (!rc)
        rc = cw_grow_array(&all, &run->samples_capacity, run->n_samples + n, sizeof *run->samples, "samples of a run");
    run->blocks = blocks;
    run->samples = all;
    if (rc) return rc;
    struct cw_bench_block added = *block;
    added.first_sample = run->n_samples;
    added.n_samples = n;
    rc = judge_clock(samples, &added);
    if (rc) return rc;
    run->blocks[run->n_blocks++] = added;
    if (n > 0) memcpy(run->samples + run->n_samples, samples, n * sizeof *samples);
    run->n_samples += n;
    return 0;
}

/* --- merging ------------------------------------------------------------------------------------------------------ */

static const char *name_of(const struct cw_bench_run *run)
{
    return run->name ? run->name : "this run";
}

/* Says that member KEY is A in INTO and B in FROM; NULL: it has none. */
static int fail_condition(const struct cw_bench_run *into, const struct cw_bench_run *from, const char *key,
                          const json_t *a, const json_t *b)
{
    char *texts[2] = {json_dumps(a, JSON_ENCODE_ANY), json_dumps(b, JSON_ENCODE_ANY)};
    const int rc = cw_fail(CW_EUSAGE, "%s was not measured like %s: its condition '%s' is %s, not %s", name_of(from),
                           name_of(into), key, texts[1] ? texts[1] : "missing", texts[0] ? texts[0] : "missing");
    free(texts[0]);
    free(texts[1]);
    return rc;
}

static int check_alike(const struct cw_bench_run *into, const struct cw_bench_run *from)
{
    const char *key;
    json_t *value;
    if (into->n_ranks != from->n_ranks)
        return cw_fail(CW_EUSAGE, "%s was not measured like %s: it has %u ranks, not %u", name_of(from), name_of(into),
                       from->n_ranks, into->n_ranks);
    for (uint32_t r = 0; r < into->n_ranks; r++)
        if (strcmp(into->hosts[r], from->hosts[r]) != 0)
            return cw_fail(CW_EUSAGE, "%s was not measured like %s: its rank %u was on %s, not on %s", name_of(from),
                           name_of(into), r, from->hosts[r], into->hosts[r]);
    json_object_foreach(into->conditions, key, value)
    {
        const json_t *other = json_object_get(from->conditions, key);
        if (!other || !json_equal(value, other)) return fail_condition(into, from, key, value, other);
    }
    json_object_foreach(from->conditions, key, value)
    {
        if (!json_object_get(into->conditions, key)) return fail_condition(into, from, key, NULL, value);
    }
    return 0;
}

static int copy_optional(const char *text, char **out)
{
    *out = text ? cw_copy_text(text, strlen(text)) : NULL;
    return !text || *out ? 0 : CW_ENOMEM;
}

static int begin_copy(struct cw_bench_run *into, const struct cw_bench_run *from)
{
    into->seed = from->seed;
    into->complete = from->complete;
    int rc = copy_optional(from->name, &into->name);
    if (!rc) rc = copy_optional(from->version, &into->version);
    if (!rc) rc = copy_optional(from->command, &into->command);
    if (rc) return rc;
    return cw_bench_run_begin(into, from->n_ranks, (const char *const *)from->hosts, json_incref(from->conditions),
                              json_incref(from->environment));
}

/* One block, where BLOCK counts cases and splits as FROM does. */
static int merge_block(struct cw_bench_run *into, const struct cw_bench_run *from, struct cw_bench_block block)
{
    const uint8_t *roles = from->splits[block.split].roles;
    int rc = cw_bench_run_case(into, &from->cases[block.case_index], &block.case_index);
    if (!rc) rc = cw_bench_run_split(into, roles, &block.split);
    return rc ? rc : cw_bench_run_block(into, &block, from->samples + block.first_sample, block.n_samples);
}

int cw_bench_run_merge(struct cw_bench_run *into, const struct cw_bench_run *from)
{
    int rc = into->n_ranks > 0 ? check_alike(into, from) : begin_copy(into, from);
    for (size_t b = 0; b < from->n_blocks && !rc; b++) rc = merge_block(into, from, from->blocks[b]);
    if (!rc) into->complete &= from->complete;
    return rc;
}

/* --- when it is enough -------------------------------------------------------------------------------------------- */

/* The median time of the block's samples that count; NaN if none does, or the clock was off too far. TIMES has room for
 * them. */
static double median(const struct cw_bench_run *run, const struct cw_bench_block *block, double *times)
{
    size_t n = 0;
    if (block->unclocked) return NAN;
    for (size_t i = 0; i < block->n_samples; i++) {
        const struct cw_bench_sample *sample = &run->samples[block->first_sample + i];
        if (sample->status == CW_BENCH_OK) times[n++] = sample->time;
    }
    struct cw_summary summary;
    return n > 0 && cw_summarise(times, n, &summary) == 0 ? summary.median : NAN;
}

/* The perturbed block that was measured together with CLEAN; NULL: none. */
static const struct cw_bench_block *partner(const struct cw_bench_run *run, const struct cw_bench_block *clean)
{
    const struct cw_bench_block *end = run->blocks + run->n_blocks;
    for (const struct cw_bench_block *block = clean - clean->order;
         block < end && block->case_index == clean->case_index && block->split == clean->split &&
         block < clean - clean->order + CW_BENCH_STATES;
         block++)
        if (block->state == CW_BENCH_PERTURBED) return block;
    return NULL;
}

double cw_bench_precision(const struct cw_bench_run *run)
{
    struct cw_running *slowdowns = cw_new_array(run->n_cases, sizeof *slowdowns, "slowdowns");
    double *times = cw_new_array(run->n_samples, sizeof *times, "times");
    double worst = slowdowns && times && run->n_cases > 0 ? 0 : INFINITY;
    for (size_t i = 0; worst == 0 && i < run->n_blocks; i++) {
        const struct cw_bench_block *clean = &run->blocks[i];
        const struct cw_bench_block *perturbed = clean->state == CW_BENCH_CLEAN ? partner(run, clean) : NULL;
        if (!perturbed) continue;
        const double slowdown = log(median(run, perturbed, times) / median(run, clean, times));
        if (isfinite(slowdown)) cw_running_add(&slowdowns[clean->case_index], slowdown);
    }
    for (size_t i = 0; isfinite(worst) && i < run->n_cases; i++)
        worst = slowdowns[i].n < CW_INTERVAL_SAMPLES ? INFINITY : fmax(worst, expm1(cw_running_ci95(&slowdowns[i])));
    free(times);
    free(slowdowns);
    return worst;
}
