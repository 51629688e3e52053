/*
 * What a publication claims, what is found, and whether the claim holds.
 */
#ifndef CW_STUDY_PAPERS_FINDINGS_H
#define CW_STUDY_PAPERS_FINDINGS_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

enum cw_verdict {
    CW_HOLDS,
    CW_HOLDS_IN_PART, /* under a condition, or for most of what it speaks of: the sentence says which */
    CW_HOLDS_NOT,
    CW_NOT_TESTED /* what was computed cannot decide it */
};

extern const char *const cw_verdict_names[]; /* "yes", "in part", "no", "not tested": by enum cw_verdict */

struct cw_finding {
    const char *figure;   /* "13", "table 2": as the publication numbers it */
    const char *claim;    /* what it says */
    const char *quantity; /* what `value` is; NULL: no number decides it */
    double value, ci95;   /* NaN: none; ci95 is the half width of a 95 % confidence interval, NaN for exact values */
    enum cw_verdict verdict;
    char found[400]; /* a sentence: what is found */
};

/* A list that starts zeroed. It keeps the texts' addresses: figure, claim and quantity must be constants. */
struct cw_findings {
    struct cw_finding *items;
    size_t n, capacity;
};

/* Appends CLAIM with the sentence that FORMAT makes. */
int cw_findings_add(struct cw_findings *findings, const struct cw_finding *finding, const char *format, ...)
    CW_PRINTF(3, 4);
void cw_findings_free(struct cw_findings *findings);

CW_END_DECLS

#endif
