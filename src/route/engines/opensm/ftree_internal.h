/*
 * The steps of making a fat tree (route/engines/opensm/ftree_fabric.h). Private to ftree*.c.
 */
#ifndef CW_ROUTE_FTREE_INTERNAL_H
#define CW_ROUTE_FTREE_INTERNAL_H

#include <stddef.h>

#include "route/engines/opensm/ftree_fabric.h"
#include "route/tables.h"

/* Says why TREE is refused; CW_EUSAGE. */
int cw_ftree_refuse(struct cw_ftree *tree, const char *format, ...) CW_PRINTF(2, 3);

/* The name of switch S. */
const char *cw_ftree_name(const struct cw_ftree *tree, uint32_t s, char *name, size_t size);

/* True if V is a port of an adapter. OpenSM's engine knows no routers. */
static inline bool cw_ftree_is_host(const struct cw_network *net, uint32_t v)
{
    return cw_network_is_endpoint(net, v) && !(net->identity && net->identity[v].kind == CW_KIND_ROUTER);
}

/* Gives the switches their tuples and puts their groups into the order of tuples. (ftree_index.c) */
int cw_ftree_index(struct cw_ftree *tree);

/* Refuses what is no pure fat tree. (ftree_validate.c) */
int cw_ftree_validate(struct cw_ftree *tree);

/* Fills TABLES and, unless NULL, the ways TO_SWITCHES (route/switch_ways.h). (ftree_route.c) */
int cw_ftree_route(struct cw_ftree *tree, struct cw_tables *tables, uint8_t *to_switches);

#endif
