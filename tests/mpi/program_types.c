/* What the library takes MPI's datatypes and operations for: of what numbers they are made, how they lie, and how they
 * are packed; of one rank. */
#include <complex.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/error.h"
#include "mpi/nbc/nbc_type.h"

static int failures;

/* --- between the library and MPI ---------------------------------------------------------------------------------- */

static int asked, freed;                      /* how often MPI was asked how a type is made, and a type was freed */
static int allocations, starved_at;           /* the so-manieth of them finds no memory */
static enum { WELL, REFUSED, SHORT } packing; /* what becomes of packing and unpacking */

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
    return ++allocations == starved_at ? NULL : __real_calloc(n, size);
}

int PMPI_Type_free(MPI_Datatype *type)
{
    freed++;
    return MPI_Type_free(type);
}

#ifdef CW_NBC_LARGE
int PMPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count *integers, MPI_Count *addresses, MPI_Count *counts,
                             MPI_Count *types, int *kind)
{
    asked++;
    return MPI_Type_get_envelope_c(type, integers, addresses, counts, types, kind);
}
#else
int PMPI_Type_get_envelope(MPI_Datatype type, int *integers, int *addresses, int *types, int *kind)
{
    asked++;
    return MPI_Type_get_envelope(type, integers, addresses, types, kind);
}
#endif

int NBC_COUNTED(PMPI_Pack)(const void *in, nbc_count count, MPI_Datatype type, void *out, nbc_count bytes,
                           nbc_count *at, MPI_Comm comm)
{
    const int code = NBC_COUNTED(MPI_Pack)(in, count, type, out, bytes, at, comm);
    *at -= packing == SHORT;
    return packing == REFUSED ? MPI_ERR_OTHER : code;
}

int NBC_COUNTED(PMPI_Unpack)(const void *in, nbc_count bytes, nbc_count *at, void *out, nbc_count count,
                             MPI_Datatype type, MPI_Comm comm)
{
    const int code = NBC_COUNTED(MPI_Unpack)(in, bytes, at, out, count, type, comm);
    return packing == REFUSED ? MPI_ERR_OTHER : code;
}

/* --- types and operations ----------------------------------------------------------------------------------------- */

static void expect(bool holds, const char *what, int number)
{
    if (holds) return;
    failures++;
    printf("types: %s (%d)\n", what, number);
}

/* What is expected of a type: as plain numbers, what its parts are, whether it is dense, and its bytes. */
struct expected {
    MPI_Datatype type;
    enum cw_nbc_type plain;
    enum cw_nbc_kind kind;
    uint64_t part;
    bool dense;
    uint64_t bytes;
};

static void check(const struct expected *e, int number)
{
    expect(nbc_type_of(e->type) == e->plain, "a type is taken for other numbers", number);
    expect(nbc_type_basic(e->type) == cw_nbc_basic_of(e->kind, e->part), "a type is made of something else", number);
    expect(nbc_type_is_dense(e->type) == e->dense, "a type has gaps, or not", number);
    expect(nbc_type_bytes(e->type, 3) == 3 * e->bytes, "bytes of three", number);
    const uint64_t known = nbc_type_known_size(e->type);
    expect(known == 0 || known == e->bytes, "a size that is known", number);
    expect(known == 0 || nbc_type_known_basic(e->type) == nbc_type_basic(e->type), "a basic type that is known",
           number);
}

