#include "route/files/lft_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "net/nodes.h"
#include "route/files/lft_internal.h"
#include "route/routes_internal.h"
#include "route/switch_ways.h"

#define DETAILS_PER_KIND 2
#define BLOCK            (1u << 20)   /* bytes that are held; no line is longer */
#define PIECE            (128u << 10) /* bytes read at a time: what a cache near the core holds */

struct match {
    const struct cw_network *net;
    const struct cw_lft_names *names;
    const struct cw_lft_content *content;
    struct cw_lft_report *report;
    uint32_t *base;       /* [n_endpoints] the LID whose entries are the routes to an endpoint, or 0 */
    uint32_t *lids;       /* [n_endpoints] how many it has from there on */
    uint32_t *switch_lid; /* [n_switches] or 0 */
    struct cw_lft *tables;
};

/* True for the first few of a kind, COUNT being the number of those up to now. */
static bool is_told(uint64_t count)
{
    return count <= DETAILS_PER_KIND;
}

/* --- LIDs --------------------------------------------------------------------------------------------------------- */

static void tell_moved(struct match *match, uint32_t lid, uint32_t by_file, uint32_t by_fabric)
{
    char name[128];
    const uint32_t v = by_file != CW_NONE ? by_file : by_fabric;
    if (!is_told(++match->report->lids_moved)) return;
    cw_network_name(match->net, v, name, sizeof name);
    cw_text_printf(&match->report->details, "LID 0x%04x is %s by the file's port GUID, but %s by the fabric's LIDs\n",
                   lid, by_file != CW_NONE ? name : "something else", by_file != CW_NONE ? "not" : name);
}

static void tell_unknown(struct match *match, uint32_t lid)
{
    const uint64_t guid = match->content->lids[lid].port_guid;
    if (!is_told(++match->report->lids_unknown)) return;
    cw_text_printf(&match->report->details, "LID 0x%04x", lid);
    if (guid != 0) cw_text_printf(&match->report->details, " (port GUID 0x%016llx)", (unsigned long long)guid);
    cw_text_add(&match->report->details, " belongs to nothing in the fabric\n");
}

static void tell_by_number(struct match *match, uint32_t lid, uint32_t v)
{
    char name[128];
    if (!is_told(++match->report->lids_by_number)) return;
    cw_text_printf(&match->report->details,
                   "LID 0x%04x has port GUID 0x%016llx, which is not in the fabric; by its number it is %s\n", lid,
                   (unsigned long long)match->content->lids[lid].port_guid,
                   cw_network_name(match->net, v, name, sizeof name));
}

/* True if the table of the switch that endpoint V is connected to sends LID to V. */
static bool is_delivered(const struct match *match, uint32_t lid, uint32_t v)
{
    const struct cw_network *net = match->net;
    if (cw_network_degree(net, v) == 0) return false;
    const uint32_t out = net->twin[net->first[v]], at = net->tail[out];
    if (cw_network_is_endpoint(net, at) || !match->content->ports[at - net->n_endpoints]) return false;
    return match->content->ports[at - net->n_endpoints][lid] == (uint8_t)(cw_network_port(net, out) + 1);
}

/* The vertex that the file calls GUID. A number is the switch whose table has it, for that may have been found by its
 * name. */
static uint32_t vertex_of(const struct match *match, uint64_t guid)
{
    const struct cw_network *net = match->net;
    if (!cw_lft_is_switch_number(match->names, guid)) return cw_lft_find_port(match->names, guid);
    for (uint32_t i = 0; i < cw_network_switches(net); i++)
        if (match->content->ports[i] && match->content->guids[i] == guid) return net->n_endpoints + i;
    return CW_NONE;
}

/* The vertex that LID leads to. What the file says counts more, for LIDs may be given anew when a subnet manager
 * starts, and the fabric may have been dumped at another time. But diagnostics do not always agree on the GUID of a
 * port either: one the fabric does not know is passed over if the tables show that the fabric's LID is still right. */
