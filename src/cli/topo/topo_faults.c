#include "cli/topo/topo_faults.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "net/files/infiniband/ib_speed.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "report/rows.h"
#include "route/engine.h"
#include "topo/odd_cables.h"

/* --- what is missing in a shape ----------------------------------------------------------------------------------- */

static const struct cw_column missing_columns[] = {
    {"what", CW_COLUMN_TEXT, NULL, "cables between two vertices that are there, or a switch with all its cables"},
    {"from", CW_COLUMN_TEXT, NULL, "one end; of a missing switch its name in the generated network"},
    {"to", CW_COLUMN_TEXT, NULL, "the other end; none for a switch"},
    {"missing", CW_COLUMN_INT, NULL, "cables missing there"},
    {"there", CW_COLUMN_INT, NULL, "cables that are there"},
};

static void add_missing(struct cw_table *table, const struct cw_network *net, const struct cw_odd_cables *cables)
{
    const struct cw_places *places = net->places;
    const struct cw_network *ideal = places->ideal;
    char name[CW_NAME_SIZE], other[CW_NAME_SIZE];
    size_t next = 0;
    for (uint32_t p = 0; p < ideal->n_vertices; p++) {
        if (places->vertex[p] == CW_NONE && !cw_network_is_endpoint(ideal, p))
            cw_table_row(table, "%s %s - %u %d", "switch", cw_network_name(ideal, p, name, sizeof name),
                         cw_network_degree(ideal, p), 0);
        for (; next < cables->n && cables->items[next].a == places->vertex[p]; next++) {
            const struct cw_odd_cable *pair = &cables->items[next];
            cw_table_row(table, "%s %s %s %u %u", "cable", cw_network_name(net, pair->a, name, sizeof name),
                         cw_network_name(net, pair->b, other, sizeof other), pair->usual_cables - pair->cables,
                         pair->cables);
        }
    }
}

int topo_add_shape(struct invocation *invocation, const struct cw_network *net)
{
    struct cw_text why = {0};
    struct cw_table *table;
    if (net->generated && !net->places) return 0;
    cw_engine_why(net, &why);
    int rc = cw_text_check(&why);
    if (!rc)
        cw_result_note(invocation->result, "Shape: %s. Unless told otherwise, it is routed by %s.", why.data,
                       cw_engine_default(net));
    cw_text_free(&why);
    if (rc || !net->places || cw_places_have_all_routes(net->places)) return rc;
    struct cw_odd_cables cables;
    rc = cw_missing_cables_find(net, &cables);
    if (rc) return rc;
    rc = cw_table_new("missing", "Missing in the shape", CW_ITEMS(missing_columns), &table);
    if (!rc) add_missing(table, net, &cables);
    cw_odd_cables_free(&cables);
    return rc ? rc : cw_result_add_detail(invocation->result, table);
}

/* --- cables that are not like their peers ------------------------------------------------------------------------- */

#define NAMED 20 /* of a sort */

static const struct cw_column odd_columns[] = {
    {"fault", CW_COLUMN_TEXT, NULL, "slow, or fewer or more cables than its peers"},
    {"from", CW_COLUMN_TEXT, NULL, "one end; of switches the lower one"},
    {"from_port", CW_COLUMN_INT, NULL, "port number there, of a slow cable"},
    {"to", CW_COLUMN_TEXT, NULL,
     "the other end; missing: all cables of this switch to its own level or to higher ones"},
    {"to_port", CW_COLUMN_INT, NULL, "port number there, of a slow cable"},
    {"between", CW_COLUMN_TEXT, NULL, "the peers it is compared with"},
    {"speed", CW_COLUMN_TEXT, NULL, "capacity of one direction, for people"},
    {"usual_speed", CW_COLUMN_TEXT, NULL, "that of most peers"},
    {"capacity", CW_COLUMN_REAL, "byte/s", "capacity of one direction", .detail = true},
    {"usual_capacity", CW_COLUMN_REAL, "byte/s", "that of most peers", .detail = true},
    {"cables", CW_COLUMN_INT, NULL, "parallel cables between the two, or cables of the switch"},
    {"usual_cables", CW_COLUMN_INT, NULL, "as most peers have"},
};

/* "leaf to spine"; BUFFER has room for SIZE. */
static const char *name_peers(const struct cw_odd_cable *odd, uint32_t levels, char *buffer, size_t size)
{
    char from[CW_ROLE_SIZE], to[CW_ROLE_SIZE];
    cw_role_name(odd->role_a, levels, from);
    if (odd->role_b == CW_NONE)
        snprintf(buffer, size, "%s to all higher", from);
    else
        snprintf(buffer, size, "%s to %s", from, cw_role_name(odd->role_b, levels, to));
    return buffer;
}

