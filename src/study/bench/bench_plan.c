#include "study/bench/bench_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "base/units.h"
#include "report/rows.h"

/* --- loads -------------------------------------------------------------------------------------------------------- */

/* ITEM, "NAME[:SIZE]", is cut in two. */
static int parse_load(const char *option, const struct cw_registry *kinds, uint64_t bytes, char *item,
                      struct cw_bench_load *load)
{
    char *size = strchr(item, ':');
    if (size) *size++ = 0;
    load->kind = cw_registry_find(kinds, item);
    load->bytes = bytes;
    if (!load->kind) return cw_registry_unknown(kinds, item);
    return size ? cw_parse_bytes(option, size, &load->bytes) : 0;
}

int cw_bench_parse_loads(const char *option, const struct cw_registry *kinds, uint64_t bytes, const char *text,
                         struct cw_bench_load **out, size_t *n)
{
    char *copy = cw_copy_text(text, strlen(text));
    size_t items = 1;
    for (const char *c = text; *c; c++) items += *c == ',';
    struct cw_bench_load *loads = cw_new_array(items, sizeof *loads, "loads");
    int rc = copy && loads ? 0 : CW_ENOMEM;
    char *rest = copy;
    for (size_t i = 0; !rc && i < items; i++) rc = parse_load(option, kinds, bytes, strsep(&rest, ","), &loads[i]);
    free(copy);
    if (rc) {
        free(loads);
        return rc;
    }
    *out = loads;
    *n = items;
    return 0;
}

/* --- cases and splits --------------------------------------------------------------------------------------------- */

static void name_case(const struct cw_bench_request *request, size_t index, struct cw_bench_plan *plan)
{
    const size_t n_loads = request->n_operations * request->n_perturbations;
    const size_t ratio = index / n_loads, load = index % n_loads;
    const struct cw_bench_load *operation = &request->operations[load / request->n_perturbations];
    const struct cw_bench_load *perturbation = &request->perturbations[load % request->n_perturbations];
    struct cw_bench_case *one = &plan->cases[index];
    *one = (struct cw_bench_case){.bytes = operation->bytes,
                                  .root = request->root,
                                  .perturbation_bytes = perturbation->bytes,
                                  .ratio = request->ratios[ratio]};
    snprintf(one->operation, sizeof one->operation, "%s", cw_registry_name_of(operation->kind));
    snprintf(one->perturbation, sizeof one->perturbation, "%s", cw_registry_name_of(perturbation->kind));
    plan->load_of[index] = (uint32_t)load;
}

static void count_roles(uint32_t n_ranks, struct cw_bench_split *split)
{
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        split->n_application += split->roles[rank] == CW_BENCH_APPLICATION;
        split->n_perturbing += split->roles[rank] == CW_BENCH_PERTURBING;
    }
}

static int draw_splits(const struct cw_bench_request *request, struct cw_bench_plan *plan)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < plan->n_splits; i++) {
        struct cw_bench_split *split = &plan->splits[i];
        split->roles = cw_new_array(request->places->n_ranks, sizeof *split->roles, "splits");
        if (!split->roles) return CW_ENOMEM;
        rc = cw_split_draw(request->places, &request->rule, request->ratios[i % request->n_ratios],
                           (uint32_t)(i / request->n_ratios), split->roles);
        if (rc) return rc;
        count_roles(request->places->n_ranks, split);
        if (request->root >= split->n_application)
            rc = cw_fail(CW_EUSAGE, "root %u, but the application has %u ranks at ratio %g, from 0 on", request->root,
                         split->n_application, request->ratios[i % request->n_ratios]);
    }
    return rc;
}

/* --- the order ---------------------------------------------------------------------------------------------------- */

