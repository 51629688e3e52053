/*
 * From "NAME:parameters" to a plug-in's values: what patterns, schedules and placements have in common.
 */
#ifndef CW_TRAFFIC_TRAFFIC_SPEC_H
#define CW_TRAFFIC_TRAFFIC_SPEC_H

#include <stddef.h>

#include "base/decls.h"
#include "base/option.h"

CW_BEGIN_DECLS

#define CW_TRAFFIC_NAME_SIZE 64 /* of the buffer for cw_spec_split: longer than any name */

/* SIZE bytes of values with the defaults of OPTIONS (NULL: none) and then PARAMETERS (NULL: none) of OWNER, a plug-in's
 * name. Free with cw_traffic_values_free, which accepts NULL. */
int cw_traffic_values_new(const char *owner, const struct cw_option *options, size_t size, const char *parameters,
                          void **values);
void cw_traffic_values_free(const struct cw_option *options, void *values);

CW_END_DECLS

#endif
