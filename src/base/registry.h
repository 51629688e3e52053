/*
 * What can be named on the command line and in specifications: topologies, engines, patterns, placements, schedules,
 * ... Each kind of thing has a registry of descriptors, by which a name is looked up, guessed where it is misspelt, and
 * listed.
 *
 * A descriptor is a structure that begins with its name (const char *).
 */
#ifndef CW_BASE_REGISTRY_H
#define CW_BASE_REGISTRY_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_registry;

/* Item I (from 0) of REGISTRY, a pointer to a descriptor, in the order of help; NULL past the last. */
CW_API const void *cw_registry_item(const struct cw_registry *registry, size_t i);

/* The name a descriptor begins with. */
CW_API const char *cw_registry_name_of(const void *item);

/* The item called NAME, or NULL, without a message. */
CW_API const void *cw_registry_find(const struct cw_registry *registry, const char *name);

/* Says that nothing is called NAME, and what the nearest name is or all that there are. CW_EUSAGE (CW_ENOMEM). */
CW_API int cw_registry_unknown(const struct cw_registry *registry, const char *name);

CW_END_DECLS

#endif
