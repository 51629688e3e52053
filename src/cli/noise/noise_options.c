#include "cli/noise/noise_options.h"

#include <math.h>

#include "base/units.h"
#include "cli/fabric.h"

static const char *const of_loggp[] = {"bytes", "L", "o", "G", NULL};
static const char *const of_units[] = {"equal-speeds", NULL};
static const char *const of_counts[] = {"time", "G", "equal-speeds", "perturbation", "trial", "case", NULL};

int noise_settle(struct invocation *invocation)
{
    struct noise_options *values = invocation->values;
    bool asked = false;
    for (size_t i = 0; of_loggp[i]; i++) asked = asked || invocation_has(invocation, of_loggp[i]);
    if (values->model == CW_NOISE_FLOWS) {
        const int rc = invocation_refuse(invocation, of_counts, "is for --model counts");
        if (rc) return rc;
        values->time = NOISE_LOGGP;
    }
    if (values->time == NOISE_UNIT && asked) {
        if (invocation_has(invocation, "time")) return invocation_refuse(invocation, of_loggp, "is for --time loggp");
        values->time = NOISE_LOGGP;
    }
    if (values->time == NOISE_LOGGP && values->equal_speeds)
        return invocation_refuse(invocation, of_units, "is for times in units; in seconds --G says it");
    if (!invocation_has(invocation, "sends"))
        values->sends = values->time == NOISE_LOGGP ? CW_SENDS_IN_ORDER : CW_SENDS_AT_ONCE;
    if (!invocation_has(invocation, "L")) values->latency = CW_TIMING_OF_CHANNELS;
    if (!invocation_has(invocation, "G")) values->gap = CW_TIMING_OF_CHANNELS;
    return 0;
}

struct cw_collective_setup noise_collective(const struct noise_options *values, const struct cw_routes *routes,
                                            const struct cw_schedule *schedule, uint64_t bytes)
{
    return (struct cw_collective_setup){
        .routes = routes,
        .schedule = schedule,
        .bytes = bytes,
        .timing = {values->time == NOISE_LOGGP, values->latency, values->overhead, values->gap},
        .equal_speeds = values->equal_speeds,
        .sends = (enum cw_sends)values->sends,
    };
}

/* What a rank sends when, and what the channels know of it. */
static void note_sends(struct cw_result *result, const struct noise_options *values)
{
    if (values->model == CW_NOISE_FLOWS)
        cw_result_note(result, values->sends == CW_SENDS_IN_ORDER
                                   ? "A rank sends one message after another (--sends in-order)."
                                   : "A rank sends all that is ready at once (--sends at-once).");
    else if (values->sends == CW_SENDS_IN_ORDER)
        cw_result_note(result, "A rank sends one message after another, and messages wait for channels that are busy "
                               "with those of earlier rounds (--sends in-order).");
    else if (values->time == NOISE_LOGGP)
        cw_result_note(result, "A rank sends all that is ready at once, and each round counts its messages by itself, "
                               "as in the papers (--sends at-once); but no time is less than the busiest channel takes "
                               "for the bytes of all rounds.");
}

void noise_note_regime(struct cw_result *result, const struct noise_options *values, const struct cw_network *net)
{
    note_sends(result, values);
    if (values->time == NOISE_UNIT) {
        cw_result_note(result,
                       "This holds for messages so large that bandwidth alone decides: each takes one unit of time for "
                       "each message on the busiest channel of its route. Latency, message size, queueing and "
                       "congestion control are left out: see --bytes for a size, and crosswind jobs --model "
                       "flits for queues.");
        fabric_note_speeds(result, net, values->equal_speeds);
        return;
    }
    char overhead[32], latency[32], gap[32];
    if (values->model == CW_NOISE_FLOWS) {
        cw_result_note(
            result,
            "Messages share the channels of their routes max-min fairly at every moment (--model flows); the "
            "perturbing endpoints send without end. A message takes o + L + latencies + bytes / rate, with o = %s "
            "and L = %s. There are no packets, buffers or queues: see crosswind jobs --model flits.",
            cw_format_time(values->overhead, overhead, sizeof overhead),
            cw_format_time(fmax(0, values->latency), latency, sizeof latency));
        return;
    }
    cw_result_note(result,
                   "A message takes o + L + bytes · G · congestion (LogGP). Here o = %s, L = %s, and %s%s. Queueing, "
                   "which affects small messages most, and congestion control are left out: see crosswind jobs --model "
                   "flits.",
                   cw_format_time(values->overhead, overhead, sizeof overhead),
                   values->latency < 0 ? "the sum of the latencies on its route"
                                       : cw_format_time(values->latency, latency, sizeof latency),
                   values->gap < 0
                       ? "G · congestion = messages / capacity of the channel on its route where that is greatest"
                       : "G = ",
                   values->gap < 0 ? "" : cw_format_time(values->gap, gap, sizeof gap));
}