static void check_named(void)
{
    const struct expected all[] = {
        {MPI_DOUBLE, CW_NBC_DOUBLE, CW_NBC_REAL, 8, true, 8},
        {MPI_FLOAT, CW_NBC_FLOAT, CW_NBC_REAL, 4, true, 4},
        {MPI_REAL, CW_NBC_FLOAT, CW_NBC_REAL, 4, true, 4},
        {MPI_DOUBLE_PRECISION, CW_NBC_DOUBLE, CW_NBC_REAL, 8, true, 8},
        {MPI_LONG_DOUBLE, CW_NBC_TYPES, CW_NBC_REAL, sizeof(long double), true, sizeof(long double)},
        {MPI_INT, CW_NBC_INT32, CW_NBC_SIGNED, 4, true, 4},
        {MPI_LONG, CW_NBC_INT64, CW_NBC_SIGNED, 8, true, 8},
        {MPI_LONG_LONG, CW_NBC_INT64, CW_NBC_SIGNED, 8, true, 8},
        {MPI_SHORT, CW_NBC_INT16, CW_NBC_SIGNED, 2, true, 2},
        {MPI_SIGNED_CHAR, CW_NBC_INT8, CW_NBC_SIGNED, 1, true, 1},
        {MPI_INT8_T, CW_NBC_INT8, CW_NBC_SIGNED, 1, true, 1},
        {MPI_INT16_T, CW_NBC_INT16, CW_NBC_SIGNED, 2, true, 2},
        {MPI_INT32_T, CW_NBC_INT32, CW_NBC_SIGNED, 4, true, 4},
        {MPI_INT64_T, CW_NBC_INT64, CW_NBC_SIGNED, 8, true, 8},
        {MPI_INTEGER, CW_NBC_INT32, CW_NBC_SIGNED, 4, true, 4},
        {MPI_AINT, CW_NBC_INT64, CW_NBC_SIGNED, 8, true, 8},
        {MPI_COUNT, CW_NBC_INT64, CW_NBC_SIGNED, 8, true, 8},
        {MPI_OFFSET, CW_NBC_INT64, CW_NBC_SIGNED, 8, true, 8},
        {MPI_UNSIGNED, CW_NBC_UINT32, CW_NBC_UNSIGNED, 4, true, 4},
        {MPI_UNSIGNED_LONG, CW_NBC_UINT64, CW_NBC_UNSIGNED, 8, true, 8},
        {MPI_UNSIGNED_LONG_LONG, CW_NBC_UINT64, CW_NBC_UNSIGNED, 8, true, 8},
        {MPI_UNSIGNED_SHORT, CW_NBC_UINT16, CW_NBC_UNSIGNED, 2, true, 2},
        {MPI_UNSIGNED_CHAR, CW_NBC_UINT8, CW_NBC_UNSIGNED, 1, true, 1},
        {MPI_UINT8_T, CW_NBC_UINT8, CW_NBC_UNSIGNED, 1, true, 1},
        {MPI_UINT16_T, CW_NBC_UINT16, CW_NBC_UNSIGNED, 2, true, 2},
        {MPI_UINT32_T, CW_NBC_UINT32, CW_NBC_UNSIGNED, 4, true, 4},
        {MPI_UINT64_T, CW_NBC_UINT64, CW_NBC_UNSIGNED, 8, true, 8},
        {MPI_BYTE, CW_NBC_UINT8, CW_NBC_BYTES, 1, true, 1},
        {MPI_CHAR, CW_NBC_TYPES, CW_NBC_TEXT, 1, true, 1},
        {MPI_CHARACTER, CW_NBC_TYPES, CW_NBC_TEXT, 1, true, 1},
        {MPI_WCHAR, CW_NBC_TYPES, CW_NBC_TEXT, sizeof(wchar_t), true, sizeof(wchar_t)},
        {MPI_C_BOOL, CW_NBC_TYPES, CW_NBC_LOGICAL, 1, true, 1},
        {MPI_LOGICAL, CW_NBC_TYPES, CW_NBC_LOGICAL, 4, true, 4},
        {MPI_C_COMPLEX, CW_NBC_TYPES, CW_NBC_COMPLEX, 8, true, 8},
        {MPI_C_DOUBLE_COMPLEX, CW_NBC_TYPES, CW_NBC_COMPLEX, 16, true, 16},
        {MPI_C_LONG_DOUBLE_COMPLEX, CW_NBC_TYPES, CW_NBC_COMPLEX, sizeof(long double complex), true,
         sizeof(long double complex)},
        {MPI_COMPLEX, CW_NBC_TYPES, CW_NBC_COMPLEX, 8, true, 8},
        {MPI_DOUBLE_COMPLEX, CW_NBC_TYPES, CW_NBC_COMPLEX, 16, true, 16},
        {MPI_2INT, CW_NBC_TYPES, CW_NBC_SIGNED, 4, true, 8},
        {MPI_FLOAT_INT, CW_NBC_TYPES, CW_NBC_MIXED, 0, true, 8},
        {MPI_DOUBLE_INT, CW_NBC_TYPES, CW_NBC_MIXED, 0, false, 12},
        {MPI_LONG_INT, CW_NBC_TYPES, CW_NBC_MIXED, 0, false, 12},
        {MPI_SHORT_INT, CW_NBC_TYPES, CW_NBC_MIXED, 0, false, 6},
        {MPI_LONG_DOUBLE_INT, CW_NBC_TYPES, CW_NBC_MIXED, 0, false, sizeof(long double) + sizeof(int)},
        {MPI_PACKED, CW_NBC_TYPES, CW_NBC_ANY, 0, true, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check(&all[i], (int)i);
    expect(freed == 0, "a type of MPI's own is freed", freed);
}

/* Where MPI is asked, a call may wait for a relay. */
static void check_known(void)
{
    const MPI_Datatype all[] = {MPI_DOUBLE, MPI_FLOAT, MPI_INT, MPI_BYTE, MPI_CHAR, MPI_SHORT, MPI_UINT64_T};
    asked = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        nbc_type_basic(all[i]);
        nbc_type_is_dense(all[i]);
        expect(asked == 0, "MPI is asked what is known", (int)i);
    }
    expect(nbc_type_basic(MPI_DATATYPE_NULL) == cw_nbc_basic_of(CW_NBC_ANY, 0), "what no type is made of", 0);
}

static MPI_Datatype structure(int n, const MPI_Aint *places, const MPI_Datatype *types)
{
    const int ones[] = {1, 1, 1};
    MPI_Datatype type;
    MPI_Type_create_struct(n, ones, places, types, &type);
    return type;
}

enum {
    THREE,
    DUP,
    ROW_OF_DUPS,
    VECTOR,
    ROW_OF_VECTORS,
    TURNED,
    ROW_TURNED,
    SPREAD,
    ALIKE,
    MIXED,
    AFTER,
    REAL,
    COMPLEX,
    WHOLE,
    SHIFTED,
    REALS,
    COMPLEXES,
    WHOLES,
    MADE
};

static void make(MPI_Datatype made[MADE])
{
    MPI_Type_contiguous(3, MPI_INT, &made[THREE]);
    MPI_Type_dup(MPI_DOUBLE, &made[DUP]);
    MPI_Type_contiguous(2, made[DUP], &made[ROW_OF_DUPS]);
    MPI_Type_vector(3, 2, 5, MPI_SHORT, &made[VECTOR]);
    MPI_Type_contiguous(2, made[VECTOR], &made[ROW_OF_VECTORS]);
    MPI_Type_indexed(2, (const int[]){2, 1}, (const int[]){1, 0}, MPI_INT, &made[TURNED]);
    MPI_Type_contiguous(2, made[TURNED], &made[ROW_TURNED]);
    MPI_Type_create_resized(MPI_INT, 0, 12, &made[SPREAD]);
    made[ALIKE] = structure(2, (const MPI_Aint[]){0, 4}, (const MPI_Datatype[]){MPI_INT, MPI_INT32_T});
    made[MIXED] = structure(3, (const MPI_Aint[]){0, 8, 12}, (const MPI_Datatype[]){MPI_DOUBLE, MPI_INT, MPI_INT});
    made[AFTER] = structure(1, (const MPI_Aint[]){12}, (const MPI_Datatype[]){MPI_INT});
    MPI_Type_create_f90_real(6, 30, &made[REAL]);
    MPI_Type_create_f90_complex(6, 30, &made[COMPLEX]);
    MPI_Type_create_f90_integer(9, &made[WHOLE]);
    MPI_Type_create_resized(MPI_DOUBLE, -8, 24, &made[SHIFTED]);
    for (int i = 0; i < 3; i++) MPI_Type_contiguous(2, made[REAL + i], &made[REALS + i]);
    for (int i = 0; i < MADE; i++)
        if (i < REAL || i > WHOLE) MPI_Type_commit(&made[i]);
}

static void check_made(const MPI_Datatype made[MADE])
{
    const struct expected all[] = {{made[THREE], CW_NBC_TYPES, CW_NBC_SIGNED, 4, true, 12},
                                   {made[DUP], CW_NBC_TYPES, CW_NBC_REAL, 8, true, 8},
                                   {made[ROW_OF_DUPS], CW_NBC_TYPES, CW_NBC_REAL, 8, true, 16},
                                   {made[VECTOR], CW_NBC_TYPES, CW_NBC_SIGNED, 2, false, 12},
                                   {made[ROW_OF_VECTORS], CW_NBC_TYPES, CW_NBC_SIGNED, 2, false, 24},
                                   {made[TURNED], CW_NBC_TYPES, CW_NBC_SIGNED, 4, false, 12},
                                   {made[ROW_TURNED], CW_NBC_TYPES, CW_NBC_SIGNED, 4, false, 24},
                                   {made[SPREAD], CW_NBC_TYPES, CW_NBC_SIGNED, 4, false, 4},
                                   {made[ALIKE], CW_NBC_TYPES, CW_NBC_SIGNED, 4, false, 8},
                                   {made[MIXED], CW_NBC_TYPES, CW_NBC_MIXED, 0, false, 16},
                                   {made[AFTER], CW_NBC_TYPES, CW_NBC_SIGNED, 4, false, 4},
                                   {made[REAL], CW_NBC_TYPES, CW_NBC_REAL, 4, true, 4},
                                   {made[COMPLEX], CW_NBC_TYPES, CW_NBC_COMPLEX, 8, true, 8},
                                   {made[WHOLE], CW_NBC_TYPES, CW_NBC_SIGNED, 4, true, 4},
                                   {made[SHIFTED], CW_NBC_TYPES, CW_NBC_REAL, 8, false, 8},
                                   {made[REALS], CW_NBC_TYPES, CW_NBC_REAL, 4, true, 8},
                                   {made[COMPLEXES], CW_NBC_TYPES, CW_NBC_COMPLEX, 8, true, 16},
                                   {made[WHOLES], CW_NBC_TYPES, CW_NBC_SIGNED, 4, true, 8}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (i < REAL || (i > WHOLE && i < REALS))
            check(&all[i], 100 + (int)i);
        else /* how MPI lays these out is its own affair */
            expect(nbc_type_basic(all[i].type) == cw_nbc_basic_of(all[i].kind, all[i].part), "a type of Fortran",
                   (int)i);
    expect(nbc_type_bytes(MPI_DATATYPE_NULL, 1) == UINT64_MAX, "bytes of no type", 0);
    expect(nbc_type_bytes(MPI_INT, -1) == UINT64_MAX, "bytes of less than nothing", 0);
    expect(nbc_type_bytes(MPI_INT, 0) == 0, "bytes of nothing", 0);
    expect(nbc_type_of(MPI_DATATYPE_NULL) == CW_NBC_TYPES, "no type", 0);
}

/* What MPI gives of a type that is made of others is given back; what is its own is not. */
static void check_freed(const MPI_Datatype made[MADE])
{
    const struct {
        int made, by_basic;
    } all[] = {{THREE, 0}, {DUP, 0},   {ROW_OF_DUPS, 1}, {ROW_OF_VECTORS, 1},
               {MIXED, 0}, {REALS, 0}, {COMPLEXES, 0},   {WHOLES, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        freed = 0;
        nbc_type_basic(made[all[i].made]);
        expect(freed == all[i].by_basic, "types that are given back", (int)i);
    }
    freed = 0;
    nbc_type_is_dense(made[ROW_OF_DUPS]);
    nbc_type_is_dense(made[THREE]);
    expect(freed == 1, "types that are given back by those that may be dense", freed);
}

/* Without memory nothing is said of a type. */
static void check_starved(MPI_Datatype mixed)
{
    for (starved_at = 1; starved_at <= 4; starved_at++) {
        allocations = 0;
        expect(nbc_type_basic(mixed) == cw_nbc_basic_of(CW_NBC_ANY, 0), "what a type is made of without memory",
               starved_at);
    }
    starved_at = 0;
}

static void check_spans(const MPI_Datatype made[MADE])
{
    const struct {
        int made, count;
        uint64_t bytes;
        MPI_Aint first;
    } all[] = {{VECTOR, 0, 0, 0},  {VECTOR, 1, 24, 0}, {VECTOR, 3, 72, 0}, {SPREAD, 0, 0, 0},  {SPREAD, 1, 4, 0},
               {SPREAD, 3, 28, 0}, {AFTER, 1, 4, 12},  {AFTER, 2, 8, 12},  {SHIFTED, 2, 32, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        MPI_Aint first = -1;
        expect(nbc_type_span(made[all[i].made], all[i].count, &first) == all[i].bytes && first == all[i].first,
               "a span", (int)i);
    }
}

static void check_ops(void)
{
    const MPI_Op all[] = {MPI_SUM, MPI_PROD, MPI_MIN,  MPI_MAX, MPI_LAND,
                          MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
    const enum cw_nbc_op expected[] = {CW_NBC_SUM, CW_NBC_PROD, CW_NBC_MIN,  CW_NBC_MAX, CW_NBC_LAND,
                                       CW_NBC_LOR, CW_NBC_LXOR, CW_NBC_BAND, CW_NBC_BOR, CW_NBC_BXOR};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        expect(nbc_op_of(all[i]) == expected[i], "an operation", (int)i);
    expect(nbc_op_of(MPI_MAXLOC) == CW_NBC_OPS && nbc_op_of(MPI_REPLACE) == CW_NBC_OPS, "an operation that is not ours",
           0);
}

/* Two blocks of two vectors go into a row as MPI packs them, and back; also by an address of their own. */
static void check_packing(MPI_Datatype vector)
{
    enum { SHORTS = 4 * 12, PACKED = 4 * 6 };
    short data[SHORTS], back[2 * SHORTS] = {0}, room[3 * PACKED] = {0}, *packed = room + PACKED, expected[PACKED];
    int n = 0, at = 0;
    MPI_Aint place;
    MPI_Datatype placed;
    for (int i = 0; i < SHORTS; i++) data[i] = (short)(i + 1);
    for (int block = 0; block < 4; block++)
        for (int i = 0; i < 6; i++) expected[n++] = data[12 * block + 5 * (i / 2) + i % 2];
    packed[PACKED] = -1;
    expect(nbc_type_pack(data, 2, 2, vector, (char *)packed) == 0, "packing", 0);
    expect(memcmp(packed, expected, sizeof expected) == 0 && packed[PACKED] == -1 && packed[-1] == 0, "what is packed",
           0);
    expect(nbc_type_unpack((const char *)packed, back, 2, 2, vector) == 0, "unpacking", 0);
    for (int i = 0; i < 2 * SHORTS; i++) {
        const bool in = i < SHORTS && (i % 12 == 0 || i % 12 == 1 || i % 12 == 5 || i % 12 == 6 || i % 12 >= 10);
        at += back[i] != (in ? i + 1 : 0);
    }
    expect(at == 0, "what is unpacked", at);

    MPI_Get_address(data, &place);
    MPI_Type_create_hindexed(1, (const int[]){1}, &place, vector, &placed);
    MPI_Type_commit(&placed);
    memset(packed, 0, PACKED * sizeof *packed);
    expect(nbc_type_pack(MPI_BOTTOM, 1, 1, placed, (char *)packed) == 0, "packing by an address", 0);
    expect(memcmp(packed, expected, 12) == 0 && packed[6] == 0, "what is packed by an address", 0);
    memset(data, 0, sizeof data);
    expect(nbc_type_unpack((const char *)packed, MPI_BOTTOM, 1, 1, placed) == 0, "unpacking by an address", 0);
    expect(data[0] == 1 && data[5] == 6 && data[11] == 12 && data[2] == 0, "what is unpacked by an address", 0);
    MPI_Type_free(&placed);
}

static void expect_failure(int rc, const char *message, int number)
{
    expect(rc == CW_EIO && strcmp(cw_error_message(), message) == 0, "what MPI refuses", number);
}

static void check_refusals(MPI_Datatype vector)
{
    short data[12] = {0}, packed[6] = {0};
    packing = REFUSED;
    expect_failure(nbc_type_pack(data, 1, 1, vector, (char *)packed), "MPI could not pack a message", 0);
    expect_failure(nbc_type_unpack((char *)packed, data, 1, 1, vector), "MPI could not unpack a message", 1);
    packing = SHORT;
    expect_failure(nbc_type_pack(data, 1, 1, vector, (char *)packed), "MPI could not pack a message", 2);
    packing = WELL;
}

int main(int argc, char **argv)
{
    MPI_Datatype made[MADE];
    MPI_Init(&argc, &argv);
    check_named();
    check_known();
    make(made);
    check_made(made);
    check_freed(made);
    check_starved(made[MIXED]);
    check_spans(made);
    check_ops();
    check_packing(made[VECTOR]);
    check_refusals(made[VECTOR]);
    for (int i = 0; i < MADE; i++)
        if (i < REAL || i > WHOLE) MPI_Type_free(&made[i]);
    MPI_Finalize();
    if (!failures) printf("types: as they are\n");
    return failures > 0;
}
