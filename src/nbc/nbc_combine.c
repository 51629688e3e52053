#include "nbc/nbc_combine.h"

/* Arithmetic is done in the wider type W, where sums and products of integers wrap as unsigned numbers do. */
#define COMBINE(NAME, T, EXPRESSION)                                                                                   \
    static void NAME(void *restrict into, const void *restrict from, size_t n)                                         \
    {                                                                                                                  \
        T *restrict a = into;                                                                                          \
        const T *restrict b = from;                                                                                    \
        for (size_t i = 0; i < n; i++) a[i] = (T)(EXPRESSION);                                                         \
    }

#define ARITHMETIC(S, T, W)                                                                                            \
    COMBINE(sum_##S, T, (W)a[i] + (W)b[i])                                                                             \
    COMBINE(prod_##S, T, (W)a[i] * (W)b[i])                                                                            \
    COMBINE(min_##S, T, a[i] < b[i] ? a[i] : b[i])                                                                     \
    COMBINE(max_##S, T, a[i] > b[i] ? a[i] : b[i])                                                                     \
    COMBINE(land_##S, T, (a[i] != 0) & (b[i] != 0))                                                                    \
    COMBINE(lor_##S, T, (a[i] != 0) | (b[i] != 0))                                                                     \
    COMBINE(lxor_##S, T, (a[i] != 0) ^ (b[i] != 0))

#define BITWISE(S, T)                                                                                                  \
    COMBINE(band_##S, T, a[i] & b[i])                                                                                  \
    COMBINE(bor_##S, T, a[i] | b[i])                                                                                   \
    COMBINE(bxor_##S, T, a[i] ^ b[i])

#define INTEGER(S, T, W) ARITHMETIC(S, T, W) BITWISE(S, T)
INTEGER(int8, int8_t, uint32_t)
INTEGER(int16, int16_t, uint32_t)
INTEGER(int32, int32_t, uint32_t)
INTEGER(int64, int64_t, uint64_t)
INTEGER(uint8, uint8_t, uint32_t)
INTEGER(uint16, uint16_t, uint32_t)
INTEGER(uint32, uint32_t, uint32_t)
INTEGER(uint64, uint64_t, uint64_t)
ARITHMETIC(float, float, float)
ARITHMETIC(double, double, double)

#define NUMBERS(S) sum_##S, prod_##S, min_##S, max_##S, land_##S, lor_##S, lxor_##S
#define ALL(S)                                                                                                         \
    {                                                                                                                  \
        NUMBERS(S), band_##S, bor_##S, bxor_##S                                                                        \
    }

static cw_nbc_combine *const table[CW_NBC_TYPES][CW_NBC_OPS] = {
    ALL(int8),   ALL(int16),  ALL(int32),  ALL(int64),       ALL(uint8),
    ALL(uint16), ALL(uint32), ALL(uint64), {NUMBERS(float)}, {NUMBERS(double)}};

static const size_t sizes[CW_NBC_TYPES] = {1, 2, 4, 8, 1, 2, 4, 8, sizeof(float), sizeof(double)};

cw_nbc_combine *cw_nbc_combine_for(enum cw_nbc_type type, enum cw_nbc_op op)
{
    return type < CW_NBC_TYPES && op < CW_NBC_OPS ? table[type][op] : NULL;
}

size_t cw_nbc_type_size(enum cw_nbc_type type)
{
    return sizes[type];
}

bool cw_nbc_type_is_exact(enum cw_nbc_type type)
{
    return type < CW_NBC_FLOAT;
}
