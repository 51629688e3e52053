#include "cli/diff/diff_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/fabric.h"
#include "net/network_internal.h"
#include "report/rows.h"

static const struct cw_column summary_columns[] = {
    {"what", CW_COLUMN_TEXT, NULL,
     "switches, endpoints, cables; entries: of forwarding tables, a switch and a destination each; pairs: ordered "
     "pairs "
     "of endpoints that are in both networks and whose route arrives"},
    {"before", CW_COLUMN_INT, NULL, "how many there were"},
    {"after", CW_COLUMN_INT, NULL, "... there are"},
    {"came", CW_COLUMN_INT, NULL, "... are there now and were not"},
    {"went", CW_COLUMN_INT, NULL, "... were there and are not"},
    {"changed", CW_COLUMN_INT, NULL,
     "... are another: switches with other entries, destinations to which other entries or routes lead, cables of "
     "another speed, entries with another port, pairs whose route goes over other channels"},
};

static const struct cw_column switch_columns[] = {
    {"switch", CW_COLUMN_TEXT, NULL, "a switch whose forwarding table has changed"},
    {"entries", CW_COLUMN_INT, NULL, "its entries that came, went or name another port"},
};

static const struct cw_column destination_columns[] = {
    {"destination", CW_COLUMN_TEXT, NULL, "an endpoint to which other entries or routes lead"},
    {"switches", CW_COLUMN_INT, NULL, "switches whose entries for it came, went or name another port"},
    {"moved", CW_COLUMN_INT, NULL, "endpoints whose route to it goes over other channels"},
    {"lost", CW_COLUMN_INT, NULL, "... whose route arrived and does not"},
    {"gained", CW_COLUMN_INT, NULL, "... whose route arrives and did not"},
};

static const struct cw_column channel_columns[] = {
    {"channel", CW_COLUMN_TEXT, NULL, "a channel between switches with more routes than before, all pairs"},
    {"before", CW_COLUMN_INT, NULL, "routes that went over it; missing for a cable that came"},
    {"after", CW_COLUMN_INT, NULL, "routes that go over it"},
    {"more", CW_COLUMN_INT, NULL, "the difference"},
};

static const struct cw_column route_columns[] = {
    {"when", CW_COLUMN_TEXT, NULL, "before or after"},
    {"network", CW_COLUMN_TEXT, NULL, "the network then", .detail = true},
    {"routes", CW_COLUMN_TEXT, NULL, "its routes", .detail = true},
    {"pairs", CW_COLUMN_INT, NULL, "ordered pairs of different endpoints that were checked"},
    {"reached", CW_COLUMN_INT, NULL, "... whose route arrives"},
    {"holes", CW_COLUMN_INT, NULL, "... whose route ends in a missing entry, or at another endpoint"},
    {"loops", CW_COLUMN_INT, NULL, "... whose route never ends"},
    {"hops_mean", CW_COLUMN_REAL, "hop", "mean length of a route, host channels included"},
    {"hops_max", CW_COLUMN_INT, "hop", "longest route"},
    {"routes_max", CW_COLUMN_REAL, NULL, "routes on the busiest channel between switches, all pairs"},
    {"busiest", CW_COLUMN_TEXT, NULL, "that channel"},
    {"deadlock_free", CW_COLUMN_TEXT, NULL, "as crosswind route says it"},
};

#define NEW_TABLE(RESULT, NAME, TITLE, COLUMNS, TABLE)                                                                 \
    new_table(RESULT, NAME, TITLE, COLUMNS, sizeof(COLUMNS) / sizeof *(COLUMNS), TABLE)

static int new_table(struct cw_result *result, const char *name, const char *title, const struct cw_column *columns,
                     size_t n_columns, struct cw_table **table)
{
    const int rc = cw_table_new(name, title, columns, n_columns, table);
    if (rc) return rc;
    cw_table_cut_text(*table, DIFF_SHOWN);
    return cw_result_add_table(result, *table);
}

/* --- how many ----------------------------------------------------------------------------------------------------- */

static uint32_t count_none(const uint32_t *places, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++) n += places[i] == CW_NONE;
    return n;
}

