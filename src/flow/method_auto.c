/*
 * The fastest plan of all methods.
 *
 * The search is that of the optimum where demands × switches are not many (cw_is_large), or not so many if one demand
 * stands for all that are alike (flow/quotient.h); else of rails on boxes with rails, of the optimum with a budget, or
 * of epsilon's approximation. But balanced channels are not all: relaying costs time, and plans of fewer relays or the
 * network's own routes may be faster. So every method makes its plan; each is carried out by the simulated transport in
 * whole chunks (flow/transport/transport.h), and the best of them is the answer (cw_plan_is_better). Without a
 * transport, times are those of the hottest channels. The methods of k paths take part if those were found
 * (cw_method.worth_paths). A method that has no plan is passed over, such as those of k paths where a pair has none;
 * only where all have none there is no answer. Where the network's own routes carry what a cut lets through, nothing
 * else is tried: relays would only cost time. Within a budget the search gets half of the time, or all where there are
 * no k paths. When the time is over, the network's own routes, which need none, are still compared, and of the others
 * those that have begun. The search's bound holds for whichever it is.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/stopwatch.h"
#include "flow/chunking.h"
#include "flow/column_plan.h"
#include "flow/quotient.h"
#include "net/network_internal.h"

#define REACHED 1e-9 /* of a bound, relative: the network's own routes are the best then */

#define SEARCHED 0.7 /* of the progress of a method: the rest is its transport */

/* Whether what is alike in PROBLEM leaves so little that the optimum is no search for it. */
static bool has_small_quotient(const struct cw_flow_problem *problem)
{
    struct cw_quotient quotient;
    if (cw_quotient_make(problem, &quotient)) return false;
    const bool small = !cw_is_large(&quotient.problem);
    cw_quotient_free(&quotient);
    return small;
}

/* The method that searches, with a proof: on many boxes the one that is made for rails. */
static const char *search_of(const struct cw_flow_problem *problem, bool budget)
{
    if (!cw_is_large(problem) || has_small_quotient(problem)) return "optimum";
    if (cw_method_find("rails")->accepts(problem)) return "rails";
    return budget ? "optimum" : "approx";
}

static bool worth_paths(const struct cw_flow_problem *problem)
{
    return !cw_is_large(problem);
}

/* How PLAN is predicted to move; without a transport, only the seconds that its hottest channel needs; INFINITY if
 * there are too many chunks to be simulated. */
static int predict(const struct cw_flow_problem *problem, const struct cw_method_setup *setup,
                   const struct cw_progress_part *progress, const struct cw_plan *plan,
                   struct cw_transport_result *moved)
{
    if (!setup->transport) {
        *moved = (struct cw_transport_result){.seconds = cw_plan_bandwidth_seconds(problem, plan)};
        return 0;
    }
    struct cw_transport transport = *setup->transport;
    struct cw_plan chunked;
    transport.progress = *progress;
    int rc = cw_plan_in_chunks(problem, plan, transport.chunk_bytes, &chunked);
    if (rc) return rc;
    rc = cw_transport_run(problem, &chunked, &transport, moved);
    cw_plan_free(&chunked);
    if (rc == CW_ELIMIT) *moved = (struct cw_transport_result){.seconds = INFINITY};
    return rc == CW_ELIMIT ? 0 : rc;
}

/* The best plan so far, without a proof, for that of the search is anyone's. */
struct choice {
    struct cw_plan plan;
    struct cw_transport_result moved;
    double bound;
    struct cw_proof proof; /* of the search */
    int failed;            /* of the first method that has no plan, … */
    char message[512];     /* … and why */
};

/* Keeps the error RC of a method if that is only its own; else returns it. */
static int pass_over(int rc, struct choice *best)
{
    if (!cw_error_stops_one(rc)) return rc;
    if (best->failed) return 0;
    best->failed = rc;
    snprintf(best->message, sizeof best->message, "%s", cw_error_message());
    return 0;
}

/* Takes proof and bound from PLAN, if it is the search's, which comes first; nobody needs those of others. */
static void take_proof(struct cw_plan *plan, struct choice *best)
{
    if (best->plan.paths || best->failed) {
        cw_proof_free(&plan->proof);
        return;
    }
    best->proof = plan->proof;
    best->bound = plan->bound;
    plan->proof = (struct cw_proof){0};
}