/* The steps of one split, in an order drawn for it. */
static void order_steps(const struct cw_bench_request *request, uint32_t split, bool control, uint32_t *loads,
                        struct cw_bench_plan *plan)
{
    const uint32_t n_loads = (uint32_t)(request->n_operations * request->n_perturbations);
    const uint32_t ratio = split % (uint32_t)request->n_ratios;
    struct cw_random random = cw_random_of(request->rule.seed, CW_STREAM_ORDER, split);
    cw_random_permutation(&random, n_loads, loads);
    for (uint32_t load = 0; load < n_loads; load++) {
        uint32_t states[CW_BENCH_STATES];
        const uint32_t n = control ? CW_BENCH_STATES : CW_BENCH_CONTROL;
        cw_random_permutation(&random, n, states);
        for (uint32_t order = 0; order < n; order++)
            plan->steps[plan->n_steps++] = (struct cw_bench_step){.case_index = ratio * n_loads + loads[load],
                                                                  .split = split,
                                                                  .state = (enum cw_bench_state)states[order],
                                                                  .order = order};
    }
}

static int order_all(const struct cw_bench_request *request, struct cw_bench_plan *plan)
{
    uint32_t *loads = cw_new_array(request->n_operations * request->n_perturbations, sizeof *loads, "order of cases");
    uint32_t *groups = cw_new_array(request->places->n_ranks, sizeof *groups, "groups of the control");
    int rc = loads && groups ? 0 : CW_ENOMEM;
    for (uint32_t split = 0; !rc && split < plan->n_splits; split++) {
        uint32_t exchanging = 0;
        if (request->control)
            rc = cw_split_control(request->places, plan->splits[split].roles, request->control_kind, groups,
                                  &exchanging);
        if (rc) break;
        plan->n_controls += exchanging > 0;
        order_steps(request, split, exchanging > 0, loads, plan);
    }
    if (!rc && request->control && !request->control_as_it_is && plan->n_controls == 0)
        rc = cw_fail(CW_EUSAGE, "no control can be had: %s in any of the %zu splits",
                     cw_split_no_control(request->control_kind), plan->n_splits);
    free(groups);
    free(loads);
    return rc;
}

int cw_bench_plan_make(const struct cw_bench_request *request, struct cw_bench_plan *out)
{
    const size_t n_loads = request->n_operations * request->n_perturbations;
    struct cw_bench_plan plan = {.n_cases = request->n_ratios * n_loads,
                                 .n_splits = request->n_ratios * request->n_splits};
    plan.cases = cw_new_array(plan.n_cases, sizeof *plan.cases, "cases");
    plan.load_of = cw_new_array(plan.n_cases, sizeof *plan.load_of, "cases");
    plan.splits = cw_new_array(plan.n_splits, sizeof *plan.splits, "splits");
    plan.steps = cw_new_array(plan.n_splits * n_loads * CW_BENCH_STATES, sizeof *plan.steps, "steps");
    int rc = plan.cases && plan.load_of && plan.splits && plan.steps ? 0 : CW_ENOMEM;
    for (size_t i = 0; !rc && i < plan.n_cases; i++) name_case(request, i, &plan);
    if (!rc) rc = draw_splits(request, &plan);
    if (!rc) rc = order_all(request, &plan);
    if (rc)
        cw_bench_plan_free(&plan);
    else
        *out = plan;
    return rc;
}

void cw_bench_plan_free(struct cw_bench_plan *plan)
{
    for (size_t i = 0; plan->splits && i < plan->n_splits; i++) free(plan->splits[i].roles);
    free(plan->splits);
    free(plan->cases);
    free(plan->load_of);
    free(plan->steps);
    *plan = (struct cw_bench_plan){0};
}

bool cw_bench_plan_may_end(const struct cw_bench_plan *plan, size_t step, size_t n_ratios)
{
    const uint32_t split = plan->steps[step].split;
    return step > 0 && split != plan->steps[step - 1].split && split % n_ratios == 0;
}

/* --- what would be measured --------------------------------------------------------------------------------------- */

#define ROWS_OF_TEXT 20 /* of the splits */

