#include "traffic/placement.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/registry_internal.h"
#include "net/network_internal.h"

/* One line a placement: cw_placement_NAME is its descriptor. */
#define PLACEMENTS(EACH)                                                                                               \
    EACH(random)                                                                                                       \
    EACH(contiguous)                                                                                                   \
    EACH(switches)                                                                                                     \
    EACH(random_switches)                                                                                              \
    EACH(random_groups)                                                                                                \
    EACH(random_nodes)                                                                                                 \
    EACH(file)

#define DECLARE(NAME) extern const struct cw_placement_kind cw_placement_##NAME;
PLACEMENTS(DECLARE)

#define ENTER(NAME) &cw_placement_##NAME,
static const struct cw_placement_kind *kinds[CW_REGISTRY_ROOM] = {PLACEMENTS(ENTER)};
const struct cw_placement_kind *const *const cw_placement_kinds = kinds;

static const char *lacks(const void *item)
{
    const struct cw_placement_kind *kind = item;
    if (!kind->help) return "a help";
    return kind->order ? NULL : "a function order";
}

const struct cw_registry cw_placement_registry = {.items = kinds,
                                                  .near = "unknown placement '%s'; did you mean %s?",
                                                  .none = "unknown placement '%s'; expected one of %s",
                                                  .room = CW_REGISTRY_ROOM,
                                                  .item_size = sizeof(struct cw_placement_kind),
                                                  .kind = "placement",
                                                  .lacks = lacks};

struct cw_placement {
    const struct cw_placement_kind *kind;
    const struct cw_network *net;
    struct cw_selection among;
    char *spec;
    void *values;
};

/* Copies SELECTION, or all endpoints of NET; what was asked for is borrowed. */
static int copy_selection(const struct cw_network *net, const struct cw_selection *selection, struct cw_selection *out)
{
    const uint32_t n = selection ? selection->n : net->n_endpoints;
    uint32_t *endpoints = cw_new_array(n, sizeof *endpoints, "a placement");
    if (!endpoints) return CW_ENOMEM;
    for (uint32_t i = 0; i < n; i++) endpoints[i] = selection ? selection->endpoints[i] : i;
    *out = (struct cw_selection){n, endpoints, selection ? selection->asked : NULL};
    return 0;
}

int cw_placement_new(const char *spec, const struct cw_network *net, const struct cw_selection *selection,
                     struct cw_placement **out)
{
    char name[CW_SPEC_NAME_SIZE];
    const char *parameters = cw_spec_split(spec, name, sizeof name);
    const struct cw_placement_kind *kind = cw_registry_find(&cw_placement_registry, name);
    if (!kind) return cw_registry_unknown(&cw_placement_registry, name);
    struct cw_placement *placement = cw_new_array(1, sizeof *placement, "a placement");
    if (!placement) return CW_ENOMEM;
    placement->kind = kind;
    placement->net = net;
    placement->spec = cw_copy_text(spec, strlen(spec));
    int rc = placement->spec
                 ? cw_option_values_new(kind->name, kind->options, kind->size, parameters, &placement->values)
                 : CW_ENOMEM;
    if (!rc) rc = copy_selection(net, selection, &placement->among);
    if (!rc && kind->prepare) rc = kind->prepare(placement->values, net, &placement->among);
    if (rc)
        cw_placement_free(placement);
    else
        *out = placement;
    return rc;
}

void cw_placement_free(struct cw_placement *placement)
{
    if (!placement) return;
    if (placement->values && placement->kind->release) placement->kind->release(placement->values);
    cw_option_values_free(placement->kind->options, placement->values);
    free(placement->among.endpoints);
    free(placement->spec);
    free(placement);
}

const char *cw_placement_spec(const struct cw_placement *placement)
{
    return placement->spec;
}

bool cw_placement_is_random(const struct cw_placement *placement)
{
    return placement->kind->random;
}

uint32_t cw_placement_count(const struct cw_placement *placement)
{
    return placement->among.n;
}

/* ENDPOINTS of AMONG in the placement's order. */
static int order(const struct cw_placement *placement, const struct cw_selection *among, struct cw_random *random,
                 uint32_t *endpoints)
{
    if (among->n > 0) memcpy(endpoints, among->endpoints, among->n * sizeof *endpoints);
    return placement->kind->order(placement->values, placement->net, among->n, random, endpoints);
}

int cw_placement_order(const struct cw_placement *placement, struct cw_random *random, uint32_t *endpoints)
{
    return order(placement, &placement->among, random, endpoints);
}

int cw_placement_numbers(const struct cw_placement *placement, struct cw_ranks *ranks, uint32_t **numbers)
{
    const struct cw_selection *asked = placement->among.asked;
    struct cw_random random = cw_random_of(0, CW_STREAM_PLACEMENT, 0); /* not drawn from */
    *numbers = NULL;
    if (!asked || placement->kind->random) return 0;
    *numbers = cw_new_array(asked->n, sizeof **numbers, "a placement");
    if (!*numbers) return CW_ENOMEM;
    ranks->numbers = *numbers;
    ranks->n_numbers = asked->n;
    return order(placement, asked, &random, *numbers);
}

int cw_placement_pattern(const struct cw_placement *placement, const char *spec, struct cw_pattern **out)
{
    struct cw_random random = cw_random_of(0, CW_STREAM_PLACEMENT, 0); /* not drawn from */
    struct cw_ranks ranks;
    cw_ranks_of(placement->net, cw_placement_count(placement), &ranks);
    if (placement->kind->random) return cw_pattern_new(spec, &ranks, out);
    uint32_t *endpoints = cw_new_array(ranks.n, sizeof *endpoints, "a placement"), *numbers = NULL;
    int rc = endpoints ? cw_placement_order(placement, &random, endpoints) : CW_ENOMEM;
    ranks.net = placement->net;
    ranks.endpoints = endpoints;
    if (!rc) rc = cw_placement_numbers(placement, &ranks, &numbers);
    if (!rc) rc = cw_pattern_new(spec, &ranks, out);
    free(endpoints);
    free(numbers);
    return rc;
}
