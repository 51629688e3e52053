/*
 * What all writers of forwarding tables need to know: LIDs, whose they are, and the port towards each. Not installed.
 */
#ifndef CW_ROUTE_LFT_WRITER_H
#define CW_ROUTE_LFT_WRITER_H

#include "route/files/lft_internal.h"
#include "route/routes.h"

struct cw_lft_writer {
    const struct cw_routes *routes;
    const struct cw_network *net;
    uint32_t max_lid;
    uint32_t *vertex; /* [max_lid + 1] whose a LID is, or CW_NONE */
    uint32_t *lid;    /* [n_vertices] base LID, or 0 */
    uint32_t *order;  /* [switches] switches as they follow one another in a file */
    uint8_t *ways;    /* [from switch][to switch] port number, or 0 */
};

/* Free it in any case. CW_EUSAGE or CW_ELIMIT if ROUTES cannot be tables of InfiniBand. */
int cw_lft_writer_new(const struct cw_routes *routes, struct cw_lft_writer *writer);
void cw_lft_writer_free(struct cw_lft_writer *writer);

/* The port number by which switch V sends to LID, which is somebody's, or CW_LFT_NO_PORT. */
uint32_t cw_lft_writer_port(const struct cw_lft_writer *writer, uint32_t v, uint32_t lid);

#endif
