/*
 * DCQCN (Y. Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015, section 3.1), the reaction
 * point: the rate R_C of a flow, its target R_T, and the estimate α of how congested its way is.
 *
 *   a notice              R_T ← R_C, R_C ← R_C (1 - α/2), α ← (1 - g) α + g               (equation 1)
 *   none for K            α ← (1 - g) α                                                   (2)
 *   each expiry of the timer (T) and of the byte counter (B), i and j of them since the notice:
 *     max(i, j) < F       R_C ← (R_T + R_C) / 2                       fast recovery       (3)
 *     otherwise           R_T ← R_T + R_AI, R_C ← (R_T + R_C) / 2     additive increase   (4)
 *     min(i, j) > F       the same by (min(i, j) - F) · R_HAI         hyper increase      (figure 7; rate as in QCN)
 *
 * A flow begins at the rate of its channel, and α at 1 with its first notice. The notification point is in
 * plain_endpoint.c: at most one notice every `pause` cycles for a flow with marked messages. The congestion point is
 * the marking `red`. Times of the paper, 55 µs and 50 µs, and its 10 MB are what they are, however many cycles and
 * flits of the network that makes. Its rates go with those of the network: they are shares of the channel, R_AI of 40
 * Mbit/s of 40 Gbit/s; R_HAI, which the paper leaves open, is ten times as much. A flow that is back at its channel's
 * rate, to 0.1 %, forgets all this.
 */
#include <math.h>

#include "sim/flit/plain/plain.h"

static const double TIMER = 55e-6, PAUSE = 50e-6; /* s */
static const double BYTES = 10e6;

struct dcqcn {
    double g, additive, hyper, least;
    int64_t timer, flits, alpha_timer, pause, recovery;
};

static const struct cw_option options[] = {
    {.name = "g",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct dcqcn, g),
     .value_name = "X",
     .default_text = "0.00390625",
     .min = 1e-9,
     .max = 1,
     .help = "gain of the estimate of congestion"},
    {.name = "timer",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct dcqcn, timer),
     .value_name = "CYCLES",
     .min = 1,
     .max = 1e9,
     .help = "T, cycles after which the rate rises; by default those of 55 us"},
    {.name = "flits",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct dcqcn, flits),
     .value_name = "N",
     .min = 1,
     .max = 1e12,
     .help = "B, flits sent after which the rate rises, too; by default those of 10 MB"},
    {.name = "alpha-timer",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct dcqcn, alpha_timer),
     .value_name = "CYCLES",
     .min = 1,
     .max = 1e9,
     .help = "K, cycles without a notification after which the estimate falls; by default those of 55 us"},
    {.name = "pause",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct dcqcn, pause),
     .value_name = "CYCLES",
     .min = 1,
     .max = 1e9,
     .help = "N, least number of cycles between two notifications from a destination to a source; by default those of "
             "50 us"},
    {.name = "recovery",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct dcqcn, recovery),
     .value_name = "N",
     .default_text = "5",
     .min = 1,
     .max = 1000,
     .help = "F, number of steps of fast recovery"},
    {.name = "additive",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct dcqcn, additive),
     .value_name = "X",
     .default_text = "0.001",
     .min = 1e-9,
     .max = 1,
     .help = "R_AI, step of additive increase, as a share of the channel"},
    {.name = "hyper",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct dcqcn, hyper),
     .value_name = "X",
     .default_text = "0.01",
     .min = 1e-9,
     .max = 1,
     .help = "R_HAI, step of hyper increase, as a share of the channel"},
    {.name = "least",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct dcqcn, least),
     .value_name = "X",
     .default_text = "0.001",
     .min = 1e-6,
     .max = 1,
     .help = "rate below which no flow falls, as a share of its channel"},
    {.name = NULL},
};

static const double FULL = 0.999;

static void begin(const void *values, struct cw_plain_flow *flow, uint64_t t)
{
    (void)values, (void)t;
    flow->rate = flow->target = 1;
}

