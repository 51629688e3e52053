/*
 * ibdiagnet2.db_csv, which NVIDIA's ibdiagnet writes: many tables, of which three say what the fabric is.
 *
 *     START_NODES
 *     NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID,DeviceID,…
 *     "leaf 1",36,2,1,1,0x0008f10500200b53,0x0008f10500200b50,0x0008f10500200b50,53000,…
 *     END_NODES
 *     START_PORTS … NodeGuid,PortGuid,PortNum,…,LID,…,LinkWidthActv,…,LinkSpeedActv,LMC,… END_PORTS
 *     START_LINKS … NodeGuid1,PortNum1,NodeGuid2,PortNum2 END_LINKS
 *
 * Columns differ from version to version and are found by their names, whatever the case. A link is listed once.
 * Widths and speeds are numbers as in ibis: 2 is 4x, 16 is 2x; 1, 2, 4 are SDR, DDR, QDR, a second byte has FDR and
 * what came after it, a third FDR10, a fourth XDR.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/files/formats_internal.h"
#include "net/files/infiniband/ib_fabric.h"
#include "net/files/infiniband/ib_rows.h"
#include "net/files/infiniband/ib_speed.h"
#include "net/name_table.h"

#define COLUMNS 8
#define LINES   100 /* that are looked at for the first table */

enum { NODES, PORTS, LINKS, TABLES };

/* The first NEEDED columns must be there. */
static const struct {
    const char *name, *columns[COLUMNS];
    unsigned needed;
} tables[TABLES] = {
    [NODES] = {"NODES",
               {"NodeGUID", "NumPorts", "NodeType", "NodeDesc", "SystemImageGUID", "PortGUID", "DeviceID", "VendorID"},
               3},
    [PORTS] = {"PORTS", {"NodeGuid", "PortNum", "PortGuid", "LID", "LMC", "LinkWidthActv", "LinkSpeedActv"}, 2},
    [LINKS] = {"LINKS", {"NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2"}, 4},
};

/* Of a node, or of a port; the key is a name in a cw_name_table. */
struct key {
    uint64_t guid, port; /* port 0: the node, or its management port */
};

struct node {
    struct cw_ib_end end; /* of any of its ports */
    unsigned long line;
};

struct port {
    struct key key;
    uint64_t guid;
    uint32_t lid;
    uint8_t lmc;
    double capacity;
};

struct link {
    struct key ends[2];
    unsigned long line;
};

struct ibdiagnet {
    struct cw_lines lines;
    struct cw_ib_fabric fabric;
    struct cw_name_table *node_keys, *port_keys;
    struct node *nodes; /* by the number of their keys, as are ports */
    struct port *ports;
    struct link *links;
    size_t n_nodes, n_ports, n_links, nodes_capacity, ports_capacity, links_capacity;
    /* the table that is read */
    int table; /* TABLES: none, or one that says nothing here */
    bool within, seen[TABLES];
    int at[COLUMNS]; /* places of its columns; -1: it has none */
    bool has_header;
    struct cw_ib_span name, cells[COLUMNS]; /* of the line */
};

/* --- lines -------------------------------------------------------------------------------------------------------- */

static int fail(const struct ibdiagnet *reading, const char *what, struct cw_ib_span cell, const char *expected)
{
    return cw_fail_at(reading->lines.file, reading->lines.number, "%s '%.*s', expected %s", what,
                      cell.length < 60 ? (int)cell.length : 60, cell.text ? cell.text : "", expected);
}

/* The next cell of a line. A description in quotes ends with the quote in front of a comma or at the end of the line.
 */
