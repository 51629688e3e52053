/*
 * The networks of tables 1 and 2 of Hoefler, Schneider and Lumsdaine (2009), as printed and as they are.
 *
 * Table 1's xgft(h, m1 … m(h-1), w1 … w(h-1)) leaves out the 12 hosts of each leaf and their single cable, and fills
 * all 24 ports of the switches with parallel cables: xgft(3,12,8,12,4) is XGFT(3; 12,12,8; 1,12,4). Two numbers of
 * table 2 are misprints.
 */
#ifndef CW_STUDY_PAPERS_PUBLISHED_NETWORKS_H
#define CW_STUDY_PAPERS_PUBLISHED_NETWORKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "study/papers/findings.h"

CW_BEGIN_DECLS

struct cw_published_network {
    const char *layout; /* as printed: "XGFT(2,12,6)", "9-ary 3-cube" */
    const char *spec;   /* as a topology's specification */
    uint32_t endpoints; /* as printed */
    uint32_t switches;  /* as printed; 0: none printed */
};

/* What the generator makes of one. */
struct cw_network_size {
    uint32_t endpoints, switches;
    char cables[32]; /* parallel cables between switches joined: "2", or "1 to 2" */
};

extern const struct cw_published_network cw_published_trees[]; /* table 1, ended by a NULL layout */
extern const struct cw_published_network cw_published_cubes[]; /* table 2: 2-cubes, then 3-cubes; ended the same way */

/* Builds NETWORK and counts. */
int cw_published_network_size(const struct cw_published_network *network, struct cw_network_size *out);

/* Adds whether the N rows of TABLE ("table 1") are as printed, where SIZES [N] is what they are. */
int cw_find_counts(const char *table, const struct cw_published_network *networks, const struct cw_network_size *sizes,
                   size_t n, struct cw_findings *findings);

CW_END_DECLS

#endif
