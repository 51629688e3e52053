/* Declarations every header of the library opens and closes with: C linkage in C++, what is exported, and checked
 * format strings. */
#ifndef CW_BASE_DECLS_H
#define CW_BASE_DECLS_H

#ifdef __cplusplus
#define CW_BEGIN_DECLS extern "C" {
#define CW_END_DECLS   }
#else
#define CW_BEGIN_DECLS
#define CW_END_DECLS
#endif

/* What leaves the shared library. All else is hidden from its users (-fvisibility=hidden). */
#define CW_API __attribute__((visibility("default")))

/* The compiler checks the arguments of a printf-like function: FORMAT and FIRST are argument positions from 1. */
#define CW_PRINTF(FORMAT, FIRST) __attribute__((format(printf, FORMAT, FIRST)))

#endif