static struct cw_ib_span next_cell(struct cw_ib_scan *scan)
{
    struct cw_ib_span cell = {scan->at, 0};
    if (cw_ib_char(scan, '"')) {
        cell.text = scan->at;
        while (!cw_ib_end(scan) && !(*scan->at == '"' && (scan->at + 1 == scan->end || scan->at[1] == ','))) scan->at++;
        cell.length = (size_t)(scan->at - cell.text);
        cw_ib_char(scan, '"');
    } else {
        while (!cw_ib_end(scan) && *scan->at != ',') scan->at++;
        cell.length = (size_t)(scan->at - cell.text);
        while (cell.length > 0 && cell.text[cell.length - 1] == ' ') cell.length--;
    }
    cw_ib_char(scan, ',');
    return cell;
}

static bool same_word(struct cw_ib_span cell, const char *word)
{
    return cell.length == strlen(word) && strncasecmp(cell.text, word, cell.length) == 0;
}

static int read_header(struct ibdiagnet *reading)
{
    struct cw_ib_scan scan = {reading->lines.line, reading->lines.line + reading->lines.length};
    for (size_t c = 0; c < COLUMNS; c++) reading->at[c] = -1;
    for (int i = 0; !cw_ib_end(&scan); i++) {
        const struct cw_ib_span cell = next_cell(&scan);
        for (size_t c = 0; c < COLUMNS && tables[reading->table].columns[c]; c++)
            if (same_word(cell, tables[reading->table].columns[c])) reading->at[c] = i;
    }
    for (unsigned c = 0; c < tables[reading->table].needed; c++)
        if (reading->at[c] < 0)
            return cw_fail_at(reading->lines.file, reading->lines.number, "no column %s, expected it in the table %s",
                              tables[reading->table].columns[c], tables[reading->table].name);
    reading->has_header = true;
    return 0;
}

/* The number in column C, decimal, or hexadecimal behind 0x; 0 where there is none. */
static int get_number(const struct ibdiagnet *reading, unsigned c, uint64_t max, uint64_t *out)
{
    const struct cw_ib_span cell = reading->cells[c];
    char expected[64];
    uint32_t number = 0;
    *out = 0;
    if (cell.length == 0 || same_word(cell, "N/A")) return 0;
    struct cw_ib_scan scan = {cell.text, cell.text + cell.length};
    const bool hexadecimal = max > UINT32_MAX || (cell.length > 2 && cell.text[0] == '0' && cell.text[1] == 'x');
    if (hexadecimal ? cw_ib_hex(&scan, out) : cw_ib_decimal(&scan, UINT32_MAX, &number)) {
        if (!hexadecimal) *out = number;
        if (cw_ib_end(&scan) && *out <= max) return 0;
    }
    if (max > UINT32_MAX)
        snprintf(expected, sizeof expected, "a GUID of at most 16 hexadecimal digits");
    else
        snprintf(expected, sizeof expected, "a number up to %" PRIu64, max);
    return fail(reading, tables[reading->table].columns[c], cell, expected);
}

/* A node that the file tells, or a port. */
static int get_key(const struct ibdiagnet *reading, unsigned guid, struct key *key)
{
    int rc = get_number(reading, guid, UINT64_MAX, &key->guid);
    if (!rc && key->guid == 0) rc = fail(reading, tables[reading->table].columns[guid], reading->cells[guid], "a GUID");
    return rc;
}

static int add_key(struct cw_name_table *table, const struct key *key, uint32_t *number)
{
    return cw_name_table_add(table, (const char *)key, sizeof *key, number);
}

