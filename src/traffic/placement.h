/*
 * Placements: which endpoint each rank runs on.
 *
 * Adding one: a file traffic/placement_NAME.c with one descriptor (small relatives may share a file), one line in
 * traffic/placement.c.
 */
#ifndef CW_TRAFFIC_PLACEMENT_H
#define CW_TRAFFIC_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/option.h"
#include "base/random.h"
#include "net/network.h"

CW_BEGIN_DECLS

struct cw_placement_kind {
    const char *name;
    const char *help;
    const struct cw_option *options;
    size_t size;
    bool random;                                                /* the order depends on the generator */
    int (*prepare)(void *values, const struct cw_network *net); /* NULL: nothing; reads the file of `file:` */
    void (*release)(void *values); /* frees what prepare made, also after it failed; NULL: nothing */
    /* Fills ENDPOINTS[0 … n_endpoints-1] with all endpoints in the order in which ranks take them: rank r of the
     * application runs on endpoints[r], the rest is left to the others. */
    int (*order)(const void *values, const struct cw_network *net, struct cw_random *random, uint32_t *endpoints);
};

extern const struct cw_placement_kind *const cw_placement_kinds[]; /* ended by NULL */

struct cw_placement;

/* From "NAME" or "NAME:parameters", for NET (borrowed). */
int cw_placement_new(const char *spec, const struct cw_network *net, struct cw_placement **out);
void cw_placement_free(struct cw_placement *placement);
const char *cw_placement_spec(const struct cw_placement *placement);
bool cw_placement_is_random(const struct cw_placement *placement);
/* A uniformly random order of all endpoints for "random" (the default), as the papers have it. */
int cw_placement_order(const struct cw_placement *placement, struct cw_random *random, uint32_t *endpoints);

CW_END_DECLS

#endif
