#include "cli/plan/plan_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/fabric.h"
#include "cli/jobs/jobs_run.h"
#include "flow/moves/moves.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "study/jobs/flit_moves_case.h"

#define ROUNDING 1e-8
#define DOUBTED  4096 /* paths of a plan that flows are asked for without being told to */

/* All columns, in text those of times that are known: PREDICTED, or only what the hottest channel needs. */
#define COLUMNS(PREDICTED)                                                                                             \
    {                                                                                                                  \
        {"pairs", CW_COLUMN_INT, NULL, "demands over the network", .detail = true},                                    \
            {"method", CW_COLUMN_TEXT, NULL, "how the plan was made"},                                                 \
            {"k", CW_COLUMN_INT, NULL, "paths a pair it chose among; missing: all there are"},                         \
            {"z", CW_COLUMN_REAL, NULL, "fraction of all demands moved in the time a channel moves the largest"},      \
            {"z_bound", CW_COLUMN_REAL, NULL, "proven: no plan over the paths it chose among has a greater z"},        \
            {"gap", CW_COLUMN_REAL, NULL, "(z_bound - z) / z_bound; 0 below 1e-8, which is rounding"},                 \
            {"paths_used", CW_COLUMN_INT, NULL, "paths that carry anything"},                                          \
            {"hops_mean", CW_COLUMN_REAL, "hop", "channels with a limit on a path, mean over bytes"},                  \
            {"hops_max", CW_COLUMN_INT, "hop", "the same of the longest path"},                                        \
            {"copies_max", CW_COLUMN_INT, NULL, "most paths that one endpoint relays, or one node of Blue Gene"},      \
            {"max_channel_bytes", CW_COLUMN_INT, "byte", "most on any one channel with a limit"},                      \
            {"z_chunks", CW_COLUMN_REAL, NULL, "z of the whole chunks in which it is carried out and written",         \
             .detail = true},                                                                                          \
            {"bandwidth_seconds", CW_COLUMN_REAL, "s",                                                                 \
             "that the hottest channel needs at its capacity; relaying takes longer", .detail = (PREDICTED)},          \
            {"predicted_seconds", CW_COLUMN_REAL, "s",                                                                 \
             "until all has arrived, by a simulated transport; missing: none was", .detail = !(PREDICTED)},            \
            {"predicted_GBps", CW_COLUMN_REAL, "GB/s", "bytes of all demands in that time", .detail = !(PREDICTED)},   \
            {"search_seconds", CW_COLUMN_REAL, "s", "of searching", .measured = true},                                 \
    }

static const struct cw_column predicted_columns[] = COLUMNS(true);
static const struct cw_column bandwidth_columns[] = COLUMNS(false);

/* By how much Z stays below BOUND; what is below the rounding errors of a linear program is none. */
static double gap_of(double z, double bound)
{
    const double gap = (bound - z) / bound;
    return gap < ROUNDING ? 0 : gap;
}

/* Of sums that may be beyond 64 bits. */
static const char *format_bytes(double bytes, char *buffer, size_t size)
{
    return cw_format_bytes((uint64_t)fmin(bytes, 1.8e19), buffer, size);
}

int plan_report_table(const struct cw_plan_case *made, const struct cw_selection *selection, const char *title,
                      struct cw_table **out)
{
    struct cw_text text = {0};
    char number[32], count[FABRIC_COUNT_SIZE];
    double bytes = 0;
    for (size_t d = 0; d < made->demands.n; d++) bytes += (double)made->demands.items[d].bytes;
    cw_text_printf(&text, "%s on %s (%s, %zu pairs, %s in all)", title, made->net->title,
                   fabric_count(made->net, selection, count), made->demands.n,
                   format_bytes(bytes, number, sizeof number));
    int rc = cw_text_check(&text);
    const struct cw_column *columns = made->has_transport ? predicted_columns : bandwidth_columns;
    if (!rc) rc = cw_table_new("plan", text.data, columns, sizeof predicted_columns / sizeof *columns, out);
    cw_text_free(&text);
    return rc;
}

