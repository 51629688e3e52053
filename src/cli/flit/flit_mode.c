#include "cli/flit/flit_mode.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "route/engine.h"

/* --- lists of routings -------------------------------------------------------------------------------------------- */

/* Counts them, and checks them all: a misspelt one is not found out when those before it have been simulated. */
static int count_routings(const char *routings, size_t *n)
{
    for (;;) {
        const size_t length = cw_registry_element(&cw_engine_registry, routings);
        if (length == 0) return cw_fail(CW_EUSAGE, "--routing: one of the names is empty");
        char *spec = cw_copy_text(routings, length);
        const int rc = spec ? cw_engine_check(spec) : CW_ENOMEM;
        free(spec);
        if (rc) return rc;
        ++*n;
        if (routings[length] == 0) return 0;
        routings += length + 1;
    }
}

/* With --allow-deadlock, what could happen is said before it does. */
static int note_circle(const struct flit_mode *mode, const struct cw_packet_routing *packets)
{
    if (!mode->values->allow_deadlock) return 0;
    const int rc = cw_packet_routing_check(packets);
    if (rc != CW_EROUTE) return rc;
    cw_result_note(mode->invocation->result, "Simulated all the same (--allow-deadlock): %s.", cw_error_message());
    return 0;
}

static int use_named(const struct flit_mode *mode, const char *spec,
                     int (*use)(void *context, const struct flit_routing *routing), void *context)
{
    const struct common *common = &mode->invocation->common;
    struct cw_packet_routing *packets;
    int rc = cw_packet_routing_new(mode->net, spec, (uint64_t)common->seed, (unsigned)common->threads, &packets);
    if (rc) return rc;
    rc = note_circle(mode, packets);
    if (!rc) rc = use(context, &(struct flit_routing){.packets = packets, .spec = spec});
    cw_packet_routing_free(packets);
    return rc;
}

int flit_each_routing(const struct flit_mode *mode, int (*use)(void *context, const struct flit_routing *routing),
                      void *context)
{
    int rc = mode->given.packets ? use(context, &mode->given) : 0;
    for (const char *left = mode->routings; left && !rc;) {
        const size_t length = cw_registry_element(&cw_engine_registry, left);
        char *spec = cw_copy_text(left, length);
        rc = spec ? use_named(mode, spec, use, context) : CW_ENOMEM;
        free(spec);
        left = left[length] == 0 ? NULL : left + length + 1;
    }
    return rc;
}

/* --- routes of files ---------------------------------------------------------------------------------------------- */

/* A fabric's own tables may well deadlock on the lanes that are known. */
static int check_given(const struct flit_mode *mode)
{
    if (mode->values->allow_deadlock) return note_circle(mode, mode->given.packets);
    const uint32_t lanes = cw_routes_lanes(mode->given.routes);
    const bool known = cw_routes_lanes_known(mode->given.routes);
    const int rc = cw_packet_routing_check(mode->given.packets);
    if (rc != CW_EROUTE) return rc;
    char *cycle = cw_copy_text(cw_error_message(), strlen(cw_error_message()));
    if (!cycle) return CW_ENOMEM;
    cw_fail(CW_EROUTE,
            "these routes are not deadlock-free on %u virtual lane%s, so a simulation could stop for ever%s; "
            "--allow-deadlock simulates them all the same: %s",
            lanes, cw_plural(lanes), known ? "" : "; their service levels may avoid that (--path-records and --sl2vl)",
            cycle);
    free(cycle);
    return CW_EROUTE;
}

static int follow_files(struct flit_mode *mode, struct fabric *fabric)
{
    const struct flit_options *values = mode->values;
    const struct routing routing = {.lft = values->lft, .repair = values->repair, .paths = values->paths};
    int rc = fabric_route(mode->invocation, &routing, fabric);
    if (rc) return rc;
    /* Each row names its routing: of several, one is not what the whole result is about. */
    cw_result_set_context(mode->invocation->result, CW_CONTEXT_ROUTES, NULL);
    struct cw_routes *routes = fabric->routes;
    mode->given.routes = routes;
    fabric->routes = NULL;
    rc = cw_packet_routing_of_routes(routes, &mode->given.packets);
    if (rc) return rc;
    mode->n_routings = 1;
    return check_given(mode);
}

static int take_default(struct flit_mode *mode)
{
    const struct common *common = &mode->invocation->common;
    const int rc =
        cw_engine_default_of_packets(mode->net, (uint64_t)common->seed, (unsigned)common->threads, &mode->routings);
    return rc ? rc : fabric_note_default(mode->invocation, mode->net, mode->routings, true);
}

int flit_mode_route(struct flit_mode *mode, struct fabric *fabric)
{
    const struct flit_options *values = mode->values;
    const bool files = values->lft || values->paths;
    mode->routings = values->routings;
    int rc = 0;
    if (files)
        rc = follow_files(mode, fabric);
    else if (values->repair)
        rc = cw_fail(CW_EUSAGE, "--repair is for the fabric's own tables, --lft");
    else if (!values->routings)
        rc = take_default(mode);
    return rc || !mode->routings ? rc : count_routings(mode->routings, &mode->n_routings);
}

void flit_mode_free(struct flit_mode *mode)
{
    cw_packet_routing_free(mode->given.packets);
    mode->given.packets = NULL;
}
