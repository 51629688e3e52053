/* A setup that was not filled in is refused, never followed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/error.h"
#include "sim/collective.h"
#include "sim/congestion.h"
#include "sim/ebb.h"
#include "sim/flit/flit.h"
#include "sim/noise.h"
#include "sim/noise_case.h"

static void assert_refused(int code, const char *message)
{
    assert_int_equal(code, CW_EUSAGE);
    assert_string_equal(cw_error_message(), message);
}

static void test_all(void **state)
{
    (void)state;
    const struct cw_collective_setup collective = {0};
    struct cw_collective *made = NULL;
    assert_refused(cw_collective_new(&collective, &made), "the setup has no routes");
    assert_null(made);
    const struct cw_congestion_setup congestion = {0};
    struct cw_congestion_result hot;
    assert_refused(cw_congestion_run(&congestion, &hot), "the setup has no routes");
    const struct cw_ebb_setup ebb = {0};
    struct cw_ebb_result bandwidth;
    assert_refused(cw_ebb_run(&ebb, &bandwidth), "the setup has no routes");
    const struct cw_noise_setup noise = {0};
    struct cw_noise_result slowdown;
    struct cw_noise_case drawn;
    assert_refused(cw_noise_check(&noise), "the setup has no routes");
    assert_refused(cw_noise_run(&noise, &slowdown), "the setup has no routes");
    assert_refused(cw_noise_draw(&noise, 0, &drawn), "the setup has no routes");
    const struct cw_noise_case noise_case = {0};
    struct cw_noise_replay replay;
    assert_refused(cw_noise_case_run(&noise_case, &collective, &replay), "the setup has no routes");
    const struct cw_flit_setup flit = {0};
    struct cw_flit_simulation *simulation = NULL;
    assert_refused(cw_flit_new(&flit, &simulation), "the setup has no routing");
    assert_null(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests_name("zeroed setups", tests, NULL, NULL);
}
