#include "cli/topo_shape.h"

#include "base/text.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "report/rows.h"
#include "route/engine.h"

static const struct cw_column missing_columns[] = {
    {"what", CW_COLUMN_TEXT, NULL, "cables between two vertices that are there, or a switch with all its cables"},
    {"from", CW_COLUMN_TEXT, NULL, "one end; of a missing switch its name in the generated network"},
    {"to", CW_COLUMN_TEXT, NULL, "the other end; none for a switch"},
    {"missing", CW_COLUMN_INT, NULL, "cables missing there"},
    {"there", CW_COLUMN_INT, NULL, "cables that are there"},
};

/* Cables of the shape between places P and Q of which THERE are there. */
static void add_cables(struct cw_table *table, const struct cw_network *net, uint32_t p, uint32_t q, uint32_t missing,
                       uint32_t there)
{
    char name[CW_NAME_SIZE], other[CW_NAME_SIZE];
    const uint32_t *vertex = net->places->vertex;
    cw_table_row(table, "%s %s %s %u %u", "cable", cw_network_name(net, vertex[p], name, sizeof name),
                 cw_network_name(net, vertex[q], other, sizeof other), missing, there);
}

/* Cables missing between place P and higher ones. Those that join one pair need not follow each other. */
static void add_of_place(struct cw_table *table, const struct cw_network *net, uint32_t p)
{
    const struct cw_places *places = net->places;
    const struct cw_network *ideal = places->ideal;
    for (uint32_t c = ideal->first[p]; c < ideal->first[p + 1]; c++) {
        const uint32_t q = ideal->head[c];
        uint32_t missing = 0, there = 0;
        bool first = true;
        if (q < p || places->vertex[q] == CW_NONE || places->channel[c] != CW_NONE) continue;
        for (uint32_t other = ideal->first[p]; other < ideal->first[p + 1]; other++) {
            if (ideal->head[other] != q) continue;
            if (places->channel[other] == CW_NONE && other < c) first = false;
            missing += places->channel[other] == CW_NONE;
            there += places->channel[other] != CW_NONE;
        }
        if (first) add_cables(table, net, p, q, missing, there);
    }
}

static void add_missing(struct cw_table *table, const struct cw_network *net)
{
    const struct cw_places *places = net->places;
    const struct cw_network *ideal = places->ideal;
    char name[CW_NAME_SIZE];
    for (uint32_t p = 0; p < ideal->n_vertices; p++) {
        if (places->vertex[p] != CW_NONE) {
            add_of_place(table, net, p);
        } else if (!cw_network_is_endpoint(ideal, p)) {
            cw_table_row(table, "%s %s - %u %d", "switch", cw_network_name(ideal, p, name, sizeof name),
                         cw_network_degree(ideal, p), 0);
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
    rc = cw_table_new("missing", "Missing in the shape", CW_ITEMS(missing_columns), &table);
    if (rc) return rc;
    add_missing(table, net);
    return cw_result_add_detail(invocation->result, table);
}