void plan_report_row(struct cw_table *table, const struct cw_plan_run *run)
{
    const struct cw_plan *plan = &run->plan;
    const struct cw_plan_figures *figures = &run->figures;
    cw_table_int(table, (int64_t)figures->pairs);
    cw_table_text(table, plan->method);
    if (plan->k > 0)
        cw_table_int(table, plan->k);
    else
        cw_table_none(table);
    cw_table_row(table, "%g %g %g %zu %g %u %u %ld %g %g %g %g %g", run->z, plan->bound, gap_of(run->z, plan->bound),
                 figures->paths_used, figures->hops_mean, figures->hops_max, figures->copies_max,
                 (int64_t)fmin(figures->max_channel_bytes, 9e18), plan->z, run->bandwidth_seconds,
                 run->predicted ? run->moved.seconds : (double)NAN,
                 run->predicted ? run->moved.bytes_per_second * 1e-9 : (double)NAN, plan->seconds);
}

/* --- sentences ---------------------------------------------------------------------------------------------------- */

void plan_report_demands(struct cw_result *result, const struct cw_plan_case *made)
{
    const struct cw_demands *demands = &made->demands;
    char bytes[32];
    if (demands->merged_pairs > 0)
        cw_result_note(result,
                       "Lines that repeat an earlier pair: %zu. Their bytes were added to the first line of the pair.",
                       demands->merged_pairs);
    if (demands->self_pairs > 0)
        cw_result_note(result, "Pairs of an endpoint with itself need no network and are left out: %zu, with %s.",
                       demands->self_pairs, cw_format_bytes(demands->self_bytes, bytes, sizeof bytes));
}

void plan_report_paths(struct cw_result *result, const struct cw_plan_case *made)
{
    const struct cw_k_paths *paths = made->setup.paths;
    size_t fewer = 0, least = made->setup.k;
    for (size_t d = 0; paths && d < paths->n_demands; d++) {
        const size_t n = paths->first[d + 1] - paths->first[d];
        fewer += n < made->setup.k;
        if (n < least) least = n;
    }
    if (fewer > 0)
        cw_result_note(result, "%zu of %zu pairs have fewer than k = %u paths%s, the least %zu.", fewer,
                       paths->n_demands, made->setup.k, made->wanted.max_hops > 0 ? " within --max-hops" : "", least);
    if (least == 0)
        cw_result_note(result,
                       "heuristic, greedy and lp, which choose among these paths, have no plan: a pair has none.");
}

/* How BEST compares with the default routes, MACHINE. */
static void note_gain(struct cw_result *result, const struct cw_plan_run *best, const struct cw_plan_run *machine)
{
    struct cw_text text = {0};
    cw_text_printf(&text,
                   "By its hottest channel, %s moves the data %.3g times as fast as %s (z = %.4g instead of %.4g)",
                   best->plan.method, best->z / machine->z, machine->plan.method, best->z, machine->z);
    char time[32], instead[32];
    if (best->predicted && machine->predicted)
        cw_text_printf(&text, "; relayed chunk by chunk, %.3g times (%s instead of %s)",
                       machine->moved.seconds / best->moved.seconds,
                       cw_format_time(best->moved.seconds, time, sizeof time),
                       cw_format_time(machine->moved.seconds, instead, sizeof instead));
    cw_text_add(&text, ".");
    cw_result_note_text(result, &text);
}

static void note_best(struct cw_result *result, const struct cw_plan_run *runs, size_t n,
                      const struct cw_plan_run *best)
{
    const struct cw_plan_run *machine = NULL, *greatest = best;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(runs[i].plan.method, "default") == 0) machine = &runs[i];
        if (runs[i].z > greatest->z) greatest = &runs[i];
    }
    if (machine && !best->plan.network_routes && cw_plan_run_is_better(best, machine))
        note_gain(result, best, machine);
    else if (machine && greatest->z > machine->z)
        cw_result_note(result,
                       "The default routes are predicted to be the fastest here: %s has z = %.4g instead of %.4g, but "
                       "relaying costs more than that gains.",
                       greatest->plan.method, greatest->z, machine->z);
    else if (machine && n > 1)
        cw_result_note(result, "Nothing here is faster than the default routes, which have z = %.4g.", machine->z);
    else
        cw_result_note(result,
                       "%s has z = %.4g: that share of every demand moves in the time in which one channel moves the "
                       "largest.",
                       best->plan.method, best->z);
}

