#include "nbc/nbc_between.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/option.h"
#include "base/units.h"

#define FAMILY(CONSTANT, TEXT, FAMILY) [CW_NBC_##CONSTANT] = (FAMILY),
static const char *const families[] = {CW_NBC_SHAPES(FAMILY, CW_NBC_NO_TREE)[CW_NBC_NATIVE] = NULL};

/* --- names -------------------------------------------------------------------------------------------------------- */

/* Of two that mean the same shape, the first is its name. */
#define TREE(WORD, NAME, CONSTANT, RADIX, NOTE) {(NAME), {.shape = CW_NBC_##CONSTANT, .radix = (RADIX)}},
static const struct {
    const char *name;
    struct cw_nbc_between means;
} names[] = {{"auto", {.shape = CW_NBC_SHAPE_AUTO}},
             {"fabric", {.shape = CW_NBC_SHAPE_AUTO, .by_fabric = true}},
             CW_NBC_SHAPES(CW_NBC_NO_SHAPE, TREE){"native", {.shape = CW_NBC_NATIVE}}};
#define NAMES (sizeof names / sizeof *names)

#define TYPED(CONSTANT, TEXT, FAMILY) TEXT ", "

int cw_nbc_between_parse(const char *what, const char *text, struct cw_nbc_between *out)
{
    char name[CW_SPEC_NAME_SIZE];
    const char *parameter = cw_spec_split(text, name, sizeof name);
    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(text, names[i].name) == 0) {
            *out = names[i].means;
            return 0;
        }
    if (strcmp(name, "k-nomial") != 0 || !parameter)
        return cw_fail(
            CW_EUSAGE,
            "%s: '%s' is not a tree of hosts; expected auto, fabric, " CW_NBC_SHAPES(TYPED, CW_NBC_NO_TREE) "or native",
            what, text);
    int64_t radix;
    int rc = cw_parse_int(what, parameter, &radix);
    if (rc) return rc;
    if (radix < 2 || radix > 1024) return cw_fail(CW_EUSAGE, "%s: %s is not between 2 and 1024", what, parameter);
    *out = (struct cw_nbc_between){.shape = CW_NBC_KNOMIAL, .radix = (unsigned)radix};
    return 0;
}

const char *cw_nbc_between_format(const struct cw_nbc_between *between, char *text)
{
    snprintf(text, CW_NBC_BETWEEN_SIZE, "k-nomial:%u", between->radix);
    for (size_t i = NAMES; i-- > 0;)
        if (between->shape == names[i].means.shape && between->radix == names[i].means.radix)
            snprintf(text, CW_NBC_BETWEEN_SIZE, "%s", names[i].name);
    return text;
}

/* --- schedules ---------------------------------------------------------------------------------------------------- */

const struct cw_schedule_kind *cw_nbc_between_kind(enum cw_nbc_shape shape, enum cw_collective_kind collective)
{
    char name[64];
    if (!families[shape] || cw_collective_has_blocks(collective)) return NULL;
    snprintf(name, sizeof name, "%s-%s", families[shape], cw_collectives[collective].name);
    return cw_schedule_find(name);
}

bool cw_nbc_between_passes(enum cw_collective_kind collective)
{
    return cw_nbc_between_kind(CW_NBC_CHAIN, collective);
}

int cw_nbc_between_schedule(const struct cw_nbc_between *between, enum cw_collective_kind collective, uint32_t segments,
                            struct cw_schedule **out)
{
    const struct cw_schedule_kind *kind = cw_nbc_between_kind(between->shape, collective);
    char spec[64];
    snprintf(spec, sizeof spec, "%s:%u,%u", kind->name, between->radix ? between->radix : 1, segments);
    return cw_schedule_new(kind->options ? spec : kind->name, out);
}

/* --- segments ----------------------------------------------------------------------------------------------------- */

/* Segments of a message, if they are neither too short nor too long: each host on the way adds the time of those that
 * are under way. */
#define PIECES   128
#define SHORTEST (16u << 10) /* bytes, a multiple of the size of any number; MPIs send them without asking first */
#define LONGEST  (1024u << 10)
#define ALIGNED  64 /* bytes: a multiple of the size of any number */

struct cw_nbc_cut cw_nbc_cut_of(uint64_t bytes, uint32_t n_blocks)
{
    uint64_t segment = (bytes / PIECES + SHORTEST - 1) / SHORTEST * SHORTEST;
    segment = segment < SHORTEST ? SHORTEST : segment > LONGEST ? LONGEST : segment;
    const uint64_t most = n_blocks * segment;
    struct cw_nbc_cut cut = {bytes, segment, n_blocks, (uint32_t)((bytes + most - 1) / most)};
    if (n_blocks == 1 || bytes == 0) return cut;
    const uint64_t n_segments = (uint64_t)n_blocks * cut.per_block;
    cut.segment = ((bytes + n_segments - 1) / n_segments + ALIGNED - 1) / ALIGNED * ALIGNED;
    return cut;
}

/* --- what suits --------------------------------------------------------------------------------------------------- */

#define BLOCK (8u << 10) /* bytes: the shortest of a ring, unless one is asked for */

/* In times of a segment, the slowest host: along a chain each sends every segment once, and the last begins late; in a
 * binomial tree the root sends every segment to each of its children. In a ring each host sends 2(n - 1)/n of the
 * vector, in a tree many of them twice the vector, but in fewer rounds. */
struct cw_nbc_between cw_nbc_between_settle(const struct cw_nbc_between *between, enum cw_collective_kind collective,
                                            uint32_t hosts, uint64_t bytes)
{
    struct cw_nbc_between settled = *between;
    const uint64_t segments = cw_nbc_cut_of(bytes, 1).per_block;
    uint32_t children = 0;
    if (cw_nbc_between_kind(between->shape, collective)) return settled;
    while (UINT32_C(1) << children < hosts) children++;
    const bool chain = segments + hosts - 2 <= segments * children;
    settled.shape = chain ? CW_NBC_CHAIN : CW_NBC_KNOMIAL;
    if (between->shape == CW_NBC_SHAPE_AUTO && cw_nbc_between_kind(CW_NBC_HOST_RING, collective) && bytes > 0 &&
        bytes >= (uint64_t)hosts * BLOCK)
        settled.shape = CW_NBC_HOST_RING;
    settled.radix = settled.shape == CW_NBC_KNOMIAL ? 2 : 0;
    return settled;
}
