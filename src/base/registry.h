/*
 * What can be named on the command line and in specifications: topologies, engines, patterns, placements, schedules,
 * ... Each kind of thing has a registry of descriptors, by which a name is looked up, guessed where it is misspelt, and
 * listed.
 *
 * A descriptor is a structure that begins with its name (const char *). A program, or a plug-in (base/plugin.h), adds
 * its own to the registries of topologies, engines, patterns, placements and schedules: cw_topology_register
 * (topo/topology.h) and its kin. It does so before it starts threads that look at them, and nothing is ever taken out.
 */
#ifndef CW_BASE_REGISTRY_H
#define CW_BASE_REGISTRY_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* The number of this interface, which whatever is registered was compiled for: another one is refused. It grows with
 * each release in which a descriptor, or what its functions are given, means something else. */
#define CW_INTERFACE 1

struct cw_registry;

/* Item I (from 0) of REGISTRY, a pointer to a descriptor, in the order of help; NULL past the last. */
CW_API const void *cw_registry_item(const struct cw_registry *registry, size_t i);

/* The name a descriptor begins with. */
CW_API const char *cw_registry_name_of(const void *item);

/* The item called NAME, or NULL, without a message. */
CW_API const void *cw_registry_find(const struct cw_registry *registry, const char *name);

/* Says that nothing is called NAME, and what the nearest name is or all that there are. CW_EUSAGE (CW_ENOMEM). */
CW_API int cw_registry_unknown(const struct cw_registry *registry, const char *name);

/* What cw_topology_register and its kin call with the interface and the SIZE of the descriptor that they were compiled
 * with. ITEM is borrowed for as long as the program runs. CW_EUSAGE, with the reason, if it was made for another
 * interface, lacks something, or if its name is taken; CW_ELIMIT if there are too many. */
CW_API int cw_registry_add(const struct cw_registry *registry, const void *item, unsigned interface, size_t size);

CW_END_DECLS

#endif
