#include "flow/transport/transport_set.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "net/places.h"

/* One line a set, in the order of help: cw_transport_set_NAME is its descriptor. */
#define SETS(EACH)                                                                                                     \
    EACH(bgq)                                                                                                          \
    EACH(infiniband_host)                                                                                              \
    EACH(nvlink_gpu)                                                                                                   \
    EACH(ideal)

#define DECLARE(NAME) extern const struct cw_transport_set cw_transport_set_##NAME;
#define ENTER(NAME)   &cw_transport_set_##NAME,

SETS(DECLARE)

const struct cw_transport_set *const cw_transport_sets[] = {SETS(ENTER) NULL};

const struct cw_registry cw_transport_registry = {
    .items = cw_transport_sets,
    .near = "no transport is called '%s'; did you mean '%s'? (the name of a file has a '.' or a '/')",
    .none = "no transport is called '%s'; expected one of %s, or a file, whose name has a '.' or a '/'"};

#define PARAMETER(MEMBER) .offset = offsetof(struct cw_transport, MEMBER)

static const char *const orders[] = {"local", "forward", "first-come", NULL};

const struct cw_option cw_transport_options[] = {
    {.name = "chunk",
     .type = CW_OPTION_BYTES,
     PARAMETER(chunk_bytes),
     .required = true,
     .min = 1,
     .max = 9e18,
     .help = "bytes move in chunks of this size"},
    {.name = "credits",
     .type = CW_OPTION_INT,
     PARAMETER(credits),
     .required = true,
     .min = 1,
     .max = 1e9,
     .help = "chunks of one path that a relay buffers"},
    {.name = "order",
     .type = CW_OPTION_CHOICE,
     PARAMETER(order),
     .default_text = "local",
     .choices = orders,
     .help = "what a node sends first, its own chunks or those it forwards"},
    {.name = "cut-through",
     .type = CW_OPTION_FLAG,
     PARAMETER(cut_through),
     .help = "relays forward a chunk once its head is there, not all of it"},
    {.name = "chunk-overhead",
     .type = CW_OPTION_TIME,
     PARAMETER(chunk_overhead),
     .max = 1e6,
     .help = "time of the sending channel for each chunk"},
    {.name = "copy",
     .type = CW_OPTION_RATE,
     PARAMETER(copy),
     .max = 1e18,
     .help = "rate at which a relay copies a chunk before it forwards it; 0: no copy"},
    {.name = "node-copy",
     .type = CW_OPTION_RATE,
     PARAMETER(node_copy),
     .max = 1e18,
     .help = "rate at which a relay copies all it forwards, one chunk after another; 0: no limit"},
    {.name = "hop-latency",
     .type = CW_OPTION_TIME,
     PARAMETER(hop_latency),
     .max = 1e6,
     .help = "time until a relay knows of a chunk that has come"},
    {.name = "list-search",
     .type = CW_OPTION_TIME,
     PARAMETER(list_search),
     .max = 1e6,
     .help = "time of a node for each chunk it handles, times those it handled before: software that searches a list "
             "of all its chunks"},
    {.name = "injection",
     .type = CW_OPTION_RATE,
     PARAMETER(injection),
     .max = 1e18,
     .help = "most that a node can send in all, its own and what it forwards; 0: no limit"},
    {.name = "reception",
     .type = CW_OPTION_RATE,
     PARAMETER(reception),
     .max = 1e18,
     .help = "most that a node can receive in all; 0: no limit"},
    {.name = "efficiency",
     .type = CW_OPTION_REAL,
     PARAMETER(efficiency),
     .required = true,
     .min = 0.001,
     .max = 1,
     .help = "share of a channel's capacity that payload gets"},
    {.name = "whole-messages",
     .type = CW_OPTION_FLAG,
     PARAMETER(whole_messages),
     .help = "without relays, channels carry one message after the other, not chunks of all in turn"},
    {.name = "adaptive",
     .type = CW_OPTION_FLAG,
     PARAMETER(adaptive),
     .help =
         "without relays, the packets of a torus choose their ways: dimensions of one size in any order, the longest "
         "first, unless --routing or --lft says their routes"},
    {.name = "message-rate",
     .type = CW_OPTION_RATE,
     PARAMETER(message_rate),
     .max = 1e18,
     .help = "adaptive: rate at which a node sends its messages, one after another; 0: no limit"},
    {.name = NULL},
};

const struct cw_transport_set *cw_transport_set_find(const char *name)
{
    return cw_registry_find(&cw_transport_registry, name);
}

const struct cw_transport_set *cw_transport_set_for(const struct cw_flow_problem *problem)
{
    const struct cw_shape *shape = cw_network_regular_shape(problem->net);
    for (size_t i = 0; cw_transport_sets[i] && !problem->legs; i++) {
        const struct cw_transport_set *set = cw_transport_sets[i];
        if (set->shape && shape->kind == set->shape && set->made_for(shape)) return set;
    }
    return &cw_transport_set_ideal;
}

int cw_transport_get(const char *spec, struct cw_transport *out)
{
    const struct cw_transport_set *set = cw_transport_set_find(spec);
    if (set) {
        *out = set->transport;
        return 0;
    }
    if (!strpbrk(spec, "./")) return cw_registry_unknown(&cw_transport_registry, spec);
    struct cw_text text = {0};
    int rc = cw_file_read(spec, &text);
    if (!rc) rc = cw_transport_parse(spec, text.data, text.length, out);
    cw_text_free(&text);
    return rc;
}

static size_t size_of(enum cw_option_type type)
{
    switch (type) {
    case CW_OPTION_FLAG:
        return sizeof(bool);
    case CW_OPTION_INT:
        return sizeof(int64_t);
    case CW_OPTION_BYTES:
        return sizeof(uint64_t);
    case CW_OPTION_CHOICE:
        return sizeof(int);
    default:
        return sizeof(double);
    }
}

void cw_transport_take(const char *name, const struct cw_transport *from, struct cw_transport *to)
{
    const struct cw_option *option = cw_transport_options;
    while (option->name && strcmp(option->name, name) != 0) option++;
    if (option->name) memcpy((char *)to + option->offset, (const char *)from + option->offset, size_of(option->type));
}
