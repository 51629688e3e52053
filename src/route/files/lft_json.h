/*
 * Reading forwarding tables in JSON (doc/formats/tables-json.md). Not installed.
 */
#ifndef CW_ROUTE_LFT_JSON_H
#define CW_ROUTE_LFT_JSON_H

#include "route/files/lft_internal.h"
#include "route/routes.h"

struct cw_lft_json;

/* True if DATA, the beginning of a file, looks like it. */
bool cw_lft_json_recognises(const char *data, size_t length);

/* Reads the whole DATA of FILE: *OUT, freed by the caller, has content as a file of another format has it. CW_EPARSE
 * names the place. */
int cw_lft_json_new(const char *file, const char *data, size_t length, const struct cw_lft_names *names,
                    struct cw_lft_json **out);
void cw_lft_json_free(struct cw_lft_json *json);
const struct cw_lft_content *cw_lft_json_content(const struct cw_lft_json *json);

/* Gives ROUTES, which were made of that content, the lanes and service levels that the file says, if it does. */
int cw_lft_json_levels(const struct cw_lft_json *json, struct cw_routes *routes);

#endif
