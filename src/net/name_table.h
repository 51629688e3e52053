/*
 * Names and their numbers: each distinct name gets the next number, from 0. Private to net/.
 */
#ifndef CW_NET_NAME_TABLE_H
#define CW_NET_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_name_table;

int cw_name_table_new(struct cw_name_table **out);
void cw_name_table_free(struct cw_name_table *table);

/* The number of the name of LENGTH bytes, which is added if it is new: *ID was then the count. */
int cw_name_table_add(struct cw_name_table *table, const char *name, size_t length, uint32_t *id);

/* Its number, or CW_NONE. */
uint32_t cw_name_table_find(const struct cw_name_table *table, const char *name, size_t length);

uint32_t cw_name_table_count(const struct cw_name_table *table);

/* The name with number ID, valid until the next one is added. */
const char *cw_name_table_name(const struct cw_name_table *table, uint32_t id);

CW_END_DECLS

#endif
