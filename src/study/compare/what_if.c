#include "study/compare/what_if.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/trials.h"
#include "base/units.h"
#include "net/builder.h"
#include "net/faults.h"
#include "net/network_internal.h"
#include "net/nodes.h"
#include "net/part.h"
#include "net/places.h"
#include "net/roles.h"
#include "route/engine.h"
#include "route/files/lft_file.h"
#include "route/repair.h"
#include "topo/odd_cables.h"
#include "topo/recognise.h"

static const char memory[] = "cases of failures";

/* --- cases -------------------------------------------------------------------------------------------------------- */

static void free_case(struct cw_what_if_case *item)
{
    free(item->name);
    free(item->list);
    free(item->additions);
}

void cw_what_if_cases_free(struct cw_what_if_cases *cases)
{
    for (size_t i = 0; i < cases->n; i++) free_case(&cases->items[i]);
    free(cases->items);
    *cases = (struct cw_what_if_cases){0};
}

/* Takes over ITEM, also on failure. */
static int add_case(struct cw_what_if_cases *cases, struct cw_what_if_case item)
{
    int rc = item.name ? 0 : CW_ENOMEM;
    if (!rc) rc = cw_grow_array((void **)&cases->items, &cases->capacity, cases->n + 1, sizeof item, memory);
    if (rc) {
        free_case(&item);
        return rc;
    }
    cases->items[cases->n++] = item;
    return 0;
}

static struct cw_what_if_case nothing(void)
{
    return (struct cw_what_if_case){.cable = {CW_NONE, CW_NONE}, .vertex = {CW_NONE, CW_NONE}};
}

static int add_cable(struct cw_what_if_cases *cases, const struct cw_network *net, uint32_t channel, double capacity)
{
    char name[2 * CW_NAME_SIZE + 32];
    struct cw_what_if_case item = nothing();
    cw_faults_cable_name(net, channel, name, sizeof name);
    item.name = cw_copy_text(name, strlen(name));
    item.cable[0] = channel;
    item.capacity = capacity;
    return add_case(cases, item);
}

static int add_vertex(struct cw_what_if_cases *cases, const struct cw_network *net, uint32_t v)
{
    char name[CW_NAME_SIZE];
    struct cw_what_if_case item = nothing();
    cw_network_name(net, v, name, sizeof name);
    item.name = cw_copy_text(name, strlen(name));
    item.vertex[0] = v;
    return add_case(cases, item);
}

int cw_what_if_add_cables(struct cw_what_if_cases *cases, const struct cw_network *net)
{
    int rc = 0;
    for (uint32_t c = 0; c < net->n_channels && !rc; c++)
        if (c < net->twin[c] && !cw_network_is_host_channel(net, c)) rc = add_cable(cases, net, c, 0);
    return rc;
}

int cw_what_if_add_switches(struct cw_what_if_cases *cases, const struct cw_network *net)
{
    int rc = 0;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices && !rc; v++) rc = add_vertex(cases, net, v);
    return rc;
}

int cw_what_if_add_endpoints(struct cw_what_if_cases *cases, const struct cw_network *net)
{
    int rc = 0;
    for (uint32_t v = 0; v < net->n_endpoints && !rc; v++) rc = add_vertex(cases, net, v);
    return rc;
}

int cw_what_if_add_upgrades(struct cw_what_if_cases *cases, const struct cw_network *net)
{
    struct cw_odd_cables odd;
    int rc = cw_odd_cables_find(net, &odd);
    if (rc) return rc;
    for (size_t i = 0; i < odd.n && !rc; i++)
        if (odd.items[i].fault == CW_ODD_SLOW)
            rc = add_cable(cases, net, odd.items[i].channel, odd.items[i].usual_capacity);
    cw_odd_cables_free(&odd);
    return rc;
}

/* Whether channel C leads to a vertex of ROLE, and its cable works both ways. */
static bool leads_to(const struct cw_network *net, const uint32_t *roles, uint32_t c, uint32_t role)
{
    return roles[net->head[c]] == role && !cw_network_is_closed(net, c) && !cw_network_is_closed(net, net->twin[c]);
}

