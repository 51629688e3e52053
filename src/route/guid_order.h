/*
 * The order in which OpenSM goes through a fabric. Not installed.
 */
#ifndef CW_ROUTE_GUID_ORDER_H
#define CW_ROUTE_GUID_ORDER_H

#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* GUID with its bytes in reverse: how OpenSM keeps GUIDs, and compares them. */
uint64_t cw_guid_reversed(uint64_t guid);

/* The switches of NET by ascending node GUID, reversed; those of a network without GUIDs have the ones that its net
 * file for ibsim gives them. *OUT [switches] is the caller's. */
int cw_guid_order(const struct cw_network *net, uint32_t **out);

CW_END_DECLS

#endif
