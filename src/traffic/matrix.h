/*
 * A traffic matrix from a file: one message a line, "src dst bytes" separated by blanks or by commas (a line with a
 * comma is CSV), with or without a header of these words first. Bytes may have a unit. A field may stand in double
 * quotes, of which two within it mean one (RFC 4180). '#' begins a comment where a line begins or behind a blank.
 * Entries on the diagonal or of 0 bytes are no messages; a pair that occurs twice sends twice.
 *
 * src and dst are ranks, whole numbers from 0 (of which some may be cut off: `numbers` of struct cw_ranks). Where each
 * rank stays on one endpoint (`net` of struct cw_ranks) they may also be the name or the GUID ("0x…") of that; a name
 * goes before a number.
 */
#ifndef CW_TRAFFIC_MATRIX_H
#define CW_TRAFFIC_MATRIX_H

#include <stdint.h>

#include "base/decls.h"
#include "traffic/flows.h"
#include "traffic/ranks.h"

CW_BEGIN_DECLS

struct cw_matrix {
    struct cw_flows flows; /* in the file's order; freed with cw_flows_free */
    uint32_t highest;      /* rank that occurs */
    unsigned long line;    /* where it occurs first */
};

/* RANKS: NULL or without a network if only numbers make sense; their number is not looked at (cw_matrix_check).
 * CW_EPARSE with file and line. Time: linear; with names, in the endpoints, too. */
int cw_matrix_read(const char *file, const struct cw_ranks *ranks, struct cw_matrix *out);

/* CW_EUSAGE if the matrix of FILE has a rank that N ranks have not. */
int cw_matrix_check(const struct cw_matrix *matrix, const char *file, uint32_t n);

CW_END_DECLS

#endif
