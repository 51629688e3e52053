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
#include "base/parameters.h"
#include "base/random.h"
#include "base/registry.h"
#include "net/network.h"
#include "net/selection.h"
#include "traffic/pattern.h"
#include "traffic/ranks.h"

CW_BEGIN_DECLS

struct cw_placement_kind {
    const char *name;
    const char *help;
    const struct cw_option *options;
    size_t size;
    bool random; /* the order depends on the generator */
    /* NULL: nothing; reads the file of `file:` */
    int (*prepare)(void *values, const struct cw_network *net, const struct cw_selection *selection);
    void (*release)(void *values); /* frees what prepare made, also after it failed; NULL: nothing */
    /* ENDPOINTS[0 … n-1] are endpoints of the selection or of all that were asked for, ascending. Puts them into the
     * order in which ranks take them: rank r of the application runs on endpoints[r], the rest is left to the others.
     */
    int (*order)(const void *values, const struct cw_network *net, uint32_t n, struct cw_random *random,
                 uint32_t *endpoints);
};

CW_API extern const struct cw_placement_kind *const *const cw_placement_kinds; /* ended by NULL */
CW_API extern const struct cw_registry cw_placement_registry;

/* Adds KIND, which is borrowed for as long as the program runs: CW_EUSAGE and CW_ELIMIT as cw_registry_add has it. */
static inline int cw_placement_register(const struct cw_placement_kind *kind)
{
    return cw_registry_add(&cw_placement_registry, kind, CW_INTERFACE, sizeof *kind);
}

struct cw_placement;

/* From "NAME" or "NAME:parameters", for the endpoints of NET (borrowed) that are in SELECTION (NULL: all), whose
 * `asked` is borrowed. */
CW_API int cw_placement_new(const char *spec, const struct cw_network *net, const struct cw_selection *selection,
                            struct cw_placement **out);
CW_API void cw_placement_free(struct cw_placement *placement);
CW_API const char *cw_placement_spec(const struct cw_placement *placement);
CW_API bool cw_placement_is_random(const struct cw_placement *placement);
/* How many endpoints it orders: those that take part. */
CW_API uint32_t cw_placement_count(const struct cw_placement *placement);
/* ENDPOINTS has room for cw_placement_count. A uniformly random order for "random" (the default), as the papers have
 * it. */
CW_API int cw_placement_order(const struct cw_placement *placement, struct cw_random *random, uint32_t *endpoints);

/* Says in RANKS, which run where cw_placement_order has put them, what the numbers of a file mean: where some endpoints
 * are cut off, a rank keeps the number that it has without faults. *NUMBERS, which RANKS borrows, is the caller's to
 * free, also after an error; NULL where numbers are ranks, and under random placements. */
CW_API int cw_placement_numbers(const struct cw_placement *placement, struct cw_ranks *ranks, uint32_t **numbers);

/* The pattern SPEC with a rank on each endpoint that PLACEMENT orders; in its files ranks may have the names of
 * endpoints if each stays on one. Free with cw_pattern_free. */
CW_API int cw_placement_pattern(const struct cw_placement *placement, const char *spec, struct cw_pattern **out);

CW_END_DECLS

#endif
