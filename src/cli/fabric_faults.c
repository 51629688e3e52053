#include "cli/fabric.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/faults.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/repair.h"
#include "route/route_changes.h"
#include "sim/quality.h"
#include "topo/recognise.h"

#define LISTED        10   /* cables, endpoints or pairs that a sentence names */
#define MOST_COMPARED 2048 /* endpoints of a network that is measured by two routings, to compare these */

/* --- the network -------------------------------------------------------------------------------------------------- */

/* A list in a sentence, of which the first LISTED are named. */
struct list {
    struct cw_text text;
    uint32_t n;
};

static void list_add(struct list *list, const char *kind, const char *name)
{
    if (list->n++ < LISTED) cw_text_printf(&list->text, "%s%s%s", list->n > 1 ? ", " : "", kind, name);
}

static const char *list_end(struct list *list)
{
    if (list->n > LISTED) cw_text_printf(&list->text, " and %u more", list->n - LISTED);
    return list->text.data ? list->text.data : "";
}

/* Names the switches that have failed, and the cables of others. */
static int note_failed(struct invocation *invocation, const struct cw_faults *faults)
{
    const struct cw_network *net = faults->net;
    char name[2 * CW_NAME_SIZE + 32];
    struct list list = {.n = 0};
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (faults->gone[v]) list_add(&list, "switch ", cw_network_name(net, v, name, sizeof name));
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (faults->failed[c] && faults->failed[net->twin[c]] && c < net->twin[c] && !faults->gone[net->tail[c]] &&
            !faults->gone[net->head[c]])
            list_add(&list, "", cw_faults_cable_name(net, c, name, sizeof name));
    if (list.n > 0) cw_result_note(invocation->result, "Failed: %s.", list_end(&list));
    const int rc = cw_text_check(&list.text);
    cw_text_free(&list.text);
    return rc;
}

int fabric_note_one_way(struct invocation *invocation, const struct cw_network *net)
{
    char name[2 * CW_NAME_SIZE + 32];
    struct list list = {.n = 0};
    for (uint32_t c = 0; net->n_closed > 0 && c < net->n_channels; c++)
        if (cw_network_is_closed(net, net->twin[c]))
            list_add(&list, "", cw_network_channel_name(net, c, name, sizeof name));
    if (list.n > 0)
        cw_result_note(invocation->result,
                       list.n == 1 ? "%u cable works in one direction only: %s."
                                   : "%u cables work in one direction only: %s.",
                       list.n, list_end(&list));
    const int rc = cw_text_check(&list.text);
    cw_text_free(&list.text);
    return rc;
}

/* What messages feel of NET by ENGINE. */
static int find_quality(const struct invocation *invocation, const struct cw_network *net, const char *engine,
                        struct cw_quality *out)
{
    const uint64_t seed = (uint64_t)invocation->common.seed;
    const unsigned threads = (unsigned)invocation->common.threads;
    struct cw_routes *routes;
    int rc = cw_engine_route(net, engine, seed, threads, &routes);
    if (rc) return rc;
    const struct cw_quality_setup setup = {.routes = routes, .seed = seed, .n_threads = threads};
    rc = cw_quality_run(&setup, out);
    cw_routes_free(routes);
    return rc;
}

/* Figures by two routings say nothing of what has failed: says what the WHOLE network has by either. */
static int note_other_engine(struct invocation *invocation, const struct cw_network *whole,
                             const struct cw_network *net)
{
    const char *was = cw_engine_default(whole), *is = cw_engine_default(net);
    struct cw_quality by_was, by_is;
    if (!invocation->verb->routes || !routing_is_default(&invocation->routing) || strcmp(was, is) == 0) return 0;
    cw_result_note(invocation->result,
                   "The whole network is routed by %s, this one by %s. To see what the failures cost, compare with the "
                   "whole network by --routing %s.",
                   was, is, is);
    if (whole->n_endpoints < 2 || whole->n_endpoints > MOST_COMPARED) return 0;
    int rc = find_quality(invocation, whole, was, &by_was);
    if (!rc) rc = find_quality(invocation, whole, is, &by_is);
    if (!rc)
        cw_result_note(invocation->result,
                       "Of the whole network %s makes an effective bisection bandwidth of %.3f both ways and an "
                       "all-to-all in the time of %.4g messages, %s %.3f and %.4g.",
                       is, by_is.ebb_bi.value, by_is.alltoall.value, was, by_was.ebb_bi.value, by_was.alltoall.value);
    return rc;
}

int fabric_add_faults(struct invocation *invocation, struct fabric *fabric)
{
    const struct routing *routing = &invocation->routing;
    const uint64_t seed = (uint64_t)invocation->common.seed;
    struct cw_faults *faults = NULL;
    struct cw_network *net = NULL;
    if (!routing->faults && !routing->failed && !routing->degraded) return 0;
    int rc = cw_faults_new(fabric->net, &faults);
    if (!rc && routing->faults) rc = cw_faults_add(faults, routing->faults);
    if (!rc && routing->failed) rc = cw_faults_fail(faults, "--failed", routing->failed, seed);
    if (!rc && routing->degraded) rc = cw_faults_degrade(faults, "--degraded", routing->degraded, seed);
    if (!rc) rc = cw_network_changed(faults, &net);
    if (!rc) rc = cw_faults_list(faults, &fabric->faults);
    if (!rc) rc = note_failed(invocation, faults);
    if (!rc) rc = note_other_engine(invocation, fabric->net, net);
    cw_faults_free(faults);
    if (rc) {
        cw_network_free(net);
        return rc;
    }
    cw_network_free(fabric->net);
    fabric->net = net;
    return 0;
}

