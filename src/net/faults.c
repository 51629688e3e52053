#include "net/faults.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "base/units.h"
#include "net/host_list.h"
#include "net/name_index.h"
#include "net/network_internal.h"
#include "net/part.h"
#include "net/places.h"

#define EXPECTED                                                                                                       \
    "expected a switch, an endpoint, a host, A-B, A>B, A/PORT, A/PORT-B/PORT, A/PORT>B/PORT, a list such as "          \
    "node[001-064], a "                                                                                                \
    "channel's number, N%% or a file of such lines"

static const char memory[] = "faults of a network";

int cw_faults_new(const struct cw_network *net, struct cw_faults **out)
{
    struct cw_faults *faults = cw_new_array(1, sizeof *faults, memory);
    if (!faults) return CW_ENOMEM;
    faults->net = net;
    faults->failed = cw_new_array(net->n_channels, sizeof *faults->failed, memory);
    faults->gone = cw_new_array(net->n_vertices, sizeof *faults->gone, memory);
    faults->capacity = cw_new_array(net->n_channels, sizeof *faults->capacity, memory);
    if (!faults->failed || !faults->gone || !faults->capacity) {
        cw_faults_free(faults);
        return CW_ENOMEM;
    }
    for (uint32_t c = 0; c < net->n_channels; c++) faults->capacity[c] = net->capacity[c];
    *out = faults;
    return 0;
}

void cw_faults_free(struct cw_faults *faults)
{
    if (!faults) return;
    free(faults->failed);
    free(faults->gone);
    free(faults->capacity);
    free(faults);
}

/* --- what an item names ------------------------------------------------------------------------------------------- */

/* While a list is read. */
struct reading {
    struct cw_faults *faults;
    const struct cw_network *net;
    struct cw_name_index *names;
    uint64_t seed;
    uint32_t *named; /* [n_channels] one channel of each cable the item names; a cable may be there twice */
    uint32_t n_named;
    bool one_way;                        /* it names these channels only, not the way back */
    uint32_t vertex;                     /* the switch it names, or CW_NONE */
    int (*use)(struct reading *reading); /* what is done with an item */
    bool rates;                          /* items end with "=RATE" */
    const char *item, *rate;             /* the item, of which what is named may be a part; its rate, or NULL */
    bool in_file;                        /* the item is a line of a file, and no file itself */
    bool any, slowed;                    /* the item has named cables so far; some were faster than the rate */
};

static void name_channel(struct reading *reading, uint32_t channel)
{
    const uint32_t twin = reading->net->twin[channel];
    reading->named[reading->n_named++] = channel < twin ? channel : twin;
}

static const char *title_of(const struct reading *reading)
{
    return reading->net->title ? reading->net->title : "the network";
}

/* The vertex called TEXT, or with that GUID; CW_NONE if there is none. */
static uint32_t find_vertex(const struct reading *reading, const char *text)
{
    const uint32_t v = cw_name_index_name(reading->names, text);
    if (v != CW_NONE || strncmp(text, "0x", 2) != 0) return v;
    return cw_name_index_vertex(reading->names, text);
}

static int name_number(struct reading *reading, const char *item)
{
    int64_t number;
    const int rc = cw_parse_int("a channel", item, &number);
    if (rc) return rc;
    if (number >= reading->net->n_channels)
        return cw_fail(CW_EUSAGE, "there is no channel %s in %s; they are 0 to %u", item, title_of(reading),
                       reading->net->n_channels - 1);
    name_channel(reading, (uint32_t)number);
    return 0;
}

/* A and PORT where TEXT is "A/PORT"; CW_NONE if it is not. */
static uint32_t vertex_and_port(const struct reading *reading, const char *text, uint32_t *number)
{
    char name[CW_NAME_SIZE];
    const char *slash = strrchr(text, '/');
    int64_t port;
    if (!slash || slash == text || (size_t)(slash - text) >= sizeof name || !isdigit((unsigned char)slash[1]))
        return CW_NONE;
    memcpy(name, text, (size_t)(slash - text));
    name[slash - text] = 0;
    const uint32_t v = find_vertex(reading, name);
    if (v == CW_NONE || cw_parse_int("port", slash + 1, &port) || port > UINT32_MAX) return CW_NONE;
    *number = (uint32_t)port;
    return v;
}

