#include "traffic/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/registry_internal.h"

/* One line a collective: cw_schedule_NAME is its descriptor. */
#define SCHEDULES(EACH)                                                                                                \
    EACH(binomial_bcast)                                                                                               \
    EACH(binomial_reduce)                                                                                              \
    EACH(binomial_scatter)                                                                                             \
    EACH(binomial_gather)                                                                                              \
    EACH(binomial_allreduce)                                                                                           \
    EACH(knomial_bcast)                                                                                                \
    EACH(knomial_reduce)                                                                                               \
    EACH(knomial_scatter)                                                                                              \
    EACH(knomial_gather)                                                                                               \
    EACH(knomial_allreduce)                                                                                            \
    EACH(pipeline_bcast)                                                                                               \
    EACH(pipeline_reduce)                                                                                              \
    EACH(pipeline_allreduce)                                                                                           \
    EACH(linear_bcast)                                                                                                 \
    EACH(linear_reduce)                                                                                                \
    EACH(linear_scatter)                                                                                               \
    EACH(linear_gather)                                                                                                \
    EACH(recursive_doubling)                                                                                           \
    EACH(rabenseifner)                                                                                                 \
    EACH(ring_allreduce)                                                                                               \
    EACH(ring_reduce_scatter)                                                                                          \
    EACH(ring_allgather)                                                                                               \
    EACH(bruck)                                                                                                        \
    EACH(alltoall)                                                                                                     \
    EACH(dissemination)                                                                                                \
    EACH(recursive_doubling_barrier)

#define DECLARE(NAME) extern const struct cw_schedule_kind cw_schedule_##NAME;
SCHEDULES(DECLARE)

#define ENTER(NAME) &cw_schedule_##NAME,
static const struct cw_schedule_kind *kinds[CW_REGISTRY_ROOM] = {SCHEDULES(ENTER)};
const struct cw_schedule_kind *const *const cw_schedule_kinds = kinds;

static const char *lacks(const void *item)
{
    const struct cw_schedule_kind *kind = item;
    if (!kind->help) return "a help";
    return kind->plan && kind->round ? NULL : "a function plan or round";
}

static bool is_alias(const void *item)
{
    const struct cw_collective_traits *traits = item;
    return strcmp(traits->usual, traits->name) != 0;
}

const struct cw_registry cw_schedule_usual_registry = {
    .items = cw_collectives, .size = sizeof *cw_collectives, .has = is_alias};

static const struct cw_schedule_alias aliases[] = {{"tree", "binomial-bcast"}, {NULL, NULL}};

const struct cw_registry cw_schedule_alias_registry = {
    .items = aliases, .size = sizeof *aliases, .also = &cw_schedule_usual_registry};

const struct cw_registry cw_schedule_registry = {.items = kinds,
                                                 .also = &cw_schedule_alias_registry,
                                                 .near = "unknown collective '%s'; did you mean %s?",
                                                 .none = "unknown collective '%s'; expected one of %s",
                                                 .room = CW_REGISTRY_ROOM,
                                                 .item_size = sizeof(struct cw_schedule_kind),
                                                 .kind = "collective",
                                                 .lacks = lacks};

struct cw_schedule {
    const struct cw_schedule_kind *kind;
    char *spec;
    void *values;
};

int cw_messages_add(struct cw_messages *messages, struct cw_message message)
{
    if (messages->n == messages->capacity) {
        void *items = messages->items;
        const int rc = cw_grow_array(&items, &messages->capacity, messages->n + 1, sizeof message, "messages");
        if (rc) return rc;
        messages->items = items;
    }
    messages->items[messages->n++] = message;
    return 0;
}

void cw_messages_free(struct cw_messages *messages)
{
    if (!messages) return;
    free(messages->items);
    *messages = (struct cw_messages){0};
}

