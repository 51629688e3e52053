/* crosswind plan: multi-path data movement, from demands to a proven plan. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "cli/fabric.h"
#include "cli/jobs/jobs_run.h"
#include "cli/plan/plan_options.h"
#include "cli/plan/plan_report.h"
#include "net/faults.h"
#include "net/network_internal.h"
#include "study/move/plan_case.h"

/* A command under way. */
struct planning {
    struct invocation *invocation;
    const struct plan_options *values;
    struct fabric fabric;
    bool legs; /* paths consist of them */
    struct cw_plan_case made;
    struct cw_anycast anycast;       /* destinations that are any of several … */
    struct cw_anycast_choice choice; /* … and which they are */
    const struct cw_method **methods;
    size_t n_methods;
    struct cw_table *table; /* the result's, a row for each method */
    struct cw_plan_run *runs;
    size_t n_runs;
    struct cw_arrivals *arrivals;     /* [methods] of each run; NULL: nobody looks at them */
    struct cw_text checked;           /* content of --check */
    struct cw_channel_changes before; /* what had failed when that plan was made */
};

static int find_methods(struct planning *planning)
{
    const char *names = planning->values->methods;
    size_t n = 1;
    for (const char *c = names; *c; c++) n += *c == ',';
    planning->methods = cw_new_array(n, sizeof *planning->methods, "methods");
    planning->runs = cw_new_array(n, sizeof *planning->runs, "plans");
    if (invocation_has_figures(planning->invocation))
        planning->arrivals = cw_new_array(n, sizeof *planning->arrivals, "what has arrived by when");
    int rc = planning->methods && planning->runs ? 0 : CW_ENOMEM;
    if (invocation_has_figures(planning->invocation) && !planning->arrivals) rc = CW_ENOMEM;
    while (!rc && planning->n_methods < n) {
        const size_t length = strcspn(names, ",");
        char *name = cw_copy_text(names, length);
        const struct cw_method *method = name ? cw_method_find(name) : NULL;
        rc = !name ? CW_ENOMEM : method ? 0 : CW_EUSAGE;
        planning->methods[planning->n_methods++] = method;
        names += length + 1;
        free(name);
    }
    return rc;
}

/* --- the case ----------------------------------------------------------------------------------------------------- */

/* A demand between others than those that take part was not meant. */
static int check_demands(const struct cw_network *net, const struct cw_selection *selection,
                         const struct cw_demands *demands)
{
    char name[CW_NAME_SIZE];
    for (size_t i = 0; i < demands->n; i++) {
        const uint32_t ends[] = {demands->items[i].src, demands->items[i].dst};
        for (int k = 0; k < 2; k++)
            if (cw_selection_index(selection, ends[k]) == CW_NONE)
                return cw_fail(CW_EUSAGE, "demand %zu: %s is not among the %u of %u endpoints that take part", i,
                               cw_network_name(net, ends[k], name, sizeof name), selection->n, net->n_endpoints);
    }
    return 0;
}

static int find_demands(struct planning *planning)
{
    const struct plan_options *values = planning->values;
    struct invocation *invocation = planning->invocation;
    const struct cw_network *net = planning->fabric.net;
    struct cw_demands *demands = &planning->made.demands;
    int rc =
        values->anycast ? plan_anycast_read(net, planning->fabric.selection, values->anycast, &planning->anycast) : 0;
    if (rc) return rc;
    if (values->anycast && !values->check)
        rc = cw_anycast_pairs(&planning->anycast, demands);
    else if (values->traffic)
        rc = cw_demands_pattern(net, planning->fabric.selection, values->traffic, values->bytes,
                                (uint64_t)invocation->common.seed, demands);
    else
        rc = cw_plan_parse_demands(net, values->check, planning->checked.data, planning->checked.length, demands);
    if (!rc) rc = check_demands(net, planning->fabric.selection, demands);
    if (!rc && values->anycast && values->check) rc = cw_anycast_check(&planning->anycast, net, demands);
    return rc;
}

