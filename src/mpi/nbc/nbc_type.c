#include "mpi/nbc/nbc_type.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

static enum cw_nbc_type integer(int bytes, bool is_signed)
{
    switch (bytes) {
    case 1:
        return is_signed ? CW_NBC_INT8 : CW_NBC_UINT8;
    case 2:
        return is_signed ? CW_NBC_INT16 : CW_NBC_UINT16;
    case 4:
        return is_signed ? CW_NBC_INT32 : CW_NBC_UINT32;
    case 8:
        return is_signed ? CW_NBC_INT64 : CW_NBC_UINT64;
    default:
        return CW_NBC_TYPES;
    }
}

static bool is_among(MPI_Datatype type, const MPI_Datatype *types, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (types[i] == type) return true;
    return false;
}

#define IS_AMONG(TYPE, ...)                                                                                            \
    is_among(TYPE, (const MPI_Datatype[]){__VA_ARGS__}, sizeof((MPI_Datatype[]){__VA_ARGS__}) / sizeof(MPI_Datatype))

enum cw_nbc_type nbc_type_of(MPI_Datatype type)
{
    int bytes;
    if (type == MPI_DOUBLE) return CW_NBC_DOUBLE;
    if (type == MPI_FLOAT) return CW_NBC_FLOAT;
    if (type == MPI_DATATYPE_NULL) return CW_NBC_TYPES;
    PMPI_Type_size(type, &bytes);
    if (IS_AMONG(type, MPI_REAL, MPI_DOUBLE_PRECISION))
        return bytes == sizeof(float) ? CW_NBC_FLOAT : bytes == sizeof(double) ? CW_NBC_DOUBLE : CW_NBC_TYPES;
    if (IS_AMONG(type, MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_SHORT, MPI_SIGNED_CHAR, MPI_INT8_T, MPI_INT16_T,
                 MPI_INT32_T, MPI_INT64_T, MPI_INTEGER, MPI_AINT, MPI_COUNT, MPI_OFFSET))
        return integer(bytes, true);
    if (IS_AMONG(type, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UNSIGNED_SHORT, MPI_UNSIGNED_CHAR,
                 MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_BYTE))
        return integer(bytes, false);
    return CW_NBC_TYPES;
}

