/*
 * A traffic matrix from a file: one message a line, "src dst bytes" separated by blanks or by commas (CSV, with or
 * without the header src,dst,bytes; quotes around a field are allowed). '#' begins a comment. Bytes may have a unit.
 * Entries on the diagonal or of 0 bytes are no messages; a pair that occurs twice sends twice.
 */
#ifndef CW_TRAFFIC_MATRIX_H
#define CW_TRAFFIC_MATRIX_H

#include <stdint.h>

#include "base/decls.h"
#include "traffic/flows.h"

CW_BEGIN_DECLS

struct cw_matrix {
    struct cw_flows flows; /* in the file's order; freed with cw_flows_free */
    uint32_t highest;      /* rank that occurs */
    unsigned long line;    /* where it occurs first */
};

int cw_matrix_read(const char *file, struct cw_matrix *out);

/* CW_EUSAGE if the matrix of FILE has a rank that N ranks have not. */
int cw_matrix_check(const struct cw_matrix *matrix, const char *file, uint32_t n);

CW_END_DECLS

#endif
