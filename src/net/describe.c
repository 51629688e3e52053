/* Shapes in words. */
#include "base/text.h"
#include "net/places.h"

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
                       cw_plural(places->extra_cables));
    if (places->beside > 0)
        cw_text_printf(text, ", and %u endpoint%s beside it", places->beside, cw_plural(places->beside));
}

void cw_network_describe(const struct cw_network *net, struct cw_text *text)
{
    const struct cw_shape *shape = cw_network_regular_shape(net);
    if (!shape->kind) return;
    shape->kind->describe(shape, text);
    if (net->places) describe_gaps(net->places, text);
}
