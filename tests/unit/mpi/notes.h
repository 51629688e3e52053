/* What is called in a test, as text: one note behind the other. cmocka.h and what it needs come before this header. */
#ifndef CW_TESTS_NOTES_H
#define CW_TESTS_NOTES_H

#include <stdarg.h>
#include <stdio.h>

static char notes[4096];
static size_t n_notes;

static void forget_notes(void)
{
    n_notes = 0;
    *notes = 0;
}

static __attribute__((format(printf, 1, 2))) void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (n_notes > 0) n_notes += (size_t)snprintf(notes + n_notes, 3, "; ");
    n_notes += (size_t)vsnprintf(notes + n_notes, sizeof notes - n_notes, format, arguments);
    va_end(arguments);
    assert_true(n_notes < sizeof notes);
}

#endif
