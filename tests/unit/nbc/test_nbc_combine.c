/* Every operation on every type against the definition, element by element. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "nbc/nbc_combine.h"

#define N 33

/* In 64 bits, cut to the type; floating-point values are small integers. */
static int64_t defined(enum cw_nbc_op op, int64_t a, int64_t b)
{
    switch (op) {
    case CW_NBC_SUM:
        return a + b;
    case CW_NBC_PROD:
        return a * b;
    case CW_NBC_MIN:
        return a < b ? a : b;
    case CW_NBC_MAX:
        return a > b ? a : b;
    case CW_NBC_LAND:
        return a && b;
    case CW_NBC_LOR:
        return a || b;
    case CW_NBC_LXOR:
        return !a != !b;
    case CW_NBC_BAND:
        return a & b;
    case CW_NBC_BOR:
        return a | b;
    case CW_NBC_BXOR:
        return a ^ b;
    default:
        return 0;
    }
}

#define CHECK(T, TYPE)                                                                                                 \
    static void check_##TYPE(enum cw_nbc_op op)                                                                        \
    {                                                                                                                  \
        T into[N], from[N], a[N];                                                                                      \
        cw_nbc_combine *combine = cw_nbc_combine_for(TYPE, op);                                                        \
        assert_int_equal(cw_nbc_type_size(TYPE), sizeof(T));                                                           \
        if (!combine) return;                                                                                          \
        for (int i = 0; i < N; i++) {                                                                                  \
            a[i] = into[i] = (T)(i % 7 - ((T)-1 < (T)1 ? 3 : 0));                                                      \
            from[i] = (T)(i % 5 + (i % 3 == 0 ? 120 : 0));                                                             \
        }                                                                                                              \
        combine(into, from, N - 1);                                                                                    \
        for (int i = 0; i < N - 1; i++) assert_true(into[i] == (T)defined(op, (int64_t)a[i], (int64_t)from[i]));       \
        assert_true(into[N - 1] == a[N - 1]); /* no further */                                                         \
    }
CHECK(int8_t, CW_NBC_INT8)
CHECK(int16_t, CW_NBC_INT16)
CHECK(int32_t, CW_NBC_INT32)
CHECK(int64_t, CW_NBC_INT64)
CHECK(uint8_t, CW_NBC_UINT8)
CHECK(uint16_t, CW_NBC_UINT16)
CHECK(uint32_t, CW_NBC_UINT32)
CHECK(uint64_t, CW_NBC_UINT64)
CHECK(float, CW_NBC_FLOAT)
CHECK(double, CW_NBC_DOUBLE)

static void test_definition(void **state)
{
    (void)state;
    for (int op = 0; op < CW_NBC_OPS; op++) {
        check_CW_NBC_INT8((enum cw_nbc_op)op);
        check_CW_NBC_INT16((enum cw_nbc_op)op);
        check_CW_NBC_INT32((enum cw_nbc_op)op);
        check_CW_NBC_INT64((enum cw_nbc_op)op);
        check_CW_NBC_UINT8((enum cw_nbc_op)op);
        check_CW_NBC_UINT16((enum cw_nbc_op)op);
        check_CW_NBC_UINT32((enum cw_nbc_op)op);
        check_CW_NBC_UINT64((enum cw_nbc_op)op);
        check_CW_NBC_FLOAT((enum cw_nbc_op)op);
        check_CW_NBC_DOUBLE((enum cw_nbc_op)op);
    }
}

/* Bits of floating-point numbers alone have none. */
static void test_defined(void **state)
{
    (void)state;
    for (int type = 0; type < CW_NBC_TYPES; type++)
        for (int op = 0; op < CW_NBC_OPS; op++) {
            const bool none = type >= CW_NBC_FLOAT && op >= CW_NBC_BAND;
            assert_int_equal(!cw_nbc_combine_for((enum cw_nbc_type)type, (enum cw_nbc_op)op), none);
        }
    assert_null(cw_nbc_combine_for(CW_NBC_TYPES, CW_NBC_SUM));
    assert_null(cw_nbc_combine_for(CW_NBC_INT8, CW_NBC_OPS));
}

/* Beyond the greatest number they go on at the least; order is that of the type; only floating point depends on it. */
static void test_limits(void **state)
{
    (void)state;
#define ONE(T, TYPE, OP, A, B, EXPECTED)                                                                               \
    do {                                                                                                               \
        T into = (T)(A), from = (T)(B);                                                                                \
        cw_nbc_combine_for(TYPE, OP)(&into, &from, 1);                                                                 \
        assert_true(into == (T)(EXPECTED));                                                                            \
    } while (0)
    ONE(int32_t, CW_NBC_INT32, CW_NBC_SUM, INT32_MAX, 1, INT32_MIN);
    ONE(int64_t, CW_NBC_INT64, CW_NBC_SUM, INT64_MAX, 1, INT64_MIN);
    ONE(int64_t, CW_NBC_INT64, CW_NBC_PROD, INT64_MAX, 2, -2);
    ONE(uint64_t, CW_NBC_UINT64, CW_NBC_PROD, UINT64_C(1) << 63, 2, 0);
    ONE(uint32_t, CW_NBC_UINT32, CW_NBC_SUM, UINT32_MAX, 2, 1);
    ONE(int16_t, CW_NBC_INT16, CW_NBC_PROD, INT16_MIN, -1, INT16_MIN);
    ONE(uint64_t, CW_NBC_UINT64, CW_NBC_MAX, UINT64_MAX, 1, UINT64_MAX);
    ONE(int64_t, CW_NBC_INT64, CW_NBC_MAX, -1, 1, 1);
    ONE(double, CW_NBC_DOUBLE, CW_NBC_SUM, 0x1p60, 1 + 0x1p-52, 0x1p60 + 1);
    ONE(double, CW_NBC_DOUBLE, CW_NBC_SUM, 1, 0x1p-40, 1 + 0x1p-40);
    for (int type = 0; type < CW_NBC_TYPES; type++)
        assert_int_equal(cw_nbc_type_is_exact((enum cw_nbc_type)type), type != CW_NBC_FLOAT && type != CW_NBC_DOUBLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_definition), cmocka_unit_test(test_defined),
                                       cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
