#include "cli/flit/flit_mode.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "base/units.h"
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

/* With --allow-deadlock, what could happen is said before it does. LANES_KNOWN: else all routes are taken to share one.
 */
static int note_circle(const struct flit_mode *mode, const struct cw_packet_routing *packets, bool lanes_known)
{
    if (!mode->invocation->flits.allow_deadlock) return 0;
    const int rc = cw_packet_routing_check(packets);
    if (rc != CW_EROUTE) return rc;
    cw_result_note(mode->invocation->result, "Simulated all the same (--allow-deadlock)%s: %s.",
                   lanes_known ? "" : ", on one virtual lane, because no service levels are given", cw_error_message());
    return 0;
}

int flit_packets(struct invocation *invocation, const struct cw_network *net, const char *spec,
                 struct cw_packet_routing **out, const struct cw_routes **over)
{
    const uint64_t seed = (uint64_t)invocation->common.seed;
    const unsigned threads = (unsigned)invocation->common.threads;
    *over = NULL;
    if (invocation->routing.lids == LIDS_FIRST) return cw_packet_routing_new(net, spec, seed, threads, out);
    const int rc = cw_packet_routing_over_lids(net, spec, seed, threads, out, over);
    if (!rc && *over)
        cw_result_note(invocation->result,
                       "%s: each endpoint has %u LIDs, and each packet draws the one that it is sent to.", spec,
                       cw_routes_lids(*over));
    else if (!rc)
        cw_result_note(invocation->result, "%s: each endpoint has one LID, so that --lids all changes nothing.", spec);
    return rc;
}

static int use_named(const struct flit_mode *mode, const char *spec,
                     int (*use)(void *context, const struct flit_routing *routing), void *context)
{
    struct flit_routing routing = {.spec = spec};
    int rc = flit_packets(mode->invocation, mode->net, spec, &routing.packets, &routing.routes);
    if (rc) return rc;
    rc = note_circle(mode, routing.packets, true);
    if (!rc) rc = use(context, &routing);
    cw_packet_routing_free(routing.packets);
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
    const bool known = cw_routes_lanes_known(mode->given.routes);
    if (mode->invocation->flits.allow_deadlock) return note_circle(mode, mode->given.packets, known);
    const uint32_t lanes = cw_routes_lanes(mode->given.routes);
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

static int follow_files(struct flit_mode *mode, const struct routing *routing, struct fabric *fabric)
{
    const struct routing files = {.lft = routing->lft,
                                  .repair = routing->repair,
                                  .paths = routing->paths,
                                  .lids = mode->invocation->routing.lids};
    int rc = fabric_route(mode->invocation, &files, fabric);
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

int flit_mode_route(struct flit_mode *mode, const struct routing *routing, struct fabric *fabric)
{
    mode->routings = routing->name;
    int rc = 0;
    if (routing->lft || routing->paths)
        rc = follow_files(mode, routing, fabric);
    else if (routing->repair)
        rc = cw_fail(CW_EUSAGE, "--repair is for the fabric's own tables, --lft");
    else if (!routing->name)
        rc = take_default(mode);
    return rc || !mode->routings ? rc : count_routings(mode->routings, &mode->n_routings);
}

/* --- modes -------------------------------------------------------------------------------------------------------- */

static int note_implementation(const struct flit_mode *mode)
{
    const char *name, *needed_by;
    const int rc = cw_flit_find_implementation(&mode->hardware, &name, &needed_by);
    if (!rc && needed_by && !mode->invocation->flits.implementation)
        cw_result_note(
            mode->invocation->result,
            "The plain implementation simulated this, because %s needs it. It is slower and runs on one thread.",
            needed_by);
    return rc;
}

/* A lane has no more flits under way than the input buffer has room for, until its credits are back. */
void flit_mode_note_buffers(const struct flit_mode *mode)
{
    const uint32_t trip = cw_flit_round_trip(mode->net, &mode->hardware), flits = mode->hardware.input_flits;
    const uint64_t bytes = (uint64_t)flits * mode->hardware.flit_bytes;
    char size[32];
    if (flits < trip)
        cw_result_note(mode->invocation->result,
                       "Input buffers of %u flits do not cover the longest round trip of %u cycles: one lane can use "
                       "at most %.2g of such a channel.",
                       flits, trip, (double)flits / trip);
    else if (mode->covers_round_trip && bytes > CW_FLIT_INPUT_BUFFER)
        cw_result_note(mode->invocation->result,
                       "Input buffers hold %u flits (%s) for each lane, which the longest round trip of %u cycles "
                       "needs at full load.",
                       flits, cw_format_bytes(bytes, size, sizeof size), trip);
}

int flit_mode_refuse(const struct invocation *invocation, const char *why)
{
    static const struct cw_option *const tables[] = {cw_flit_load_options, cw_flit_how_options};
    for (size_t i = 0; i < 2; i++)
        for (const struct cw_option *option = tables[i]; option->name; option++)
            if (invocation_refuses(invocation, option->name)) return cw_fail(CW_EUSAGE, "--%s %s", option->name, why);
    return 0;
}

int flit_mode_open(struct invocation *invocation, const struct fabric *fabric, struct flit_mode *mode)
{
    *mode = (struct flit_mode){.invocation = invocation, .net = fabric->net, .selection = fabric->selection};
    const int rc =
        cw_flit_how_hardware(&invocation->flits, mode->net, &mode->hardware, &mode->messages, &mode->covers_round_trip);
    return rc ? rc : note_implementation(mode);
}

void flit_mode_free(struct flit_mode *mode)
{
    cw_packet_routing_free(mode->given.packets);
    mode->given.packets = NULL;
}
