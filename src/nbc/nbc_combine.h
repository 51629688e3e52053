/*
 * Reductions of plain numbers: MPI's predefined operations on C's arithmetic types.
 */
#ifndef CW_NBC_COMBINE_H
#define CW_NBC_COMBINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

enum cw_nbc_type {
    CW_NBC_INT8,
    CW_NBC_INT16,
    CW_NBC_INT32,
    CW_NBC_INT64,
    CW_NBC_UINT8,
    CW_NBC_UINT16,
    CW_NBC_UINT32,
    CW_NBC_UINT64,
    CW_NBC_FLOAT,
    CW_NBC_DOUBLE,
    CW_NBC_TYPES /* how many; as a type: none of these */
};

enum cw_nbc_op {
    CW_NBC_SUM,
    CW_NBC_PROD,
    CW_NBC_MIN,
    CW_NBC_MAX,
    CW_NBC_LAND,
    CW_NBC_LOR,
    CW_NBC_LXOR,
    CW_NBC_BAND,
    CW_NBC_BOR,
    CW_NBC_BXOR,
    CW_NBC_OPS /* how many; as an operation: none of these */
};

/* INTO[i] = INTO[i] op FROM[i] for N elements. Both are aligned to their type. */
typedef void cw_nbc_combine(void *restrict into, const void *restrict from, size_t n);

/* NULL where MPI defines no such operation: bits of floating-point numbers. */
cw_nbc_combine *cw_nbc_combine_for(enum cw_nbc_type type, enum cw_nbc_op op);

size_t cw_nbc_type_size(enum cw_nbc_type type);

/* Whether the result is the same bytes in whatever order values are combined. */
bool cw_nbc_type_is_exact(enum cw_nbc_type type);

CW_END_DECLS

#endif