/* The channel that leaves A by PORT where TEXT is "A/PORT"; CW_NONE if there is none. */
static uint32_t channel_at(const struct reading *reading, const char *text)
{
    uint32_t port;
    const uint32_t v = vertex_and_port(reading, text, &port);
    return v == CW_NONE ? CW_NONE : cw_network_channel_at(reading->net, v, port);
}

/* The channel that ITEM, "A/PORT>B/PORT" or, with JOINT '-', "A/PORT-B/PORT", means; CW_NONE if there is none. Either
 * name may itself have a joint. */
static uint32_t channel_between(const struct reading *reading, char *item, char joint)
{
    uint32_t channel = CW_NONE;
    for (char *at = strchr(item, joint); at && channel == CW_NONE; at = strchr(at + 1, joint)) {
        *at = 0;
        const uint32_t tail = channel_at(reading, item), head = channel_at(reading, at + 1);
        *at = joint;
        if (tail != CW_NONE && head == reading->net->twin[tail]) channel = tail;
    }
    return channel;
}

static void name_vertex(struct reading *reading, uint32_t v)
{
    for (uint32_t c = reading->net->first[v]; c < reading->net->first[v + 1]; c++) name_channel(reading, c);
    if (!cw_network_is_endpoint(reading->net, v)) reading->vertex = v;
}

/* With JOINT '-' all cables between two vertices, "A-B"; with '>' one direction of them, "A>B", or of the one at a
 * port, "A/PORT>B". Either name may itself have a joint. *IS_PAIR: whether ITEM is that. */
static int name_pair(struct reading *reading, char *item, char joint, bool *is_pair)
{
    const struct cw_network *net = reading->net;
    *is_pair = false;
    for (char *at = strchr(item, joint); at && !*is_pair; at = strchr(at + 1, joint)) {
        *at = 0;
        uint32_t a = find_vertex(reading, item);
        const uint32_t b = find_vertex(reading, at + 1);
        const uint32_t only = joint == '>' && a == CW_NONE ? channel_at(reading, item) : CW_NONE;
        *at = joint;
        if (only != CW_NONE) a = net->tail[only];
        if (a == CW_NONE || b == CW_NONE) continue;
        *is_pair = true;
        reading->one_way = joint == '>';
        for (uint32_t c = net->first[a]; c < net->first[a + 1]; c++) {
            if (net->head[c] != b || (only != CW_NONE && c != only)) continue;
            if (!reading->one_way)
                name_channel(reading, c);
            else if (!cw_network_is_closed(net, c))
                reading->named[reading->n_named++] = c;
        }
    }
    if (*is_pair && reading->n_named == 0)
        return cw_fail(CW_EUSAGE, "there is no %s %s in %s", joint == '>' ? "open channel" : "cable", item,
                       title_of(reading));
    return 0;
}

/* "N%": the first of all cables between switches in a random order. */
static int name_share(struct reading *reading, char *item)
{
    const struct cw_network *net = reading->net;
    const size_t length = strlen(item);
    double share;
    item[length - 1] = 0;
    int rc = cw_parse_real("a share of the cables", item, &share);
    item[length - 1] = '%';
    if (rc) return rc;
    if (share < 0 || share > 100) return cw_fail(CW_EUSAGE, "%s of the cables; expected 0%% to 100%%", item);
    uint32_t *cables = reading->named, n = 0;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (c < net->twin[c] && !cw_network_is_host_channel(net, c)) cables[n++] = c;
    if (n == 0) return cw_fail(CW_EUSAGE, "%s: no cable of %s is between switches", item, title_of(reading));
    struct cw_random random = cw_random_of(reading->seed, CW_STREAM_FAULTS, 0);
    cw_random_shuffle(&random, cables, n);
    reading->n_named = (uint32_t)lround(share / 100 * n);
    if (reading->n_named == 0 && share > 0)
        return cw_fail(CW_EUSAGE, "%s of the %u cables between switches is less than half a cable", item, n);
    return 0;
}

static int read_lines(struct reading *reading, const char *file);