static uint32_t find_key(const struct cw_name_table *table, uint64_t guid, uint64_t port)
{
    const struct key key = {guid, port};
    return cw_name_table_find(table, (const char *)&key, sizeof key);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static int read_node(struct ibdiagnet *reading)
{
    static const uint8_t kinds[] = {[1] = CW_KIND_HOST, [2] = CW_KIND_SWITCH, [3] = CW_KIND_ROUTER};
    struct key key = {0};
    uint64_t ports, type, system, guid, device, vendor;
    uint32_t number;
    int rc = get_key(reading, 0, &key);
    if (!rc) rc = get_number(reading, 1, CW_IB_MAX_PORTS, &ports);
    if (!rc) rc = get_number(reading, 2, 3, &type);
    if (!rc && type == 0) rc = fail(reading, "NodeType", reading->cells[2], "1 (adapter), 2 (switch) or 3 (router)");
    if (!rc) rc = get_number(reading, 4, UINT64_MAX, &system);
    if (!rc) rc = get_number(reading, 5, UINT64_MAX, &guid);
    if (!rc) rc = get_number(reading, 6, UINT32_MAX, &device);
    if (!rc) rc = get_number(reading, 7, UINT32_MAX, &vendor);
    if (!rc) rc = add_key(reading->node_keys, &key, &number);
    if (!rc && number < reading->n_nodes) rc = fail(reading, "a second node", reading->cells[0], "each GUID once");
    if (!rc)
        rc = cw_grow_array((void **)&reading->nodes, &reading->nodes_capacity, reading->n_nodes + 1,
                           sizeof *reading->nodes, "nodes");
    if (rc) return rc;
    const struct cw_ib_span description = reading->cells[3];
    const struct cw_ib_end end = {.description = description.length > 0 ? description : (struct cw_ib_span){0},
                                  .guid = guid,
                                  .node_guid = key.guid,
                                  .system_guid = system,
                                  .vendor = (uint32_t)vendor,
                                  .device = (uint32_t)device,
                                  .ports = (uint32_t)ports,
                                  .kind = kinds[type]};
    reading->nodes[reading->n_nodes++] = (struct node){end, reading->lines.number};
    return 0;
}

/* 4x and EDR, of 2 and 512: byte/s, 0 if unknown. */
static double capacity_of(uint64_t width, uint64_t speed)
{
    static const struct {
        uint32_t number;
        const char *name;
    } widths[] = {{1, "1x"}, {2, "4x"}, {4, "8x"}, {8, "12x"}, {16, "2x"}},
      speeds[] = {{1, "SDR"},       {2, "DDR"},       {4, "QDR"},         {1 << 8, "FDR"}, {1 << 9, "EDR"},
                  {1 << 10, "HDR"}, {1 << 11, "NDR"}, {1 << 16, "FDR10"}, {1 << 24, "XDR"}};
    double capacity = 0;
    char rate[16];
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t s = 0; s < sizeof speeds / sizeof *speeds; s++) {
            if (widths[w].number != width || speeds[s].number != speed) continue;
            const int length = snprintf(rate, sizeof rate, "%s%s", widths[w].name, speeds[s].name);
            cw_ib_rate_read(rate, (size_t)length, &capacity);
        }
    return capacity;
}

static int read_port(struct ibdiagnet *reading)
{
    struct port port = {0};
    uint64_t lid, lmc, width, speed;
    uint32_t number;
    int rc = get_key(reading, 0, &port.key);
    if (!rc) rc = get_number(reading, 1, CW_IB_MAX_PORTS, &port.key.port);
    if (!rc) rc = get_number(reading, 2, UINT64_MAX, &port.guid);
    if (!rc) rc = get_number(reading, 3, UINT16_MAX, &lid);
    if (!rc) rc = get_number(reading, 4, 7, &lmc);
    if (!rc) rc = get_number(reading, 5, UINT32_MAX, &width);
    if (!rc) rc = get_number(reading, 6, UINT32_MAX, &speed);
    if (!rc) rc = add_key(reading->port_keys, &port.key, &number);
    if (!rc && number < reading->n_ports) rc = fail(reading, "a second port", reading->cells[1], "each of a node once");
    if (!rc)
        rc = cw_grow_array((void **)&reading->ports, &reading->ports_capacity, reading->n_ports + 1, sizeof port,
                           "ports");
    if (rc) return rc;
    port.lid = lid <= CW_IB_MAX_LID ? (uint32_t)lid : 0;
    port.lmc = (uint8_t)lmc;
    port.capacity = capacity_of(width, speed);
    reading->ports[reading->n_ports++] = port;
    return 0;
}

