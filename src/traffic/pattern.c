#include "traffic/pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/registry_internal.h"
#include "net/network_internal.h"
#include "net/shape.h"
#include "traffic/pattern_internal.h"

/* One line a pattern: cw_pattern_NAME is its descriptor. */
#define PATTERNS(EACH)                                                                                                 \
    EACH(permutation)                                                                                                  \
    EACH(derangement)                                                                                                  \
    EACH(bisection)                                                                                                    \
    EACH(uniform)                                                                                                      \
    EACH(hotspot)                                                                                                      \
    EACH(shift)                                                                                                        \
    EACH(bitcomp)                                                                                                      \
    EACH(transpose)                                                                                                    \
    EACH(tornado)                                                                                                      \
    EACH(ring)                                                                                                         \
    EACH(halo)                                                                                                         \
    EACH(incast)                                                                                                       \
    EACH(alltoall)                                                                                                     \
    EACH(group_shift)                                                                                                  \
    EACH(group_adversarial)                                                                                            \
    EACH(disjoint)                                                                                                     \
    EACH(overlap)                                                                                                      \
    EACH(subset)                                                                                                       \
    EACH(aggregation)                                                                                                  \
    EACH(bui)                                                                                                          \
    EACH(collective)                                                                                                   \
    EACH(matrix)

#define DECLARE(NAME) extern const struct cw_pattern_kind cw_pattern_##NAME;
PATTERNS(DECLARE)

#define ENTER(NAME) &cw_pattern_##NAME,
static const struct cw_pattern_kind *kinds[CW_REGISTRY_ROOM] = {PATTERNS(ENTER)};
const struct cw_pattern_kind *const *const cw_pattern_kinds = kinds;

static const char *lacks(const void *item)
{
    const struct cw_pattern_kind *kind = item;
    if (!kind->help) return "a help";
    if (!kind->rounds || !kind->append) return "a function rounds or append";
    return !kind->destination == !kind->shares ? NULL : "one of the functions destination and shares";
}

const struct cw_registry cw_pattern_registry = {.items = kinds,
                                                .near = "unknown pattern '%s'; did you mean %s?",
                                                .none = "unknown pattern '%s'; expected one of %s",
                                                .room = CW_REGISTRY_ROOM,
                                                .item_size = sizeof(struct cw_pattern_kind),
                                                .kind = "pattern",
                                                .lacks = lacks};

const char *const cw_pattern_directions[] = {"uni", "bi", NULL};

int cw_pattern_one_round(const void *values, uint32_t n, uint32_t *rounds)
{
    (void)values;
    (void)n;
    *rounds = 1;
    return 0;
}

const struct cw_pattern_kind *cw_pattern_kind_of(const char *spec)
{
    char name[CW_SPEC_NAME_SIZE];
    if (isdigit((unsigned char)*spec)) return &cw_pattern_bui;
    cw_spec_split(spec, name, sizeof name);
    return cw_registry_find(&cw_pattern_registry, name);
}

int cw_pattern_new(const char *spec, const struct cw_ranks *ranks, struct cw_pattern **out)
{
    char name[CW_SPEC_NAME_SIZE];
    const char *parameters = cw_spec_split(spec, name, sizeof name);
    const struct cw_pattern_kind *kind = cw_pattern_kind_of(spec);
    if (kind == &cw_pattern_bui && isdigit((unsigned char)*spec)) parameters = spec;
    if (!kind) return cw_registry_unknown(&cw_pattern_registry, name);
    struct cw_pattern *pattern = cw_new_array(1, sizeof *pattern, "a pattern");
    if (!pattern) return CW_ENOMEM;
    pattern->kind = kind;
    pattern->spec = cw_copy_text(spec, strlen(spec));
    int rc = pattern->spec ? cw_option_values_new(kind->name, kind->options, kind->size, parameters, &pattern->values)
                           : CW_ENOMEM;
    if (!rc && kind->prepare) rc = kind->prepare(pattern->values, ranks);
    if (rc)
        cw_pattern_free(pattern);
    else
        *out = pattern;
    return rc;
}