/* What no plan can surpass, if some run proved it. */
static void note_bound(struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *runs,
                       size_t n)
{
    const struct cw_plan_run *proof = NULL, *greatest = runs;
    for (size_t i = 0; i < n; i++) {
        if (runs[i].z > greatest->z) greatest = &runs[i];
        const struct cw_proof *one = &runs[i].plan.proof;
        if (one->n > 0 && one->verified && (!proof || one->bound < proof->plan.proof.bound)) proof = &runs[i];
    }
    if (!proof) return;
    const double bound = proof->plan.proof.bound, gap = gap_of(greatest->z, bound);
    struct cw_text text = {0};
    cw_text_printf(&text, "No plan %s can do better than z = %.4g (proven by %s); %s ",
                   made->legs ? "on these routes, with these relays," : "whatever", bound, proof->plan.method,
                   greatest->plan.method);
    if (gap > 0)
        cw_text_printf(&text, "stays %.2g %% below it.", 100 * gap);
    else
        cw_text_add(&text, "reaches it.");
    cw_result_note_text(result, &text);
}

/* Bounds that are only claimed. */
static void note_unverified(struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *runs,
                            size_t n)
{
    char budget[32];
    for (size_t i = 0; i < n; i++) {
        const struct cw_plan *plan = &runs[i].plan;
        if (plan->proof.n == 0 || plan->proof.verified) continue;
        cw_result_note(result,
                       "The time budget of %s was over before the proof of %s was verified, by which no plan has z "
                       "above %.4g: it does not count. A file written by --plan keeps the proof, and --check verifies "
                       "it.",
                       cw_format_time(made->setup.seconds, budget, sizeof budget), plan->method, plan->proof.bound);
    }
}

/* Searches that had to stop: what they found is right, but more could have been. */
static void note_budget(struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *runs,
                        size_t n)
{
    char budget[32];
    for (size_t i = 0; made->setup.seconds > 0 && i < n; i++) {
        const struct cw_plan *plan = &runs[i].plan;
        const double gap = gap_of(runs[i].z, plan->bound);
        /* a round is not begun that would leave no time for the proof: a quarter of the time is used at least */
        if (4 * plan->seconds >= made->setup.seconds && gap > 0)
            cw_result_note(
                result, "The time budget of %s ended the search of %s%s, which leaves a gap of %.2g %% to its bound.",
                cw_format_time(made->setup.seconds, budget, sizeof budget), plan->method,
                plan->network_routes ? " before it had any other than the network's own routes" : "", 100 * gap);
    }
}

/* What auto has not tried. */
static void note_untried(struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *runs,
                         size_t n)
{
    const struct cw_network *net = made->net;
    char budget[32];
    for (size_t i = 0; i < n; i++) {
        const struct cw_plan *plan = &runs[i].found;
        if (strncmp(plan->method, "auto", 4) != 0) continue;
        if (!made->setup.paths)
            cw_result_note(result,
                           "auto left out heuristic, greedy and lp, which choose among k paths: %zu demands on %u "
                           "switches are many. --method names them.",
                           made->demands.n, net->n_vertices - net->n_endpoints);
        if (plan->untried[0] != '\0')
            cw_result_note(result, "The time budget of %s was over before auto tried %s.",
                           cw_format_time(made->setup.seconds, budget, sizeof budget), plan->untried);
    }
}

static void note_hottest(struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *best)
{
    const struct cw_plan_figures *figures = &best->figures;
    char channel[2 * CW_NAME_SIZE], bytes[32], most[32], rate[32];
    if (figures->hottest == CW_NONE) return;
    cw_network_channel_name(made->net, figures->hottest, channel, sizeof channel);
    format_bytes(figures->hottest_bytes, bytes, sizeof bytes);
    if (figures->hottest_bytes < figures->max_channel_bytes)
        cw_result_note(result, "The hottest channel of %s for its capacity, %s, is %s with %s. A wider one carries %s.",
                       best->plan.method, cw_format_rate(made->problem.capacity[figures->hottest], rate, sizeof rate),
                       channel, bytes, format_bytes(figures->max_channel_bytes, most, sizeof most));
    else
        cw_result_note(result, "The hottest channel of %s is %s with %s.", best->plan.method, channel, bytes);
}