static int read_link(struct ibdiagnet *reading)
{
    struct link link = {.line = reading->lines.number};
    int rc = 0;
    for (unsigned i = 0; !rc && i < 2; i++) {
        rc = get_key(reading, 2 * i, &link.ends[i]);
        if (!rc) rc = get_number(reading, 2 * i + 1, CW_IB_MAX_PORTS, &link.ends[i].port);
        if (!rc && link.ends[i].port == 0)
            rc = fail(reading, tables[LINKS].columns[2 * i + 1], reading->cells[2 * i + 1],
                      "a port number from 1 to 255");
    }
    if (!rc)
        rc = cw_grow_array((void **)&reading->links, &reading->links_capacity, reading->n_links + 1, sizeof link,
                           "links");
    if (!rc) reading->links[reading->n_links++] = link;
    return rc;
}

static int read_row(struct ibdiagnet *reading)
{
    static int (*const readers[])(struct ibdiagnet *) = {[NODES] = read_node, [PORTS] = read_port, [LINKS] = read_link};
    struct cw_ib_scan scan = {reading->lines.line, reading->lines.line + reading->lines.length};
    memset(reading->cells, 0, sizeof reading->cells);
    for (int i = 0; !cw_ib_end(&scan); i++) {
        const struct cw_ib_span cell = next_cell(&scan);
        for (size_t c = 0; c < COLUMNS; c++)
            if (reading->at[c] == i) reading->cells[c] = cell;
    }
    return readers[reading->table](reading);
}

static int read_line(struct ibdiagnet *reading)
{
    struct cw_ib_scan scan = {reading->lines.line, reading->lines.line + reading->lines.length};
    while (scan.end > scan.at && scan.end[-1] == ' ') scan.end--;
    if (!reading->within) {
        if (!cw_ib_word(&scan, "START_")) return 0;
        reading->within = true;
        reading->has_header = false;
        reading->name = (struct cw_ib_span){scan.at, (size_t)(scan.end - scan.at)};
        for (reading->table = 0; reading->table < TABLES; reading->table++)
            if (same_word(reading->name, tables[reading->table].name)) break;
        if (reading->table < TABLES && reading->seen[reading->table])
            return cw_fail_at(reading->lines.file, reading->lines.number, "a second table %s, expected one",
                              tables[reading->table].name);
        if (reading->table < TABLES) reading->seen[reading->table] = true;
        return 0;
    }
    if (cw_ib_word(&scan, "END_") && (size_t)(scan.end - scan.at) == reading->name.length &&
        memcmp(scan.at, reading->name.text, reading->name.length) == 0) {
        reading->within = false;
        return 0;
    }
    if (reading->table == TABLES || cw_ib_end(&scan)) return 0;
    return reading->has_header ? read_row(reading) : read_header(reading);
}

/* --- the fabric --------------------------------------------------------------------------------------------------- */

/* The end of a link at KEY, with all that the tables say of it. */
static int find_end(const struct ibdiagnet *reading, const struct link *link, const struct key *key,
                    struct cw_ib_end *end, double *capacity)
{
    const uint32_t node = find_key(reading->node_keys, key->guid, 0);
    const uint32_t port = find_key(reading->port_keys, key->guid, key->port);
    if (node == CW_NONE)
        return cw_fail_at(reading->lines.file, link->line,
                          "a link of node 0x%016" PRIx64 ", which the table NODES lacks", key->guid);
    *end = reading->nodes[node].end;
    end->number = (uint32_t)key->port;
    if (port == CW_NONE) return 0;
    *capacity = reading->ports[port].capacity;
    if (end->kind == CW_KIND_SWITCH) return 0; /* it has one LID, and one GUID for all ports */
    end->lid = reading->ports[port].lid;
    end->lmc = reading->ports[port].lmc;
    if (reading->ports[port].guid) end->guid = reading->ports[port].guid;
    return 0;
}