/* ITEM names nothing: a port without a cable, or perhaps a name that is misspelt. */
static int fail_item(const struct reading *reading, const char *item)
{
    char name[CW_NAME_SIZE];
    uint32_t port;
    const uint32_t v = vertex_and_port(reading, item, &port);
    if (v != CW_NONE)
        return cw_fail(CW_EUSAGE, "%s of %s has no cable at its port %u",
                       cw_network_name(reading->net, v, name, sizeof name), title_of(reading), port);
    if (strchr(item, '>')) return cw_fail(CW_EUSAGE, "%s has no channel %s", title_of(reading), item);
    if (cw_name_index_nearest(reading->names, item, name))
        return cw_fail(CW_EUSAGE, "there is no '%s' in %s; did you mean '%s'?", item, title_of(reading), name);
    return cw_fail(CW_EUSAGE, "there is no '%s' in %s; " EXPECTED, item, title_of(reading));
}

/* Finds the cables that ITEM names; *FOUND: whether it names any. */
static int name_cables(struct reading *reading, char *item, bool *found)
{
    const uint32_t v = find_vertex(reading, item);
    reading->n_named = 0;
    reading->vertex = CW_NONE;
    reading->one_way = false;
    *found = true;
    if (v != CW_NONE) {
        name_vertex(reading, v);
        return 0;
    }
    if (item[strspn(item, "0123456789")] == 0) return name_number(reading, item);
    if (item[strlen(item) - 1] == '%') return name_share(reading, item);
    uint32_t channel = channel_at(reading, item);
    if (channel == CW_NONE) {
        const char joint = strchr(item, '>') ? '>' : '-';
        const int rc = name_pair(reading, item, joint, found);
        if (rc || *found) return rc;
        channel = channel_between(reading, item, joint);
        reading->one_way = channel != CW_NONE && joint == '>';
        if (reading->one_way && cw_network_is_closed(reading->net, channel))
            return cw_fail(CW_EUSAGE, "there is no open channel %s in %s", item, title_of(reading));
    }
    uint32_t e = channel == CW_NONE ? cw_name_index_host(reading->names, item) : CW_NONE;
    *found = channel != CW_NONE || e != CW_NONE;
    if (channel != CW_NONE && !reading->one_way) name_channel(reading, channel);
    if (channel != CW_NONE && reading->one_way) reading->named[reading->n_named++] = channel;
    for (; e != CW_NONE; e = cw_name_index_host_next(reading->names, e)) name_vertex(reading, e);
    return 0;
}

/* Finds what NAME names, and uses it. */
static int use_name(void *context, const char *name, bool last)
{
    struct reading *reading = context;
    bool found = false;
    char *copy = cw_copy_text(name, strlen(name));
    const int rc = copy ? name_cables(reading, copy, &found) : CW_ENOMEM;
    free(copy);
    if (rc) return rc;
    if (found) return reading->use(reading);
    if (!reading->in_file && strcmp(name, reading->item) == 0 && access(name, F_OK) == 0)
        return read_lines(reading, name);
    return last ? fail_item(reading, name) : CW_HOST_UNKNOWN;
}

static int use_item(struct reading *reading, const char *item, bool in_file)
{
    if (*item == 0) return cw_fail(CW_EUSAGE, "an empty name, " EXPECTED);
    reading->item = item;
    reading->in_file = in_file;
    reading->any = reading->slowed = false;
    const int rc = cw_host_list_each(item, use_name, reading);
    if (rc || !reading->rate || !reading->any || reading->slowed) return rc;
    return cw_fail(CW_EUSAGE, "nothing named here is faster than %s", reading->rate);
}

