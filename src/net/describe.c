/* Shapes in words. */
#include "net/places.h"

static void add_numbers(struct cw_text *text, const char *first, const char *between, const uint32_t *values,
                        uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) cw_text_printf(text, "%s%u", i == 0 ? first : between, values[i]);
}

/* Bundles are said where they are not one cable a pair: the cables up from each level. */
static void describe_xgft(const struct cw_xgft *xgft, struct cw_text *text)
{
    bool bundles = false;
    for (uint32_t l = 0; l < xgft->h; l++) bundles = bundles || xgft->up[l] != xgft->w[l + 1];
    cw_text_printf(text, "an XGFT(%u", xgft->h);
    add_numbers(text, "; ", ", ", xgft->m + 1, xgft->h);
    add_numbers(text, "; ", ", ", xgft->w + 1, xgft->h);
    cw_text_add(text, ")");
    if (bundles) add_numbers(text, " with ", " and ", xgft->up + 1, xgft->h - 1);
    if (bundles) cw_text_add(text, " cables up from each switch");
}

static void describe_torus(const struct cw_torus *torus, struct cw_text *text)
{
    bool cube = torus->wrap && !torus->doubled;
    for (uint32_t d = 0; d < torus->n; d++) cube = cube && torus->k[d] == 2;
    if (cube) {
        cw_text_printf(text, "a hypercube of %u dimension%s", torus->n, torus->n == 1 ? "" : "s");
        return;
    }
    cw_text_add(text, torus->wrap ? "a torus" : "a mesh");
    add_numbers(text, " ", "x", torus->k, torus->n);
    if (torus->doubled) cw_text_add(text, " with two cables in dimensions of size 2");
}

/* One thing after another: "without A", ", B", … */
static void add_gap(struct cw_text *text, uint32_t *said, uint64_t missing, uint64_t of, const char *things)
{
    if (missing == 0) return;
    cw_text_printf(text, "%s%llu of %llu %s", *said == 0 ? ", without " : ", ", (unsigned long long)missing,
                   (unsigned long long)of, things);
    ++*said;
}

static void describe_gaps(const struct cw_places *places, struct cw_text *text)
{
    uint32_t said = 0;
    add_gap(text, &said, places->missing_switches, cw_network_switches(places->ideal), "switches");
    add_gap(text, &said, places->missing_cables, places->cables, "cables between switches");
    add_gap(text, &said, places->missing_endpoints, places->ideal->n_endpoints, "hosts");
    if (places->extra_cables > 0)
        cw_text_printf(text, ", and %u cable%s more than the shape has", places->extra_cables,
                       places->extra_cables == 1 ? "" : "s");
    if (places->beside > 0)
        cw_text_printf(text, ", and %u endpoint%s beside it", places->beside, places->beside == 1 ? "" : "s");
}

void cw_network_describe(const struct cw_network *net, struct cw_text *text)
{
    const struct cw_shape *shape = cw_network_regular_shape(net);
    switch (shape->kind) {
    case CW_SHAPE_NONE:
        return;
    case CW_SHAPE_XGFT:
        describe_xgft(&shape->xgft, text);
        break;
    case CW_SHAPE_TORUS:
        describe_torus(&shape->torus, text);
        break;
    case CW_SHAPE_DRAGONFLY:
        cw_text_printf(text, "a dragonfly of %u groups of %u switches", shape->dragonfly.g, shape->dragonfly.a);
        break;
    case CW_SHAPE_CROSSBAR:
        cw_text_add(text, "one switch");
        break;
    }
    if (net->places) describe_gaps(net->places, text);
}
