#include "cli/topo_odd_cables.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/units.h"
#include "net/files/ib_speed.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "topo/odd_cables.h"

#define NAMED 20 /* of a sort */

static const struct cw_column columns[] = {
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

static void add_row(struct cw_table *table, const struct cw_network *net, const struct cw_odd_cable *odd,
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

int topo_odd_cables(struct invocation *invocation, const struct cw_network *net, struct cw_table **out)
{
    struct cw_odd_cables odd;
    struct cw_table *table = NULL;
    int rc = cw_odd_cables_find(net, &odd);
    if (rc) return rc;
    *out = NULL;
    size_t named = 0; /* by the shape instead: topo_shape.h */
    for (size_t i = 0; i < odd.n; i++) {
        if (net->places && odd.items[i].fault == CW_ODD_FEWER) continue;
        odd.items[named++] = odd.items[i];
    }
    odd.n = named;
    if (odd.n == 0) {
        cw_odd_cables_free(&odd);
        return 0;
    }
    rc = cw_table_new("odd_cables", "Cables unlike most between the same levels", CW_ITEMS(columns), &table);
    if (!rc) {
        for (size_t i = 0, n; i < odd.n; i += n) {
            n = count_alike(&odd, i);
            for (size_t k = 0; k < n && k < NAMED; k++) add_row(table, net, &odd.items[i + k], odd.levels);
            note_alike(invocation, &odd.items[i], odd.levels, n);
        }
        *out = table;
    }
    cw_odd_cables_free(&odd);
    return rc;
}
