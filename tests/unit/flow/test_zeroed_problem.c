/* A setup that was not filled in is refused, never followed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/error.h"
#include "flow/files/flow_export.h"
#include "flow/method.h"
#include "flow/paths/k_paths.h"
#include "flow/plan.h"
#include "flow/transport/transport.h"

static void assert_refused(int code, const char *message)
{
    assert_int_equal(code, CW_EUSAGE);
    assert_string_equal(cw_error_message(), message);
}

static void test_all(void **state)
{
    (void)state;
    static const char message[] = "the problem is empty, expected one of cw_flow_problem_make";
    struct cw_flow_problem problem = {0};
    struct cw_plan plan = {0}, found;
    const struct cw_method_setup setup = {0};
    for (const struct cw_method *const *method = cw_methods; *method; method++)
        assert_refused(cw_method_solve(*method, &problem, &setup, &found), message);
    const struct cw_k_paths_setup many = {.k = 1};
    struct cw_k_paths paths = {0};
    assert_refused(cw_k_paths_find(&problem, &many, 1, &paths), message);
    const struct cw_k_paths_setup none = {0};
    assert_int_equal(cw_k_paths_find(&problem, &none, 1, &paths), CW_EUSAGE);
    struct cw_plan_figures figures;
    struct cw_transport_result times;
    const struct cw_transport transport = {0};
    struct cw_text text = {0};
    assert_refused(cw_plan_evaluate(&problem, &plan), message);
    assert_refused(cw_plan_round(&problem, &plan), message);
    assert_refused(cw_plan_figures_compute(&problem, &plan, &figures), message);
    assert_refused(cw_plan_verify(&problem, &plan), message);
    assert_refused(cw_plan_write(&problem, &plan, NULL, &text), message);
    assert_refused(cw_transport_run(&problem, &plan, &transport, &times), message);
    assert_refused(cw_flow_export(&problem, &paths, CW_EXPORT_LP, &text), message);
    assert_null(text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests_name("zeroed setups", tests, NULL, NULL);
}