static void add_count(struct cw_table *table, const char *what, uint64_t before, uint64_t after, uint64_t came,
                      uint64_t went, uint64_t changed)
{
    cw_table_row(table, "%s %lu %lu %lu %lu %lu", what, before, after, came, went, changed);
}

static bool destination_changed(const struct cw_route_changes *changes, uint32_t dst)
{
    const struct cw_pair_changes *of = &changes->of[dst];
    return changes->to[dst] + of->moved + of->lost + of->gained > 0;
}

/* Channels of AFTER that were there with another capacity, one of a cable. */
static uint64_t count_other_speeds(const struct cw_network_match *match)
{
    uint64_t n = 0;
    for (uint32_t c = 0; c < match->after->n_channels; c++)
        n +=
            c < match->after->twin[c] && (diff_other_speed(match, c) || diff_other_speed(match, match->after->twin[c]));
    return n;
}

int diff_add_summary(struct cw_result *result, const struct diff *diff)
{
    const struct cw_network_match *match = &diff->match;
    const struct cw_network *before = match->before, *after = match->after;
    const struct cw_route_changes *changes = &diff->changes;
    uint64_t tables = 0, destinations = 0;
    struct cw_text title = {0};
    struct cw_table *table;
    for (uint32_t i = 0; i < cw_network_switches(after); i++) tables += changes->at_switch[i] > 0;
    for (uint32_t i = 0; i < after->n_endpoints; i++) destinations += destination_changed(changes, i);
    cw_text_printf(&title, "What changed from %s, %s, to %s, %s", before->title,
                   cw_routes_name(diff->before.fabric.routes), after->title, cw_routes_name(diff->after.fabric.routes));
    int rc = cw_text_check(&title);
    if (!rc) rc = NEW_TABLE(result, "changes", title.data, summary_columns, &table);
    cw_text_free(&title);
    if (rc) return rc;
    add_count(table, "switches", cw_network_switches(before), cw_network_switches(after),
              count_none(match->before_vertex, after->n_endpoints, after->n_vertices),
              count_none(match->after_vertex, before->n_endpoints, before->n_vertices), tables);
    add_count(table, "endpoints", before->n_endpoints, after->n_endpoints,
              count_none(match->before_vertex, 0, after->n_endpoints),
              count_none(match->after_vertex, 0, before->n_endpoints), destinations);
    add_count(table, "cables", before->n_channels / 2, after->n_channels / 2,
              count_none(match->before_channel, 0, after->n_channels) / 2,
              count_none(match->after_channel, 0, before->n_channels) / 2, count_other_speeds(match));
    add_count(table, "entries", changes->entries_before, changes->entries_after, changes->entries_came,
              changes->entries_went, changes->entries_moved);
    add_count(table, "pairs", changes->pairs.before, changes->pairs.after, changes->pairs.gained, changes->pairs.lost,
              changes->pairs.moved);
    return 0;
}

/* --- the most first ----------------------------------------------------------------------------------------------- */

struct ranked {
    uint64_t most, then;
    uint32_t id;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->most != y->most) return x->most > y->most ? -1 : 1;
    if (x->then != y->then) return x->then > y->then ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Room for N of them. */
static int new_ranking(uint32_t n, struct ranked **ranking)
{
    *ranking = cw_new_array(n, sizeof **ranking, "changes by number");
    return *ranking ? 0 : CW_ENOMEM;
}

int diff_add_switches(struct cw_result *result, const struct diff *diff)
{
    const struct cw_network *net = diff->match.after;
    const uint64_t *entries = diff->changes.at_switch;
    struct cw_table *table;
    struct ranked *ranking;
    char name[CW_NAME_SIZE];
    uint32_t n = 0;
    int rc = NEW_TABLE(result, "switches", "Switches whose forwarding tables changed", switch_columns, &table);
    if (!rc) rc = new_ranking(cw_network_switches(net), &ranking);
    if (rc) return rc;
    for (uint32_t i = 0; i < cw_network_switches(net); i++)
        if (entries[i] > 0) ranking[n++] = (struct ranked){.most = entries[i], .id = i};
    qsort(ranking, n, sizeof *ranking, compare_ranked);
    for (uint32_t i = 0; i < n; i++) {
        cw_table_text(table, cw_network_name(net, net->n_endpoints + ranking[i].id, name, sizeof name));
        cw_table_int(table, (int64_t)ranking[i].most);
    }
    free(ranking);
    return 0;
}

