/* Files of demands to any of several endpoints: doc/formats/anycast.md. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "flow/anycast/anycast.h"
#include "net/host_list.h"
#include "net/name_index.h"
#include "net/network_internal.h"

static const char what[] = "demands to sets";

struct reading {
    const struct cw_network *net;
    const struct cw_selection *selection;
    const char *file;
    unsigned long line;
    struct cw_name_index *index;
    uint32_t *set_of; /* [endpoints] of which it is a member, or CW_NONE */
    struct cw_anycast anycast;
    /* what the names of the line mean */
    struct cw_anycast_member member;
    struct cw_anycast_demand demand;
};

static int fail_line(const struct reading *reading, const char *message)
{
    return cw_fail_at(reading->file, reading->line, "%s", message);
}

/* --- sets and members --------------------------------------------------------------------------------------------- */

static uint32_t find_set(const struct cw_anycast *anycast, const char *name)
{
    for (size_t s = 0; s < anycast->n_sets; s++)
        if (anycast->sets[s].name && strcmp(anycast->sets[s].name, name) == 0) return (uint32_t)s;
    return CW_NONE;
}

/* NAME: NULL for a destination that is no set. */
static int add_set(struct cw_anycast *anycast, const char *name, uint32_t *set)
{
    void *items = anycast->sets;
    const int rc = cw_grow_array(&items, &anycast->sets_capacity, anycast->n_sets + 1, sizeof *anycast->sets, what);
    anycast->sets = items;
    if (rc) return rc;
    char *copy = name ? cw_copy_text(name, strlen(name)) : NULL;
    if (name && !copy) return CW_ENOMEM;
    *set = (uint32_t)anycast->n_sets;
    anycast->sets[anycast->n_sets++] = (struct cw_anycast_set){.name = copy};
    return 0;
}

static int add_member(struct reading *reading, struct cw_anycast_member member)
{
    struct cw_anycast *anycast = &reading->anycast;
    char name[CW_NAME_SIZE];
    const uint32_t before = reading->set_of[member.endpoint];
    if (before != CW_NONE)
        return cw_fail_at(reading->file, reading->line, "%s is a member of %s already; expected one line a member",
                          cw_network_name(reading->net, member.endpoint, name, sizeof name),
                          anycast->sets[before].name);
    void *items = anycast->members;
    const int rc =
        cw_grow_array(&items, &anycast->members_capacity, anycast->n_members + 1, sizeof *anycast->members, what);
    anycast->members = items;
    if (rc) return rc;
    anycast->members[anycast->n_members++] = member;
    reading->set_of[member.endpoint] = member.set;
    return 0;
}

/* --- names of endpoints ------------------------------------------------------------------------------------------- */

typedef int take_endpoint(struct reading *reading, uint32_t endpoint);

struct taking {
    struct reading *reading;
    take_endpoint *take;
};

/* The endpoint called NAME, or the first of the host; CW_NONE. */
static uint32_t find_endpoint(const struct reading *reading, const char *name)
{
    const uint32_t v = cw_name_index_vertex(reading->index, name);
    return v != CW_NONE && cw_network_is_endpoint(reading->net, v) ? v : CW_NONE;
}

static int take_name(void *context, const char *name, bool last)
{
    const struct taking *taking = context;
    struct reading *reading = taking->reading;
    const uint32_t v = find_endpoint(reading, name);
    if (v != CW_NONE) return taking->take(reading, v);
    uint32_t e = cw_name_index_host(reading->index, name);
    if (e == CW_NONE && !last) return CW_HOST_UNKNOWN;
    if (e == CW_NONE)
        return cw_fail_at(reading->file, reading->line,
                          "'%s' is no endpoint; expected the name, number or GUID (0x…) of an endpoint, a host, or a "
                          "list such as node[001-064]",
                          name);
    int rc = 0;
    for (; e != CW_NONE && !rc; e = cw_name_index_host_next(reading->index, e)) rc = taking->take(reading, e);
    return rc;
}

