#include "study/flit/flit_how.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "net/network_internal.h"
#include "sim/flit/batch_means.h"
#include "sim/flit/flit_module.h"

#define WARM_CYCLES    1000     /* that are looked at after the warm-up of what is measured later */
#define AUTO_CYCLES    200000   /* the most that are measured if nothing is said of it, */
#define AUTO_PRECISION 0.01     /* … or until this precision */
#define MOST_CYCLES    10000000 /* if only a precision is asked for */
#define SWEEP_CYCLES   5000     /* least that are measured to see whether a load is accepted, */
#define SWEEP_BUFFERS  40       /* … and as long as it takes to fill so many input buffers, */
#define SWEEP_WARMUP   2        /* … after a warm-up so many times as long */

#define WAITING 4 /* flits beyond the round trip: those that wait for others at a switch give credits back later */

#define HOW(MEMBER) .offset = offsetof(struct cw_flit_how, MEMBER)

#define OWNER      "--hardware"
#define WHAT(NAME) "option '" NAME "' of " OWNER

#define PARAMETER(MEMBER) .offset = offsetof(struct parameters, MEMBER)

/* What --hardware consists of. */
struct parameters {
    uint64_t flit, output_buffer;
    char *input_buffer;
    double reference_capacity;
    int64_t speedup, injection_lanes, pipeline, host_latency, local_latency, global_latency;
    bool transit_first;
};

const struct cw_option cw_flit_hardware_parameters[] = {
    {.name = "flit",
     .type = CW_OPTION_BYTES,
     PARAMETER(flit),
     .value_name = "SIZE",
     .default_text = "64B",
     .min = 1,
     .max = CW_FLIT_BYTES_MAX,
     .help = "size of a flit"},
    {.name = "reference-capacity",
     .type = CW_OPTION_RATE,
     PARAMETER(reference_capacity),
     .value_name = "RATE",
     .min = 1,
     .max = 1e15,
     .help = "capacity of a channel that moves one flit per cycle, which sets the length of a cycle; a slower channel "
             "moves less than one. By default that of the network's fastest channel"},
    {.name = "input-buffer",
     .type = CW_OPTION_TEXT,
     PARAMETER(input_buffer),
     .value_name = "auto|SIZE",
     .default_text = "auto",
     .help = "input buffer of a port, for each virtual lane; auto: 4 KiB, or more if the longest round trip needs more "
             "at full load"},
    {.name = "output-buffer",
     .type = CW_OPTION_BYTES,
     PARAMETER(output_buffer),
     .value_name = "SIZE",
     .default_text = "4KiB",
     .help = "output buffer of a port, for each virtual lane"},
    {.name = "speedup",
     .type = CW_OPTION_INT,
     PARAMETER(speedup),
     .value_name = "N",
     .default_text = "2",
     .min = 1,
     .max = CW_FLIT_SPEEDUP_MAX,
     .help = "how many times as fast as a channel the crossbar of a switch is"},
    {.name = "injection-lanes",
     .type = CW_OPTION_INT,
     PARAMETER(injection_lanes),
     .value_name = "N",
     .default_text = "1",
     .min = 1,
     .max = CW_FLIT_LANES,
     .help = "virtual lanes of the channels from endpoints, which their messages use round-robin"},
    {.name = "pipeline",
     .type = CW_OPTION_INT,
     PARAMETER(pipeline),
     .value_name = "CYCLES",
     .default_text = "1",
     .min = 1,
     .max = CW_FLIT_LATENCY_MAX - 1,
     .help = "cycles from the input buffer to the output buffer of a switch"},
    {.name = "host-latency",
     .type = CW_OPTION_INT,
     PARAMETER(host_latency),
     .value_name = "CYCLES",
     .default_text = "0",
     .min = 0,
     .max = CW_FLIT_LATENCY_MAX - 1,
     .help = "latency of channels to and from endpoints; 0: the network's own"},
    {.name = "local-latency",
     .type = CW_OPTION_INT,
     PARAMETER(local_latency),
     .value_name = "CYCLES",
     .default_text = "0",
     .min = 0,
     .max = CW_FLIT_LATENCY_MAX - 1,
     .help = "latency of channels between switches, or where there are groups, between switches of one group; 0: the "
             "network's own"},
    {.name = "global-latency",
     .type = CW_OPTION_INT,
     PARAMETER(global_latency),
     .value_name = "CYCLES",
     .default_text = "0",
     .min = 0,
     .max = CW_FLIT_LATENCY_MAX - 1,
     .help = "latency of channels between groups; 0: the network's own. Input buffers should cover the round trip"},
    {.name = "transit-first",
     .type = CW_OPTION_FLAG,
     PARAMETER(transit_first),
     .help = "switches serve flits in transit before newly injected ones"},
    {.name = NULL},
};