static int read_lines(struct reading *reading, const char *file)
{
    struct cw_text text = {0};
    int rc = cw_file_read(file, &text);
    struct cw_lines lines = cw_lines_of(file, text.data, text.length);
    while (!rc && cw_lines_next(&lines)) {
        char *item = cw_line_content(&lines);
        rc = item ? 0 : CW_ENOMEM;
        if (item && *item) rc = use_item(reading, item, true);
        if (rc == CW_EUSAGE) rc = cw_fail_at(file, lines.number, "%s", cw_error_message());
        free(item);
    }
    cw_text_free(&text);
    return rc;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

static int split_item(struct reading *reading, char *item)
{
    char *equals = reading->rates ? strrchr(item, '=') : NULL;
    if (reading->rates && !equals)
        return cw_fail(CW_EUSAGE, "'%s' has no rate; expected CABLE=RATE, such as s2-s7=8Gbit/s", item);
    reading->rate = equals ? equals + 1 : NULL;
    if (equals) *equals = 0;
    return use_item(reading, item, false);
}

static int read_list(struct reading *reading, const char *what, const char *list)
{
    reading->net = reading->faults->net;
    reading->named = cw_new_array(reading->net->n_channels, sizeof *reading->named, memory);
    int rc = reading->named ? cw_name_index_new(reading->net, &reading->names) : CW_ENOMEM;
    for (bool more = true; !rc && more;) {
        const size_t length = cw_host_list_item(list);
        char *item = cw_copy_text(list, length);
        rc = item ? split_item(reading, item) : CW_ENOMEM;
        free(item);
        more = list[length] == ',';
        list += length + 1;
    }
    if (rc == CW_EUSAGE) rc = cw_fail(rc, "%s: %s", what, cw_error_message());
    cw_name_index_free(reading->names);
    free(reading->named);
    return rc;
}

/* CHANNEL alone fails; with its twin, if that is closed or has failed. */
static int fail_direction(struct cw_faults *faults, uint32_t channel)
{
    const struct cw_network *net = faults->net;
    const uint32_t twin = net->twin[channel];
    char name[2 * CW_NAME_SIZE + 32];
    if (cw_network_is_host_channel(net, channel))
        return cw_fail(CW_EUSAGE, "%s is a channel of an endpoint, whose cables work in both directions or not at all",
                       cw_network_channel_name(net, channel, name, sizeof name));
    if (faults->failed[channel]) return 0;
    faults->failed[channel] = true;
    if (!faults->failed[twin] && !cw_network_is_closed(net, twin)) {
        faults->one_way++;
        return 0;
    }
    faults->one_way -= faults->failed[twin];
    faults->failed[twin] = true;
    faults->cables++;
    return 0;
}

/* Both directions of CHANNEL's cable fail. */
void cw_faults_fail_cable(struct cw_faults *faults, uint32_t channel)
{
    const uint32_t twin = faults->net->twin[channel];
    if (faults->failed[channel] && faults->failed[twin]) return;
    faults->one_way -= faults->failed[channel] || faults->failed[twin];
    faults->failed[channel] = faults->failed[twin] = true;
    faults->cables++;
}

void cw_faults_fail_vertex(struct cw_faults *faults, uint32_t v)
{
    const struct cw_network *net = faults->net;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) cw_faults_fail_cable(faults, c);
    if (cw_network_is_endpoint(net, v)) return;
    faults->switches += !faults->gone[v];
    faults->gone[v] = true;
}

const char *cw_faults_cable_name(const struct cw_network *net, uint32_t channel, char *buffer, size_t size)
{
    char tail[CW_NAME_SIZE], head[CW_NAME_SIZE];
    snprintf(buffer, size, "%s/%u-%s/%u", cw_network_name(net, net->tail[channel], tail, sizeof tail),
             cw_network_port(net, channel), cw_network_name(net, net->head[channel], head, sizeof head),
             cw_network_port(net, net->twin[channel]));
    return buffer;
}

static int fail_named(struct reading *reading)
{
    struct cw_faults *faults = reading->faults;
    for (uint32_t i = 0; i < reading->n_named; i++) {
        const int rc = reading->one_way ? fail_direction(faults, reading->named[i]) : 0;
        if (rc) return rc;
        if (!reading->one_way) cw_faults_fail_cable(faults, reading->named[i]);
    }
    if (reading->vertex != CW_NONE) cw_faults_fail_vertex(faults, reading->vertex);
    return 0;
}

int cw_faults_fail(struct cw_faults *faults, const char *what, const char *list, uint64_t seed)
{
    struct reading reading = {.faults = faults, .seed = seed, .use = fail_named};
    return read_list(&reading, what, list);
}

/* Slows CHANNEL down to CAPACITY, and with BOTH the other direction, unless they are as slow. Gives whether one was
 * not. */
