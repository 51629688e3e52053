#include "traffic/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/pattern_internal.h"
#include "traffic/traffic_spec.h"

/* One line a pattern: cw_pattern_NAME is its descriptor. */
#define PATTERNS(X)                                                                                                    \
    X(permutation)                                                                                                     \
    X(derangement)                                                                                                     \
    X(bisection)                                                                                                       \
    X(uniform)                                                                                                         \
    X(shift)                                                                                                           \
    X(bitcomp)                                                                                                         \
    X(transpose)                                                                                                       \
    X(ring)                                                                                                            \
    X(neighbour2d)                                                                                                     \
    X(neighbour3d)                                                                                                     \
    X(incast)                                                                                                          \
    X(alltoall)                                                                                                        \
    X(matrix)

#define DECLARE(NAME) extern const struct cw_pattern_kind cw_pattern_##NAME;
PATTERNS(DECLARE)

#define ENTRY(NAME) &cw_pattern_##NAME,
const struct cw_pattern_kind *const cw_pattern_kinds[] = {PATTERNS(ENTRY) NULL};

const char *const cw_pattern_directions[] = {"uni", "bi", NULL};

int cw_pattern_one_round(const void *values, uint32_t n, uint32_t *rounds)
{
    (void)values;
    (void)n;
    *rounds = 1;
    return 0;
}

struct cw_pattern {
    const struct cw_pattern_kind *kind;
    char *spec;
    void *values;
};

static int find_kind(const char *name, const struct cw_pattern_kind **kind)
{
    const char *names[sizeof cw_pattern_kinds / sizeof *cw_pattern_kinds] = {NULL};
    for (size_t i = 0; cw_pattern_kinds[i]; i++) {
        names[i] = cw_pattern_kinds[i]->name;
        if (strcmp(name, names[i]) != 0) continue;
        *kind = cw_pattern_kinds[i];
        return 0;
    }
    return cw_traffic_unknown("pattern", name, names);
}

int cw_pattern_new(const char *spec, struct cw_pattern **out)
{
    char name[CW_TRAFFIC_NAME_SIZE];
    const char *parameters = cw_spec_split(spec, name, sizeof name);
    const struct cw_pattern_kind *kind;
    int rc = find_kind(name, &kind);
    if (rc) return rc;
    struct cw_pattern *pattern = cw_new_array(1, sizeof *pattern, "a pattern");
    if (!pattern) return CW_ENOMEM;
    pattern->kind = kind;
    pattern->spec = cw_copy_text(spec, strlen(spec));
    rc = pattern->spec ? cw_traffic_values_new(kind->name, kind->options, kind->size, parameters, &pattern->values)
                       : CW_ENOMEM;
    if (!rc && kind->prepare) rc = kind->prepare(pattern->values);
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
    cw_traffic_values_free(pattern->kind->options, pattern->values);
    free(pattern->spec);
    free(pattern);
}

const char *cw_pattern_spec(const struct cw_pattern *pattern)
{
    return pattern->spec;
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
