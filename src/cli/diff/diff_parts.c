/* Which switches, endpoints and cables came, went or changed. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/diff/diff_tables.h"
#include "net/network_internal.h"
#include "report/rows.h"

static const struct cw_column columns[] = {
    {"part", CW_COLUMN_TEXT, NULL, "switch, endpoint or cable"},
    {"change", CW_COLUMN_TEXT, NULL,
     "came or went; moved: an endpoint is connected elsewhere; cut off: it has no cable any more; name, LID or speed: "
     "it has another"},
    {"name", CW_COLUMN_TEXT, NULL,
     "what came, went or changed; cables of switches and endpoints that came or went are not listed"},
    {"before", CW_COLUMN_TEXT, NULL, "its cables, place, name, LID or speed before"},
    {"after", CW_COLUMN_TEXT, NULL, "... and after"},
};

#define ROOM (2 * CW_NAME_SIZE + 32)

static const char *part_of(const struct cw_network *net, uint32_t v)
{
    return cw_network_is_endpoint(net, v) ? "endpoint" : "switch";
}

/* BEFORE or AFTER may be NULL: missing. */
static void add_row(struct cw_table *table, const char *part, const char *change, const char *name, const char *before,
                    const char *after)
{
    const char *const cells[] = {part, change, name, before, after};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) cw_table_text(table, cells[i]);
}

/* Where V is: "leaf3/7", the port of a switch that an endpoint is connected to; "36 cables" of all others. */
static const char *place_of(const struct cw_network *net, uint32_t v, char *buffer)
{
    char name[CW_NAME_SIZE];
    const uint32_t degree = cw_network_degree(net, v);
    if (!cw_network_is_endpoint(net, v) || degree != 1) {
        snprintf(buffer, ROOM, "%u cable%s", degree, cw_plural(degree));
        return buffer;
    }
    const uint32_t channel = net->first[v];
    snprintf(buffer, ROOM, "%s/%u", cw_network_name(net, net->head[channel], name, sizeof name),
             cw_network_port(net, net->twin[channel]));
    return buffer;
}

static uint32_t lid_of(const struct cw_network *net, uint32_t v)
{
    return net->identity ? net->identity[v].lid : 0;
}

/* True if an endpoint that was WAS and is V has its cables elsewhere. */
static bool moved(const struct cw_network_match *match, uint32_t was, uint32_t v)
{
    const struct cw_network *after = match->after;
    if (!cw_network_is_endpoint(after, v)) return false;
    bool other = cw_network_degree(match->before, was) != cw_network_degree(after, v);
    for (uint32_t c = after->first[v]; c < after->first[v + 1]; c++) other |= match->before_channel[c] == CW_NONE;
    return other;
}

static void add_changed_vertex(struct cw_table *table, const struct cw_network_match *match, uint32_t was, uint32_t v)
{
    const struct cw_network *before = match->before, *after = match->after;
    char name[CW_NAME_SIZE], old_name[CW_NAME_SIZE], old[ROOM], new[ROOM];
    cw_network_name(after, v, name, sizeof name);
    cw_network_name(before, was, old_name, sizeof old_name);
    if (strcmp(name, old_name) != 0) add_row(table, part_of(after, v), "name", name, old_name, name);
    if (moved(match, was, v))
        add_row(table, part_of(after, v), cw_network_degree(after, v) > 0 ? "moved" : "cut off", name,
                place_of(before, was, old), place_of(after, v, new));
    if (lid_of(before, was) == lid_of(after, v) || lid_of(before, was) == 0 || lid_of(after, v) == 0) return;
    snprintf(old, sizeof old, "%u", lid_of(before, was));
    snprintf(new, sizeof new, "%u", lid_of(after, v));
    add_row(table, part_of(after, v), "LID", name, old, new);
}

static void add_vertices(struct cw_table *table, const struct cw_network_match *match)
{
    const struct cw_network *before = match->before, *after = match->after;
    char name[CW_NAME_SIZE], place[ROOM];
    for (uint32_t v = 0; v < before->n_vertices; v++)
        if (match->after_vertex[v] == CW_NONE)
            add_row(table, part_of(before, v), "went", cw_network_name(before, v, name, sizeof name),
                    place_of(before, v, place), NULL);
    for (uint32_t v = 0; v < after->n_vertices; v++)
        if (match->before_vertex[v] == CW_NONE)
            add_row(table, part_of(after, v), "came", cw_network_name(after, v, name, sizeof name), NULL,
                    place_of(after, v, place));
        else
            add_changed_vertex(table, match, match->before_vertex[v], v);
}

bool diff_other_speed(const struct cw_network_match *match, uint32_t channel)
{
    const uint32_t was = match->before_channel[channel];
    if (was == CW_NONE) return false;
    const double now = match->after->capacity[channel], then = match->before->capacity[was];
    return now < then || now > then;
}

static const char *speed_of(const struct cw_network *net, uint32_t channel, char *buffer)
{
    return cw_network_is_closed(net, channel) ? "closed" : cw_format_rate(net->capacity[channel], buffer, ROOM);
}

/* Cables of NET that are not in the other network, though their ends are. */
static void add_one_sided(struct cw_table *table, const struct cw_network *net, const uint32_t *vertex,
                          const uint32_t *channel, bool came)
{
    char name[ROOM], speed[ROOM];
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (c > net->twin[c] || channel[c] != CW_NONE) continue;
        if (vertex[net->tail[c]] == CW_NONE || vertex[net->head[c]] == CW_NONE) continue;
        speed_of(net, c, speed);
        add_row(table, "cable", came ? "came" : "went", cw_network_channel_name(net, c, name, sizeof name),
                came ? NULL : speed, came ? speed : NULL);
    }
}

static void add_cables(struct cw_table *table, const struct cw_network_match *match)
{
    const struct cw_network *after = match->after;
    char name[ROOM], old[ROOM], new[ROOM];
    add_one_sided(table, match->before, match->after_vertex, match->after_channel, false);
    add_one_sided(table, after, match->before_vertex, match->before_channel, true);
    for (uint32_t c = 0; c < after->n_channels; c++) {
        const uint32_t twin = after->twin[c];
        if (!diff_other_speed(match, c) || (twin < c && diff_other_speed(match, twin))) continue; /* once a cable */
        add_row(table, "cable", "speed", cw_network_channel_name(after, c, name, sizeof name),
                speed_of(match->before, match->before_channel[c], old), speed_of(after, c, new));
    }
}

int diff_add_parts(struct cw_result *result, const struct diff *diff)
{
    struct cw_table *table;
    int rc =
        cw_result_new_table(result, "parts", "Switches, endpoints and cables that changed", CW_ITEMS(columns), &table);
    if (rc) return rc;
    cw_table_cut_text(table, DIFF_SHOWN);
    add_vertices(table, &diff->match);
    add_cables(table, &diff->match);
    return 0;
}