/* What the endpoints send, or RECEIVED, of the demands: the one whose cables are busiest for that. */
struct end_rate {
    double bytes, seconds; /* its bytes, and what its cables need for them */
};

static int find_busiest_end(const struct cw_plan_case *made, bool received, struct end_rate *busiest)
{
    const struct cw_network *net = made->net;
    double *bytes = cw_new_array(net->n_endpoints, sizeof *bytes, "bytes of endpoints");
    if (!bytes) return CW_ENOMEM;
    for (size_t d = 0; d < made->demands.n; d++) {
        const struct cw_demand *demand = &made->demands.items[d];
        bytes[received ? demand->dst : demand->src] += (double)demand->bytes;
    }
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        double capacity = 0;
        for (uint32_t c = net->first[e]; c < net->first[e + 1]; c++)
            capacity += made->problem.capacity[received ? net->twin[c] : c];
        if (bytes[e] > busiest->seconds * capacity) *busiest = (struct end_rate){bytes[e], bytes[e] / capacity};
    }
    free(bytes);
    return 0;
}

/* True if each endpoint that takes part sends as much to each other one. */
static bool is_alltoall(const struct cw_demands *demands, double bytes_of_one)
{
    const uint64_t each = demands->n > 0 ? demands->items[0].bytes : 0;
    for (size_t d = 0; d < demands->n; d++)
        if (demands->items[d].bytes != each) return false;
    const double others = each > 0 ? bytes_of_one / (double)each : 0;
    return others > 0 && (double)demands->n == others * (others + 1);
}

/* What z is in units of the network: bytes by time, and the share of what endpoints' cables carry. */
static int note_rates(struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *best)
{
    struct end_rate end = {0, 0};
    double bytes = 0;
    if (best->figures.hottest == CW_NONE || !(best->bandwidth_seconds > 0)) return 0;
    int rc = find_busiest_end(made, false, &end);
    if (!rc) rc = find_busiest_end(made, true, &end);
    if (rc) return rc;
    for (size_t d = 0; d < made->demands.n; d++) bytes += (double)made->demands.items[d].bytes;
    struct cw_text text = {0};
    const double per_second = 1e-9 / best->bandwidth_seconds;
    cw_text_printf(&text, "At the pace of that channel %s moves %.4g GB/s in all", best->plan.method,
                   bytes * per_second);
    if (end.seconds > 0)
        cw_text_printf(&text,
                       "; the endpoint with most to send or receive moves %.4g GB/s, %.3g of what its cables "
                       "carry",
                       end.bytes * per_second, end.seconds / best->bandwidth_seconds);
    if (end.seconds > 0 && is_alltoall(&made->demands, end.bytes))
        cw_text_printf(&text, ". That is the busbw of NCCL's tests, whose algbw is %.4g GB/s",
                       (end.bytes + (double)made->demands.items[0].bytes) * per_second);
    cw_text_add(&text, ".");
    cw_result_note_text(result, &text);
    return 0;
}

