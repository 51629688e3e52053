/*
 * Errors: a negative code travels, the message waits.
 *
 * A function that can fail returns 0 or a negative cw_error. Whoever detects the failure calls cw_fail (or
 * cw_fail_at, for a place in a file) and returns its value; callers pass the code on and add nothing. Outputs are
 * written only on success. The message belongs to the thread that failed and stays until its next failure;
 * cw_parallel_for carries a worker's message to its caller.
 */
#ifndef CW_BASE_ERROR_H
#define CW_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

enum cw_error {
    CW_OK = 0,
    CW_EUSAGE = -1,      /* the caller asked for something that does not exist or is out of range */
    CW_ENOMEM = -2,      /* memory ran out */
    CW_EIO = -3,         /* a file could not be opened, read or written */
    CW_EPARSE = -4,      /* a file's content is malformed */
    CW_ELIMIT = -5,      /* more vertices, channels or memory than can be had; refused before allocation */
    CW_EROUTE = -6,      /* a route has a hole or a loop */
    CW_EINTERNAL = -7,   /* a broken invariant: a bug in Crosswind */
    CW_EINTERRUPTED = -8 /* the program was asked to stop (base/interrupt.h) */
};

/* Whether RC, an error of one of several things that stand side by side, such as the cases of a study, stops no other:
 * it is neither the machine's, nor ours, nor the user's wish. */
static inline bool cw_error_stops_one(int rc)
{
    return rc && rc != CW_ENOMEM && rc != CW_EINTERNAL && rc != CW_EINTERRUPTED;
}

/* Sets this thread's message and returns CODE. The message has no trailing newline. */
CW_API int cw_fail(int code, const char *format, ...) CW_PRINTF(2, 3);

/* The same for line LINE (from 1; 0: the whole file) of FILE: "FILE:LINE: message". Returns CW_EPARSE. */
CW_API int cw_fail_at(const char *file, unsigned long line, const char *format, ...) CW_PRINTF(3, 4);

/* 0, or CW_EUSAGE with "the setup has no WHAT" where PART is NULL. */
CW_API int cw_check_given(const void *part, const char *what);

/* CW_ENOMEM with "out of memory: N bytes for WHAT". */
CW_API int cw_fail_memory(size_t bytes, const char *what);

/* This thread's last message; "" before any. Owned by the library, valid until the thread's next failure. */
CW_API const char *cw_error_message(void);

CW_END_DECLS

#endif