/* How many cables from V to vertices of ROLE have CAPACITY. */
static size_t count_as_fast(const struct cw_network *net, const uint32_t *roles, uint32_t v, uint32_t role,
                            double capacity)
{
    size_t n = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        n += net->capacity[c] == capacity && leads_to(net, roles, c, role);
    return n;
}

/* What ADDITION carries: as much as most cables that its ends have between their roles; of two speeds the greater. */
static void be_like_others(const struct cw_network *net, const uint32_t *roles, struct cw_what_if_addition *addition)
{
    const uint32_t ends[] = {addition->a, addition->b}, to[] = {roles[addition->b], roles[addition->a]};
    size_t most = 0;
    for (int i = 0; i < 2; i++)
        for (uint32_t c = net->first[ends[i]]; c < net->first[ends[i] + 1]; c++) {
            if (!leads_to(net, roles, c, to[i])) continue;
            const size_t alike = count_as_fast(net, roles, ends[0], to[0], net->capacity[c]) +
                                 count_as_fast(net, roles, ends[1], to[1], net->capacity[c]);
            if (alike < most || (alike == most && net->capacity[c] <= addition->capacity)) continue;
            most = alike;
            addition->capacity = net->capacity[c];
            addition->latency = net->latency[c];
        }
}

/* One case of N ADDITIONS. */
static int add_additions(struct cw_what_if_cases *cases, const struct cw_network *net, const char *name,
                         const struct cw_what_if_addition *additions, size_t n)
{
    char a[CW_NAME_SIZE], b[CW_NAME_SIZE];
    struct cw_what_if_case item = nothing();
    struct cw_text text = {0};
    if (name)
        cw_text_add(&text, name);
    else
        cw_text_printf(&text, "%s-%s", cw_network_name(net, additions->a, a, sizeof a),
                       cw_network_name(net, additions->b, b, sizeof b));
    item.name = text.data;
    item.additions = cw_new_array(n, sizeof *additions, memory);
    item.n_additions = n;
    if (!item.additions || cw_text_check(&text)) {
        free_case(&item);
        return CW_ENOMEM;
    }
    memcpy(item.additions, additions, n * sizeof *additions);
    return add_case(cases, item);
}

int cw_what_if_add_missing(struct cw_what_if_cases *cases, const struct cw_network *net, uint32_t *unknown)
{
    struct cw_odd_cables odd;
    uint32_t levels;
    size_t n = 0;
    int rc = cw_missing_cables_find(net, &odd);
    if (rc) return rc;
    *unknown = 0;
    uint32_t *roles = cw_new_array(net->n_vertices, sizeof *roles, memory);
    struct cw_what_if_addition *additions = cw_new_array(odd.n, sizeof *additions, memory);
    rc = roles && additions ? cw_network_roles(net, roles, &levels) : CW_ENOMEM;
    for (size_t i = 0; i < odd.n && !rc; i++) {
        const struct cw_odd_cable *pair = &odd.items[i];
        *unknown += pair->b == CW_NONE;
        if (pair->b == CW_NONE) continue;
        additions[n] = (struct cw_what_if_addition){
            .a = pair->a, .b = pair->b, .there = pair->cables, .added = pair->usual_cables - pair->cables};
        be_like_others(net, roles, &additions[n]);
        rc = add_additions(cases, net, NULL, &additions[n++], 1);
    }
    if (!rc && n > 1) rc = add_additions(cases, net, "all of these", additions, n);
    free(additions);
    free(roles);
    cw_odd_cables_free(&odd);
    return rc;
}

