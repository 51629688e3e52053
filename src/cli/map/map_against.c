#include "cli/map/map_against.h"

#include <string.h>

#include "base/error.h"
#include "base/option.h"
#include "base/text.h"

static int become_whole(struct routing *routing, const char *value, struct cw_text *words)
{
    (void)value;
    if (!routing->failed && !routing->degraded)
        return cw_fail(CW_EUSAGE, "--against whole is for --failed and --degraded: without them nothing is missing");
    routing->failed = routing->degraded = routing->repair = NULL;
    cw_text_add(words, "the whole network");
    return 0;
}

static int become_failed(struct routing *routing, const char *value, struct cw_text *words)
{
    routing->failed = (char *)value;
    cw_text_printf(words, "the network without %s", value);
    return 0;
}

/* Nothing that belongs to other routes stays: how tables are repaired, and what lanes they have, which loads do not
 * depend on. */
static void forget_routes(struct routing *routing)
{
    routing->name = routing->lft = routing->paths = routing->path_records = routing->sl2vl = NULL;
}

static int become_routed(struct routing *routing, const char *value, struct cw_text *words)
{
    forget_routes(routing);
    routing->repair = NULL;
    routing->name = (char *)value;
    cw_text_printf(words, "the routes of %s", value);
    return 0;
}

static int become_tables(struct routing *routing, const char *value, struct cw_text *words)
{
    forget_routes(routing);
    routing->tables = false;
    routing->lft = (char *)value;
    cw_text_printf(words, "the tables of %s", value);
    return 0;
}

static const char *const names[] = {"whole", "failed", "routing", "lft", NULL};
static int (*const become[])(struct routing *routing, const char *value,
                             struct cw_text *words) = {become_whole, become_failed, become_routed, become_tables};

int map_against_apply(const char *spec, struct routing *routing, struct cw_text *words)
{
    static const char expected[] = "expected whole, failed:ITEM,..., routing:NAME or lft:FILE";
    char name[CW_SPEC_NAME_SIZE];
    const char *value = cw_spec_split(spec, name, sizeof name), *near = cw_nearest(name, names);
    size_t i = 0;
    while (names[i] && strcmp(names[i], name) != 0) i++;
    if (!names[i] && near)
        return cw_fail(CW_EUSAGE, "--against: there is no '%s', did you mean '%s'? %s", name, near, expected);
    if (!names[i] || (i == 0) != !value || (value && !*value))
        return cw_fail(CW_EUSAGE, "--against %s: %s", spec, expected);
    return become[i](routing, value, words);
}

void map_against_notes(struct cw_result *result, const struct cw_result *other)
{
    const size_t own = cw_result_notes(result);
    for (size_t i = 0; i < cw_result_notes(other); i++) {
        const char *note = cw_result_note_at(other, i);
        size_t k = 0;
        while (k < own && strcmp(cw_result_note_at(result, k), note) != 0) k++;
        if (k == own) cw_result_note(result, "The other state: %s", note);
    }
}