void cw_pattern_free(struct cw_pattern *pattern)
{
    if (!pattern) return;
    if (pattern->values && pattern->kind->release) pattern->kind->release(pattern->values);
    cw_option_values_free(pattern->kind->options, pattern->values);
    free(pattern->spec);
    free(pattern);
}

const char *cw_pattern_spec(const struct cw_pattern *pattern)
{
    return pattern->spec;
}

bool cw_pattern_is_sized(const struct cw_pattern *pattern)
{
    return pattern->kind->sized;
}

bool cw_pattern_is_random(const struct cw_pattern *pattern)
{
    return pattern->kind->random;
}

int cw_pattern_rounds(const struct cw_pattern *pattern, uint32_t n, uint32_t *rounds)
{
    if (n < 2) return cw_fail(CW_EUSAGE, "pattern %s needs at least 2 ranks, not %u", pattern->spec, n);
    return pattern->kind->rounds(pattern->values, n, rounds);
}

int cw_pattern_append(const struct cw_pattern *pattern, uint32_t n, uint32_t round, uint64_t bytes,
                      struct cw_random *random, struct cw_flows *flows)
{
    uint32_t rounds;
    const int rc = cw_pattern_rounds(pattern, n, &rounds);
    if (rc) return rc;
    if (round >= rounds)
        return cw_fail(CW_EUSAGE, "pattern %s among %u ranks has rounds 0 to %u, no round %u", pattern->spec, n,
                       rounds - 1, round);
    return pattern->kind->append(pattern->values, n, round, bytes, random, flows);
}

int cw_pattern_append_all(const struct cw_pattern *pattern, uint32_t n, uint64_t bytes, uint64_t seed,
                          struct cw_flows *flows, uint32_t *rounds)
{
    struct cw_random random = cw_random_of(seed, CW_STREAM_PATTERN, 0);
    uint32_t n_rounds;
    int rc = cw_pattern_rounds(pattern, n, &n_rounds);
    if (rc) return rc;
    const uint64_t most = (uint64_t)n_rounds * n; /* flows; some patterns have a few in a round for each rank */
    if (most > cw_memory_available() / sizeof *flows->items)
        return cw_fail(CW_ELIMIT, "pattern %s: the %llu messages of %u ranks need more memory than can be had",
                       pattern->spec, (unsigned long long)most, n);
    for (uint32_t round = 0; !rc && round < n_rounds; round++) {
        rc = cw_interrupt_check();
        if (!rc) rc = pattern->kind->append(pattern->values, n, round, bytes, &random, flows);
    }
    if (!rc && rounds) *rounds = n_rounds;
    return rc;
}

/* --- flows, which patterns append --------------------------------------------------------------------------------- */

int cw_flows_reserve(struct cw_flows *flows, size_t more)
{
    void *items = flows->items;
    const int rc = cw_grow_array(&items, &flows->capacity, flows->n + more, sizeof *flows->items, "flows");
    flows->items = items;
    return rc;
}

int cw_flows_add(struct cw_flows *flows, uint32_t src, uint32_t dst, uint64_t bytes)
{
    if (src == dst) {
        if (__builtin_add_overflow(flows->self_bytes, bytes, &flows->self_bytes))
            return cw_fail(CW_EUSAGE, "the bytes of ranks to themselves are more than 64 bits can count");
        flows->self++;
        return 0;
    }
    const int rc = flows->n < flows->capacity ? 0 : cw_flows_reserve(flows, 1);
    if (!rc) flows->items[flows->n++] = (struct cw_flow){.src = src, .dst = dst, .bytes = bytes};
    return rc;
}

void cw_flows_free(struct cw_flows *flows)
{
    if (!flows) return;
    free(flows->items);
    *flows = (struct cw_flows){0};
}

/* --- ranks, which they are for ------------------------------------------------------------------------------------ */

void cw_ranks_of(const struct cw_network *net, uint32_t n, struct cw_ranks *out)
{
    const struct cw_groups groups = cw_shape_groups(&net->shape);
    *out = (struct cw_ranks){.n = n, .per_group = groups.n > 0 ? groups.endpoints : 1, .h = groups.links};
}
