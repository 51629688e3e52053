/*
 * Cases that cannot run here. cmocka's exit status does not tell a skipped case from one that passed; CTest needs it
 * (77), and a failure beside it must stay a failure. So whoever skips says why with skip_because, and main ends with
 * run_cases.
 */
#ifndef CW_TEST_SKIP_H
#define CW_TEST_SKIP_H

#include <stdbool.h>
#include <stdlib.h>

/* cmocka.h and what it needs come before this header. */

#define SKIPPED_STATUS 77

static bool case_skipped;

/* Leaves the case; tools/test lists the reason at the end of the suite. */
#define skip_because(...)                                                                                              \
    do {                                                                                                               \
        print_message("SKIPPED: " __VA_ARGS__);                                                                        \
        print_message("\n");                                                                                           \
        case_skipped = true;                                                                                           \
        skip();                                                                                                        \
    } while (0)

/* The exit status of a program with the array TESTS of cases, of which CW_CASES in the environment names those that run
 * (tests/unit/threads.txt); unset: all. */
#define run_cases(tests)                                                                                               \
    (cmocka_set_test_filter(getenv("CW_CASES")), cmocka_run_group_tests(tests, NULL, NULL) != 0 ? 1                    \
                                                 : case_skipped                                 ? SKIPPED_STATUS       \
                                                                                                : 0)

#endif