/* "8 Gbit/s (4xSDR, 1xQDR)", by all names that InfiniBand has for it, if any, for a lost lane and a lost speed look
 * alike; what is USUAL by the one of four lanes. */
static const char *name_speed(double capacity, bool usual, char *buffer, size_t size)
{
    char rate[32], names[64];
    cw_format_rate(capacity, rate, sizeof rate);
    if (usual ? cw_ib_rate_name(capacity, names, sizeof names) : cw_ib_rate_names(capacity, names, sizeof names) > 0)
        snprintf(buffer, size, "%s (%s)", rate, names);
    else
        snprintf(buffer, size, "%s", rate);
    return buffer;
}

static void add_odd_cable(struct cw_table *table, const struct cw_network *net, const struct cw_odd_cable *odd,
                          uint32_t levels)
{
    static const char *const faults[] = {[CW_ODD_SLOW] = "slow", [CW_ODD_FEWER] = "fewer", [CW_ODD_MORE] = "more"};
    const bool slow = odd->fault == CW_ODD_SLOW;
    char text[CW_NAME_SIZE], usual[CW_NAME_SIZE];
    cw_table_text(table, faults[odd->fault]);
    cw_table_text(table, cw_network_name(net, odd->a, text, sizeof text));
    slow ? cw_table_int(table, cw_network_port(net, odd->channel)) : cw_table_none(table);
    odd->b != CW_NONE ? cw_table_text(table, cw_network_name(net, odd->b, text, sizeof text)) : cw_table_none(table);
    slow ? cw_table_int(table, cw_network_port(net, net->twin[odd->channel])) : cw_table_none(table);
    cw_table_text(table, name_peers(odd, levels, text, sizeof text));
    if (slow) {
        cw_table_row(table, "%s %s %g %g - -", name_speed(odd->capacity, false, text, sizeof text),
                     name_speed(odd->usual_capacity, true, usual, sizeof usual), odd->capacity, odd->usual_capacity);
    } else {
        for (int i = 0; i < 4; i++) cw_table_none(table);
        cw_table_int(table, odd->cables);
        cw_table_int(table, odd->usual_cables);
    }
}

/* How many from FROM on are of one sort. */
static size_t count_alike(const struct cw_odd_cables *odd, size_t from)
{
    const struct cw_odd_cable *first = &odd->items[from];
    size_t end = from;
    while (end < odd->n && odd->items[end].fault == first->fault && odd->items[end].role_a == first->role_a &&
           odd->items[end].role_b == first->role_b)
        end++;
    return end - from;
}

static void note_alike(struct invocation *invocation, const struct cw_odd_cable *first, uint32_t levels, size_t n)
{
    static const char *const sentences[][2] = {
        [CW_ODD_SLOW] = {"cable is slower", "cables are slower"},
        [CW_ODD_FEWER] = {"bundle has fewer cables", "bundles have fewer cables"},
        [CW_ODD_MORE] = {"bundle has more cables", "bundles have more cables"},
    };
    static const char *const of_switches[2] = {"switch has fewer cables", "switches have fewer cables"};
    const char *const *sentence = first->b == CW_NONE ? of_switches : sentences[first->fault];
    char peers[80], more[80] = "";
    if (n > NAMED) snprintf(more, sizeof more, "; the first %d are named", NAMED);
    cw_result_note(invocation->result, "%s: %zu %s than most%s.", name_peers(first, levels, peers, sizeof peers), n,
                   sentence[n > 1], more);
}

int topo_find_odd_cables(struct invocation *invocation, const struct cw_network *net, struct cw_table **out)
{
    struct cw_odd_cables odd;
    struct cw_table *table = NULL;
    int rc = cw_odd_cables_find(net, &odd);
    if (rc) return rc;
    *out = NULL;
    size_t named = 0; /* by the shape instead */
    for (size_t i = 0; i < odd.n; i++) {
        if (net->places && odd.items[i].fault == CW_ODD_FEWER) continue;
        odd.items[named++] = odd.items[i];
    }
    odd.n = named;
    if (odd.n == 0) {
        cw_odd_cables_free(&odd);
        return 0;
    }
    rc = cw_table_new("odd_cables", "Cables unlike most between the same levels", CW_ITEMS(odd_columns), &table);
    if (!rc) {
        for (size_t i = 0, n; i < odd.n; i += n) {
            n = count_alike(&odd, i);
            for (size_t k = 0; k < n && k < NAMED; k++) add_odd_cable(table, net, &odd.items[i + k], odd.levels);
            note_alike(invocation, &odd.items[i], odd.levels, n);
        }
        *out = table;
    }
    cw_odd_cables_free(&odd);
    return rc;
}