static bool slow_down(struct cw_faults *faults, uint32_t channel, bool both, double capacity)
{
    const double *whole = faults->net->capacity;
    const uint32_t ends[] = {channel, faults->net->twin[channel]};
    const bool was = faults->capacity[ends[0]] < whole[ends[0]] || faults->capacity[ends[1]] < whole[ends[1]];
    bool slowed = false;
    for (int k = 0; k < (both ? 2 : 1); k++) {
        if (capacity >= faults->capacity[ends[k]]) continue;
        faults->capacity[ends[k]] = capacity;
        slowed = true;
    }
    faults->slower += slowed && !was;
    return slowed;
}

static int degrade_named(struct reading *reading)
{
    double capacity;
    const int rc = cw_parse_rate("the rate", reading->rate, &capacity);
    if (rc) return rc;
    if (capacity <= 0)
        return cw_fail(CW_EUSAGE, "a rate of %s; expected more than 0 (--failed removes cables)", reading->rate);
    for (uint32_t i = 0; i < reading->n_named; i++)
        reading->slowed |= slow_down(reading->faults, reading->named[i], !reading->one_way, capacity);
    reading->any |= reading->n_named > 0;
    return 0;
}

int cw_faults_degrade(struct cw_faults *faults, const char *what, const char *list, uint64_t seed)
{
    struct reading reading = {.faults = faults, .seed = seed, .use = degrade_named, .rates = true};
    return read_list(&reading, what, list);
}

/* --- as a list ---------------------------------------------------------------------------------------------------- */

static bool is_changed(const struct cw_faults *faults, uint32_t channel)
{
    return faults->failed[channel] || faults->capacity[channel] < faults->net->capacity[channel];
}

int cw_faults_list(const struct cw_faults *faults, struct cw_channel_changes *out)
{
    const struct cw_network *net = faults->net;
    size_t n = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) n += is_changed(faults, c);
    struct cw_channel_change *items = cw_new_array(n, sizeof *items, memory);
    if (!items) return CW_ENOMEM;
    n = 0;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (is_changed(faults, c))
            items[n++] = (struct cw_channel_change){c, faults->failed[c] ? 0 : faults->capacity[c]};
    *out = (struct cw_channel_changes){.items = items, .n = n};
    return 0;
}

/* A switch without a channel that works has failed. */
static void fail_empty_switches(struct cw_faults *faults)
{
    const struct cw_network *net = faults->net;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        uint32_t c = net->first[v];
        while (c < net->first[v + 1] && faults->failed[c] && faults->failed[net->twin[c]]) c++;
        if (c == net->first[v + 1] && c > net->first[v]) cw_faults_fail_vertex(faults, v);
    }
}

int cw_faults_add(struct cw_faults *faults, const struct cw_channel_changes *list)
{
    int rc = 0;
    for (size_t i = 0; i < list->n && !rc; i++) {
        const struct cw_channel_change *change = &list->items[i];
        if (change->channel >= faults->net->n_channels)
            rc = cw_fail_at(list->file, 0, "channel %u has changed, but the network has %u channels", change->channel,
                            faults->net->n_channels);
        else if (change->capacity > 0)
            slow_down(faults, change->channel, false, change->capacity);
        else if (cw_network_is_host_channel(faults->net, change->channel))
            cw_faults_fail_cable(faults, change->channel);
        else
            rc = fail_direction(faults, change->channel);
    }
    if (!rc) fail_empty_switches(faults);
    return rc;
}

/* --- the network -------------------------------------------------------------------------------------------------- */

/* Appends N of WHAT to TITLE; *JOINT is what stands before it, and then before the next. */
static void add_count(struct cw_text *title, const char **joint, uint32_t n, const char *what, const char *plural)
{
    if (n == 0) return;
    cw_text_printf(title, "%s %u %s%s", *joint, n, what, n == 1 ? "" : plural);
    *joint = " and";
}