/* A switch has the LID of its port 0; some versions state it at the others only. */
static void find_lids(struct ibdiagnet *reading)
{
    for (size_t i = 0; i < reading->n_ports; i++) {
        const struct port *port = &reading->ports[i];
        const uint32_t number = find_key(reading->node_keys, port->key.guid, 0);
        struct cw_ib_end *node = number == CW_NONE ? NULL : &reading->nodes[number].end;
        if (!node || node->kind != CW_KIND_SWITCH || port->lid == 0 || (node->lid != 0 && port->key.port != 0))
            continue;
        node->lid = port->lid;
        node->lmc = port->lmc;
    }
}

static int add_rows(struct ibdiagnet *reading)
{
    int rc = 0;
    find_lids(reading);
    for (size_t i = 0; !rc && i < reading->n_nodes; i++) /* switches without cables are vertices, too */
        if (reading->nodes[i].end.kind == CW_KIND_SWITCH)
            rc = cw_ib_row_add(&reading->fabric,
                               &(struct cw_ib_row){.own = reading->nodes[i].end, .line = reading->nodes[i].line});
    for (size_t i = 0; !rc && i < reading->n_links; i++) {
        const struct link *link = &reading->links[i];
        struct cw_ib_row row = {.line = link->line, .connected = true};
        double back = 0;
        rc = find_end(reading, link, &link->ends[0], &row.own, &row.capacity);
        if (!rc) rc = find_end(reading, link, &link->ends[1], &row.peer, &back);
        if (!rc) rc = cw_ib_row_add(&reading->fabric, &row);
        const struct cw_ib_row other = {row.peer, row.own, true, back, link->line};
        if (!rc) rc = cw_ib_row_add(&reading->fabric, &other);
    }
    return rc;
}

static int check_tables(const struct ibdiagnet *reading)
{
    if (reading->within)
        return cw_fail_at(reading->lines.file, 0, "the file ends within the table %.*s; is it truncated?",
                          reading->name.length < 60 ? (int)reading->name.length : 60, reading->name.text);
    for (int t = 0; t < TABLES; t++)
        if (!reading->seen[t])
            return cw_fail_at(reading->lines.file, 0, "no table %s, expected START_%s … END_%s", tables[t].name,
                              tables[t].name, tables[t].name);
    return reading->n_nodes > 0 ? 0 : cw_fail_at(reading->lines.file, 0, "no node, expected some in the table NODES");
}

static int read_network(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                        struct cw_network **net)
{
    struct ibdiagnet reading = {.lines = cw_lines_of(file, data, length),
                                .fabric = {.file = file, .names = names, .ids_are_guids = true}};
    int rc = cw_ib_fabric_open(&reading.fabric);
    if (!rc) rc = cw_name_table_new(&reading.node_keys);
    if (!rc) rc = cw_name_table_new(&reading.port_keys);
    while (!rc && cw_lines_next(&reading.lines)) rc = read_line(&reading);
    if (!rc) rc = check_tables(&reading);
    if (!rc) rc = add_rows(&reading);
    if (!rc) rc = cw_ib_fabric_build(&reading.fabric, net);
    cw_ib_fabric_free(&reading.fabric);
    cw_name_table_free(reading.node_keys);
    cw_name_table_free(reading.port_keys);
    free(reading.nodes);
    free(reading.ports);
    free(reading.links);
    return rc;
}

static bool recognises(const char *data, size_t length)
{
    struct cw_lines lines = cw_lines_of("", data, length);
    while (lines.number < LINES && cw_lines_next(&lines)) {
        struct cw_ib_scan scan = {lines.line, lines.line + lines.length};
        if (cw_ib_word(&scan, "START_") && !cw_ib_end(&scan) && *scan.at >= 'A' && *scan.at <= 'Z') return true;
    }
    return false;
}

const struct cw_reader cw_reader_ibdiagnet = {.name = "ibdiagnet",
                                              .help = "InfiniBand fabric as ibdiagnet writes it: ibdiagnet2.db_csv",
                                              .names_nodes = true,
                                              .recognises = recognises,
                                              .read = read_network};