/* Opens the network. Of a plan to be checked it is the one that the plan was made for, without what had failed then;
 * what has failed since must be off its paths. */
static int open_network(struct planning *planning)
{
    struct invocation *invocation = planning->invocation;
    const char *check = planning->values->check;
    char *failed = invocation->routing.failed;
    int rc = check ? cw_file_read(check, &planning->checked) : 0;
    if (!rc && check)
        rc = cw_plan_parse_faults(check, planning->checked.data, planning->checked.length, &planning->before);
    if (rc) return rc;
    if (check) invocation->routing.failed = NULL;
    if (planning->before.n > 0) invocation->routing.faults = &planning->before;
    /* Also if nobody may relay: a pair of GPUs on one rail then has its route, and others are told that theirs is
     * missing, whereas leaving out all but those who reach one another would leave out most pairs that do. */
    invocation->routing.relayed = true;
    rc = fabric_open(invocation, invocation->positional[0], &planning->fabric);
    invocation->routing.failed = failed;
    return rc;
}

static int make_problem(struct planning *planning, const uint32_t *failed, size_t n_failed)
{
    struct cw_plan_case *made = &planning->made;
    const int host_limit = plan_host_limit(planning->invocation);
    return made->legs
               ? cw_flow_problem_make_on_legs(made->legs, &made->demands, host_limit, failed, n_failed, &made->problem)
               : cw_flow_problem_make(made->net, &made->demands, host_limit, failed, n_failed, &made->problem);
}

/* Makes the problem without the channels that LIST names. */
static int make_problem_without(struct planning *planning, const char *list)
{
    const struct cw_network *net = planning->made.net;
    struct cw_faults *faults = NULL;
    uint32_t *failed = cw_new_array(net->n_channels, sizeof *failed, "failed channels"), n = 0;
    int rc = failed ? cw_faults_new(net, &faults) : CW_ENOMEM;
    if (!rc) rc = cw_faults_fail(faults, "--failed", list, (uint64_t)planning->invocation->common.seed);
    for (uint32_t c = 0; !rc && c < net->n_channels; c++)
        if (faults->failed[c]) failed[n++] = c;
    if (!rc) rc = make_problem(planning, failed, n);
    cw_faults_free(faults);
    free(failed);
    return rc;
}

static int find_routes(struct planning *planning)
{
    const struct plan_options *values = planning->values;
    const struct routing routing = {
        .name = values->routing, .lft = values->lft, .repair = values->repair, .all_lids = true};
    const int rc = fabric_route(planning->invocation, &routing, &planning->fabric);
    planning->made.setup.routes = planning->fabric.routes;
    return rc;
}

/* Of a problem that has every demand to every member makes the one of those that are chosen. */
static int choose_destinations(struct planning *planning)
{
    struct cw_plan_case *made = &planning->made;
    struct cw_anycast_choice *choice = &planning->choice;
    int rc = cw_anycast_choose(&planning->anycast, &made->problem, &made->setup, choice);
    if (rc) return rc;
    cw_flow_problem_free(&made->problem);
    cw_demands_free(&made->demands);
    made->demands = choice->demands;
    choice->demands = (struct cw_demands){0};
    return make_problem(planning, NULL, 0);
}

static int make_case(struct planning *planning)
{
    const struct plan_options *values = planning->values;
    struct invocation *invocation = planning->invocation;
    struct cw_plan_case *made = &planning->made;
    const char *failed = invocation->routing.failed;
    made->net = planning->fabric.net;
    plan_options_case(invocation, made);
    int rc = find_demands(planning);
    if (!rc && (planning->legs || !values->check)) rc = find_routes(planning);
    if (!rc && planning->legs) rc = plan_make_legs(invocation, &planning->fabric, made);
    if (rc) return rc;
    rc = values->check && failed ? make_problem_without(planning, failed) : make_problem(planning, NULL, 0);
    if (!rc && values->anycast && !values->check) rc = choose_destinations(planning);
    if (!rc) rc = plan_options_transport(invocation, planning->methods, planning->n_methods, made);
    return rc;
}

