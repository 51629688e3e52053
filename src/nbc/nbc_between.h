/*
 * How hosts pass on what takes in several of them.
 */
#ifndef CW_NBC_BETWEEN_H
#define CW_NBC_BETWEEN_H

#include <stdbool.h>

#include "base/decls.h"

CW_BEGIN_DECLS

enum cw_nbc_shape {
    CW_NBC_SHAPE_AUTO, /* a chain, a binomial tree or a ring, whichever is faster for the hosts and the bytes */
    CW_NBC_CHAIN,      /* each host to the next */
    CW_NBC_KNOMIAL,    /* traffic/schedule.h, knomial-bcast */
    CW_NBC_HOST_RING,  /* allreduces go round; all else as auto */
    CW_NBC_NATIVE      /* not at all: what spans hosts is left to MPI */
};

struct cw_nbc_between {
    enum cw_nbc_shape shape;
    unsigned radix; /* k-nomial; else 0 */
    bool by_fabric; /* hosts are in the order of the fabric, if that is known; else in that of their first ranks */
};

/* "auto", "fabric", "chain", "binomial", "k-nomial:4", "ring", "native". CW_EUSAGE; WHAT names it in messages. */
int cw_nbc_between_parse(const char *what, const char *text, struct cw_nbc_between *out);

/* The same back, but for the order, into TEXT of CW_NBC_BETWEEN_SIZE bytes, which it returns. */
#define CW_NBC_BETWEEN_SIZE 24
const char *cw_nbc_between_format(const struct cw_nbc_between *between, char *text);

CW_END_DECLS

#endif