static const struct cw_column split_columns[] = {
    {"ratio", CW_COLUMN_REAL, NULL, "perturbation ratio"},
    {"split", CW_COLUMN_INT, NULL, "its number"},
    {"application", CW_COLUMN_INT, "rank", "how many call the operation"},
    {"perturbing", CW_COLUMN_INT, "rank", "how many exchange messages"},
    {"idle", CW_COLUMN_INT, "rank", "how many do neither"},
    {"control", CW_COLUMN_INT, "rank", "how many exchange messages in the control; 0: it is left out on this split"},
    {"application_ranks", CW_COLUMN_TEXT, NULL, "which they are"},
    {"perturbing_ranks", CW_COLUMN_TEXT, NULL, "which they are", .detail = true},
};

/* "0-3,8": the ranks of ROLE. */
static int list_ranks(const struct cw_bench_split *split, uint32_t n, enum cw_bench_role role, struct cw_table *table)
{
    struct cw_text text = {0};
    for (uint32_t rank = 0; rank < n; rank++) {
        if (split->roles[rank] != role) continue;
        uint32_t last = rank;
        while (last + 1 < n && split->roles[last + 1] == role) last++;
        cw_text_printf(&text, last > rank ? "%s%u-%u" : "%s%u", text.length > 0 ? "," : "", rank, last);
        rank = last;
    }
    const int rc = cw_text_check(&text);
    if (!rc) cw_table_text(table, text.data);
    cw_text_free(&text);
    return rc;
}

static int add_split(const struct cw_bench_request *request, const struct cw_bench_plan *plan, size_t index,
                     uint32_t *groups, struct cw_table *table)
{
    const struct cw_bench_split *split = &plan->splits[index];
    const uint32_t n = request->places->n_ranks;
    uint32_t exchanging = 0;
    int rc = 0;
    if (request->control)
        rc = cw_split_control(request->places, split->roles, request->control_kind, groups, &exchanging);
    if (rc) return rc;
    cw_table_row(table, "%g %zu %u %u %u %u", request->ratios[index % request->n_ratios], index / request->n_ratios,
                 split->n_application, split->n_perturbing, n - split->n_application - split->n_perturbing, exchanging);
    rc = list_ranks(split, n, CW_BENCH_APPLICATION, table);
    return rc ? rc : list_ranks(split, n, CW_BENCH_PERTURBING, table);
}

static void say_how_long(const struct cw_bench_plan *plan, size_t samples, double time, struct cw_result *result)
{
    char total[32], each[32];
    if (time > 0)
        cw_result_note(result, "This takes at most %s (%s for each block), and less where %zu calls need less.",
                       cw_format_time(time, total, sizeof total),
                       cw_format_time(time / (double)plan->n_steps, each, sizeof each), samples);
    else
        cw_result_note(result, "There is no time limit: it takes as long as %zu calls do.", plan->n_steps * samples);
}

int cw_bench_plan_show(const struct cw_bench_request *request, const struct cw_bench_plan *plan, size_t samples,
                       double time, bool oversubscribed, struct cw_result *result)
{
    const struct cw_rank_places *places = request->places;
    struct cw_table *table = NULL;
    uint32_t *groups = cw_new_array(places->n_ranks, sizeof *groups, "groups of the control");
    int rc = groups ? cw_result_new_table(result, "splits", "Splits", CW_ITEMS(split_columns), &table) : CW_ENOMEM;
    if (!rc) cw_table_cut_text(table, ROWS_OF_TEXT);
    for (size_t i = 0; !rc && i < plan->n_splits; i++) rc = add_split(request, plan, i, groups, table);
    free(groups);
    if (rc) return rc;
    cw_result_note(result,
                   "%u ranks on %u host%s%s. %zu case%s on %u split%s of each ratio: %zu blocks of up to %zu calls.",
                   places->n_ranks, places->n_hosts, cw_plural(places->n_hosts),
                   oversubscribed ? ", more than there are processors" : "", plan->n_cases, cw_plural(plan->n_cases),
                   request->n_splits, cw_plural(request->n_splits), plan->n_steps, samples);
    say_how_long(plan, samples, time, result);
    return 0;
}
