#include "net/places.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "net/nodes.h"

static const char what[] = "places in a regular shape";

/* A channel of one vertex, to be sorted by where it leads. */
struct lead {
    uint32_t place, channel;
};

static int compare_leads(const void *a, const void *b)
{
    const struct lead *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return x->channel < y->channel ? -1 : x->channel > y->channel;
}

void cw_places_free(struct cw_places *places)
{
    if (!places) return;
    cw_network_free(places->ideal);
    free(places->vertex);
    free(places->place);
    free(places->channel);
    free(places);
}

static int stand(const struct cw_network *net, struct cw_places *places)
{
    const struct cw_network *ideal = places->ideal;
    for (uint32_t p = 0; p < ideal->n_vertices; p++) places->vertex[p] = CW_NONE;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const uint32_t p = places->place[v];
        if (p == CW_NONE) {
            places->beside++;
            continue;
        }
        if (p >= ideal->n_vertices || places->vertex[p] != CW_NONE)
            return cw_fail(CW_EUSAGE, "vertices %u and %u have one place in the shape, expected one each", v,
                           p < ideal->n_vertices ? places->vertex[p] : v);
        places->vertex[p] = v;
    }
    for (uint32_t p = 0; p < ideal->n_vertices; p++) {
        if (places->vertex[p] != CW_NONE) continue;
        if (cw_network_is_endpoint(ideal, p))
            places->missing_endpoints++;
        else
            places->missing_switches++;
    }
    return 0;
}

/* The channels of vertex V of NET that lead to higher places than its own, sorted by these; their number. PLACE may be
 * NULL where vertices are places. */
static uint32_t leads_up(const struct cw_network *net, const uint32_t *place, uint32_t v, struct lead *leads)
{
    const uint32_t own = place ? place[v] : v;
    uint32_t n = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t to = place ? place[net->head[c]] : net->head[c];
        if (to != CW_NONE && to > own) leads[n++] = (struct lead){to, c};
    }
    qsort(leads, n, sizeof *leads, compare_leads);
    return n;
}

/* Joins the sorted channels that two vertices, one standing at the place of the other, have to higher places. */
static void join(const struct cw_network *net, struct cw_places *places, const struct lead *wanted, uint32_t n_wanted,
                 const struct lead *there, uint32_t n_there)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < n_wanted; i++) {
        const uint32_t c = wanted[i].channel, twin = places->ideal->twin[c];
        for (; j < n_there && there[j].place < wanted[i].place; j++) places->extra_cables++;
        const bool found = j < n_there && there[j].place == wanted[i].place;
        places->channel[c] = found ? there[j].channel : CW_NONE;
        places->channel[twin] = found ? net->twin[there[j].channel] : CW_NONE;
        const uint32_t low = places->ideal->tail[c];
        const bool may_miss = !cw_network_is_endpoint(places->ideal, low) || cw_network_degree(places->ideal, low) > 1;
        if (may_miss && places->vertex[wanted[i].place] != CW_NONE) {
            places->cables++;
            places->missing_cables += !found;
        }
        j += found;
    }
    places->extra_cables += n_there - j;
}

static uint32_t max_degree(const struct cw_network *net)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (cw_network_degree(net, v) > most) most = cw_network_degree(net, v);
    return most;
}

static int join_all(const struct cw_network *net, struct cw_places *places)
{
    const struct cw_network *ideal = places->ideal;
    struct lead *wanted = cw_new_array(max_degree(ideal), sizeof *wanted, what);
    struct lead *there = cw_new_array(max_degree(net), sizeof *there, what);
    const bool memory = wanted && there;
    for (uint32_t c = 0; c < ideal->n_channels; c++) places->channel[c] = CW_NONE;
    for (uint32_t p = 0; p < ideal->n_vertices && memory; p++) {
        const uint32_t v = places->vertex[p];
        if (v == CW_NONE) continue;
        const uint32_t n_wanted = leads_up(ideal, NULL, p, wanted);
        const uint32_t n_there = leads_up(net, places->place, v, there);
        join(net, places, wanted, n_wanted, there, n_there);
    }
    free(wanted);
    free(there);
    return memory ? 0 : CW_ENOMEM;
}

int cw_places_new(const struct cw_network *net, struct cw_network *ideal, uint32_t *place, struct cw_places **out)
{
    struct cw_places *places = cw_new_array(1, sizeof *places, what);
    if (!places) {
        cw_network_free(ideal);
        free(place);
        return CW_ENOMEM;
    }
    *places = (struct cw_places){.ideal = ideal, .place = place};
    places->vertex = cw_new_array(ideal->n_vertices, sizeof *places->vertex, what);
    places->channel = cw_new_array(ideal->n_channels, sizeof *places->channel, what);
    int rc = places->vertex && places->channel ? stand(net, places) : CW_ENOMEM;
    if (rc == 0) rc = join_all(net, places);
    if (rc) {
        cw_places_free(places);
        return rc;
    }
    *out = places;
    return 0;
}

bool cw_places_have_all_routes(const struct cw_places *places)
{
    return places->missing_switches == 0 && places->missing_cables == 0;
}

bool cw_places_are_exact(const struct cw_places *places)
{
    return cw_places_have_all_routes(places) && places->missing_endpoints == 0 && places->extra_cables == 0 &&
           places->beside == 0;
}

const struct cw_shape *cw_network_regular_shape(const struct cw_network *net)
{
    return net->places ? &net->places->ideal->shape : &net->shape;
}

bool cw_network_has_inside(const struct cw_network *net)
{
    return net->nodes || cw_network_regular_shape(net)->kind == &cw_shape_rail;
}

bool cw_network_is_inside(const struct cw_network *net, uint32_t channel)
{
    const uint32_t tail = net->tail[channel], head = net->head[channel];
    if (net->nodes) return tail >= net->nodes->inside || head >= net->nodes->inside;
    return cw_network_has_inside(net) && cw_network_is_host_channel(net, channel);
}

bool cw_network_node_is_switch(const struct cw_network *net)
{
    const struct cw_shape *shape = cw_network_regular_shape(net);
    return !net->identity && shape->kind && shape->kind->node_is_switch && shape->kind->node_is_switch(shape);
}

const struct cw_shape *cw_network_whole_shape(const struct cw_network *net)
{
    return net->places && cw_places_are_exact(net->places) ? &net->places->ideal->shape : &net->shape;
}
