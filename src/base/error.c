#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define MESSAGE_SIZE 1024

static _Thread_local char
    last_message[MESSAGE_SIZE + sizeof "…"]; /* a control character may end at the very last place */

/* MESSAGE becomes the thread's, with the control characters of what it quotes made visible. One that does not fit ends
 * with "…", which replaces whole characters (a UTF-8 character is never cut). */
static void show(const char *message)
{
    enum { ROOM = MESSAGE_SIZE - sizeof "\\x9b\\x9b" };
    size_t used = 0;
    while (*message && used < ROOM) {
        const size_t control = cw_text_control(message);
        if (control == 0) last_message[used++] = *message++;
        for (size_t i = 0; i < control; i++)
            used += (size_t)sprintf(last_message + used, "\\x%02x", (unsigned char)*message++);
    }
    if (*message)
        for (; used > 0 && ((unsigned char)*message & 0xc0) == 0x80; message--) used--;
    strcpy(last_message + used, *message ? "…" : "");
}

/* The message is composed aside, because the arguments may point into the previous one. */
static void set_message(const char *place, const char *format, va_list arguments) CW_PRINTF(2, 0);

static void set_message(const char *place, const char *format, va_list arguments)
{
    char message[MESSAGE_SIZE];
    int length = snprintf(message, sizeof message, "%s", place);
    size_t used = length < 0 ? 0 : (size_t)length;
    if (used < sizeof message) {
        length = vsnprintf(message + used, sizeof message - used, format, arguments);
        used += length < 0 ? 0 : (size_t)length;
    }
    show(message);
}

int cw_fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_message("", format, arguments);
    va_end(arguments);
    return code;
}

int cw_fail_at(const char *file, unsigned long line, const char *format, ...)
{
    /* A name longer than this would leave no room for what is wrong. */
    char place[MESSAGE_SIZE / 2];
    if (line > 0)
        snprintf(place, sizeof place, "%.*s:%lu: ", MESSAGE_SIZE / 2 - 32, file, line);
    else
        snprintf(place, sizeof place, "%.*s: ", MESSAGE_SIZE / 2 - 32, file);
    va_list arguments;
    va_start(arguments, format);
    set_message(place, format, arguments);
    va_end(arguments);
    return CW_EPARSE;
}

int cw_check_given(const void *part, const char *what)
{
    return part ? 0 : cw_fail(CW_EUSAGE, "the setup has no %s", what);
}

int cw_fail_memory(size_t bytes, const char *what)
{
    return cw_fail(CW_ENOMEM, "out of memory: %zu bytes for %s", bytes, what);
}

const char *cw_error_message(void)
{
    return last_message;
}
