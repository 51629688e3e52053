/*
 * Patterns: who sends to whom, by name: the one catalogue of all verbs. A pattern sees ranks, never the network or its
 * routes; all it may know of these is in struct cw_ranks (traffic/ranks.h).
 *
 * A pattern has rounds of flows, which simulators of rounds take one after another (congestion; the background of
 * noise). What else is made of it:
 *
 *     a continuous load   ranks send again and again, each message to a destination of its own: to those of all rounds'
 *                         flows in proportion to their bytes (traffic/workload.h), or as the pattern draws it
 *     demands             all flows of all rounds with their bytes, at once (flow/flow_problem.h)
 *
 * A pattern that draws does so anew in each round of each trial, and once for a continuous load and for demands; but
 * one with `destination` draws for every message of a continuous load, and its round is one message of every rank.
 *
 * A pattern needs two ranks at least, and none makes a rank send to itself: where its formula says so, the rank is
 * silent (and counted in `self` of struct cw_flows).
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
#include "base/parameters.h"
#include "base/random.h"
#include "base/registry.h"
#include "traffic/flows.h"
#include "traffic/ranks.h"

CW_BEGIN_DECLS

struct cw_pattern_kind {
    const char *name;
    const char *help;                /* with its formula, and what differs by use */
    const char *synopsis;            /* as it is written, NULL: its name */
    const struct cw_option *options; /* NULL: none */
    size_t size;                     /* of the parameters' structure */
    bool random;                     /* flows depend on the generator */
    bool sized;                      /* flows have sizes of their own */
    /* Reads files and derives what all calls share, once; NULL: nothing to prepare. May fail, e.g. a missing matrix.
     * RANKS is what cw_pattern_new was given; their number may yet change. */
    int (*prepare)(void *values, const struct cw_ranks *ranks);
    void (*release)(void *values); /* frees what prepare made, also after it failed; NULL: nothing */
    /* Whether it is defined for N ≥ 2 ranks: CW_EUSAGE with the reason if not. *ROUNDS gets its number of rounds (≥ 1).
     */
    int (*rounds)(const void *values, uint32_t n, uint32_t *rounds);
    /* Adds the flows of round ROUND (0 … rounds-1) among N ranks, BYTES each unless the pattern has sizes of its
     * own. */
    int (*append)(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                  struct cw_flows *flows);
    /* Both or neither: where RANK's next message under a continuous load goes, RANDOM being 64 random bits of its own
     * (RANK itself: nowhere); and all flows of RANK with their shares: bytes in proportion to how much of its traffic
     * each is, at most 2^32 in all (2^32 is all its traffic, but each share is rounded down). N is one that `rounds`
     * accepts. NULL: as the flows of all rounds have it. */
    uint32_t (*destination)(const void *values, uint32_t n, uint32_t rank, uint64_t random);
    int (*shares)(const void *values, uint32_t n, uint32_t rank, struct cw_flows *flows);
};

CW_API extern const struct cw_pattern_kind *const *const cw_pattern_kinds; /* ended by NULL */
CW_API extern const struct cw_registry cw_pattern_registry;

/* Adds KIND, which is borrowed for as long as the program runs: CW_EUSAGE and CW_ELIMIT as cw_registry_add has it. */
static inline int cw_pattern_register(const struct cw_pattern_kind *kind)
{
    return cw_registry_add(&cw_pattern_registry, kind, CW_INTERFACE, sizeof *kind);
}

/* The kind that SPEC names, "NAME" or "NAME:parameters"; NULL, without a message, if there is none. */
CW_API const struct cw_pattern_kind *cw_pattern_kind_of(const char *spec);

/* A pattern with its parameters. Immutable once made; any number of threads may use it. */
struct cw_pattern;

/* From "NAME" or "NAME:parameters"; a number alone is one of the 91 patterns of Bui et al. ("3" is "bui:3"). RANKS
 * (NULL: nothing is known of them) are looked at here only: their groups, and where they run, so that files may name
 * endpoints. */
CW_API int cw_pattern_new(const char *spec, const struct cw_ranks *ranks, struct cw_pattern **out);
CW_API void cw_pattern_free(struct cw_pattern *pattern);
CW_API const char *cw_pattern_spec(const struct cw_pattern *pattern);
CW_API bool cw_pattern_is_random(const struct cw_pattern *pattern);
CW_API bool cw_pattern_is_sized(const struct cw_pattern *pattern);
CW_API int cw_pattern_rounds(const struct cw_pattern *pattern, uint32_t n, uint32_t *rounds);
CW_API int cw_pattern_append(const struct cw_pattern *pattern, uint32_t n, uint32_t round, uint64_t bytes,
                             struct cw_random *random,
                             struct cw_flows *flows); /* RANDOM may be NULL unless is_random */

/* Appends the flows of all rounds, drawn once by SEED. *ROUNDS gets their number; NULL: nobody asks. CW_ELIMIT if they
 * may need more memory than there is. */
CW_API int cw_pattern_append_all(const struct cw_pattern *pattern, uint32_t n, uint64_t bytes, uint64_t seed,
                                 struct cw_flows *flows, uint32_t *rounds);

CW_END_DECLS

#endif
