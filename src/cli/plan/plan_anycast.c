#include <math.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/units.h"
#include "cli/plan/plan_report.h"
#include "report/rows.h"

int plan_anycast_read(const struct cw_network *net, const struct cw_selection *selection, const char *file,
                      struct cw_anycast *out)
{
    struct cw_text text = {0};
    int rc = cw_file_read(file, &text);
    if (!rc) rc = cw_anycast_parse(net, selection, file, text.data, text.length, out);
    cw_text_free(&text);
    return rc;
}

static const struct cw_column member_columns[] = {
    {"set", CW_COLUMN_TEXT, NULL, "as the file calls it"},
    {"member", CW_COLUMN_TEXT, NULL, "endpoint"},
    {"bytes", CW_COLUMN_INT, "byte", "that it takes"},
    {"limit", CW_COLUMN_INT, "byte", "that it can take; missing: any number"},
    {"drain_seconds", CW_COLUMN_REAL, "s", "that its rate needs for what it takes; missing: any rate"},
    {"nearest_bytes", CW_COLUMN_INT, "byte", "that it would take if every sender took the nearest that has room"},
};

/* A number of bytes that may be beyond what a cell holds. */
static void put_bytes(struct cw_table *table, uint64_t bytes)
{
    cw_table_int(table, bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX);
}

static void put_member(struct cw_table *table, const struct cw_network *net, const struct cw_anycast *anycast,
                       const struct cw_anycast_choice *choice, size_t m)
{
    const struct cw_anycast_member *member = &anycast->members[m];
    char name[CW_NAME_SIZE];
    cw_table_text(table, anycast->sets[member->set].name);
    cw_table_text(table, cw_network_name(net, member->endpoint, name, sizeof name));
    put_bytes(table, choice->taken[m]);
    if (member->bytes < UINT64_MAX)
        put_bytes(table, member->bytes);
    else
        cw_table_none(table);
    cw_table_real(table, isfinite(member->rate) ? (double)choice->taken[m] / member->rate : (double)NAN);
    put_bytes(table, choice->nearest[m]);
}

/* What the choice is worth. */
static void note_gain(struct cw_result *result, const struct cw_anycast_choice *choice)
{
    const double gap = choice->seconds / choice->bound_seconds - 1, gain = choice->nearest_seconds / choice->seconds;
    char time[32], bound[32], nearest[32];
    cw_format_time(choice->seconds, time, sizeof time);
    cw_format_time(choice->bound_seconds, bound, sizeof bound);
    cw_format_time(choice->nearest_seconds, nearest, sizeof nearest);
    if (gap < 1e-6)
        cw_result_note(result,
                       "Destinations were chosen so that channels and members need %s for the data. No choice and no "
                       "paths need less.",
                       time);
    else
        cw_result_note(result,
                       "Destinations were chosen so that channels and members need %s for the data. No choice and no "
                       "paths need less than %s.",
                       time, bound);
    if (gain > 1 + 1e-6)
        cw_result_note(result,
                       "If every sender took the nearest that has room, they would need %s on the best paths, %.3g "
                       "times as long.",
                       nearest, gain);
    else
        cw_result_note(result, "If every sender took the nearest that has room, they would need no longer.");
}

int plan_report_anycast(struct cw_result *result, const struct cw_network *net, const struct cw_anycast *anycast,
                        const struct cw_anycast_choice *choice)
{
    struct cw_table *table;
    const int rc =
        cw_result_new_detail(result, "members", "What the members of sets take", CW_ITEMS(member_columns), &table);
    if (rc) return rc;
    for (size_t m = 0; m < anycast->n_members; m++)
        if (anycast->sets[anycast->members[m].set].name) put_member(table, net, anycast, choice, m);
    note_gain(result, choice);
    return 0;
}