#define STEPS 1000 /* of the progress bar, for each method */

/* --- solving ------------------------------------------------------------------------------------------------------ */

static void show_step(const struct planning *planning, const char *step, size_t i)
{
    char label[64];
    snprintf(label, sizeof label, "%s %zu of %zu, %s", step, i + 1, planning->n_methods, planning->methods[i]->name);
    cw_progress_label(planning->made.progress.progress, label);
}

/* Of the run that is evaluated next. */
static void watch_arrivals(struct planning *planning)
{
    planning->made.arrivals = planning->arrivals ? &planning->arrivals[planning->n_runs] : NULL;
}

static int solve_method(struct planning *planning, size_t i)
{
    const struct cw_method *method = planning->methods[i];
    struct cw_plan_run *run = &planning->runs[planning->n_runs];
    show_step(planning, "plan", i);
    int rc = cw_plan_case_solve(&planning->made, method, run);
    if (!rc) {
        watch_arrivals(planning);
        if (planning->made.has_transport) show_step(planning, "simulating", i);
        rc = cw_plan_case_evaluate(&planning->made, run);
        if (rc) {
            cw_plan_run_free(run);
            return rc;
        }
        plan_report_row(planning->table, run);
        planning->n_runs++;
    }
    /* of pairs that only relays connect there is no plan of the network's own, but others */
    if (rc != CW_EROUTE || !planning->made.legs || planning->n_methods == 1) return rc;
    cw_result_note(planning->invocation->result, "There is no plan of %s: %s.", method->name, cw_error_message());
    return 0;
}

static int begin_table(struct planning *planning, const char *title)
{
    const struct plan_options *values = planning->values;
    struct cw_result *result = planning->invocation->result;
    const int rc = plan_report_table(&planning->made, planning->fabric.selection, title, &planning->table);
    if (rc) return rc;
    const char *traffic = values->traffic ? values->traffic : values->anycast;
    cw_result_set_context(result, CW_CONTEXT_TRAFFIC, traffic ? traffic : values->check);
    static const struct cw_figure_panel panels[] = {{.y = "z"},
                                                    {.y = "z_bound"},
                                                    {.y = "bandwidth_seconds", .label = "time by bandwidth"},
                                                    {.y = "predicted_seconds", .label = "predicted time"}};
    static const struct cw_figure figure = {
        .kind = CW_FIGURE_BARS, .table = "plan", .rows = "method", .series = "k", .panels = panels, .n_panels = 4};
    const int added = cw_result_add_table(result, planning->table);
    return added ? added : cw_result_figure(result, &figure);
}

static int solve(struct planning *planning)
{
    struct cw_progress *progress = invocation_progress(planning->invocation, "plan", planning->n_methods * STEPS);
    int rc = 0;
    cw_table_expect(planning->table, planning->n_methods);
    for (size_t i = 0; !rc && i < planning->n_methods; i++) {
        planning->made.progress = (struct cw_progress_part){progress, (double)(i * STEPS), (double)((i + 1) * STEPS)};
        rc = solve_method(planning, i);
        cw_progress_reach(&planning->made.progress, 1);
    }
    cw_progress_free(progress);
    return rc;
}

