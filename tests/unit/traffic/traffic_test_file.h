/* A temporary file with given content. */
#ifndef CW_TESTS_TRAFFIC_TEST_FILE_H
#define CW_TESTS_TRAFFIC_TEST_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TEST_PATH_SIZE 512

/* Writes CONTENT to a new file in the directory for temporary ones, whose name goes to PATH. The caller unlinks it. */
static inline void write_test_file(const char *content, size_t length, char path[TEST_PATH_SIZE])
{
    const char *directory = getenv("TMPDIR");
    snprintf(path, TEST_PATH_SIZE, "%s/cw-test-XXXXXX", directory ? directory : P_tmpdir);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, content, length), (ssize_t)length);
    close(file);
}

#endif
