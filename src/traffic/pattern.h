/*
 * Patterns: who sends to whom, by name. A pattern sees ranks, never the network or its routes.
 *
 * A pattern needs two ranks at least, and none makes a rank send to itself: where its formula says so, the rank is
 * silent.
 *
 * Adding one: a file traffic/pattern_NAME.c with one descriptor at its end (small relatives may share a file), and one
 * line in traffic/pattern.c.
 */
#ifndef CW_TRAFFIC_PATTERN_H
#define CW_TRAFFIC_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/option.h"
#include "base/random.h"
#include "base/registry.h"
#include "traffic/flows.h"
#include "traffic/ranks.h"

CW_BEGIN_DECLS

struct cw_pattern_kind {
    const char *name;
    const char *help;
    const struct cw_option *options; /* NULL: none */
    size_t size;                     /* of the parameters' structure */
    bool random;                     /* flows depend on the generator */
    /* Reads files and derives what all calls share, once; NULL: nothing to prepare. May fail, e.g. a missing matrix.
     * RANKS is what cw_pattern_new was given; their number may yet change. */
    int (*prepare)(void *values, const struct cw_ranks *ranks);
    void (*release)(void *values); /* frees what prepare made, also after it failed; NULL: nothing */
    /* Whether it is defined for N ≥ 2 ranks: CW_EUSAGE with the reason if not. *ROUNDS gets its number of rounds (≥ 1).
     */
    int (*rounds)(const void *values, uint32_t n, uint32_t *rounds);
    /* Appends the flows of round ROUND (0 … rounds-1) among N ranks, BYTES each unless the pattern has sizes of its
     * own. */
    int (*append)(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                  struct cw_flows *flows);
};

extern const struct cw_pattern_kind *const cw_pattern_kinds[]; /* ended by NULL */
extern const struct cw_registry cw_pattern_registry;

/* A pattern with its parameters. Immutable once made; any number of threads may use it. */
struct cw_pattern;

/* From "NAME" or "NAME:parameters". RANKS (NULL: nothing is known of them) are looked at here only: where they run, so
 * that files may name endpoints. */
int cw_pattern_new(const char *spec, const struct cw_ranks *ranks, struct cw_pattern **out);
void cw_pattern_free(struct cw_pattern *pattern);
const char *cw_pattern_spec(const struct cw_pattern *pattern);
bool cw_pattern_is_random(const struct cw_pattern *pattern);
int cw_pattern_rounds(const struct cw_pattern *pattern, uint32_t n, uint32_t *rounds);
int cw_pattern_append(const struct cw_pattern *pattern, uint32_t n, uint32_t round, uint64_t bytes,
                      struct cw_random *random, struct cw_flows *flows); /* RANDOM may be NULL unless is_random */

CW_END_DECLS

#endif
