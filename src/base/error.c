#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_SIZE 1024

static _Thread_local char last_message[MESSAGE_SIZE];

/* Ends a message that did not fit with "…", which replaces whole characters (a UTF-8 character is never cut). */
static void mark_cut(char message[MESSAGE_SIZE])
{
    static const char ellipsis[] = "…";
    size_t end = MESSAGE_SIZE - sizeof ellipsis;
    while (end > 0 && ((unsigned char)message[end] & 0xc0) == 0x80) end--;
    memcpy(message + end, ellipsis, sizeof ellipsis);
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
    if (used >= sizeof message) mark_cut(message);
    memcpy(last_message, message, sizeof message);
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

int cw_fail_memory(size_t bytes, const char *what)
{
    return cw_fail(CW_ENOMEM, "out of memory: %zu bytes for %s", bytes, what);
}

const char *cw_error_message(void)
{
    return last_message;
}