int cw_what_if_add_list(struct cw_what_if_cases *cases, const struct cw_network *net, const char *list, size_t length,
                        uint64_t seed)
{
    struct cw_what_if_case item = nothing();
    struct cw_faults *faults = NULL;
    item.name = cw_copy_text(list, length);
    item.list = cw_copy_text(list, length);
    int rc = item.name && item.list ? cw_faults_new(net, &faults) : CW_ENOMEM;
    if (!rc) rc = cw_faults_fail(faults, "--fail", item.list, seed);
    cw_faults_free(faults);
    if (!rc) return add_case(cases, item);
    free_case(&item);
    return rc;
}

/* N of 0 … OF-1, rising. */
static uint32_t *draw(uint32_t of, size_t n, struct cw_random *random)
{
    uint32_t *numbers = cw_new_array(of, sizeof *numbers, memory);
    if (!numbers) return NULL;
    cw_random_permutation(random, of, numbers);
    cw_sort_numbers(numbers, n);
    return numbers;
}

int cw_what_if_sample(struct cw_what_if_cases *cases, size_t n, uint64_t seed)
{
    struct cw_random random = cw_random_of(seed, CW_STREAM_FAULTS, 1);
    if (n >= cases->n) return 0;
    uint32_t *kept = draw((uint32_t)cases->n, n, &random);
    if (!kept) return CW_ENOMEM;
    size_t next = 0;
    for (size_t i = 0; i < cases->n; i++) {
        if (next < n && kept[next] == i)
            cases->items[next++] = cases->items[i];
        else
            free_case(&cases->items[i]);
    }
    cases->n = n;
    free(kept);
    return 0;
}

static int add_pair(struct cw_what_if_cases *pairs, const struct cw_what_if_case *a, const struct cw_what_if_case *b)
{
    struct cw_what_if_case item = nothing();
    struct cw_text name = {0};
    cw_text_printf(&name, "%s,%s", a->name, b->name);
    item.name = name.data;
    item.cable[0] = a->cable[0];
    item.cable[1] = b->cable[0];
    item.vertex[0] = a->vertex[0];
    item.vertex[1] = b->vertex[0];
    if (cw_text_check(&name)) {
        cw_text_free(&name);
        return CW_ENOMEM;
    }
    return add_case(pairs, item);
}

/* Pair number INDEX of those of N things: (0, 1), (0, 2), … */
static void pair_of(uint64_t index, size_t n, size_t *a, size_t *b)
{
    *a = 0;
    for (uint64_t others = n - 1; index >= others; others--) {
        index -= others;
        ++*a;
    }
    *b = *a + 1 + (size_t)index;
}

int cw_what_if_pair(struct cw_what_if_cases *cases, size_t n, uint64_t seed)
{
    struct cw_random random = cw_random_of(seed, CW_STREAM_FAULTS, 2);
    struct cw_what_if_cases pairs = {0};
    const uint64_t all = (uint64_t)cases->n * (cases->n > 0 ? cases->n - 1 : 0) / 2;
    if (all > UINT32_MAX / 4)
        return cw_fail(CW_ELIMIT, "%zu things make %" PRIu64 " pairs, too many to draw from", cases->n, all);
    if (n > all) n = (size_t)all;
    uint32_t *drawn = draw((uint32_t)all, n, &random);
    int rc = drawn ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < n && !rc; i++) {
        size_t a, b;
        pair_of(drawn[i], cases->n, &a, &b);
        rc = add_pair(&pairs, &cases->items[a], &cases->items[b]);
    }
    free(drawn);
    cw_what_if_cases_free(rc ? &pairs : cases);
    if (!rc) *cases = pairs;
    return rc;
}

/* --- one of them -------------------------------------------------------------------------------------------------- */

static void copy_to(struct cw_builder *builder, const struct cw_network *net)
{
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        char name[CW_NAME_SIZE];
        cw_builder_name(builder, v, cw_network_name(net, v, name, sizeof name));
        if (net->identity) cw_builder_identity(builder, v, &net->identity[v]);
    }
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t twin = net->twin[c];
        if (c > twin) continue;
        cw_builder_cable(builder, net->tail[c], cw_network_port(net, c), net->head[c], cw_network_port(net, twin),
                         net->capacity[c], net->latency[c]);
        if (net->capacity[twin] != net->capacity[c] || net->latency[twin] != net->latency[c])
            cw_builder_back(builder, net->capacity[twin], net->latency[twin]);
    }
    cw_builder_title(builder, net->title);
}

