/*
 * The ways in which communication cores and ranks share the work of a collective.
 */
#ifndef CW_NBC_SHARING_H
#define CW_NBC_SHARING_H

#include "base/decls.h"

CW_BEGIN_DECLS

enum cw_nbc_schedule {
    CW_NBC_AUTO,      /* slices; ranks that wait take whatever is left */
    CW_NBC_SLICES,    /* communication cores take a fraction of every collective, ranks that wait the rest */
    CW_NBC_SPLIT_TREE /* the last S levels of a k-nomial tree are executed by the ranks; where there is no tree: auto */
};

struct cw_nbc_sharing {
    enum cw_nbc_schedule schedule;
    double fraction;       /* slices: of the bytes, for communication cores */
    unsigned radix, steps; /* split tree: K, at least 2, and S */
};

#define CW_NBC_SHARING_SIZE 32

/* "auto", "slices:0.8", "binomial", "k-nomial:4", "split-tree:2". WHAT names it in messages. CW_EUSAGE. */
int cw_nbc_sharing_parse(const char *what, const char *text, struct cw_nbc_sharing *out);

/* Text that means the same; gives TEXT. */
const char *cw_nbc_sharing_format(const struct cw_nbc_sharing *sharing, char text[CW_NBC_SHARING_SIZE]);

CW_END_DECLS

#endif
