/*
 * What if something failed, a slow cable were as fast as others, or a cable were there that is missing? Each case is
 * one change of a network; it is routed anew, and measured as crosswind compare measures it (study/compare/measures.h).
 * So a case's figures are those of the network with --failed, or of a file that has the cable, to the digit.
 *
 * Routes are those of an engine, of the changed network; or the fabric's own tables, where what no longer arrives takes
 * the entries of another engine (route/repair.h), as after a subnet manager that mends only what it must.
 */
#ifndef CW_STUDY_COMPARE_WHAT_IF_H
#define CW_STUDY_COMPARE_WHAT_IF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "base/progress.h"
#include "study/compare/measures.h"

CW_BEGIN_DECLS

/* Cables that are added between two vertices. */
struct cw_what_if_addition {
    uint32_t a, b, there, added; /* `there`: cables between them now */
    double capacity, latency; /* byte/s and s, of each direction; capacity 0: there is nothing that it could be like */
};

/* One change: what fails, which cable becomes faster, or what is added. */
struct cw_what_if_case {
    char *name;                            /* as results print it, and --failed takes it; owned, as the next */
    char *list;                            /* what fails together, as --failed has it; NULL: these: */
    uint32_t cable[2], vertex[2];          /* channels of cables; switches and endpoints; CW_NONE: none */
    double capacity;                       /* of the cable afterwards [byte/s]; 0: it fails */
    struct cw_what_if_addition *additions; /* [n_additions] instead of all that; owned */
    size_t n_additions;
};

/* Starts zeroed. */
struct cw_what_if_cases {
    struct cw_what_if_case *items;
    size_t n, capacity;
};

/* Append a case each: for every cable between switches; for every switch; for every endpoint; for every cable that is
 * slower than its peers (topo/odd_cables.h), as fast as most of these. */
int cw_what_if_add_cables(struct cw_what_if_cases *cases, const struct cw_network *net);
int cw_what_if_add_switches(struct cw_what_if_cases *cases, const struct cw_network *net);
int cw_what_if_add_endpoints(struct cw_what_if_cases *cases, const struct cw_network *net);
int cw_what_if_add_upgrades(struct cw_what_if_cases *cases, const struct cw_network *net);

/* Appends a case for every pair of vertices that cw_missing_cables_find names, in which they have the cables that are
 * missing; and, of several, one in which all have. A new cable takes the lowest port that is free at either end, and is
 * as fast as most cables that these two have between their levels. *UNKNOWN are switches that have fewer cables than
 * most, of which nothing says where the others lead. */
int cw_what_if_add_missing(struct cw_what_if_cases *cases, const struct cw_network *net, uint32_t *unknown);

/* NET with the cables that the case IS adds. The caller's to free. CW_ELIMIT if there is no free port. */
int cw_what_if_with(const struct cw_network *net, const struct cw_what_if_case *is, struct cw_network **out);

/* Appends one case in which all fails together that LIST, of LENGTH bytes, names; CW_EUSAGE and so on as cw_faults_fail
 * has it, if there is no such thing. */
int cw_what_if_add_list(struct cw_what_if_cases *cases, const struct cw_network *net, const char *list, size_t length,
                        uint64_t seed);

/* Keeps N of CASES, drawn by SEED, in their order; all if there are no more. */
int cw_what_if_sample(struct cw_what_if_cases *cases, size_t n, uint64_t seed);

/* Puts N different pairs in place of CASES, none of them a list, drawn by SEED; all pairs if there are no more. */
int cw_what_if_pair(struct cw_what_if_cases *cases, size_t n, uint64_t seed);

void cw_what_if_cases_free(struct cw_what_if_cases *cases);

/* All borrowed. */
struct cw_what_if_setup {
    const struct cw_network *net; /* cases are of its fabric (net/nodes.h) */
    const char *endpoints;        /* who takes part (net/selection.h) */
    const char *routing;          /* engine; NULL: the one that suits the changed network, or tables */
    const char *tables_name;      /* of tables, the next two; NULL: none */
    const struct cw_text *tables;
    const char *repair;
    const struct cw_measure *measures; /* not by flits */
    size_t n_measures;
    const struct cw_what_if_case *cases;
    size_t n;
    uint64_t seed;
    size_t trials; /* of each figure */
    unsigned n_threads;
    struct cw_progress *progress; /* steps once a case, and for the network as it is */
    const struct cw_executor *executor;
};

/* What came of a case. */
struct cw_what_if_outcome {
    bool done;
    bool other_engine; /* the engine that suits it is another than the network's */
    int error;         /* 0, or why there are no figures, in words: */
    char message[240];
    uint32_t cut_off;             /* endpoints without a path to most others */
    uint64_t cut_pairs;           /* ordered pairs of endpoints that cannot communicate */
    struct cw_measured figures[]; /* [n_measures] */
};

struct cw_what_if {
    size_t n, size; /* outcomes: of the network as it is, then of the cases; bytes of each */
    char *outcomes;
};

static inline const struct cw_what_if_outcome *cw_what_if_outcome(const struct cw_what_if *of, size_t i)
{
    return (const struct cw_what_if_outcome *)(const void *)(of->outcomes + i * of->size);
}

/* Runs all cases, one a thread at a time. What ends one case only, such as an engine that refuses the changed network,
 * is its outcome. After any other error, and an interrupt, OUT has the outcomes that are done. Free with
 * cw_what_if_free in any case. Time: a routing, and the measures, a case. */
int cw_what_if_run(const struct cw_what_if_setup *setup, struct cw_what_if *out);
void cw_what_if_free(struct cw_what_if *out);

CW_END_DECLS

#endif