/* The lowest port of V above *LAST that no cable has: *LAST. CW_ELIMIT if the device has no more. */
static int take_port(const struct cw_network *net, uint32_t v, uint32_t *last)
{
    uint32_t port = *last + 1;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) port += cw_network_port(net, c) == port;
    if (net->identity && net->identity[v].ports > 0 && port > net->identity[v].ports) {
        char name[CW_NAME_SIZE];
        return cw_fail(CW_ELIMIT, "%s has no free port: all %u are taken", cw_network_name(net, v, name, sizeof name),
                       net->identity[v].ports);
    }
    *last = port;
    return 0;
}

/* LAST [n_vertices] are the ports that were taken last. */
static int add_to(struct cw_builder *builder, const struct cw_network *net, const struct cw_what_if_addition *addition,
                  uint32_t *last)
{
    const uint32_t a = addition->a, b = addition->b;
    if (!(addition->capacity > 0))
        return cw_fail(CW_ELIMIT, "nothing says how fast it would be: neither end has such a cable");
    for (uint32_t i = 0; i < addition->added; i++) {
        int rc = take_port(net, a, &last[a]);
        if (!rc) rc = take_port(net, b, &last[b]);
        if (rc) return rc;
        cw_builder_cable(builder, a, last[a], b, last[b], addition->capacity, addition->latency);
    }
    return 0;
}

/* OUT is still the shape that NET was, with fewer gaps, unless it was recognised as one by itself. */
static int keep_places(const struct cw_network *net, struct cw_network *out)
{
    struct cw_network *ideal;
    if (!net->places || out->places || out->shape.kind) return 0;
    uint32_t *place = cw_new_array(net->n_vertices, sizeof *place, memory);
    const int rc = place ? cw_network_part(net->places->ideal, NULL, NULL, &ideal) : CW_ENOMEM;
    if (rc) {
        free(place);
        return rc;
    }
    memcpy(place, net->places->place, net->n_vertices * sizeof *place);
    return cw_places_new(out, ideal, place, &out->places);
}

int cw_what_if_with(const struct cw_network *net, const struct cw_what_if_case *is, struct cw_network **out)
{
    struct cw_network *more = NULL;
    uint32_t *last = cw_new_array(net->n_vertices, sizeof *last, memory);
    if (!last) return CW_ENOMEM;
    struct cw_builder *builder = cw_builder_new(net->n_endpoints, cw_network_switches(net), net->n_channels / 2);
    copy_to(builder, net);
    int rc = 0;
    for (size_t i = 0; i < is->n_additions && !rc; i++) rc = add_to(builder, net, &is->additions[i], last);
    free(last);
    if (rc) cw_builder_fail(builder, rc);
    rc = cw_builder_finish(builder, &more);
    if (rc) return rc;
    more->generated = net->generated;
    rc = cw_network_recognise(more);
    if (!rc) rc = keep_places(net, more);
    if (rc)
        cw_network_free(more);
    else
        *out = more;
    return rc;
}

/* The fabric with CASE (NULL: as it is). */
static int change_fabric(const struct cw_what_if_setup *setup, const struct cw_what_if_case *is,
                         struct cw_network **out)
{
    struct cw_faults *faults;
    const struct cw_network *net = cw_network_fabric(setup->net);
    if (is && is->n_additions > 0) return cw_what_if_with(net, is, out);
    int rc = cw_faults_new(net, &faults);
    if (rc) return rc;
    if (is && is->list) rc = cw_faults_fail(faults, "--fail", is->list, setup->seed);
    for (int i = 0; is && i < 2; i++) {
        if (is->vertex[i] != CW_NONE) cw_faults_fail_vertex(faults, is->vertex[i]);
        if (is->cable[i] == CW_NONE) continue;
        if (is->capacity > 0)
            faults->capacity[is->cable[i]] = faults->capacity[net->twin[is->cable[i]]] = is->capacity;
        else
            cw_faults_fail_cable(faults, is->cable[i]);
    }
    if (!rc) rc = cw_network_changed(faults, out);
    cw_faults_free(faults);
    return rc;
}

