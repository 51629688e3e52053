/*
 * MPI's counts, datatypes and operations: which of them are plain numbers, and how others are laid out and packed.
 */
#ifndef CW_MPI_NBC_TYPE_H
#define CW_MPI_NBC_TYPE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nbc/nbc_collective.h"
#include "nbc/nbc_combine.h"

/* How elements are counted: in MPI_Count where MPI has functions of large counts (MPI 4: MPI_Ibcast_c), which then
 * serve for all counts; else in int. */
#ifdef CW_NBC_LARGE /* set by CMake */
typedef MPI_Count nbc_count;
#define NBC_COUNTED(FUNCTION) FUNCTION##_c
#define NBC_LONGEST           INT64_MAX /* bytes of a message that can be ours */
#else
typedef int nbc_count;
#define NBC_COUNTED(FUNCTION) FUNCTION
#define NBC_LONGEST           INT32_MAX
#endif

/* CW_NBC_TYPES, CW_NBC_OPS: none of ours. */
enum cw_nbc_type nbc_type_of(MPI_Datatype type);
enum cw_nbc_op nbc_op_of(MPI_Op op);

/* Of what basic types TYPE is made; those that have the same numbers are one: MPI_LONG, MPI_INT64_T, MPI_INTEGER8. */
cw_nbc_basic nbc_type_basic(MPI_Datatype type);

/* Elements lie one after the other without gaps, in the order of memory. */
bool nbc_type_is_dense(MPI_Datatype type);

/* Bytes of COUNT elements without gaps; UINT64_MAX if there are no so many, or no such type. */
uint64_t nbc_type_bytes(MPI_Datatype type, nbc_count count);

/* Bytes of one of the most frequent types; 0: of another. MPI looks a type up for longer than a short message may be
 * delayed. */
static inline uint64_t nbc_type_known_size(MPI_Datatype type)
{
    if (type == MPI_DOUBLE) return sizeof(double);
    if (type == MPI_INT) return sizeof(int);
    if (type == MPI_BYTE || type == MPI_CHAR) return 1;
    return type == MPI_FLOAT ? sizeof(float) : 0;
}

/* The same of its basic type. */
static inline cw_nbc_basic nbc_type_known_basic(MPI_Datatype type)
{
    if (type == MPI_DOUBLE) return CW_NBC_REAL << 3 | 3;
    if (type == MPI_INT) return CW_NBC_SIGNED << 3 | 2;
    if (type == MPI_FLOAT) return CW_NBC_REAL << 3 | 2;
    return type == MPI_CHAR ? CW_NBC_TEXT << 3 : CW_NBC_BYTES << 3;
}

/* Bytes from the first of COUNT elements' to the last, with gaps; *FIRST: of the first, from the buffer's address. */
uint64_t nbc_type_span(MPI_Datatype type, nbc_count count, MPI_Aint *first);

/* N blocks of COUNT elements each, from BUFFER to PACKED or back. 0 or CW_EIO. */
int nbc_type_pack(const void *buffer, int n, nbc_count count, MPI_Datatype type, char *packed);
int nbc_type_unpack(const char *packed, void *buffer, int n, nbc_count count, MPI_Datatype type);

#endif