/* The timer or the byte counter has expired. */
static void increase(const struct dcqcn *dcqcn, struct cw_plain_flow *flow)
{
    const uint32_t timer = flow->timer_steps, flits = flow->flit_steps, f = (uint32_t)dcqcn->recovery;
    const uint32_t most = timer > flits ? timer : flits, least = timer > flits ? flits : timer;
    if (least > f)
        flow->target += (least - f) * dcqcn->hyper;
    else if (most >= f)
        flow->target += dcqcn->additive;
    if (flow->target > 1) flow->target = 1;
    flow->rate = (flow->target + flow->rate) / 2;
    if (flow->rate > FULL) flow->rate = flow->target = 1;
}

static void advance(const void *values, struct cw_plain_flow *flow, uint64_t t)
{
    const struct dcqcn *dcqcn = values;
    for (; flow->rate < 1 && flow->next_alpha <= t; flow->next_alpha += (uint64_t)dcqcn->alpha_timer)
        flow->alpha *= 1 - dcqcn->g;
    for (; flow->rate < 1 && flow->next_increase <= t; flow->next_increase += (uint64_t)dcqcn->timer) {
        flow->timer_steps++;
        increase(dcqcn, flow);
    }
}

static void sent(const void *values, struct cw_plain_flow *flow, uint32_t flits)
{
    const struct dcqcn *dcqcn = values;
    if (flow->rate >= 1) return;
    flow->flits += flits;
    for (; flow->rate < 1 && flow->flits >= (uint64_t)dcqcn->flits; flow->flits -= (uint64_t)dcqcn->flits) {
        flow->flit_steps++;
        increase(dcqcn, flow);
    }
}

static void notice(const void *values, struct cw_plain_flow *flow, uint64_t t)
{
    const struct dcqcn *dcqcn = values;
    if (flow->rate >= 1) flow->alpha = 1;
    const double rate = flow->rate * (1 - flow->alpha / 2);
    flow->target = flow->rate;
    flow->rate = rate > dcqcn->least ? rate : dcqcn->least;
    flow->alpha = (1 - dcqcn->g) * flow->alpha + dcqcn->g;
    flow->flits = 0;
    flow->timer_steps = flow->flit_steps = 0;
    flow->next_increase = t + (uint64_t)dcqcn->timer;
    flow->next_alpha = t + (uint64_t)dcqcn->alpha_timer;
}

static uint64_t pause_of(const void *values)
{
    return (uint64_t)((const struct dcqcn *)values)->pause;
}

/* N, or if that was left open, AMOUNT. */
static int64_t given_or(int64_t n, double amount)
{
    return n > 0 ? n : amount < 1 ? 1 : (int64_t)llround(amount);
}

static void scale(void *values, const struct cw_flit_hardware *hardware)
{
    struct dcqcn *dcqcn = values;
    dcqcn->timer = given_or(dcqcn->timer, cw_flit_cycles(hardware, TIMER));
    dcqcn->alpha_timer = given_or(dcqcn->alpha_timer, cw_flit_cycles(hardware, TIMER));
    dcqcn->pause = given_or(dcqcn->pause, cw_flit_cycles(hardware, PAUSE));
    dcqcn->flits = given_or(dcqcn->flits, BYTES / hardware->flit_bytes);
}

/* What α remembers, and what fast recovery takes. */
static double lasts(const void *values)
{
    const struct dcqcn *dcqcn = values;
    return fmax((double)dcqcn->alpha_timer / dcqcn->g, (double)(dcqcn->recovery * dcqcn->timer));
}

static const struct cw_plain_rate_control operations = {.scale = scale,
                                                        .lasts = lasts,
                                                        .begin = begin,
                                                        .advance = advance,
                                                        .sent = sent,
                                                        .notice = notice,
                                                        .pause = pause_of};

const struct cw_flit_module cw_flit_rate_dcqcn = {
    .name = "dcqcn",
    .help = "end-to-end congestion control of RDMA over Ethernet (Zhu et al. 2015), with --marking red",
    .options = options,
    .size = sizeof(struct dcqcn),
    .operations = &operations};