static int set_title(const struct cw_faults *faults, struct cw_network *net)
{
    struct cw_text title = {0};
    const char *joint = " without", *with = " with";
    cw_text_add(&title, faults->net->title ? faults->net->title : "a network");
    add_count(&title, &joint, faults->switches, "switch", "es");
    add_count(&title, &joint, faults->cables, "cable", "s");
    add_count(&title, &joint, faults->one_way, "channel", "s");
    if (faults->switches + faults->cables + faults->one_way > 0) with = ", with";
    add_count(&title, &with, faults->slower, "slower cable", "s");
    int rc = cw_text_check(&title);
    if (!rc) rc = cw_network_set_title(net, title.data);
    cw_text_free(&title);
    return rc;
}

/* Fills VERTEX and CHANNEL with what is left. A switch is as long as it has a cable, or if it never had one. */
static void choose(const struct cw_faults *faults, bool *vertex, bool *channel)
{
    const struct cw_network *net = faults->net;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        vertex[v] = v < net->n_endpoints || (!faults->gone[v] && cw_network_degree(net, v) == 0);
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            channel[c] = !faults->failed[c] || !faults->failed[net->twin[c]];
            if (!faults->gone[v] && channel[c]) vertex[v] = true;
        }
    }
}

/* SLOWER is the whole network with other capacities. */
static int take_out(const struct cw_faults *faults, const struct cw_network *slower, struct cw_network **out)
{
    const struct cw_network *whole = faults->net;
    bool *vertex = cw_new_array(whole->n_vertices, sizeof *vertex, memory);
    bool *channel = cw_new_array(whole->n_channels, sizeof *channel, memory);
    struct cw_network *net = NULL;
    int rc = vertex && channel ? 0 : CW_ENOMEM;
    if (!rc) choose(faults, vertex, channel);
    if (!rc) rc = cw_network_part(slower, vertex, channel, &net);
    if (!rc) rc = set_title(faults, net);
    free(vertex);
    free(channel);
    if (rc)
        cw_network_free(net);
    else
        *out = net;
    return rc;
}

int cw_network_with_faults(const struct cw_faults *faults, struct cw_network **out)
{
    struct cw_network *slower;
    int rc = cw_network_part(faults->net, NULL, NULL, &slower);
    if (rc) return rc;
    for (uint32_t c = 0; c < slower->n_channels; c++)
        slower->capacity[c] = faults->failed[c] ? 0 : faults->capacity[c]; /* where it stays: of a one-way cable */
    rc = take_out(faults, slower, out);
    cw_network_free(slower);
    return rc;
}

/* The vertices that are left, where each stands in the shape. An endpoint without a cable stands beside it. */
static int find_places(const struct cw_faults *faults, const struct cw_network *net, uint32_t *place)
{
    const struct cw_network *whole = faults->net;
    bool *vertex = cw_new_array(whole->n_vertices, sizeof *vertex, memory);
    bool *channel = cw_new_array(whole->n_channels, sizeof *channel, memory);
    const int rc = vertex && channel ? 0 : CW_ENOMEM;
    if (!rc) choose(faults, vertex, channel);
    for (uint32_t v = 0, n = 0; !rc && v < whole->n_vertices; v++) {
        if (!vertex[v]) continue;
        place[n] = whole->places ? whole->places->place[v] : v;
        if (cw_network_is_endpoint(net, n) && cw_network_degree(net, n) == 0) place[n] = CW_NONE;
        n++;
    }
    free(vertex);
    free(channel);
    return rc;
}

int cw_faults_keep_places(const struct cw_faults *faults, struct cw_network *net)
{
    const struct cw_network *whole = faults->net, *regular = whole->places ? whole->places->ideal : whole;
    struct cw_network *ideal;
    if (!regular->shape.kind || net->n_closed > 0) return 0;
    if (cw_network_regular_shape(net)->kind == regular->shape.kind) return 0;
    int rc = cw_network_part(regular, NULL, NULL, &ideal);
    if (rc) return rc;
    uint32_t *place = cw_new_array(net->n_vertices, sizeof *place, memory);
    rc = place ? find_places(faults, net, place) : CW_ENOMEM;
    if (!rc) {
        net->shape = (struct cw_shape){.kind = NULL};
        cw_places_free(net->places);
        net->places = NULL;
        return cw_places_new(net, ideal, place, &net->places);
    }
    cw_network_free(ideal);
    free(place);
    return rc;
}