/* --- who is cut off ----------------------------------------------------------------------------------------------- */

/* CUT_OFF are some of N endpoints; the others can send to each other. */
static int note_cut_off(struct invocation *invocation, const struct cw_network *net, const struct cw_selection *cut_off,
                        uint32_t n, uint64_t cut_pairs)
{
    const struct verb *verb = invocation->verb;
    struct list list = {.n = 0};
    char name[CW_NAME_SIZE];
    for (uint32_t i = 0; i < cut_off->n; i++)
        list_add(&list, "", cw_network_name(net, cut_off->endpoints[i], name, sizeof name));
    const char *fate = verb->reports_holes    ? ", whatever the routes"
                       : verb->counts_cut_off ? ""
                       : cut_off->n == 1      ? " and does not take part"
                                              : " and do not take part";
    cw_result_note(invocation->result, "%u of %u endpoints %s no path to %sthe other %u%s: %s.", cut_off->n, n,
                   cut_off->n == 1 ? "has" : "have", net->n_closed > 0 ? "or from " : "", n - cut_off->n, fate,
                   list_end(&list));
    if (!verb->reports_holes)
        cw_result_note(invocation->result, "%llu of %llu pairs of endpoints cannot communicate. %s",
                       (unsigned long long)cut_pairs, (unsigned long long)n * (n - 1),
                       verb->counts_cut_off ? "They count as 0." : "No figure counts them.");
    invocation->failed |= verb->counts_cut_off;
    const int rc = cw_text_check(&list.text);
    cw_text_free(&list.text);
    return rc;
}

int fabric_leave_cut_off(struct invocation *invocation, struct fabric *fabric)
{
    struct cw_selection *connected, *cut_off;
    const uint32_t n = fabric->selection->n;
    const bool relayed = invocation->routing.relayed;
    const bool stay = invocation->verb->reports_holes || invocation->verb->counts_cut_off;
    uint64_t cut_pairs = 0;
    int rc = cw_selection_connected(fabric->net, fabric->selection, relayed, &connected, &cut_off);
    if (rc) return rc;
    if (cut_off->n > 0 && !invocation->verb->reports_holes)
        rc = cw_selection_find_parts(fabric->net, fabric->selection, relayed, &cut_pairs);
    if (!rc && cut_off->n > 0) rc = note_cut_off(invocation, fabric->net, cut_off, n, cut_pairs);
    cw_selection_free(cut_off);
    if (stay || rc) {
        cw_selection_free(connected);
        return rc;
    }
    if (n > connected->n)
        connected->asked = fabric->asked = fabric->selection;
    else
        cw_selection_free(fabric->selection);
    fabric->selection = connected;
    return rc;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Which entries a repair has changed; pairs have been counted. */
static int find_changes(struct fabric *fabric, const struct cw_routes *repaired, unsigned threads)
{
    const struct cw_selection none = {0};
    struct cw_network_match match;
    struct cw_route_changes changes;
    int rc = cw_network_match_find(fabric->net, fabric->net, &match);
    if (!rc) rc = cw_route_changes_find(fabric->routes, repaired, &match, &none, threads, &changes);
    if (!rc) {
        fabric->changes = changes.at_switch;
        changes.at_switch = NULL;
        cw_route_changes_free(&changes);
    }
    cw_network_match_free(&match);
    return rc;
}

static int repair(struct invocation *invocation, const struct routing *routing, const struct cw_lost_routes *lost,
                  struct fabric *fabric)
{
    const unsigned threads = (unsigned)invocation->common.threads;
    struct cw_routes *repaired;
    uint64_t changed;
    int rc = cw_routes_repair_by(fabric->routes, routing->repair, (uint64_t)invocation->common.seed, threads, &changed,
                                 &repaired);
    if (rc) return rc;
    if (!invocation->routing.nodes) rc = find_changes(fabric, repaired, threads); /* of switches of the whole network */
    cw_routes_free(fabric->routes);
    fabric->routes = repaired;
    if (rc) return rc;
    cw_result_note(invocation->result,
                   "By %s, %llu of %llu pairs had lost their route. %llu table entr%s now come%s from %s; all others "
                   "are unchanged.",
                   routing->lft, (unsigned long long)lost->lost, (unsigned long long)lost->pairs,
                   (unsigned long long)changed, changed == 1 ? "y" : "ies", changed == 1 ? "s" : "", routing->repair);
    return 0;
}

int fabric_repair(struct invocation *invocation, const struct routing *routing, struct fabric *fabric)
{
    struct cw_lost_routes lost;
    if (!invocation->routing.failed && !routing->repair) return 0;
    int rc = cw_routes_lost(fabric->routes, fabric->selection, LISTED, (unsigned)invocation->common.threads, &lost);
    if (rc) return rc;
    if (routing->repair)
        rc = repair(invocation, routing, &lost, fabric);
    else if (lost.lost > 0 && !invocation->verb->reports_holes)
        rc = cw_fail(CW_EROUTE,
                     "%llu of %llu pairs have no route in %s (%s%s). Expected --repair ROUTING, which gives them new "
                     "routes, or tables of the network as it is now",
                     (unsigned long long)lost.lost, (unsigned long long)lost.pairs, routing->lft, lost.first.data,
                     lost.lost > LISTED ? ", ..." : "");
    else if (lost.lost > 0)
        cw_result_note(invocation->result,
                       "%llu of %llu pairs have lost their route: %s%s. --repair ROUTING gives them new routes.",
                       (unsigned long long)lost.lost, (unsigned long long)lost.pairs, lost.first.data,
                       lost.lost > LISTED ? ", ..." : "");
    cw_lost_routes_free(&lost);
    return rc;
}
