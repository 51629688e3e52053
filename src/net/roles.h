/*
 * The roles of vertices in a network of which only the cables are known.
 *
 * An endpoint's role is its kind: host, aggregation node or router. A switch's is its level: its distance from switches
 * with hosts, which are level 1 (leaves). A switch with less than a quarter of the hosts that leaves usually have is no
 * leaf: a management host on a spine makes it none.
 */
#ifndef CW_NET_ROLES_H
#define CW_NET_ROLES_H

#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* Switches of level l are CW_ROLE_LEAF + l - 1; those that no leaf reaches are CW_ROLE_LOOSE. */
enum { CW_ROLE_HOST, CW_ROLE_AGGREGATION, CW_ROLE_ROUTER, CW_ROLE_LOOSE, CW_ROLE_LEAF };

/* The role of every vertex: ROLES has room for n_vertices. *LEVELS gets the number of levels of switches. O(channels)
 */
int cw_network_roles(const struct cw_network *net, uint32_t *roles, uint32_t *levels);

/* What ROLE is called in a network of LEVELS levels of switches: "host", "leaf", "spine" (the upper of two), "level 2"
 * … BUFFER has room for CW_ROLE_SIZE; returns it. */
#define CW_ROLE_SIZE 32
const char *cw_role_name(uint32_t role, uint32_t levels, char *buffer);

CW_END_DECLS

#endif
