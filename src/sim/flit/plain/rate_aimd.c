/* Additive increase, multiplicative decrease (D.-M. Chiu, R. Jain, "Analysis of the increase and decrease algorithms
 * for congestion avoidance in computer networks", Computer Networks and ISDN Systems 17 (1), 1989): a notice multiplies
 * a flow's rate, and every period adds to it. */
#include "sim/flit/plain/plain.h"

struct aimd {
    double decrease, increase, least;
    int64_t period, pause;
};

static const struct cw_option options[] = {
    {.name = "decrease",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct aimd, decrease),
     .value_name = "X",
     .default_text = "0.2",
     .min = 1e-6,
     .max = 0.999999,
     .help = "share of its rate that a flow loses at each notification"},
    {.name = "increase",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct aimd, increase),
     .value_name = "X",
     .default_text = "0.01",
     .min = 1e-9,
     .max = 1,
     .help = "share of its channel that a flow gains every period"},
    {.name = "period",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct aimd, period),
     .value_name = "CYCLES",
     .default_text = "100",
     .min = 1,
     .max = 1e9,
     .help = "cycles between two increases"},
    {.name = "pause",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct aimd, pause),
     .value_name = "CYCLES",
     .default_text = "100",
     .max = 1e9,
     .help = "least number of cycles between two notifications from a destination to a source"},
    {.name = "least",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct aimd, least),
     .value_name = "X",
     .default_text = "0.001",
     .min = 1e-6,
     .max = 1,
     .help = "rate below which no flow falls, as a share of its channel"},
    {.name = NULL},
};

static void begin(const void *values, struct cw_plain_flow *flow, uint64_t t)
{
    (void)values, (void)t;
    flow->rate = 1;
}

/* A flow at full rate has no clock: it starts with the notice that slows the flow down. */
static void advance(const void *values, struct cw_plain_flow *flow, uint64_t t)
{
    const struct aimd *aimd = values;
    for (; flow->rate < 1 && flow->next_increase <= t; flow->next_increase += (uint64_t)aimd->period)
        flow->rate = flow->rate + aimd->increase < 1 ? flow->rate + aimd->increase : 1;
}

static void notice(const void *values, struct cw_plain_flow *flow, uint64_t t)
{
    const struct aimd *aimd = values;
    const double rate = flow->rate * (1 - aimd->decrease);
    if (flow->rate >= 1) flow->next_increase = t + (uint64_t)aimd->period;
    flow->rate = rate > aimd->least ? rate : aimd->least;
}

static uint64_t pause_of(const void *values)
{
    return (uint64_t)((const struct aimd *)values)->pause;
}

/* From nothing to the channel's rate. */
static double lasts(const void *values)
{
    const struct aimd *aimd = values;
    return (double)aimd->period / aimd->increase;
}

static const struct cw_plain_rate_control operations = {
    .lasts = lasts, .begin = begin, .advance = advance, .notice = notice, .pause = pause_of};

const struct cw_flit_module cw_flit_rate_aimd = {.name = "aimd",
                                                 .help =
                                                     "additive increase, multiplicative decrease: each notification "
                                                     "reduces a flow's rate by a factor, each period adds to it",
                                                 .options = options,
                                                 .size = sizeof(struct aimd),
                                                 .operations = &operations};