enum cw_nbc_op nbc_op_of(MPI_Op op)
{
    const MPI_Op ops[CW_NBC_OPS] = {MPI_SUM, MPI_PROD, MPI_MIN,  MPI_MAX, MPI_LAND,
                                    MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
    int i = 0;
    while (i < CW_NBC_OPS && ops[i] != op) i++;
    return (enum cw_nbc_op)i;
}

/* Of what a type is made: its kind, and how many numbers, addresses and types say so. */
struct making {
    int kind;
    nbc_count integers, addresses, counts, types;
};

static struct making making_of(MPI_Datatype type)
{
    struct making making = {0};
#ifdef CW_NBC_LARGE
    PMPI_Type_get_envelope_c(type, &making.integers, &making.addresses, &making.counts, &making.types, &making.kind);
#else
    PMPI_Type_get_envelope(type, &making.integers, &making.addresses, &making.types, &making.kind);
#endif
    return making;
}

/* --- of what basic types it is made ------------------------------------------------------------------------------ */

static enum cw_nbc_kind kind_of_named(MPI_Datatype type)
{
    const enum cw_nbc_type plain = nbc_type_of(type);
    if (type == MPI_BYTE) return CW_NBC_BYTES;
    if (plain == CW_NBC_FLOAT || plain == CW_NBC_DOUBLE) return CW_NBC_REAL;
    if (plain < CW_NBC_TYPES) return plain < CW_NBC_UINT8 ? CW_NBC_SIGNED : CW_NBC_UNSIGNED;
    if (IS_AMONG(type, MPI_CHAR, MPI_WCHAR, MPI_CHARACTER)) return CW_NBC_TEXT;
    if (IS_AMONG(type, MPI_C_BOOL, MPI_LOGICAL)) return CW_NBC_LOGICAL;
    if (IS_AMONG(type, MPI_C_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX))
        return CW_NBC_COMPLEX;
    if (type == MPI_LONG_DOUBLE || type == MPI_REAL || type == MPI_DOUBLE_PRECISION) return CW_NBC_REAL;
    if (IS_AMONG(type, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT))
        return CW_NBC_MIXED;
    return CW_NBC_ANY; /* MPI_PACKED, or one that we do not know */
}

static cw_nbc_basic basic_of_named(MPI_Datatype type)
{
    int bytes = 0;
    if (type == MPI_2INT) return cw_nbc_basic_of(CW_NBC_SIGNED, sizeof(int));
    const enum cw_nbc_kind kind = kind_of_named(type);
    const bool sized = kind != CW_NBC_ANY && kind != CW_NBC_MIXED;
    if (sized) PMPI_Type_size(type, &bytes);
    return cw_nbc_basic_of(kind, (uint64_t)bytes);
}

static int get_contents(MPI_Datatype type, const struct making *making, int *integers, MPI_Aint *addresses,
                        MPI_Count *counts, MPI_Datatype *types)
{
#ifdef CW_NBC_LARGE
    return PMPI_Type_get_contents_c(type, making->integers, making->addresses, making->counts, making->types, integers,
                                    addresses, counts, types);
#else
    (void)counts;
    return PMPI_Type_get_contents(type, making->integers, making->addresses, making->types, integers, addresses, types);
#endif
}

static bool is_predefined(int kind)
{
    return kind == MPI_COMBINER_NAMED || kind == MPI_COMBINER_F90_REAL || kind == MPI_COMBINER_F90_COMPLEX ||
           kind == MPI_COMBINER_F90_INTEGER;
}

/* Of the types of which TYPE is made: the one that all of them are, or CW_NBC_MIXED. */
static cw_nbc_basic basic_of_contents(MPI_Datatype type, const struct making *making)
{
    int *integers = cw_new_array((size_t)making->integers + 1, sizeof *integers, "a datatype");
    MPI_Aint *addresses = cw_new_array((size_t)making->addresses + 1, sizeof *addresses, "a datatype");
    MPI_Count *counts = cw_new_array((size_t)making->counts + 1, sizeof *counts, "a datatype");
    MPI_Datatype *types = cw_new_array((size_t)making->types, sizeof(MPI_Datatype), "a datatype");
    const bool room = integers && addresses && counts && types;
    cw_nbc_basic basic = cw_nbc_basic_of(CW_NBC_ANY, 0);
    if (room && get_contents(type, making, integers, addresses, counts, types) == MPI_SUCCESS)
        for (nbc_count i = 0; i < making->types; i++) {
            const cw_nbc_basic one = nbc_type_basic(types[i]);
            basic = i == 0 || one == basic ? one : cw_nbc_basic_of(CW_NBC_MIXED, 0);
            if (!is_predefined(making_of(types[i]).kind)) PMPI_Type_free(&types[i]);
        }
    free(integers);
    free(addresses);
    free(counts);
    free(types);
    return basic;
}

cw_nbc_basic nbc_type_basic(MPI_Datatype type)
{
    if (type == MPI_DATATYPE_NULL || nbc_type_known_size(type) > 0 || nbc_type_of(type) < CW_NBC_TYPES)
        return basic_of_named(type);
    const struct making making = making_of(type);
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    switch (making.kind) {
    case MPI_COMBINER_NAMED:
        return basic_of_named(type);
    case MPI_COMBINER_F90_REAL:
        return cw_nbc_basic_of(CW_NBC_REAL, (uint64_t)bytes);
    case MPI_COMBINER_F90_COMPLEX:
        return cw_nbc_basic_of(CW_NBC_COMPLEX, (uint64_t)bytes);
    case MPI_COMBINER_F90_INTEGER:
        return cw_nbc_basic_of(CW_NBC_SIGNED, (uint64_t)bytes);
    default:
        return basic_of_contents(type, &making);
    }
}

/* The one type of which a duplicate, or a row, is made; MPI says of those one number at most. */
static MPI_Datatype inner_of(MPI_Datatype type, const struct making *making)
{
    int integer;
    MPI_Aint none;
    MPI_Datatype inner;
#ifdef CW_NBC_LARGE
    MPI_Count count;
    PMPI_Type_get_contents_c(type, making->integers, 0, making->counts, 1, &integer, &none, &count, &inner);
#else
    PMPI_Type_get_contents(type, making->integers, 0, 1, &integer, &none, &inner);
#endif
    return inner;
}

/* A type that is made of one other in the order of memory is as dense as that one. */
static bool inner_is_dense(MPI_Datatype type, const struct making *making)
{
    if (making->kind != MPI_COMBINER_DUP && making->kind != MPI_COMBINER_CONTIGUOUS) return false;
    MPI_Datatype inner = inner_of(type, making);
    const bool dense = nbc_type_is_dense(inner);
    if (making_of(inner).kind != MPI_COMBINER_NAMED) PMPI_Type_free(&inner);
    return dense;
}

/* MPI may have to wait for a relay before it says what kind a type is (nbc_comm_of): numbers are known here. */
bool nbc_type_is_dense(MPI_Datatype type)
{
    MPI_Aint lower, extent;
    MPI_Count bytes;
    if (type == MPI_CHAR || nbc_type_of(type) != CW_NBC_TYPES) return true;
    PMPI_Type_size_x(type, &bytes);
    PMPI_Type_get_extent(type, &lower, &extent);
    if (lower != 0 || extent != bytes) return false;
    const struct making making = making_of(type);
    return making.kind == MPI_COMBINER_NAMED || inner_is_dense(type, &making);
}

static uint64_t size_of(MPI_Datatype type)
{
    const uint64_t known = nbc_type_known_size(type);
    MPI_Count bytes = 0;
    if (!known) PMPI_Type_size_x(type, &bytes);
    return known ? known : (uint64_t)bytes;
}

uint64_t nbc_type_bytes(MPI_Datatype type, nbc_count count)
{
    uint64_t bytes;
    const bool none = type == MPI_DATATYPE_NULL || __builtin_mul_overflow(size_of(type), count, &bytes);
    return none ? UINT64_MAX : bytes;
}

uint64_t nbc_type_span(MPI_Datatype type, nbc_count count, MPI_Aint *first)
{
    MPI_Aint lower, extent, true_extent;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_get_true_extent(type, first, &true_extent);
    return count > 0 ? (uint64_t)(true_extent + (count - 1) * extent) : 0;
}

static MPI_Aint stride_of(MPI_Datatype type, nbc_count count)
{
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(type, &lower, &extent);
    return extent * count;
}

/* A datatype that means at this address what TYPE means at 0 (MPI_BOTTOM), where MPI_Pack of MPICH refuses it. */
static char anchor;

static int anchored(MPI_Datatype type, MPI_Datatype *out)
{
    MPI_Aint back;
    PMPI_Get_address(&anchor, &back);
    back = -back;
    if (PMPI_Type_create_hindexed(1, (const int[]){1}, &back, type, out) != MPI_SUCCESS ||
        PMPI_Type_commit(out) != MPI_SUCCESS)
        return cw_fail(CW_EIO, "MPI could not make a datatype of addresses");
    return 0;
}

static int pack_addresses(int n, nbc_count count, MPI_Datatype type, char *packed)
{
    MPI_Datatype own;
    int rc = anchored(type, &own);
    if (rc) return rc;
    rc = nbc_type_pack(&anchor, n, count, own, packed);
    PMPI_Type_free(&own);
    return rc;
}

static int unpack_addresses(const char *packed, int n, nbc_count count, MPI_Datatype type)
{
    MPI_Datatype own;
    int rc = anchored(type, &own);
    if (rc) return rc;
    rc = nbc_type_unpack(packed, &anchor, n, count, own);
    PMPI_Type_free(&own);
    return rc;
}

int nbc_type_pack(const void *buffer, int n, nbc_count count, MPI_Datatype type, char *packed)
{
    if (!buffer) return pack_addresses(n, count, type, packed);
    const MPI_Aint stride = stride_of(type, count);
    const uint64_t bytes = nbc_type_bytes(type, count);
    for (int i = 0; i < n; i++) {
        nbc_count at = 0;
        int code = NBC_COUNTED(PMPI_Pack)((const char *)buffer + i * stride, count, type, packed + (uint64_t)i * bytes,
                                          (nbc_count)bytes, &at, MPI_COMM_SELF);
        if (code != MPI_SUCCESS || (uint64_t)at != bytes) return cw_fail(CW_EIO, "MPI could not pack a message");
    }
    return 0;
}

int nbc_type_unpack(const char *packed, void *buffer, int n, nbc_count count, MPI_Datatype type)
{
    if (!buffer) return unpack_addresses(packed, n, count, type);
    const MPI_Aint stride = stride_of(type, count);
    const uint64_t bytes = nbc_type_bytes(type, count);
    for (int i = 0; i < n; i++) {
        nbc_count at = 0;
        int code = NBC_COUNTED(PMPI_Unpack)(packed + (uint64_t)i * bytes, (nbc_count)bytes, &at,
                                            (char *)buffer + i * stride, count, type, MPI_COMM_SELF);
        if (code != MPI_SUCCESS) return cw_fail(CW_EIO, "MPI could not unpack a message");
    }
    return 0;
}