const struct cw_schedule_kind *cw_schedule_find(const char *name)
{
    const struct cw_schedule_alias *alias = cw_registry_find(&cw_schedule_alias_registry, name);
    const struct cw_collective_traits *usual = cw_registry_find(&cw_schedule_usual_registry, name);
    return cw_registry_find(&cw_schedule_registry, alias ? alias->means : usual ? usual->usual : name);
}

int cw_schedule_new(const char *spec, struct cw_schedule **out)
{
    char name[CW_SPEC_NAME_SIZE];
    const char *parameters = cw_spec_split(spec, name, sizeof name);
    const struct cw_schedule_kind *kind = cw_schedule_find(name);
    if (!kind) return cw_registry_unknown(&cw_schedule_registry, name);
    struct cw_schedule *schedule = cw_new_array(1, sizeof *schedule, "a schedule");
    if (!schedule) return CW_ENOMEM;
    schedule->kind = kind;
    schedule->spec = cw_copy_text(spec, strlen(spec));
    int rc = schedule->spec ? cw_option_values_new(kind->name, kind->options, kind->size, parameters, &schedule->values)
                            : CW_ENOMEM;
    if (rc)
        cw_schedule_free(schedule);
    else
        *out = schedule;
    return rc;
}

void cw_schedule_free(struct cw_schedule *schedule)
{
    if (!schedule) return;
    cw_option_values_free(schedule->kind->options, schedule->values);
    free(schedule->spec);
    free(schedule);
}

const char *cw_schedule_spec(const struct cw_schedule *schedule)
{
    return schedule->spec;
}

enum cw_collective_kind cw_schedule_result(const struct cw_schedule *schedule)
{
    return schedule->kind->result;
}

int cw_schedule_plan(const struct cw_schedule *schedule, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    if (n == 0) return cw_fail(CW_EUSAGE, "collective %s needs at least 1 rank", schedule->spec);
    return schedule->kind->plan(schedule->values, n, rounds, blocks);
}

int cw_schedule_round(const struct cw_schedule *schedule, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    uint32_t rounds, blocks;
    const int rc = cw_schedule_plan(schedule, n, &rounds, &blocks);
    if (rc) return rc;
    if (round >= rounds)
        return cw_fail(CW_EUSAGE, "collective %s among %u ranks has %u rounds, no round %u", schedule->spec, n, rounds,
                       round);
    return schedule->kind->round(schedule->values, n, round, messages);
}

/* How many messages of the size that is stated the data of a collective is. */
static uint64_t messages_of(enum cw_collective_kind kind, uint64_t n)
{
    const struct cw_collective_traits *traits = &cw_collectives[kind];
    if (traits->no_data) return 0;
    if (traits->reduces) return 1; /* its blocks are those of one vector */
    return (traits->gives_blocks ? n : 1) * (traits->takes_blocks ? n : 1);
}

int cw_schedule_total_bytes(const struct cw_schedule *schedule, uint32_t n, uint64_t bytes, uint64_t *total)
{
    uint64_t product;
    if (!__builtin_mul_overflow(messages_of(schedule->kind->result, n), bytes, &product)) {
        *total = product;
        return 0;
    }
    return cw_fail(CW_EUSAGE, "%s of %llu bytes among %u ranks is more than 2^64 - 1 bytes in all", schedule->spec,
                   (unsigned long long)bytes, n);
}

/* Bytes of the blocks before BLOCK. */
static uint64_t bytes_before(uint64_t total, uint32_t blocks, uint32_t block)
{
    const uint64_t larger = total % blocks; /* so many blocks have a byte more than the others */
    return total / blocks * block + (block < larger ? block : larger);
}

uint64_t cw_schedule_bytes(uint64_t total, uint32_t blocks, uint32_t block, uint32_t n_blocks)
{
    const uint64_t end = (uint64_t)block + n_blocks;
    const uint64_t before = bytes_before(total, blocks, block);
    if (end <= blocks) return bytes_before(total, blocks, (uint32_t)end) - before;
    return total - before + bytes_before(total, blocks, (uint32_t)(end - blocks));
}
