/*
 * Measures by which networks and their routes are compared. Each is the figure that a verb gives of one network by
 * itself, to the digit, with that verb's defaults: its help says which.
 *
 * Adding a measure: a function and a line in measures.c.
 */
#ifndef CW_STUDY_COMPARE_MEASURES_H
#define CW_STUDY_COMPARE_MEASURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"
#include "base/registry.h"
#include "net/selection.h"
#include "route/packets/packet_routing.h"
#include "route/routes.h"
#include "sim/quality.h"
#include "study/flit/flit_how.h"

CW_BEGIN_DECLS

/* A network with its routes, of which measures are taken. All is borrowed. */
struct cw_compared {
    const struct cw_network *net;
    const struct cw_selection *selection; /* endpoints that take part and are connected, as the next */
    const struct cw_selection *asked;     /* with those that are cut off, in parts; they count as 0 in `ebb` */
    const struct cw_routes *routes;
    const struct cw_packet_routing *packets; /* how flits go; NULL: they cannot, which taking `saturation` says */
    const struct cw_flit_how *flits;         /* what moves them */
    uint64_t seed;
    size_t trials; /* of ebb and noise; 0: as many as the verbs run */
    unsigned n_threads;
    const struct cw_executor *executor;
    /* what several measures have in common, found by the first */
    bool has_quality, has_reach;
    struct cw_quality quality;
    double hops_mean, load_max; /* of cw_reach */
    const char *deadlock;       /* NULL: cw_compared_deadlock has not looked */
};

/* Of OF, which has a network: who of it WHICH names (net/selection.h) is asked for, and who of these is connected. They
 * belong to OF until cw_compared_release, also after an error. *CUT_OFF are the others, *CUT_PAIRS the ordered pairs of
 * endpoints that cannot communicate. */
int cw_compared_select(struct cw_compared *of, const char *which, uint32_t *cut_off, uint64_t *cut_pairs);
void cw_compared_release(struct cw_compared *of);

/* Whether the routes of OF are free of deadlocks: *VERDICT is as cw_deadlock_verdict has it; "unknown" of packets that
 * take several ways. */
int cw_compared_deadlock(struct cw_compared *of, const char **verdict);

/* RC, an error, ends one of several cases only: the network has no such routes, or no such figure. */
static inline bool cw_ends_case_only(int rc)
{
    return rc == CW_EUSAGE || rc == CW_EROUTE || rc == CW_ELIMIT;
}

/* What a measure found. */
struct cw_measured {
    double value;     /* NaN: a word, or nothing is known */
    double ci95;      /* half width of the 95 % confidence interval; 0: exact; NaN: unknown */
    const char *word; /* of measures in words; else NULL. Borrowed; those of cw_measure_take are static */
};

enum cw_better { CW_BETTER_NEITHER, CW_BETTER_MORE, CW_BETTER_LESS };

struct cw_measure_kind {
    const char *name;
    const char *synopsis; /* "NAME[:PARAMETER]"; NULL: it has no parameter */
    const char *help;     /* what it is, in one line, and the verb that gives it alone */
    const char *unit;     /* "s"; NULL: a plain number */
    enum cw_better better;
    bool ratio;            /* figures are compared by their ratios */
    bool in_words;         /* its figures are words */
    const char *uncertain; /* what ci95 is; NULL: figures are exact */
    bool needs_parameter;
    bool by_flits;                       /* needs `packets` and `flits` */
    int (*check)(const char *parameter); /* before anything is simulated; NULL: nothing can be wrong yet */
    int (*take)(struct cw_compared *of, const char *parameter, struct cw_measured *out); /* PARAMETER: NULL, none */
};

extern const struct cw_registry cw_measure_registry;

/* One measure of a list: "noise:0.25". */
struct cw_measure {
    const struct cw_measure_kind *kind;
    char *spec;            /* owned */
    const char *parameter; /* in `spec`, or NULL */
};

/* Measures "NAME" or "NAME:parameter" separated by commas. CW_EUSAGE for a name that is none, a parameter that is
 * missing, too much or wrong, and for a measure that is there twice. *OUT [*N]: free with cw_measures_free. */
int cw_measures_parse(const char *list, struct cw_measure **out, size_t *n);
void cw_measures_free(struct cw_measure *measures, size_t n);

/* Takes MEASURE of OF. An error says why this network has no such figure. */
int cw_measure_take(const struct cw_measure *measure, struct cw_compared *of, struct cw_measured *out);

/* Which of N FIGURES are the best. BEST[i]: no other is better than i by more than chance, which is more than the
 * interval of a difference of two independent means, √(ci² + ci²). Returns the one with the best value, the first of
 * several; N, and BEST all false, if nothing is known to differ: none is worse than that one by more than chance, or
 * intervals are not known. Figures without a value do not count. Draws are by one seed, so that cases share them;
 * intervals of differences are therefore rather too wide. */
size_t cw_measured_best(enum cw_better better, const struct cw_measured *figures, size_t n, bool *best);

CW_END_DECLS

#endif