static void note_transport(struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *runs,
                           size_t n)
{
    static const char *const orders[] = {"its own chunks first", "chunks to forward first", "chunks as they come"};
    const struct cw_transport *transport = &made->transport;
    struct cw_text text = {0};
    char number[64];
    size_t unknown = 0;
    for (size_t i = 0; i < n; i++) unknown += !runs[i].predicted;
    if (!made->has_transport) {
        cw_result_note(result,
                       "bandwidth_seconds is what the hottest channel needs at its capacity. Relays store whole "
                       "chunks, which takes longer; --transport none does not predict how much longer.");
        return;
    }
    if (unknown > 0)
        cw_result_note(result, "%zu plan%s not simulated: too many chunks. Larger chunks (--chunk) help.", unknown,
                       unknown == 1 ? " was" : "s were");
    if (unknown == n) return;
    cw_text_add(&text, "Times are predicted by a simulated transport: ");
    cw_text_printf(&text, "chunks of %s, %s, buffers for %" PRId64 " chunk%s of each path at each relay, %s",
                   cw_format_bytes(transport->chunk_bytes, number, sizeof number),
                   transport->cut_through ? "cut-through" : "store and forward", transport->credits,
                   cw_plural((uint64_t)transport->credits), orders[transport->order]);
    if (transport->chunk_overhead > 0)
        cw_text_printf(&text, ", %s a chunk", cw_format_time(transport->chunk_overhead, number, sizeof number));
    if (transport->copy > 0 && !transport->cut_through)
        cw_text_printf(&text, ", copies at %s", cw_format_rate(transport->copy, number, sizeof number));
    if (transport->node_copy > 0 && !transport->cut_through)
        cw_text_printf(&text, ", at most %s copied by a relay in all",
                       cw_format_rate(transport->node_copy, number, sizeof number));
    if (transport->hop_latency > 0)
        cw_text_printf(&text, ", %s a hop", cw_format_time(transport->hop_latency, number, sizeof number));
    if (transport->inside_latency > 0)
        cw_text_printf(&text, ", %s for what stays in a host",
                       cw_format_time(transport->inside_latency, number, sizeof number));
    if (transport->nic_latency > 0)
        cw_text_printf(&text, ", %s for what leaves it by a NIC",
                       cw_format_time(transport->nic_latency, number, sizeof number));
    if (transport->list_search > 0)
        cw_text_printf(&text, ", %s a chunk for each that the node handled before",
                       cw_format_time(transport->list_search, number, sizeof number));
    if (transport->reception > 0)
        cw_text_printf(&text, ", at most %s received by a node",
                       cw_format_rate(transport->reception, number, sizeof number));
    if (transport->injection > 0)
        cw_text_printf(&text, ", at most %s a node", cw_format_rate(transport->injection, number, sizeof number));
    cw_text_printf(&text, ", %.3g %% of a channel's capacity", 100 * transport->efficiency);
    if (transport->inside_efficiency > 0)
        cw_text_printf(&text, ", %.3g %% inside hosts", 100 * transport->inside_efficiency);
    cw_text_add(&text, ".");
    cw_result_note_text(result, &text);
    if (made->usual && made->usual->note) cw_result_note(result, "%s", made->usual->note);
    bool chosen = false;
    for (size_t i = 0; i < n; i++) chosen |= runs[i].predicted && runs[i].moved.adaptive;
    if (chosen)
        cw_result_note(result,
                       "Without relays the packets of a message choose their ways, as those of the machine do, among "
                       "its routes with dimensions of one size in any order%s%s; --routing NAME has them keep to one.",
                       transport->messages.rate > 0 ? ", and leave a node at most at " : "",
                       transport->messages.rate > 0 ? cw_format_rate(transport->messages.rate, number, sizeof number)
                                                    : "");
    if (transport->together > 1)
        cw_result_note(result,
                       "The data are so many chunks that %u of a path are simulated as one, with the costs of all: "
                       "filling the hops of relayed paths takes longer. So relaying looks slower than it is: on Blue "
                       "Gene/Q by up to 5 %% with 2 as one, 11 %% with 4, 55 %% with 8, and 2.5 times as slow with 16. "
                       "--chunk %" PRIu64 "B simulates each.",
                       transport->together, transport->chunk_bytes);
}

int plan_report_meaning(struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *runs,
                        size_t n)
{
    const struct cw_plan_run *best = &runs[cw_plan_runs_best(runs, n)];
    note_best(result, runs, n, best);
    note_bound(result, made, runs, n);
    note_unverified(result, made, runs, n);
    note_budget(result, made, runs, n);
    note_untried(result, made, runs, n);
    note_hottest(result, made, best);
    const int rc = note_rates(result, made, best);
    note_transport(result, made, runs, n);
    return rc;
}

/* --- moves, as a file and in words -------------------------------------------------------------------------------- */

/* --- words -------------------------------------------------------------------------------------------------------- */