/* Has TAKE called for each endpoint that LIST names. */
static int each_endpoint(struct reading *reading, const char *list, take_endpoint *take)
{
    struct taking taking = {reading, take};
    const int rc = cw_host_list_each(list, take_name, &taking);
    return rc == CW_EUSAGE ? fail_line(reading, cw_error_message()) : rc;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

#define MEMBER "member SET ENDPOINTS [bytes=SIZE] [rate=RATE]"
#define DEMAND "demand ENDPOINTS SET SIZE"

static int take_member(struct reading *reading, uint32_t endpoint)
{
    struct cw_anycast_member member = reading->member;
    member.endpoint = endpoint;
    return add_member(reading, member);
}

static int read_limit(struct reading *reading, const char *word)
{
    struct cw_anycast_member *member = &reading->member;
    int rc;
    if (strncmp(word, "bytes=", 6) == 0)
        rc = cw_parse_bytes("bytes", word + 6, &member->bytes);
    else if (strncmp(word, "rate=", 5) == 0)
        rc = cw_parse_rate("rate", word + 5, &member->rate);
    else
        return cw_fail_at(reading->file, reading->line, "'%s' is no limit; expected bytes=SIZE or rate=RATE", word);
    if (rc) return fail_line(reading, cw_error_message());
    if (member->bytes == 0 || !(member->rate > 0))
        return cw_fail_at(reading->file, reading->line, "'%s': expected more than 0, or no such member", word);
    return 0;
}

static int read_member(struct reading *reading, char *at)
{
    struct cw_anycast *anycast = &reading->anycast;
    const char *name = cw_next_word(&at), *list = cw_next_word(&at), *word;
    if (!list) return fail_line(reading, "a member without a name; expected " MEMBER);
    uint32_t set = find_set(anycast, name);
    int rc = set == CW_NONE ? add_set(anycast, name, &set) : 0;
    reading->member = (struct cw_anycast_member){.set = set, .bytes = UINT64_MAX, .rate = INFINITY};
    while (!rc && (word = cw_next_word(&at)) != NULL) rc = read_limit(reading, word);
    return rc ? rc : each_endpoint(reading, list, take_member);
}

static int take_demand(struct reading *reading, uint32_t src)
{
    struct cw_anycast *anycast = &reading->anycast;
    const uint32_t set = reading->demand.set;
    char name[CW_NAME_SIZE];
    if (reading->set_of[src] == set)
        return cw_fail_at(reading->file, reading->line, "%s is a member of %s, and would send to itself",
                          cw_network_name(reading->net, src, name, sizeof name),
                          anycast->sets[set].name ? anycast->sets[set].name : "nothing else");
    void *items = anycast->demands;
    const int rc =
        cw_grow_array(&items, &anycast->demands_capacity, anycast->n_demands + 1, sizeof *anycast->demands, what);
    anycast->demands = items;
    if (rc) return rc;
    anycast->demands[anycast->n_demands++] =
        (struct cw_anycast_demand){.src = src, .set = set, .bytes = reading->demand.bytes};
    return 0;
}

/* All that take part, but for the members of the set. */
static int take_all(struct reading *reading)
{
    const struct cw_selection *selection = reading->selection;
    const uint32_t n = selection ? selection->n : reading->net->n_endpoints;
    int rc = 0;
    for (uint32_t i = 0; i < n && !rc; i++) {
        const uint32_t e = selection ? selection->endpoints[i] : i;
        if (reading->set_of[e] != reading->demand.set) rc = take_demand(reading, e);
    }
    return rc;
}

/* The set that NAME means, or the one that a single endpoint is. */
static int find_destination(struct reading *reading, const char *name, uint32_t *out)
{
    struct cw_anycast *anycast = &reading->anycast;
    uint32_t set = find_set(anycast, name);
    if (set == CW_NONE) {
        const uint32_t endpoint = find_endpoint(reading, name);
        if (endpoint == CW_NONE)
            return cw_fail_at(reading->file, reading->line,
                              "'%s' is neither a set nor an endpoint; expected a set that a line '" MEMBER "' names",
                              name);
        set = reading->set_of[endpoint];
        if (set != CW_NONE && anycast->sets[set].name)
            return cw_fail_at(reading->file, reading->line, "%s is a member of %s; expected the set as the destination",
                              name, anycast->sets[set].name);
        int rc = set == CW_NONE ? add_set(anycast, NULL, &set) : 0;
        if (!rc && reading->set_of[endpoint] == CW_NONE)
            rc = add_member(reading, (struct cw_anycast_member){endpoint, set, UINT64_MAX, INFINITY});
        if (rc) return rc;
    }
    *out = set;
    return 0;
}

static int read_demand(struct reading *reading, char *at)
{
    const char *list = cw_next_word(&at), *name = cw_next_word(&at), *size = cw_next_word(&at);
    if (!size || cw_next_word(&at)) return fail_line(reading, "expected " DEMAND);
    int rc = find_destination(reading, name, &reading->demand.set);
    if (rc) return rc;
    if (cw_parse_bytes("demand", size, &reading->demand.bytes)) return fail_line(reading, cw_error_message());
    if (reading->demand.bytes == 0) return fail_line(reading, "a demand of 0 bytes; expected more");
    return strcmp(list, "all") == 0 ? take_all(reading) : each_endpoint(reading, list, take_demand);
}

/* Reads the lines of members, or of DEMANDS, which name sets that may follow. */
static int read_lines(struct reading *reading, const char *data, size_t length, bool demands)
{
    struct cw_lines lines = cw_lines_of(reading->file, data, length);
    int rc = 0;
    while (!rc && cw_lines_next(&lines)) {
        char *content = cw_line_content(&lines), *at = content;
        if (!content) return CW_ENOMEM;
        reading->line = lines.number;
        const char *word = cw_next_word(&at);
        if (!word)
            ; /* only a comment */
        else if (strcmp(word, "member") == 0)
            rc = demands ? 0 : read_member(reading, at);
        else if (strcmp(word, "demand") == 0)
            rc = demands ? read_demand(reading, at) : 0;
        else
            rc = cw_fail_at(reading->file, reading->line, "'%s' begins no line; expected " MEMBER ", or " DEMAND, word);
        free(content);
    }
    return rc;
}

/* --- what all lines together say ---------------------------------------------------------------------------------- */

static int compare_members(const void *a, const void *b)
{
    const struct cw_anycast_member *x = a, *y = b;
    if (x->set != y->set) return x->set < y->set ? -1 : 1;
    return (x->endpoint > y->endpoint) - (x->endpoint < y->endpoint);
}

static int compare_demands(const void *a, const void *b)
{
    const struct cw_anycast_demand *x = a, *y = b;
    if (x->src != y->src) return x->src < y->src ? -1 : 1;
    return (x->set > y->set) - (x->set < y->set);
}

static void sort_members(struct cw_anycast *anycast)
{
    if (anycast->n_members > 1) qsort(anycast->members, anycast->n_members, sizeof *anycast->members, compare_members);
    for (size_t m = anycast->n_members; m-- > 0;) {
        struct cw_anycast_set *set = &anycast->sets[anycast->members[m].set];
        set->first = (uint32_t)m;
        set->n++;
    }
}

/* Demands of one source to one set become one. */
static int merge_demands(const struct reading *reading, struct cw_anycast *anycast)
{
    struct cw_anycast_demand *items = anycast->demands;
    size_t kept = 0;
    if (anycast->n_demands > 1) qsort(items, anycast->n_demands, sizeof *items, compare_demands);
    for (size_t d = 0; d < anycast->n_demands; d++) {
        if (kept == 0 || compare_demands(&items[kept - 1], &items[d]) != 0)
            items[kept++] = items[d];
        else if (__builtin_add_overflow(items[kept - 1].bytes, items[d].bytes, &items[kept - 1].bytes))
            return cw_fail_at(reading->file, 0, "the bytes of endpoint %" PRIu32 " are more than 64 bits can count",
                              items[d].src);
    }
    anycast->n_demands = kept;
    return 0;
}

/* Whether the members of set S have room for all that is sent to it. */
static int check_room(const struct reading *reading, uint32_t s)
{
    const struct cw_anycast *anycast = &reading->anycast;
    const struct cw_anycast_set *set = &anycast->sets[s];
    uint64_t room = 0, sent = 0;
    char numbers[3][32];
    for (uint32_t m = set->first; m < set->first + set->n; m++)
        if (__builtin_add_overflow(room, anycast->members[m].bytes, &room)) room = UINT64_MAX;
    for (size_t d = 0; d < anycast->n_demands; d++)
        if (anycast->demands[d].set == s && __builtin_add_overflow(sent, anycast->demands[d].bytes, &sent))
            return cw_fail_at(reading->file, 0, "the bytes for %s are more than 64 bits can count",
                              set->name ? set->name : "an endpoint");
    if (sent <= room) return 0;
    return cw_fail_at(reading->file, 0, "%s is short of %s: its members can take %s, and %s are sent to it", set->name,
                      cw_format_bytes(sent - room, numbers[0], sizeof numbers[0]),
                      cw_format_bytes(room, numbers[1], sizeof numbers[1]),
                      cw_format_bytes(sent, numbers[2], sizeof numbers[2]));
}

static int finish(struct reading *reading)
{
    struct cw_anycast *anycast = &reading->anycast;
    if (anycast->n_demands == 0) return cw_fail_at(reading->file, 0, "no demands; expected lines '" DEMAND "'");
    sort_members(anycast);
    int rc = merge_demands(reading, anycast);
    for (uint32_t s = 0; s < anycast->n_sets && !rc; s++) rc = check_room(reading, s);
    return rc;
}

int cw_anycast_parse(const struct cw_network *net, const struct cw_selection *selection, const char *file,
                     const char *data, size_t length, struct cw_anycast *out)
{
    struct reading reading = {.net = net, .selection = selection, .file = file};
    reading.set_of = cw_new_array(net->n_endpoints, sizeof *reading.set_of, what);
    int rc = reading.set_of ? cw_name_index_new(net, &reading.index) : CW_ENOMEM;
    for (uint32_t e = 0; e < net->n_endpoints && !rc; e++) reading.set_of[e] = CW_NONE;
    if (!rc) rc = read_lines(&reading, data, length, false);
    if (!rc) rc = read_lines(&reading, data, length, true);
    if (!rc) rc = finish(&reading);
    cw_name_index_free(reading.index);
    free(reading.set_of);
    if (rc)
        cw_anycast_free(&reading.anycast);
    else
        *out = reading.anycast;
    return rc;
}

void cw_anycast_free(struct cw_anycast *anycast)
{
    if (!anycast) return;
    for (size_t s = 0; s < anycast->n_sets; s++) free(anycast->sets[s].name);
    free(anycast->sets);
    free(anycast->members);
    free(anycast->demands);
    *anycast = (struct cw_anycast){0};
}