const struct cw_option cw_flit_load_options[] = {
    {.name = "warmup",
     .rare = true,
     .type = CW_OPTION_TEXT,
     HOW(warmup),
     .value_name = "auto|CYCLES",
     .default_text = "auto",
     .help = "cycles before measuring; auto: until the accepted load shows no trend, at least 20,000, or 100,000 if "
             "less than 95 % of the offered load is accepted; in a search for saturation at least 10,000"},
    {.name = "allow-deadlock",
     .rare = true,
     .type = CW_OPTION_FLAG,
     HOW(allow_deadlock),
     .help = "simulate routes whose packets could wait for one another in a circle, such as a fabric's own tables. If "
             "they lock up, a note names the channels that wait, and the exit status is 1"},
    {.name = NULL},
};

static const char *const implementations[] = {"tuned", "plain", NULL};

const struct cw_option cw_flit_how_options[] = {
    {.name = "message",
     .rare = true,
     .type = CW_OPTION_TEXT,
     HOW(message),
     .value_name = "SIZE[:X,SIZE:X...]",
     .default_text = "64B",
     .help = "message size; or a mix of sizes, each with the share X of the messages that have it: 64B:0.9,1KiB:0.1"},
    {.name = "hardware",
     .rare = true,
     .type = CW_OPTION_TEXT,
     HOW(hardware),
     .value_name = "PARAMETER=VALUE[,...]",
     .help = "what switches and channels are like: flit=SIZE, input-buffer=SIZE, output-buffer=SIZE, speedup=N, "
             "local-latency=CYCLES, ... (crosswind help hardware)"},
    {.name = "allocator",
     .rare = true,
     .type = CW_OPTION_TEXT,
     HOW(allocator),
     .value_name = "ALLOCATOR",
     .names = &cw_flit_module_registries[CW_FLIT_ALLOCATOR],
     .default_text = "round-robin",
     .help = "which input an output of a switch serves: round-robin, age, wavefront, islip:iterations=N (crosswind "
             "help allocators)"},
    {.name = "queues",
     .rare = true,
     .type = CW_OPTION_TEXT,
     HOW(queues),
     .value_name = "QUEUES",
     .names = &cw_flit_module_registries[CW_FLIT_QUEUES],
     .default_text = "fifo",
     .help = "how flits wait at an input of a switch: fifo; voq, a queue for each output (crosswind help queues)"},
    {.name = "buffers",
     .rare = true,
     .type = CW_OPTION_TEXT,
     HOW(buffers),
     .value_name = "BUFFERS",
     .names = &cw_flit_module_registries[CW_FLIT_BUFFERS],
     .default_text = "separate",
     .help =
         "how the virtual lanes of an input use its buffer: separate, shared:reserve=FLITS (crosswind help buffers)"},
    {.name = "marking",
     .rare = true,
     .type = CW_OPTION_TEXT,
     HOW(marking),
     .value_name = "MARKING",
     .names = &cw_flit_module_registries[CW_FLIT_MARKING],
     .default_text = "none",
     .help = "explicit congestion notification (ECN), which messages switches mark: none, threshold:flits=N, "
             "red:min=N,max=N,most=P (crosswind help markings)"},
    {.name = "rate-control",
     .rare = true,
     .type = CW_OPTION_TEXT,
     HOW(rate_control),
     .value_name = "CONTROL",
     .names = &cw_flit_module_registries[CW_FLIT_RATE_CONTROL],
     .default_text = "none",
     .help = "how sources react to marks: none, aimd, dcqcn (crosswind help controls)"},
    {.name = "implementation",
     .rare = true,
     .type = CW_OPTION_TEXT,
     HOW(implementation),
     .value_name = "tuned|plain",
     .choices = implementations,
     .help = "tuned: fast, on several threads; plain: slow, with all modules. Both give the same results. By default "
             "tuned, unless one of the five options above needs plain"},
    {.name = NULL},
};

int cw_flit_how_init(struct cw_flit_how *how)
{
    *how = (struct cw_flit_how){.warmup = NULL};
    const int rc = cw_options_init(cw_flit_how_options, how);
    return rc ? rc : cw_options_init(cw_flit_load_options, how);
}

void cw_flit_how_free(struct cw_flit_how *how)
{
    cw_options_free(cw_flit_how_options, how);
    cw_options_free(cw_flit_load_options, how);
}