static void say_bytes(struct cw_text *text, uint64_t bytes)
{
    char number[32];
    cw_text_add(text, cw_format_bytes(bytes, number, sizeof number));
}

/* "all of h3's 8 MiB" or "bytes 0 to 99 of h3's 8 MiB" */
static void say_part(struct cw_text *text, const struct cw_moves *moves, const struct cw_step *step, const char *whose)
{
    const uint64_t all = moves->demands[step->demand].bytes;
    if (step->bytes == all)
        cw_text_add(text, "all");
    else
        cw_text_printf(text, "bytes %" PRIu64 " to %" PRIu64, step->offset, step->offset + (step->bytes - 1));
    cw_text_printf(text, " of %s ", whose);
    say_bytes(text, all);
}

/* "16 chunks of 64 KiB, the last of 5 B" */
static void say_chunks(struct cw_text *text, const struct cw_moves *moves, const struct cw_step *step)
{
    const uint64_t n = cw_moves_chunks(moves, step->bytes), last = step->bytes - (n - 1) * moves->chunk_bytes;
    if (n == 1) {
        cw_text_add(text, "one chunk");
        return;
    }
    cw_text_printf(text, "%" PRIu64 " chunks of ", n);
    say_bytes(text, moves->chunk_bytes);
    if (last == moves->chunk_bytes) return;
    cw_text_add(text, ", the last of ");
    say_bytes(text, last);
}

/* ", by way of s1, s2 and s3": the switches between two ranks */
static void say_path(struct cw_text *text, const struct cw_moves *moves, const struct cw_step *step,
                     const struct cw_network *net)
{
    char name[CW_NAME_SIZE];
    for (uint32_t i = 0; i + 1 < step->n_channels; i++) {
        const uint32_t at = net->head[moves->channels[step->first_channel + i]];
        cw_text_add(text, i == 0 ? ", by way of " : i + 2 < step->n_channels ? ", " : " and ");
        cw_text_add(text, cw_network_name(net, at, name, sizeof name));
    }
}

static void say_step(struct cw_text *text, const struct cw_moves *moves, const struct cw_step *step, const char *who,
                     const struct cw_network *net)
{
    const struct cw_moves_demand *demand = &moves->demands[step->demand];
    const char *src = moves->names[demand->src], *dst = moves->names[demand->dst];
    char whose[CW_NAME_SIZE + 2] = "its";
    if (step->kind != CW_STEP_SEND) snprintf(whose, sizeof whose, "%s's", src);
    cw_text_printf(text, "%s %ss ", who, cw_step_names[step->kind]);
    say_part(text, moves, step, whose);
    switch (step->kind) {
    case CW_STEP_SEND:
        cw_text_printf(text, " for %s to %s", dst, moves->names[step->to]);
        break;
    case CW_STEP_FORWARD:
        cw_text_printf(text, " for %s from %s to %s", dst, moves->names[step->from], moves->names[step->to]);
        break;
    case CW_STEP_RECEIVE:
    case CW_STEP_COMBINE: /* of no plan */
        cw_text_printf(text, " from %s", moves->names[step->from]);
    }
    cw_text_add(text, ", in ");
    say_chunks(text, moves, step);
    if (step->kind == CW_STEP_FORWARD) cw_text_add(text, ", each once all of it is there");
    if (step->kind != CW_STEP_RECEIVE) say_path(text, moves, step, net);
    cw_text_add(text, ".");
}

static int explain_rank(struct cw_result *result, const struct cw_moves *moves, uint32_t rank,
                        const struct cw_network *net)
{
    struct cw_text text = {0};
    uint64_t forwards = 0;
    for (size_t i = moves->first_step[rank]; i < moves->first_step[rank + 1]; i++) {
        if (text.length > 0) cw_text_add(&text, " ");
        say_step(&text, moves, &moves->steps[i], text.length > 0 ? "It" : moves->names[rank], net);
        forwards += moves->steps[i].kind == CW_STEP_FORWARD;
    }
    if (forwards > 0) {
        const uint64_t chunks = forwards * moves->credits;
        cw_text_printf(&text, " For what it forwards it has room for %" PRIu64 " chunk%s.", chunks, cw_plural(chunks));
    }
    const int rc = cw_text_check(&text);
    if (!rc) cw_result_note(result, "%s", text.data);
    cw_text_free(&text);
    return rc;
}