int diff_add_destinations(struct cw_result *result, const struct diff *diff)
{
    const struct cw_network *net = diff->match.after;
    const struct cw_route_changes *changes = &diff->changes;
    struct cw_table *table;
    struct ranked *ranking;
    char name[CW_NAME_SIZE];
    uint32_t n = 0;
    int rc = NEW_TABLE(result, "destinations", "Destinations to which routes changed", destination_columns, &table);
    if (!rc) rc = new_ranking(net->n_endpoints, &ranking);
    if (rc) return rc;
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
        if (destination_changed(changes, dst))
            ranking[n++] = (struct ranked){changes->of[dst].lost, changes->of[dst].moved, dst};
    qsort(ranking, n, sizeof *ranking, compare_ranked);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t dst = ranking[i].id;
        cw_table_row(table, "%s %lu %lu %lu %lu", cw_network_name(net, dst, name, sizeof name), changes->to[dst],
                     changes->of[dst].moved, changes->of[dst].lost, changes->of[dst].gained);
    }
    free(ranking);
    return 0;
}

int diff_add_channels(struct cw_result *result, const struct diff *diff)
{
    const struct cw_network *net = diff->match.after;
    const uint64_t *before = diff->before.reach.load, *after = diff->after.reach.load;
    struct cw_table *table;
    struct ranked *ranking;
    char name[2 * CW_NAME_SIZE + 32];
    uint32_t n = 0;
    int rc = NEW_TABLE(result, "channels", "Channels that carry more routes", channel_columns, &table);
    if (!rc) rc = new_ranking(net->n_channels, &ranking);
    if (rc) return rc;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t was = diff->match.before_channel[c];
        const uint64_t then = was == CW_NONE ? 0 : before[was];
        if (cw_network_is_host_channel(net, c)) continue;
        if (after[c] > then) ranking[n++] = (struct ranked){after[c] - then, after[c], c};
    }
    qsort(ranking, n, sizeof *ranking, compare_ranked);
    for (uint32_t i = 0; i < n; i++) {
        cw_table_text(table, cw_network_channel_name(net, ranking[i].id, name, sizeof name));
        if (diff->match.before_channel[ranking[i].id] == CW_NONE)
            cw_table_none(table);
        else
            cw_table_int(table, (int64_t)(ranking[i].then - ranking[i].most));
        cw_table_int(table, (int64_t)ranking[i].then);
        cw_table_int(table, (int64_t)ranking[i].most);
    }
    free(ranking);
    return 0;
}

/* --- the routes as a whole ---------------------------------------------------------------------------------------- */

static void add_side(struct cw_table *table, const char *when, const struct diff_side *side)
{
    const struct cw_reach *reach = &side->reach;
    const struct cw_network *net = side->fabric.net;
    char name[2 * CW_NAME_SIZE + 32];
    const uint32_t busiest = reach->load_max_channel;
    cw_table_row(table, "%s %s %s %lu %lu %lu %lu %g %u %g", when, net->title, cw_routes_name(side->fabric.routes),
                 reach->pairs, reach->reached, reach->holes, reach->loops, reach->hops_mean, reach->hops_max,
                 reach->load_max);
    cw_table_text(table, busiest == CW_NONE ? NULL : cw_network_channel_name(net, busiest, name, sizeof name));
    cw_table_text(table, cw_deadlock_verdict(&side->deadlock));
}

int diff_add_routes(struct cw_result *result, const struct diff *diff)
{
    struct cw_table *table;
    const int rc = NEW_TABLE(result, "routes", "Routes", route_columns, &table);
    if (rc) return rc;
    add_side(table, "before", &diff->before);
    add_side(table, "after", &diff->after);
    return 0;
}

/* --- which switches, endpoints and cables came, went or changed --------------------------------------------------- */

static const struct cw_column part_columns[] = {
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
    int rc = cw_result_new_table(result, "parts", "Switches, endpoints and cables that changed", CW_ITEMS(part_columns),
                                 &table);
    if (rc) return rc;
    cw_table_cut_text(table, DIFF_SHOWN);
    add_vertices(table, &diff->match);
    add_cables(table, &diff->match);
    return 0;
}
