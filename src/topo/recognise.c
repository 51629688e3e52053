#include "topo/recognise.h"

#include <stdlib.h>

#include "base/error.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "topo/recognise_internal.h"
#include "topo/torus.h"
#include "topo/xgft.h"

#define TOLERANCE 10 /* one of so many may be missing */

static uint64_t tolerated(uint64_t n)
{
    return (n + TOLERANCE - 1) / TOLERANCE;
}

bool cw_network_is_host(const struct cw_network *net, uint32_t e)
{
    return cw_network_degree(net, e) > 0 && (!net->identity || net->identity[e].kind == CW_KIND_HOST);
}

bool cw_likeness_fits(const struct cw_network *net, uint32_t hosts, const struct cw_shape *shape)
{
    const uint64_t endpoints = cw_shape_endpoints(shape), switches = cw_shape_switches(shape);
    return endpoints <= 2 * (uint64_t)hosts && endpoints >= hosts && switches >= cw_network_switches(net) &&
           switches - cw_network_switches(net) <= tolerated(switches);
}

static bool tolerable(const struct cw_places *places)
{
    return (uint64_t)places->missing_cables + places->extra_cables <= tolerated(places->cables);
}

static int build_xgft(const struct cw_shape *shape, const struct cw_link *link, struct cw_network **out)
{
    return cw_xgft_build(&shape->xgft, link, out);
}

static int build_torus(const struct cw_shape *shape, const struct cw_link *link, struct cw_network **out)
{
    return cw_torus_build(&shape->torus, link, out);
}

/* What maps are compared with, one after another, and the network of such a shape. */
static const struct recogniser {
    int (*recognise)(const struct cw_network *net, struct cw_likeness *out);
    int (*build)(const struct cw_shape *shape, const struct cw_link *link, struct cw_network **out);
} recognisers[] = {{cw_recognise_xgft, build_xgft}, {cw_recognise_torus, build_torus}};

/* Sets the shape itself where places are vertices and ports the generator's. */
static void take_numbering(struct cw_network *net)
{
    if (!cw_places_are_exact(net->places)) return;
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (net->places->place[v] != v) return;
    net->shape = net->places->ideal->shape;
    if (cw_network_check_shape(net) != 0) {
        net->shape = (struct cw_shape){.kind = NULL};
        return;
    }
    cw_places_free(net->places);
    net->places = NULL;
}

/* A cable's speed is its own affair: shapes are made with the default. */
static int try(struct cw_network *net, const struct recogniser *recogniser)
{
    static const struct cw_link link = {CW_DEFAULT_CAPACITY, CW_DEFAULT_LATENCY};
    struct cw_likeness likeness = {.place = NULL};
    struct cw_network *ideal;
    int rc = recogniser->recognise(net, &likeness);
    if (rc || !likeness.place) return rc;
    rc = recogniser->build(&likeness.shape, &link, &ideal);
    if (rc) {
        free(likeness.place);
        return rc == CW_ENOMEM ? rc : 0; /* too large to be true */
    }
    struct cw_places *places;
    rc = cw_places_new(net, ideal, likeness.place, &places);
    if (rc) return rc == CW_ENOMEM ? rc : 0;
    if (!tolerable(places)) {
        cw_places_free(places);
        return 0;
    }
    net->places = places;
    take_numbering(net);
    return 0;
}

int cw_network_recognise(struct cw_network *net)
{
    if (net->shape.kind || net->places || cw_network_switches(net) < 2 || net->n_endpoints == 0) return 0;
    if (net->n_closed > 0) return 0; /* what relies on a shape takes every cable both ways */
    int rc = 0;
    for (size_t i = 0; i < sizeof recognisers / sizeof *recognisers && !rc && !net->places && !net->shape.kind; i++)
        rc = try(net, &recognisers[i]);
    return rc;
}

int cw_network_changed(const struct cw_faults *faults, struct cw_network **out)
{
    struct cw_network *net;
    int rc = cw_network_with_faults(faults, &net);
    if (rc) return rc;
    rc = cw_network_recognise(net);
    if (!rc) rc = cw_faults_keep_places(faults, net);
    if (rc)
        cw_network_free(net);
    else
        *out = net;
    return rc;
}
