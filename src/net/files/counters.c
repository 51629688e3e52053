#include "net/files/counters.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/files/ib_scan.h"
#include "net/files/infiniband/ib_blocks.h"
#include "net/name_index.h"
#include "net/network_internal.h"

static const char what[] = "counters of ports";

#define ALL_PORTS 255u /* the sum of a node's ports, as perfquery -a gives it */
#define UNIT      4.0  /* bytes of data */

void cw_ib_counters_free(struct cw_ib_counters *counters)
{
    if (!counters) return;
    free(counters->file);
    free(counters->ports);
    free(counters);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* What the lines to come belong to. */
struct reading {
    struct cw_ib_counters *counters;
    struct cw_port_counters port; /* `port` is ALL_PORTS: none */
    uint8_t bits;
};

static int add_counter(struct reading *reading, const struct cw_lines *lines, enum cw_ib_counter counter,
                       uint64_t value, uint8_t bits)
{
    struct cw_ib_counters *all = reading->counters;
    if (reading->port.port == ALL_PORTS) return 0;
    if (reading->port.line == 0) {
        void *ports = all->ports;
        const int rc = cw_grow_array(&ports, &all->capacity, all->n + 1, sizeof *all->ports, what);
        if (rc) return rc;
        all->ports = ports;
        reading->port.line = lines->number;
        all->ports[all->n++] = reading->port;
    }
    struct cw_port_counters *port = &all->ports[all->n - 1];
    port->value[counter] = value;
    port->bits[counter] = value > UINT32_MAX ? 64 : bits;
    return 0;
}

/* The counter whose name comes next, today's or that of older releases. */
static bool read_counter(struct cw_ib_scan *scan, enum cw_ib_counter *counter)
{
    static const char *const names[CW_IB_COUNTERS][2] = {
        {"PortXmitData", "XmtData"}, {"PortRcvData", "RcvData"},  {"PortXmitPkts", "XmtPkts"},
        {"PortRcvPkts", "RcvPkts"},  {"PortXmitWait", "XmtWait"},
    };
    for (*counter = 0; *counter < CW_IB_COUNTERS; ++*counter)
        for (int i = 0; i < 2; i++) {
            struct cw_ib_scan at = *scan;
            if (!cw_ib_word(&at, names[*counter][i]) || cw_ib_end(&at) || (*at.at != ':' && *at.at != ' ')) continue;
            *scan = at;
            return true;
        }
    return false;
}

static int read_value(const struct cw_lines *lines, struct cw_ib_scan *scan, uint64_t *value)
{
    const struct cw_ib_scan before = *scan;
    const char *digits = scan->at;
    for (*value = 0; !cw_ib_end(scan) && *scan->at >= '0' && *scan->at <= '9'; scan->at++) {
        const uint64_t digit = (uint64_t)(*scan->at - '0');
        if (*value > (UINT64_MAX - digit) / 10) return cw_ib_expected(lines, &before, "a counter of 64 bits");
        *value = 10 * *value + digit;
    }
    return scan->at > digits ? 0 : cw_ib_expected(lines, &before, "a counter such as 1584");
}

/* "Lid 3 port 7 (CapMask: 0x1300)" behind the heading of perfquery. One that asked along a path names no port. */
static void begin_port(struct reading *reading, struct cw_ib_scan scan, uint8_t bits)
{
    struct cw_port_counters port = {0};
    const bool named = cw_ib_word(&scan, "Lid ") && cw_ib_decimal(&scan, UINT16_MAX, &port.lid) &&
                       cw_ib_word(&scan, " port ") && cw_ib_decimal(&scan, ALL_PORTS, &port.port);
    if (!named) port.port = ALL_PORTS;
    reading->port = port;
    reading->bits = bits;
}

/* "PortXmitData:....................864" */
static int read_plain(struct reading *reading, const struct cw_lines *lines, struct cw_ib_scan scan)
{
    enum cw_ib_counter counter;
    uint64_t value;
    if (!read_counter(&scan, &counter) || !cw_ib_char(&scan, ':')) return 0;
    while (cw_ib_char(&scan, '.')) {
    }
    cw_ib_blanks(&scan);
    const int rc = read_value(lines, &scan, &value);
    return rc ? rc : add_counter(reading, lines, counter, value, reading->bits);
}

/* "   GUID 0x200001 port 1: [PortXmitData == 1656 (6.469KB)] [PortRcvData == 1656 (6.469KB)] ..." */
static int read_listed(struct reading *reading, const struct cw_lines *lines, struct cw_ib_scan scan)
{
    static const char unicast[] = "PortUnicastXmitPkts"; /* only beside counters of 64 bits */
    struct cw_port_counters port = {0};
    int rc = 0;
    reading->port = (struct cw_port_counters){.port = ALL_PORTS};
    if (!cw_ib_hex(&scan, &port.guid) || port.guid == 0 || !cw_ib_word(&scan, " port ") ||
        !cw_ib_decimal(&scan, ALL_PORTS, &port.port) || !cw_ib_char(&scan, ':'))
        return 0;
    reading->port = port;
    const bool wide = memmem(scan.at, (size_t)(scan.end - scan.at), unicast, sizeof unicast - 1);
    while (!rc && !cw_ib_end(&scan)) {
        enum cw_ib_counter counter;
        uint64_t value;
        if (!cw_ib_char(&scan, '[')) {
            scan.at++;
            continue;
        }
        if (!read_counter(&scan, &counter) || !cw_ib_word(&scan, " == ")) continue;
        rc = read_value(lines, &scan, &value);
        if (!rc) rc = add_counter(reading, lines, counter, value, wide && counter != CW_IB_COUNTER_WAIT ? 64 : 32);
    }
    reading->port.port = ALL_PORTS;
    return rc;
}

static int compare_keys(const struct cw_port_counters *x, const struct cw_port_counters *y)
{
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    if (x->lid != y->lid) return x->lid < y->lid ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

static int compare_ports(const void *a, const void *b)
{
    const struct cw_port_counters *x = a, *y = b;
    const int order = compare_keys(x, y);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* Each port once: of its counters those with more bits, else the last ones. */
static void merge_ports(struct cw_ib_counters *counters)
{
    struct cw_port_counters *ports = counters->ports;
    size_t n = 0;
    if (counters->n > 0) qsort(ports, counters->n, sizeof *ports, compare_ports);
    for (size_t i = 0; i < counters->n; i++) {
        if (n == 0 || compare_keys(&ports[n - 1], &ports[i]) != 0) {
            ports[n++] = ports[i];
            continue;
        }
        for (int k = 0; k < CW_IB_COUNTERS; k++) {
            if (ports[i].bits[k] == 0 || ports[i].bits[k] < ports[n - 1].bits[k]) continue;
            ports[n - 1].bits[k] = ports[i].bits[k];
            ports[n - 1].value[k] = ports[i].value[k];
        }
    }
    counters->n = n;
}

static int read_lines(struct reading *reading, struct cw_lines lines)
{
    int rc = 0;
    while (!rc && cw_lines_next(&lines)) {
        struct cw_ib_scan scan = {lines.line, lines.line + lines.length};
        cw_ib_blanks(&scan);
        if (cw_ib_word(&scan, "# Port counters: "))
            begin_port(reading, scan, 32);
        else if (cw_ib_word(&scan, "# Port extended counters: "))
            begin_port(reading, scan, 64);
        else if (cw_ib_word(&scan, "# ")) /* counters of another kind, or a remark */
            reading->port.port = ALL_PORTS;
        else if (cw_ib_word(&scan, "GUID "))
            rc = read_listed(reading, &lines, scan);
        else
            rc = read_plain(reading, &lines, scan);
    }
    return rc;
}

int cw_ib_counters_parse(const char *file, const char *data, size_t length, struct cw_ib_counters **out)
{
    struct reading reading = {.port = {.port = ALL_PORTS}};
    struct cw_ib_counters *counters = reading.counters = cw_new_array(1, sizeof *counters, what);
    if (!counters) return CW_ENOMEM;
    counters->file = strdup(file);
    int rc = counters->file ? read_lines(&reading, cw_lines_of(file, data, length)) : CW_ENOMEM;
    if (!rc && counters->n == 0)
        rc = cw_fail_at(file, 0, "no port's counters; expected what perfquery or ibqueryerrors --counters prints");
    if (rc) {
        cw_ib_counters_free(counters);
        return rc;
    }
    merge_ports(counters);
    *out = counters;
    return 0;
}

int cw_ib_counters_read(const char *path, struct cw_ib_counters **out)
{
    struct cw_text text = {0};
    int rc = cw_file_read(path, &text);
    if (!rc) rc = cw_ib_counters_parse(path, text.data, text.length, out);
    cw_text_free(&text);
    return rc;
}

/* --- differences -------------------------------------------------------------------------------------------------- */

void cw_channel_counts_free(struct cw_channel_counts *counts)
{
    free(counts->bytes);
    free(counts->packets);
    free(counts->wait);
    *counts = (struct cw_channel_counts){0};
}

/* The channel that PORT sends on, or CW_NONE. Ports of one adapter are endpoints that follow each other. */
static uint32_t channel_of(const struct cw_network *net, const struct cw_name_index *index,
                           const struct cw_port_counters *port)
{
    uint32_t v = port->guid ? cw_name_index_node_guid(index, port->guid) : cw_name_index_lid(index, port->lid);
    if (v == CW_NONE && port->guid) v = cw_name_index_port_guid(index, port->guid);
    while (v < net->n_endpoints && port->guid && cw_network_channel_at(net, v, port->port) == CW_NONE &&
           v + 1 < net->n_endpoints && net->identity[v + 1].node_guid == port->guid)
        v++;
    return v == CW_NONE ? CW_NONE : cw_network_channel_at(net, v, port->port);
}

/* What COUNTER has counted, or NAN. */
static double count(const struct cw_port_counters *before, const struct cw_port_counters *after,
                    enum cw_ib_counter counter, struct cw_channel_counts *counts)
{
    const uint64_t from = before->value[counter], to = after->value[counter];
    const bool wide = after->bits[counter] == 64;
    if (before->bits[counter] == 0 || after->bits[counter] == 0) return NAN;
    if (!wide && to == UINT32_MAX) {
        counts->full++;
        return NAN;
    }
    if (to >= from) return (double)(to - from);
    ++*(wide ? &counts->cleared : &counts->wrapped);
    return wide ? (double)to : (double)(to + (UINT64_C(1) << 32) - from);
}

/* Sets where it is known. */
static void set(double *values, uint32_t at, double value)
{
    if (!isnan(value)) values[at] = value;
}

static void add_port(const struct cw_network *net, uint32_t c, const struct cw_port_counters *before,
                     const struct cw_port_counters *after, struct cw_channel_counts *counts, double *received)
{
    set(counts->bytes, c, UNIT * count(before, after, CW_IB_COUNTER_SENT, counts));
    set(counts->packets, c, count(before, after, CW_IB_COUNTER_PACKETS_SENT, counts));
    set(counts->wait, c, count(before, after, CW_IB_COUNTER_WAIT, counts));
    set(received, net->twin[c], UNIT * count(before, after, CW_IB_COUNTER_RECEIVED, counts));
    set(received, net->n_channels + net->twin[c], count(before, after, CW_IB_COUNTER_PACKETS_RECEIVED, counts));
}

/* Walks both lists, which are in one order. RECEIVED [2 channels] are bytes, then packets. */
static void add_ports(const struct cw_network *net, const struct cw_name_index *index,
                      const struct cw_ib_counters *before, const struct cw_ib_counters *after,
                      struct cw_channel_counts *counts, double *received)
{
    size_t i = 0, k = 0;
    while (i < before->n && k < after->n) {
        const int order = compare_keys(&before->ports[i], &after->ports[k]);
        if (order == 0) {
            const uint32_t c = channel_of(net, index, &after->ports[k]);
            ++*(c == CW_NONE ? &counts->elsewhere : &counts->ports);
            if (c != CW_NONE) add_port(net, c, &before->ports[i], &after->ports[k], counts, received);
        } else {
            counts->once++;
        }
        i += order <= 0;
        k += order >= 0;
    }
    counts->once += before->n - i + after->n - k;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (isnan(counts->bytes[c])) counts->bytes[c] = received[c];
        if (isnan(counts->packets[c])) counts->packets[c] = received[net->n_channels + c];
    }
}

int cw_ib_counters_difference(const struct cw_network *net, const struct cw_ib_counters *before,
                              const struct cw_ib_counters *after, struct cw_channel_counts *out)
{
    const uint32_t n = net->n_channels;
    struct cw_channel_counts counts = {.bytes = cw_new_array(n, sizeof *counts.bytes, what),
                                       .packets = cw_new_array(n, sizeof *counts.packets, what),
                                       .wait = cw_new_array(n, sizeof *counts.wait, what)};
    double *received = cw_new_array(2 * (size_t)n, sizeof *received, what);
    struct cw_name_index *index = NULL;
    int rc = counts.bytes && counts.packets && counts.wait && received ? cw_name_index_new(net, &index) : CW_ENOMEM;
    for (uint32_t c = 0; !rc && c < n; c++)
        counts.bytes[c] = counts.packets[c] = counts.wait[c] = received[c] = received[n + c] = NAN;
    if (!rc) add_ports(net, index, before, after, &counts, received);
    if (!rc && counts.ports == 0)
        rc = cw_fail(CW_EUSAGE, "no port that is in both %s and %s is one of %s; expected LIDs or GUIDs of its map",
                     before->file, after->file, net->title ? net->title : "the network");
    cw_name_index_free(index);
    free(received);
    if (rc)
        cw_channel_counts_free(&counts);
    else
        *out = counts;
    return rc;
}