static uint32_t owner_of(struct match *match, uint32_t lid)
{
    const struct cw_lft_lid *said = &match->content->lids[lid];
    const uint32_t by_fabric = match->names->has_lids ? cw_lft_find_lid(match->names, lid) : CW_NONE;
    if (said->port_guid == 0) return by_fabric;
    const uint32_t by_file = vertex_of(match, said->port_guid);
    if (by_file == CW_NONE && by_fabric < match->net->n_endpoints && is_delivered(match, lid, by_fabric)) {
        tell_by_number(match, lid, by_fabric);
        return by_fabric;
    }
    if (match->names->has_lids && by_file != by_fabric) tell_moved(match, lid, by_file, by_fabric);
    return by_file;
}

/* Endpoint V has all LIDs that the map says if the file leads to one of them: those that it leaves out are holes. They
 * begin at a multiple of their number, so that other LIDs of V at another time are all others. */
static void take_lids_of_map(struct match *match, uint32_t v)
{
    if (!match->names->has_lids || match->base[v] == 0) return;
    const struct cw_identity *known = &match->net->identity[v];
    const uint32_t lids = 1u << known->lmc;
    if (known->lid % lids != 0 || match->base[v] / lids != known->lid / lids) return;
    match->base[v] = known->lid;
    match->lids[v] = lids;
    if (lids > match->report->lids_most) match->report->lids_most = lids;
}

/* Finds the base LID of every endpoint, the lowest that leads to it, and how many follow; and the LIDs of switches. */
static void find_bases(struct match *match)
{
    const struct cw_network *net = match->net;
    for (uint32_t lid = 1; lid < CW_LFT_LIDS; lid++) {
        const struct cw_lft_lid *said = &match->content->lids[lid];
        if (said->line == 0) continue;
        const uint32_t v = owner_of(match, lid);
        if (v == CW_NONE) {
            if (!said->of_switch) tell_unknown(match, lid);
        } else if (cw_network_is_endpoint(net, v)) {
            if (match->base[v] == 0) match->base[v] = lid;
            if (lid == match->base[v] + match->lids[v]) match->lids[v]++;
            if (match->lids[v] > match->report->lids_most) match->report->lids_most = match->lids[v];
        } else if (match->switch_lid[v - net->n_endpoints] == 0) {
            match->switch_lid[v - net->n_endpoints] = lid;
        }
    }
    for (uint32_t v = 0; v < net->n_endpoints; v++) {
        char name[128];
        take_lids_of_map(match, v);
        if (match->base[v] != 0 || !is_told(++match->report->endpoints_without_lid)) continue;
        cw_text_printf(&match->report->details, "no LID in the file leads to %s\n",
                       cw_network_name(net, v, name, sizeof name));
    }
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static void tell_bad_port(struct match *match, uint32_t v, uint32_t endpoint, uint32_t port)
{
    char at[128], to[128];
    if (!is_told(++match->report->entries_bad_port)) return;
    cw_text_printf(&match->report->details, "%s sends what is for %s to its port %u, which is not connected\n",
                   cw_network_name(match->net, v, at, sizeof at), cw_network_name(match->net, endpoint, to, sizeof to),
                   port);
}

/* The routes to the LID at OFFSET of each endpoint. */
static void fill_table(struct match *match, uint32_t offset, uint32_t v, const uint8_t *row)
{
    const struct cw_network *net = match->net;
    uint32_t index[CW_LFT_NO_PORT];
    for (uint32_t port = 0; port < CW_LFT_NO_PORT; port++) {
        const uint32_t channel = port > 0 ? cw_network_channel_at(net, v, port) : CW_NONE;
        index[port] = channel == CW_NONE ? CW_NO_PORT : channel - net->first[v];
    }
    for (uint32_t endpoint = 0; endpoint < net->n_endpoints; endpoint++) {
        const uint32_t n_lids = match->lids[endpoint];
        const uint8_t entry = n_lids > 0 ? row[match->base[endpoint] + offset % n_lids] : 0;
        if (entry == 0) continue;
        const uint32_t port = entry - 1u;
        if (index[port] == CW_NO_PORT) {
            tell_bad_port(match, v, endpoint, port);
        } else {
            cw_lft_set(match->tables, v, endpoint, index[port]);
            match->report->entries++;
        }
    }
}

static void fill_tables(struct match *match, uint32_t offset)
{
    const struct cw_network *net = match->net;
    struct cw_lft_report *report = match->report;
    const uint32_t n_switches = cw_network_switches(net);
    for (uint32_t i = 0; i < n_switches; i++) {
        char name[128];
        if (match->content->ports[i]) {
            report->switches_matched++;
            fill_table(match, offset, net->n_endpoints + i, match->content->ports[i]);
        } else if (is_told(++report->switches_without_table)) {
            cw_text_printf(&report->details, "the file has no table of switch %s\n",
                           cw_network_name(net, net->n_endpoints + i, name, sizeof name));
        }
    }
    report->holes = (uint64_t)n_switches * net->n_endpoints - report->entries;
}

/* The entries to the LIDs of switches. False if some lead to no cable: the fabric has changed since. */
static bool take_switch_ways(const struct match *match, uint8_t *ports)
{
    const struct cw_network *net = match->net;
    const uint32_t n = cw_network_switches(net);
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            const uint8_t *row = match->content->ports[from];
            const uint8_t entry = row && match->switch_lid[to] != 0 ? row[match->switch_lid[to]] : 0;
            if (from == to || entry == 0) continue;
            const uint32_t c = cw_network_channel_at(net, net->n_endpoints + from, entry - 1u);
            if (entry == 1 || c == CW_NONE || cw_network_is_closed(net, c)) return false;
            ports[(size_t)from * n + to] = (uint8_t)(entry - 1);
        }
    return true;
}