/* SIZE in flits of FLIT bytes, 1 to MOST: a buffer loses what is less than a flit, a message fills its last one. */
static int flits_of(const char *of, uint64_t size, uint64_t flit, bool round_up, uint32_t most, uint32_t *out)
{
    const uint64_t flits = size / flit + (round_up && size % flit > 0);
    if (flits == 0 || flits > most)
        return cw_fail(CW_EUSAGE, "%s: %llu bytes are %llu flits of %llu bytes, expected 1 to %u", of,
                       (unsigned long long)size, (unsigned long long)flits, (unsigned long long)flit, most);
    *out = (uint32_t)flits;
    return 0;
}

/* One size of a mix, "SIZE:X" or "SIZE", of LENGTH characters. */
static int add_size(const char *text, size_t length, uint64_t flit, struct cw_flit_messages *messages)
{
    char size[64], *share;
    uint64_t bytes;
    if (messages->n_sizes == CW_FLIT_SIZES) return cw_fail(CW_EUSAGE, "--message: more than %d sizes", CW_FLIT_SIZES);
    if (length == 0 || length >= sizeof size)
        return cw_fail(CW_EUSAGE, "--message: expected sizes with their shares, such as 64B:0.9,1KiB:0.1");
    struct cw_flit_size *added = &messages->sizes[messages->n_sizes++];
    memcpy(size, text, length);
    size[length] = 0;
    share = strchr(size, ':');
    if (share) *share++ = 0;
    added->share = 1;
    int rc = cw_parse_bytes("--message", size, &bytes);
    if (!rc) rc = flits_of("--message", bytes, flit, true, CW_FLIT_MESSAGE_MAX, &added->flits);
    if (!rc && share) rc = cw_parse_real("--message", share, &added->share);
    if (!rc && !(added->share > 0 && added->share <= 1e9))
        rc = cw_fail(CW_EUSAGE, "--message: a share of %s for %s, expected more than 0", share, size);
    if (!rc && !share && (text[length] == ',' || messages->n_sizes > 1))
        rc = cw_fail(CW_EUSAGE, "--message: %s has no share; in a mix each size has one, such as %s:0.5", size, size);
    if (added->flits > messages->flits) messages->flits = added->flits;
    return rc;
}

/* Sizes with their shares, separated by commas; one size alone is no mix. */
static int messages_of(const char *text, uint64_t flit, struct cw_flit_messages *messages)
{
    int rc = 0;
    *messages = (struct cw_flit_messages){0};
    for (bool last = false; !last && !rc;) {
        const size_t length = strcspn(text, ",");
        last = text[length] == 0;
        rc = add_size(text, length, flit, messages);
        text += length + 1;
    }
    if (messages->n_sizes == 1) messages->n_sizes = 0;
    return rc;
}

/* A message travels as a whole. */
static int check_message(uint32_t flits, const struct cw_flit_hardware *hardware)
{
    const uint32_t least =
        hardware->input_flits < hardware->output_flits ? hardware->input_flits : hardware->output_flits;
    if (flits <= least) return 0;
    return cw_fail(CW_EUSAGE, "--message: %u flits of %u bytes; expected at most %u, what the smaller buffer holds",
                   flits, hardware->flit_bytes, least);
}

/* At least 4 KiB; and what the longest round trip needs at full load, messages of MESSAGE flits included. */
static int input_flits_of(const struct parameters *values, const struct cw_network *net, uint32_t message,
                          struct cw_flit_hardware *hardware, bool *automatic)
{
    uint64_t bytes = CW_FLIT_INPUT_BUFFER;
    *automatic = strcmp(values->input_buffer, "auto") == 0;
    int rc = *automatic ? 0 : cw_parse_bytes(WHAT("input-buffer"), values->input_buffer, &bytes);
    if (!rc)
        rc = flits_of(WHAT("input-buffer"), bytes, values->flit, false, CW_FLIT_BUFFER_MAX, &hardware->input_flits);
    if (rc || !*automatic) return rc;
    const uint32_t trip = cw_flit_round_trip(net, hardware) + WAITING + message - 1;
    if (trip > hardware->input_flits) hardware->input_flits = trip < CW_FLIT_BUFFER_MAX ? trip : CW_FLIT_BUFFER_MAX;
    return 0;
}

static struct cw_flit_hardware hardware_of(const struct cw_flit_how *how, const struct parameters *values,
                                           const struct cw_network *net)
{
    double slowest, fastest;
    cw_network_capacities(net, &slowest, &fastest);
    return (struct cw_flit_hardware){
        .flit_bytes = (uint32_t)values->flit,
        .reference_capacity = values->reference_capacity > 0 ? values->reference_capacity : fastest,
        .speedup = (uint32_t)values->speedup,
        .injection_lanes = (uint32_t)values->injection_lanes,
        .pipeline = (uint32_t)values->pipeline,
        .host_latency = (uint32_t)values->host_latency,
        .local_latency = (uint32_t)values->local_latency,
        .global_latency = (uint32_t)values->global_latency,
        .transit_first = values->transit_first,
        .allocator = how->allocator,
        .queues = how->queues,
        .buffers = how->buffers,
        .marking = how->marking,
        .rate_control = how->rate_control,
        .implementation = how->implementation,
    };
}