/* Makes a plan by METHOD in SECONDS (0: no budget), and keeps it if it is better than BEST. */
static int try_method(const struct cw_method *method, double seconds, const struct cw_flow_problem *problem,
                      const struct cw_method_setup *setup, const struct cw_progress_part *progress, struct choice *best)
{
    struct cw_method_setup own = *setup;
    struct cw_plan plan;
    struct cw_transport_result moved;
    own.seconds = seconds;
    own.progress = cw_progress_within(progress, 0, SEARCHED);
    const struct cw_progress_part rest = cw_progress_within(progress, SEARCHED, 1);
    int rc = cw_method_make(method, problem, &own, &plan);
    if (rc) return pass_over(rc, best);
    take_proof(&plan, best);
    rc = predict(problem, setup, &rest, &plan, &moved);
    if (!rc && (!best->plan.paths || cw_plan_is_better(&plan, moved.seconds, &best->plan, best->moved.seconds))) {
        const struct cw_plan other = best->plan;
        best->plan = plan;
        best->moved = moved;
        plan = other;
    }
    cw_plan_free(&plan);
    return rc;
}

/* Adds NAME to a list of several. */
static void list_untried(const char *name, char *untried, size_t size)
{
    const size_t length = strlen(untried);
    snprintf(untried + length, size - length, "%s%s", length > 0 ? ", " : "", name);
}

/* The other methods after the search, SEARCHED, until the DEADLINE. UNTRIED [SIZE], empty before: those that come too
 * late. */
static int try_others(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, const char *searched,
                      double deadline, const struct cw_progress_part *progress, struct choice *best, char *untried,
                      size_t size)
{
    static const char *const others[] = {"default", "rails", "greedy", "heuristic", "lp"};
    const size_t n = sizeof others / sizeof *others;
    for (size_t i = 0; i < n; i++) {
        const struct cw_progress_part part =
            cw_progress_within(progress, (double)i / (double)n, (double)(i + 1) / (double)n);
        const double left = isinf(deadline) ? 0 : deadline - cw_stopwatch_now();
        const struct cw_method *method = cw_method_find(others[i]);
        if (method->needs_paths ? !setup->paths : !setup->routes) continue;
        if (strcmp(others[i], searched) == 0) continue;
        if (left < 0 && i > 0) {
            if (method->accepts && !method->accepts(problem)) continue;
            list_untried(others[i], untried, size);
            continue;
        }
        const int rc = try_method(method, left, problem, setup, &part, best);
        if (rc) return rc;
    }
    return 0;
}

/* What is tried before rails; the other searches begin with it themselves. */
static const struct cw_method own_routes = {.name = "default", .solve = cw_own_routes_plan};

static int solve(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, struct cw_plan *out)
{
    const bool budget = setup->seconds > 0;
    const double deadline = cw_stopwatch_deadline(setup->seconds);
    const struct cw_progress_part first = cw_progress_within(&setup->progress, 0, 0.5);
    const struct cw_progress_part rest = cw_progress_within(&setup->progress, 0.5, 1);
    const double seconds = setup->paths ? setup->seconds / 2 : setup->seconds;
    struct choice best = {.bound = NAN};
    const char *search = search_of(problem, budget);
    const bool own_first = setup->routes && strcmp(search, "rails") == 0;
    int rc = own_first ? try_method(&own_routes, 0, problem, setup, &first, &best) : 0;
    char untried[sizeof out->untried] = "";
    bool done = rc == 0 && best.plan.paths;
    if (rc == 0 && !done) {
        best = (struct choice){.bound = NAN};
        rc = try_method(cw_method_find(search), seconds, problem, setup, &first, &best);
        done = rc == 0 && best.plan.network_routes && best.plan.z >= best.bound * (1 - REACHED);
    }
    if (rc == 0 && !done) rc = try_others(problem, setup, search, deadline, &rest, &best, untried, sizeof untried);
    if (rc == 0 && !best.plan.paths) rc = cw_fail(best.failed, "%s", best.message);
    best.plan.proof = best.proof; /* whichever is best, the search's bound is its */
    best.plan.bound = best.bound;
    if (rc) {
        cw_plan_free(&best.plan);
        return rc;
    }
    char chosen[sizeof out->method];
    const char *method = best.plan.network_routes ? "default" : best.plan.method; /* a search without time ends there */
    snprintf(chosen, sizeof chosen, "auto: %.24s", method);
    snprintf(best.plan.method, sizeof best.plan.method, "%s", chosen);
    if (setup->moved && setup->transport && isfinite(best.moved.seconds)) *setup->moved = best.moved;
    *out = best.plan;
    memcpy(out->untried, untried, sizeof untried);
    return 0;
}

const struct cw_method cw_method_auto = {
    .name = "auto",
    .help = "the plan of all these that is predicted to be the fastest; on large cases without those of k paths",
    .worth_paths = worth_paths,
    .solve = solve};