static int report(struct planning *planning)
{
    struct cw_result *result = planning->invocation->result;
    plan_report_demands(result, &planning->made);
    const int rc = planning->choice.taken
                       ? plan_report_anycast(result, planning->made.net, &planning->anycast, &planning->choice)
                       : 0;
    if (rc) return rc;
    if (planning->n_methods > 1 || strcmp(planning->methods[0]->name, "default") != 0)
        plan_note_legs(planning->invocation, &planning->fabric, &planning->made);
    plan_report_paths(result, &planning->made);
    return planning->n_runs > 0 ? plan_report_meaning(result, &planning->made, planning->runs, planning->n_runs) : 0;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static int write_plan(struct planning *planning, const struct cw_plan_run *run)
{
    struct cw_text text = {0};
    int rc = cw_plan_write(&planning->made.problem, &run->plan, &planning->fabric.faults, &text);
    if (!rc) rc = cw_file_write(planning->values->plan, &text);
    cw_text_free(&text);
    if (!rc)
        cw_result_note(planning->invocation->result, "Written to %s: the plan of %s.", planning->values->plan,
                       run->plan.method);
    return rc;
}

static int write_program(struct planning *planning)
{
    struct cw_text text = {0};
    const char *file;
    const enum cw_export form = plan_options_export(planning->values, &file);
    int rc = cw_plan_case_find_paths(&planning->made);
    if (!rc) rc = cw_flow_export(&planning->made.problem, &planning->made.paths, form, &text);
    if (!rc) rc = cw_file_write(file, &text);
    cw_text_free(&text);
    return rc;
}

/* What ranks do to carry the plan of RUN out: what it takes by flows or flit by flit, a file, and in words. */
static int carry_out(struct planning *planning, const struct cw_plan_run *run)
{
    const struct plan_options *values = planning->values;
    const bool priced = values->model != PLAN_COUNTS;
    struct cw_moves moves;
    int rc = priced && !planning->fabric.routes ? find_routes(planning) : 0;
    if (!rc) rc = plan_make_moves(&planning->made, run, priced || values->moves, &moves);
    if (rc) return rc;
    if (priced) rc = jobs_moves(planning->invocation, &planning->fabric, &moves, values->model == PLAN_FLITS);
    if (!rc) rc = plan_moves(planning->invocation->result, planning->made.net, &moves, values->moves, values->explain);
    cw_moves_free(&moves);
    return rc;
}

static int write_files(struct planning *planning)
{
    const struct plan_options *values = planning->values;
    const struct cw_plan_run *best = &planning->runs[cw_plan_runs_best(planning->runs, planning->n_runs)];
    int rc = 0;
    if (values->plan) rc = write_plan(planning, best);
    if (!rc && values->channels)
        rc = plan_report_channels(planning->invocation->result, &planning->made, best, values->channels);
    if (!rc && (values->moves || values->explain || values->model != PLAN_COUNTS)) rc = carry_out(planning, best);
    if (rc || values->model != PLAN_COUNTS) return rc;
    return plan_doubt(planning->invocation->result, &planning->made, best, planning->fabric.routes);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int make_plans(struct planning *planning)
{
    int rc = planning->values->export ? write_program(planning) : 0;
    if (!rc) rc = begin_table(planning, "Plans");
    if (rc) return rc;
    rc = solve(planning);
    const int reported = report(planning);
    if (!rc) rc = reported;
    return rc || planning->n_runs > 0 ? rc : CW_EROUTE; /* of the last method */
}

static int check_plan(struct planning *planning)
{
    struct cw_plan_run *run = planning->runs;
    const char *file = planning->values->check;
    int rc = cw_plan_parse(&planning->made.problem, file, planning->checked.data, planning->checked.length, &run->plan);
    if (rc) return rc;
    planning->n_runs = 1;
    run->plan.seconds = (double)NAN; /* of a search there was none */
    if (run->plan.network_routes && !planning->fabric.routes)
        rc = find_routes(planning);
    else if (!planning->fabric.routes)
        rc = plan_options_refuse_routes(planning->invocation);
    if (!rc && run->plan.network_routes)
        rc = cw_plan_check_routes(&planning->made.problem, &run->plan, planning->fabric.routes, file);
    if (rc) return rc;
    if (!invocation_has(planning->invocation, "chunk") && run->plan.chunk_bytes > 0) {
        planning->made.transport.chunk_bytes = run->plan.chunk_bytes;
        rc = cw_plan_case_group_chunks(&planning->made, true);
    }
    run->z = run->plan.z;
    planning->made.arrivals = planning->arrivals;
    if (!rc) rc = cw_plan_case_evaluate(&planning->made, run);
    if (!rc) rc = begin_table(planning, "A plan read from a file");
    if (rc) return rc;
    plan_report_row(planning->table, run);
    rc = report(planning);
    if (rc) return rc;
    cw_result_note(planning->invocation->result,
                   "%s holds what it promises: every path leads from source to destination over channels that "
                   "work, its shares and bytes add up to the demands, and no channel is over its capacity at z.%s",
                   file, run->plan.proof.n > 0 ? " Its lengths of channels prove the bound." : "");
    return 0;
}

/* Pictures of what the plans do. */
static int show(struct planning *planning)
{
    struct cw_result *result = planning->invocation->result;
    if (!planning->arrivals) return 0;
    const int rc = plan_report_arrivals(result, planning->runs, planning->arrivals, planning->n_runs);
    return rc ? rc
              : plan_report_busiest(result, &planning->made,
                                    &planning->runs[cw_plan_runs_best(planning->runs, planning->n_runs)]);
}

static int run(struct invocation *invocation)
{
    struct planning planning = {.invocation = invocation, .values = invocation->values};
    int rc = plan_options_check(invocation);
    if (!rc) rc = find_methods(&planning);
    if (!rc) rc = open_network(&planning);
    if (!rc) rc = plan_check_relays(invocation, planning.fabric.net);
    planning.legs = !rc && plan_has_legs(invocation, &planning.fabric);
    if (!rc) rc = plan_options_use(invocation, planning.legs, planning.methods, planning.n_methods);
    if (!rc) rc = make_case(&planning);
    if (!rc) rc = planning.values->check ? check_plan(&planning) : make_plans(&planning);
    if (!rc) rc = show(&planning);
    if (!rc) rc = write_files(&planning);
    for (size_t i = 0; i < planning.n_runs; i++) cw_plan_run_free(&planning.runs[i]);
    free(planning.runs);
    free(planning.arrivals);
    free(planning.methods);
    cw_plan_case_free(&planning.made);
    cw_anycast_choice_free(&planning.choice);
    cw_anycast_free(&planning.anycast);
    cw_text_free(&planning.checked);
    free(planning.before.items);
    fabric_free(&planning.fabric);
    return rc;
}

const struct verb verb_plan = {
    .name = "plan",
    .help = "Splits data movements over many paths, and proves how good that is",
    .arguments = network_argument,
    .description =
        "Who sends how much to whom (--traffic) becomes a plan: every demand split over paths so that the "
        "hottest channel carries as little as possible. z is the fraction of every demand that moves in the time in "
        "which one channel moves the largest; z_bound is proven. A simulated transport, in which relays forward "
        "chunks through bounded buffers, predicts how long the plan takes, for relaying may cost more than it gains. "
        "What relaying costs is known for Blue Gene/Q; elsewhere --transport says it, and without it relays are taken "
        "to cost nothing but storing whole chunks. --plan writes the fastest plan, --check verifies such a file.",
    .examples =
        "  crosswind plan bgq:2048 --traffic 3\n"
        "  crosswind plan bgq:512,merge2 --traffic 27 --k 50 --method default,heuristic,lp,optimum\n"
        "  crosswind plan fabric.net --lft opensm-lfts.dump --traffic matrix:moves.csv --plan plan.json\n"
        "  crosswind plan fabric.net --lft opensm-lfts.dump --traffic permutation --model flits --message 2KiB\n"
        "  crosswind plan fabric.net --check plan.json --failed s2/7,s3-s9\n",
    .options = plan_option_table,
    .size = sizeof(struct plan_options),
    .flits = FLITS_OF_PLANS,
    .network = true,
    .nodes = true,
    .stores = STORES_RESULT,
    .lft = true,
    .one_route = true,
    .pictures = PICTURES_DECLARED,
    .run = run,
};