/* The network with CASE. */
static int change(const struct cw_what_if_setup *setup, const struct cw_what_if_case *is, struct cw_network **out)
{
    struct cw_network *fabric;
    const int rc = change_fabric(setup, is, &fabric);
    return rc ? rc : cw_nodes_renew(setup->net, fabric, out);
}

/* The fabric's tables on NET, mended. */
static int mend(const struct cw_what_if_setup *setup, const struct cw_network *net, struct cw_routes **out)
{
    struct cw_lft_report report;
    struct cw_routes *tables = NULL;
    uint64_t changed;
    int rc = cw_lft_parse(net, setup->tables_name, setup->tables->data, setup->tables->length, &report, &tables);
    if (rc) return rc;
    cw_text_free(&report.details);
    rc = cw_routes_repair_by(tables, setup->repair, setup->seed, 1, &changed, out);
    cw_routes_free(tables);
    return rc;
}

static int measure(const struct cw_what_if_setup *setup, const struct cw_network *net,
                   struct cw_what_if_outcome *outcome)
{
    struct cw_routes *routes = NULL;
    struct cw_compared of = {.net = net, .seed = setup->seed, .trials = setup->trials, .n_threads = 1};
    int rc = cw_compared_select(&of, setup->endpoints, &outcome->cut_off, &outcome->cut_pairs);
    if (!rc)
        rc = setup->tables ? mend(setup, net, &routes) : cw_engine_route(net, setup->routing, setup->seed, 1, &routes);
    of.routes = routes;
    for (size_t i = 0; i < setup->n_measures && !rc; i++)
        rc = cw_measure_take(&setup->measures[i], &of, &outcome->figures[i]);
    cw_routes_free(routes);
    cw_compared_release(&of);
    return rc;
}

/* Trial 0 is the network as it is, trial i case i-1. */
static int run_case(const void *context, void *state, size_t trial, void *out)
{
    const struct cw_what_if_setup *setup = context;
    struct cw_what_if_outcome *outcome = out;
    struct cw_network *net = NULL;
    (void)state;
    int rc = change(setup, trial > 0 ? &setup->cases[trial - 1] : NULL, &net);
    if (!rc) rc = measure(setup, net, outcome);
    if (!rc && !setup->routing && !setup->tables)
        outcome->other_engine = strcmp(cw_engine_default(net), cw_engine_default(setup->net)) != 0;
    if (trial > 0 && cw_ends_case_only(rc)) {
        outcome->error = rc;
        snprintf(outcome->message, sizeof outcome->message, "%s", cw_error_message());
        rc = 0;
    }
    outcome->done = rc == 0;
    cw_network_free(net);
    return rc;
}

int cw_what_if_run(const struct cw_what_if_setup *setup, struct cw_what_if *out)
{
    *out = (struct cw_what_if){
        .n = setup->n + 1,
        .size = (sizeof(struct cw_what_if_outcome) + setup->n_measures * sizeof(struct cw_measured) + 15) / 16 * 16};
    out->outcomes = cw_new_array(out->n, out->size, memory);
    if (!out->outcomes) return CW_ENOMEM;
    const struct cw_trials trials = {.n = out->n,
                                     .outcome_size = out->size,
                                     .context = setup,
                                     .run = run_case,
                                     .n_threads = setup->n_threads,
                                     .progress = setup->progress,
                                     .executor = setup->executor};
    return cw_trials_run_into(&trials, out->outcomes, NULL);
}

void cw_what_if_free(struct cw_what_if *out)
{
    free(out->outcomes);
    *out = (struct cw_what_if){0};
}