int cw_flit_how_hardware(const struct cw_flit_how *how, const struct cw_network *net, struct cw_flit_hardware *hardware,
                         struct cw_flit_messages *messages, bool *automatic)
{
    void *made;
    int rc = cw_option_values_new(OWNER, cw_flit_hardware_parameters, sizeof(struct parameters), how->hardware, &made);
    if (rc) return rc;
    const struct parameters *values = made;
    struct cw_flit_hardware result = hardware_of(how, values, net);
    if (values->global_latency > 0 && cw_shape_groups(&net->shape).n == 0)
        rc = cw_fail(CW_EUSAGE, WHAT("global-latency") " is for networks with groups (dragonfly, megafly, slimfly); in "
                                                       "others all channels between switches are local");
    if (!rc)
        rc = flits_of(WHAT("output-buffer"), values->output_buffer, values->flit, false, CW_FLIT_BUFFER_MAX,
                      &result.output_flits);
    if (!rc) rc = messages_of(how->message, values->flit, messages);
    if (!rc) rc = input_flits_of(values, net, messages->flits, &result, automatic);
    if (!rc) rc = check_message(messages->flits, &result);
    if (!rc) *hardware = result;
    cw_option_values_free(cw_flit_hardware_parameters, made);
    return rc;
}

/* "1%" or "0.01". */
static int parse_share(const char *text, double *out)
{
    double value;
    const int rc = cw_parse_real("--until-ci", text, &value);
    if (rc) return rc;
    if (!(value > 0 && value < 1)) return cw_fail(CW_EUSAGE, "--until-ci: %s is not between 0 and 100 %%", text);
    *out = value;
    return 0;
}

/* "auto", or a number of cycles from LEAST on. */
static int parse_cycles(const char *option, const char *text, int64_t least, bool *automatic, uint64_t *out)
{
    int64_t cycles;
    *automatic = strcmp(text, "auto") == 0;
    if (*automatic) return 0;
    const int rc = cw_parse_int(option, text, &cycles);
    if (rc) return rc;
    if (cycles < least)
        return cw_fail(CW_EUSAGE, "%s: expected auto or a number of cycles, %lld or more", option, (long long)least);
    *out = (uint64_t)cycles;
    return 0;
}

/* Warm-up, and as many cycles measured, where it is only to be seen whether a load is accepted: long enough to fill
 * deep buffers, which are as long as round trips. */
static uint64_t sweep_cycles(const struct cw_flit_hardware *hardware)
{
    const uint64_t fill = (uint64_t)SWEEP_BUFFERS * hardware->input_flits;
    return fill > SWEEP_CYCLES ? fill : SWEEP_CYCLES;
}

int cw_flit_how_warmup(const struct cw_flit_how *how, struct cw_steady_setup *steady)
{
    *steady = (struct cw_steady_setup){.cycles = WARM_CYCLES, .confidence = 0.95};
    return parse_cycles("--warmup", how->warmup, 0, &steady->find_warmup, &steady->warmup);
}

int cw_flit_how_steady(const struct cw_flit_span *span, const struct cw_flit_how *how,
                       const struct cw_flit_hardware *hardware, bool sweep, struct cw_steady_setup *steady)
{
    struct cw_steady_setup result;
    bool automatic;
    int rc = cw_flit_how_warmup(how, &result);
    result.confidence = span->confidence;
    result.cycles = 0;
    if (!rc && span->cycles)
        rc = parse_cycles("--cycles", span->cycles, CW_BATCH_MEANS_LEAST, &automatic, &result.cycles);
    if (!rc && span->until_ci) rc = parse_share(span->until_ci, &result.until_ci);
    if (rc) return rc;
    if (span->time > 0) result.cycles = (uint64_t)ceil(cw_flit_cycles(hardware, span->time));
    if (sweep && result.find_warmup) {
        result.find_warmup = false;
        result.warmup = SWEEP_WARMUP * sweep_cycles(hardware);
    }
    if (result.cycles == 0 && sweep && !span->until_ci) {
        result.cycles = sweep_cycles(hardware);
    } else if (result.cycles == 0) {
        result.cycles = span->until_ci ? MOST_CYCLES : AUTO_CYCLES;
        if (!span->until_ci) result.until_ci = AUTO_PRECISION;
    }
    *steady = result;
    return 0;
}
