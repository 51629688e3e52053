/* The messages of a collective. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/pattern.h"
#include "traffic/schedule.h"

struct parameters {
    char *spec;
    uint64_t bytes;
    struct cw_schedule *schedule;
};

static const struct cw_option collective_options[] = {
    {.name = "schedule",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct parameters, spec),
     .value_name = "SCHEDULE",
     .positional = true,
     .required = true,
     .names = &cw_schedule_registry,
     .help = "the collective (crosswind help schedules); with parameters of its own: "
             "schedule=pipeline-bcast:radix=2;segments=4"},
    {.name = "bytes",
     .type = CW_OPTION_BYTES,
     .offset = offsetof(struct parameters, bytes),
     .default_text = "1MiB",
     .min = 1,
     .max = 1e15,
     .help = "message size of each rank, as MPI's benchmarks mean it"},
    {.name = NULL},
};

static int prepare_collective(void *values, const struct cw_ranks *ranks)
{
    (void)ranks;
    struct parameters *parameters = values;
    char *spec = cw_copy_text(parameters->spec, strlen(parameters->spec));
    if (!spec) return CW_ENOMEM;
    for (char *c = spec; *c; c++)
        if (*c == ';') *c = ',';
    int rc = cw_schedule_new(spec, &parameters->schedule);
    free(spec);
    if (!rc && cw_collectives[cw_schedule_result(parameters->schedule)].no_data)
        rc = cw_fail(CW_EUSAGE, "collective: %s moves no data", parameters->spec);
    return rc;
}

static void release_collective(void *values)
{
    cw_schedule_free(((struct parameters *)values)->schedule);
}

static int collective_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    uint32_t blocks;
    return cw_schedule_plan(((const struct parameters *)values)->schedule, n, rounds, &blocks);
}

static int append_collective(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                             struct cw_flows *flows)
{
    (void)bytes;
    (void)random;
    const struct parameters *parameters = values;
    struct cw_messages messages = {0};
    uint32_t rounds, blocks;
    uint64_t total;
    int rc = cw_schedule_plan(parameters->schedule, n, &rounds, &blocks);
    if (!rc) rc = cw_schedule_total_bytes(parameters->schedule, n, parameters->bytes, &total);
    if (!rc) rc = cw_schedule_round(parameters->schedule, n, round, &messages);
    for (size_t i = 0; !rc && i < messages.n; i++) {
        const struct cw_message *message = &messages.items[i];
        const uint64_t size = cw_schedule_bytes(total, blocks, message->block, message->n_blocks);
        if (size > 0) rc = cw_flows_add(flows, message->src, message->dst, size);
    }
    cw_messages_free(&messages);
    return rc;
}

const struct cw_pattern_kind cw_pattern_collective = {
    .name = "collective",
    .synopsis = "collective:SCHEDULE",
    .help = "the messages of a collective with their sizes, rank 0 being the root; rounds do not wait for what the one "
            "before brought",
    .options = collective_options,
    .size = sizeof(struct parameters),
    .sized = true,
    .prepare = prepare_collective,
    .release = release_collective,
    .rounds = collective_rounds,
    .append = append_collective,
};