static int add_switch_ways(const struct match *match, struct cw_routes *routes)
{
    const size_t n = cw_network_switches(match->net);
    uint8_t *ports = cw_new_array(n * n, sizeof *ports, "ways between switches");
    if (!ports) return CW_ENOMEM;
    for (size_t to = 0; to < n; to++)
        if (match->switch_lid[to] == 0) {
            free(ports); /* the file leaves switches out */
            return 0;
        }
    if (take_switch_ways(match, ports))
        cw_routes_set_switch_ways(routes, ports);
    else
        free(ports);
    return 0;
}

static int fail_unmatched(const struct match *match, const char *file)
{
    const struct cw_lft_content *content = match->content;
    if (match->report->switches_matched == 0)
        return cw_fail_at(
            file, 0,
            "no table is of a switch of this fabric (the first of %u is of 0x%016llx), expected node GUIDs "
            "of the fabric's switches",
            content->n_tables, (unsigned long long)content->unknown[0]);
    bool guids = false;
    for (uint32_t lid = 1; lid < CW_LFT_LIDS; lid++) guids |= content->lids[lid].port_guid != 0;
    if (!guids && !match->names->has_lids)
        return cw_fail_at(file, 0,
                          "it gives no port GUIDs and the fabric no LIDs, expected a fabric file with LIDs as "
                          "ibnetdiscover writes it, or tables with port GUIDs");
    return cw_fail_at(file, 0,
                      "no entry leads to an endpoint of this fabric, expected the fabric's port GUIDs or LIDs");
}

static int make_routes(struct match *match, const char *file, uint32_t offset, struct cw_routes **out)
{
    int rc = cw_lft_new(match->net, &match->tables);
    if (rc) return rc;
    fill_tables(match, offset);
    rc = match->report->entries == 0 ? fail_unmatched(match, file) : cw_text_check(&match->report->details);
    if (rc) {
        cw_lft_free(match->tables);
        return rc;
    }
    rc = cw_lft_finish(match->tables, file, out);
    if (!rc) (*out)->lanes_unknown = true;
    return rc;
}

/* The report is about the first LID's tables, as is what the details tell. */
static int make_all_routes(struct match *match, const char *file, uint32_t most_lids, struct cw_routes **out)
{
    struct cw_lft_report *report = match->report;
    struct cw_routes *routes = NULL;
    int rc = make_routes(match, file, 0, &routes);
    for (uint32_t lid = 1; !rc && lid < most_lids && lid < report->lids_most; lid++) {
        struct cw_lft_report other = {.lids_most = 0};
        struct cw_routes *next;
        match->report = &other;
        rc = make_routes(match, file, lid, &next);
        if (!rc) cw_routes_add_lid(routes, next);
        cw_text_free(&other.details);
    }
    match->report = report;
    if (rc)
        cw_routes_free(routes);
    else
        *out = routes;
    return rc;
}