/* --- who ---------------------------------------------------------------------------------------------------------- */

static uint32_t find_rank(const struct cw_moves *moves, const char *name, size_t length)
{
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        if (strlen(moves->names[r]) == length && memcmp(moves->names[r], name, length) == 0) return r;
    return CW_NONE;
}

static int explain_named(struct cw_result *result, const struct cw_moves *moves, const char *names,
                         const struct cw_network *net)
{
    int rc = 0;
    for (const char *name = names; !rc;) {
        const size_t length = strcspn(name, ",");
        const uint32_t rank = find_rank(moves, name, length);
        if (rank == CW_NONE)
            return cw_fail(CW_EUSAGE, "--explain: no endpoint called '%.*s' has a part in this plan; expected e.g. %s",
                           (int)length, name, moves->names[0]);
        rc = explain_rank(result, moves, rank, net);
        if (name[length] == 0) break;
        name += length + 1;
    }
    return rc;
}

static int explain_moves(struct cw_result *result, const struct cw_moves *moves, const char *names,
                         const struct cw_network *net)
{
    cw_result_note(result,
                   "What the plan of %s has each of %u ranks do, all of it at once; a relay has room for %u chunk%s of "
                   "each path's:",
                   moves->method, moves->n_ranks, moves->credits, cw_plural(moves->credits));
    if (strcmp(names, "all") != 0) return explain_named(result, moves, names, net);
    int rc = 0;
    for (uint32_t r = 0; r < moves->n_ranks && !rc; r++) rc = explain_rank(result, moves, r, net);
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int write_moves(struct cw_result *result, const struct cw_moves *moves, const char *file)
{
    struct cw_text text = {0};
    int rc = cw_moves_write(moves, &text);
    if (!rc) rc = cw_file_write(file, &text);
    cw_text_free(&text);
    if (!rc)
        cw_result_note(result, "Written to %s: what each of %u ranks does to carry out the plan of %s.", file,
                       moves->n_ranks, moves->method);
    return rc;
}

int plan_make_moves(struct cw_plan_case *made, const struct cw_plan_run *run, bool own, struct cw_moves *moves)
{
    int rc = cw_moves_make(&made->problem, &run->plan, made->transport.chunk_bytes, (uint32_t)made->transport.credits,
                           moves);
    if (rc) return rc;
    if (run->predicted) moves->seconds = run->moved.seconds;
    if (own) rc = cw_plan_case_default_seconds(made, &moves->default_seconds);
    if (rc) cw_moves_free(moves);
    return rc;
}

int plan_doubt(struct cw_result *result, struct cw_plan_case *made, const struct cw_plan_run *run,
               const struct cw_routes *routes)
{
    struct cw_moves moves;
    struct cw_flit_moves_result found;
    char time[32], predicted[32];
    if (made->usual != &cw_transport_set_ideal || !run->predicted || !routes) return 0;
    int rc = plan_make_moves(made, run, false, &moves);
    if (rc) return rc;
    const bool many = moves.n_streams > DOUBTED;
    rc = many ? 0 : cw_flow_moves_run(routes, &moves, 0, &found);
    cw_moves_free(&moves);
    if (rc || many) return rc;
    const double apart = found.seconds / run->moved.seconds;
    if (apart > JOBS_DISAGREEMENT || apart < 1 / JOBS_DISAGREEMENT)
        cw_result_note(result,
                       "By flows (--model flows), which share channels max-min fairly at every moment, the plan of %s "
                       "takes %s, not %s as predicted.",
                       run->plan.method, cw_format_time(found.seconds, time, sizeof time),
                       cw_format_time(run->moved.seconds, predicted, sizeof predicted));
    return 0;
}

int plan_moves(struct cw_result *result, const struct cw_network *net, const struct cw_moves *moves, const char *file,
               const char *explain)
{
    int rc = file ? write_moves(result, moves, file) : 0;
    if (!rc && explain) rc = explain_moves(result, moves, explain, net);
    return rc;
}
