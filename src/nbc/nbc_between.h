/*
 * How hosts pass on what takes in several of them.
 */
#ifndef CW_NBC_BETWEEN_H
#define CW_NBC_BETWEEN_H

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
    unsigned radix; /* k-nomial */
};

/* "auto", "chain", "binomial", "k-nomial:4", "ring", "native". CW_EUSAGE; WHAT names it in messages. */
int cw_nbc_between_parse(const char *what, const char *text, struct cw_nbc_between *out);

CW_END_DECLS

#endif