static int match_content(struct match *match, const char *file, uint32_t most_lids, struct cw_routes **out)
{
    const struct cw_lft_content *content = match->content;
    struct cw_routes *routes = NULL;
    match->report->format = content->format;
    match->report->switches_unknown = content->n_unknown;
    if (content->by_number && content->n_tables != cw_network_switches(match->net))
        return cw_fail_at(file, 0,
                          "%u tables, whose switches have numbers for GUIDs and no names, and the fabric has %u "
                          "switches: which is whose is not known; expected names or GUIDs",
                          content->n_tables, cw_network_switches(match->net));
    for (uint32_t i = 0; i < content->n_unknown && i < DETAILS_PER_KIND; i++)
        cw_text_printf(&match->report->details,
                       "the file has a table of switch 0x%016llx, which is not in the fabric\n",
                       (unsigned long long)content->unknown[i]);
    match->base = cw_new_array(match->net->n_endpoints, sizeof *match->base, "LIDs of endpoints");
    match->lids = cw_new_array(match->net->n_endpoints, sizeof *match->lids, "LIDs of endpoints");
    match->switch_lid = cw_new_array(cw_network_switches(match->net), sizeof *match->switch_lid, "LIDs of switches");
    int rc = match->base && match->lids && match->switch_lid ? 0 : CW_ENOMEM;
    if (!rc) find_bases(match);
    if (!rc) rc = make_all_routes(match, file, most_lids, &routes);
    if (!rc) rc = add_switch_ways(match, routes);
    if (rc)
        cw_routes_free(routes);
    else
        *out = routes;
    free(match->base);
    free(match->lids);
    free(match->switch_lid);
    return rc;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Where content comes from: memory, or a file that is read block by block, because it may be larger than memory. */
struct origin {
    const char *file;
    const char *data;
    size_t length;
    struct cw_source *source; /* NULL: all is in DATA */
    char *block;              /* [BLOCK] of which the first bytes have been read: */
    size_t held;
};

/* RC is what the parser says of the first LENGTH bytes at DATA. Where it did not know the first line, says what the
 * content seems to be. */
static int explain(const struct cw_lft_parser *parser, const char *file, const char *data, size_t length, int rc)
{
    struct cw_text guess = {0};
    if (rc == CW_EPARSE && !cw_lft_parser_began(parser) && cw_format_guess(data, length, &guess) && !guess.failed &&
        strcmp(guess.data, CW_FORMAT_TABLES) != 0) /* they are, but begin with something else */
        rc = cw_fail_at(file, 0, "this seems to be %s, not forwarding tables; " CW_LFT_EXPECTED, guess.data);
    cw_text_free(&guess);
    return rc;
}

static int feed_blocks(struct cw_lft_parser *parser, const struct origin *origin)
{
    char *block = origin->block;
    size_t held = origin->held, n = held, used;
    for (;;) {
        int rc = cw_lft_parser_feed(parser, block, held, n == 0, &used);
        if (rc) return explain(parser, origin->file, block, held, rc);
        if (n == 0) return 0;
        if (used == 0 && held == BLOCK)
            return cw_fail_at(origin->file, 0, "a line of more than %u bytes, expected a text file", BLOCK);
        held -= used;
        memmove(block, block + used, held);
        rc = cw_source_read(origin->source, block + held, BLOCK - held < PIECE ? BLOCK - held : PIECE, &n);
        if (rc) return rc;
        held += n;
    }
}

static int feed(struct cw_lft_parser *parser, const struct origin *origin)
{
    size_t used;
    if (origin->source) return feed_blocks(parser, origin);
    const int rc = cw_lft_parser_feed(parser, origin->data, origin->length, true, &used);
    return explain(parser, origin->file, origin->data, origin->length, rc);
}

static int match_json(struct match *match, const struct origin *origin, uint32_t most_lids, struct cw_routes **out)
{
    struct cw_lft_json *json;
    struct cw_routes *routes = NULL;
    int rc = cw_lft_json_new(origin->file, origin->data, origin->length, match->names, &json);
    if (rc) return rc;
    match->content = cw_lft_json_content(json);
    rc = match_content(match, origin->file, most_lids, &routes);
    if (rc == 0) rc = cw_lft_json_levels(json, routes);
    if (rc)
        cw_routes_free(routes);
    else
        *out = routes;
    cw_lft_json_free(json);
    return rc;
}

static int read_matched(const struct cw_network *net, const struct origin *origin, const struct cw_lft_names *names,
                        uint32_t most_lids, struct cw_lft_report *report, struct cw_routes **out)
{
    struct match match = {.net = net, .names = names, .report = report};
    struct cw_lft_parser *parser;
    if (!origin->source && cw_lft_json_recognises(origin->data, origin->length))
        return match_json(&match, origin, most_lids, out);
    int rc = cw_lft_parser_new(origin->file, names, &parser);
    if (rc) return rc;
    rc = feed(parser, origin);
    if (rc == 0) rc = cw_lft_parser_finish(parser, &match.content);
    if (rc == 0) rc = match_content(&match, origin->file, most_lids, out);
    cw_lft_parser_free(parser);
    return rc;
}

static int read_origin(const struct cw_network *net, const struct origin *origin, uint32_t most_lids,
                       struct cw_lft_report *report, struct cw_routes **out)
{
    struct cw_lft_report made = {0};
    struct cw_lft_names names;
    int rc = cw_lft_check_network(net);
    if (rc == 0) rc = cw_lft_names_new(net, &names);
    if (rc) return rc;
    rc = read_matched(net, origin, &names, most_lids, &made, out);
    cw_lft_names_free(&names);
    if (rc == 0 && report)
        *report = made;
    else
        cw_text_free(&made.details);
    return rc;
}

/* Lets ORIGIN be in memory. */
static int read_whole(struct origin *origin, struct cw_text *whole)
{
    int rc = 0;
    while (rc == 0 && origin->held > 0) {
        cw_text_append(whole, origin->block, origin->held);
        rc = cw_source_read(origin->source, origin->block, BLOCK, &origin->held);
    }
    if (rc == 0) rc = cw_text_check(whole);
    origin->source = NULL;
    origin->data = whole->data;
    origin->length = whole->length;
    return rc;
}

int cw_lft_parse(const struct cw_network *net, const char *file, const char *data, size_t length,
                 struct cw_lft_report *report, struct cw_routes **out)
{
    const struct origin origin = {.file = file, .data = data, .length = length};
    struct cw_routes *routes;
    const int rc = read_origin(cw_network_fabric(net), &origin, 1, report, &routes);
    if (rc || net->nodes) return rc ? rc : cw_routes_of_nodes(routes, net, out);
    *out = routes;
    return 0;
}

/* FILE is what it is called; NULL: as PATH is. */
static int read_file(const struct cw_network *net, const char *path, const char *file, uint32_t most_lids,
                     struct cw_lft_report *report, struct cw_routes **out)
{
    struct origin origin = {.block = cw_new_array(BLOCK, 1, "a block of a file")};
    struct cw_text whole = {0};
    int rc = origin.block ? cw_source_open(path, &origin.source) : CW_ENOMEM;
    if (rc == 0) {
        struct cw_source *source = origin.source;
        origin.file = file ? file : cw_source_name(source);
        rc = cw_source_read(source, origin.block, PIECE, &origin.held);
        if (rc == 0 && cw_lft_json_recognises(origin.block, origin.held)) rc = read_whole(&origin, &whole);
        if (rc == 0) rc = read_origin(net, &origin, most_lids, report, out);
        cw_source_close(source);
    }
    cw_text_free(&whole);
    free(origin.block);
    return rc;
}

int cw_lft_read_lids(const struct cw_network *net, const char *path, uint32_t most_lids, struct cw_lft_report *report,
                     struct cw_routes **out)
{
    if (!net->nodes) return read_file(net, path, NULL, most_lids, report, out);
    struct cw_routes *routes;
    const int rc = read_file(net->nodes->fabric, path, NULL, 1, report, &routes);
    return rc ? rc : cw_routes_of_nodes(routes, net, out);
}

int cw_lft_read(const struct cw_network *net, const char *path, struct cw_lft_report *report, struct cw_routes **out)
{
    return cw_lft_read_lids(net, path, 1, report, out);
}

int cw_lft_read_back(const struct cw_network *net, const char *path, const char *file, uint32_t most_lids,
                     struct cw_routes **out)
{
    struct cw_inputs *inputs = cw_inputs_record(NULL);
    const int rc = read_file(net, path, file, most_lids, NULL, out);
    cw_inputs_record(inputs);
    return rc;
}
