/*
 * The other state of a network that a map is compared with, as --against names it: the same command but for one thing.
 *
 *     whole           without --failed, --degraded and --repair
 *     failed:ITEM,…   with these as --failed
 *     routing:NAME    by this routing, in place of --routing, --lft or --paths
 *     lft:FILE        by these forwarding tables, in place of the same
 */
#ifndef CW_CLI_MAP_AGAINST_H
#define CW_CLI_MAP_AGAINST_H

#include "cli/verb.h"

/* Makes ROUTING, that of the command, what SPEC says, from which it borrows, and appends what the other state is, in
 * words. CW_EUSAGE if SPEC is none of the above, or `whole` where nothing is missing or slow. */
int map_against_apply(const char *spec, struct routing *routing, struct cw_text *words);

/* Adds the notes of OTHER, a result about that state, to RESULT, if it has none like them. */
void map_against_notes(struct cw_result *result, const struct cw_result *other);

#endif
