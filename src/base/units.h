/*
 * Numbers as people write them: sizes and rates with units, times, ranges and lists.
 *
 * Every function reads the whole of TEXT or fails with CW_EUSAGE and a message that says what was expected. WHAT
 * names the thing in that message ("--bytes", "option 'g' of dragonfly").
 */
#ifndef CW_BASE_UNITS_H
#define CW_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/parameters.h"

CW_BEGIN_DECLS

CW_API int cw_parse_int(const char *what, const char *text, int64_t *out); /* 12, -3; 1e6 is refused */
CW_API int cw_parse_real(const char *what, const char *text, double *out); /* finite; 0.5, 1e-3, 50% (0.5) */
CW_API int cw_parse_bytes(const char *what, const char *text,
                          uint64_t *out); /* 8, 8B, 64kB (1000), 10MiB (1024²), 10M (1024²) */
CW_API int cw_parse_rate(const char *what, const char *text, double *out); /* byte/s: 40Gbit/s = 5e9, 2GB/s, 1GiB/s */
CW_API int cw_parse_time(const char *what, const char *text,
                         double *out); /* s: 10ms, 1.5us, 12.8ns, 2s; bare: seconds */

/* s/byte: a time for each byte (0.2ns) or a rate (40Gbit/s = 0.2 ns). A bare number but 0 is refused: it would be
 * seconds. */
CW_API int cw_parse_byte_time(const char *what, const char *text, double *out);

/* A list of numbers and ranges: "0.1", "0.1,0.5", "0.1..0.9:0.1", "1..4". A range ends with the last value
 * that is not beyond its end; without a step it goes up by one in the last decimal place written at either end
 * (0.1..0.9 by 0.1; 1..4 by 1). Values of a range are rounded to the decimal places written, so that 0.1..0.9:0.1
 * contains exactly the double nearest to 0.3. At most 1,000,000 values. */
CW_API int cw_parse_reals(const char *what, const char *text, struct cw_reals *out);
CW_API int cw_parse_ints(const char *what, const char *text, struct cw_ints *out); /* "4,8", "1..10:3" */
CW_API int cw_parse_sizes(const char *what, const char *text,
                          struct cw_sizes *out); /* bytes, no ranges: "8B,4KiB,1MiB" */
CW_API void cw_reals_free(struct cw_reals *reals);
CW_API void cw_ints_free(struct cw_ints *ints);
CW_API void cw_sizes_free(struct cw_sizes *sizes);

/* 1536 → "1.5 KiB"; exact multiples have no decimals. Writes at most SIZE bytes with the 0 and returns BUFFER. */
CW_API const char *cw_format_bytes(uint64_t bytes, char *buffer, size_t size);
/* 5e9 byte/s → "40 Gbit/s". */
CW_API const char *cw_format_rate(double bytes_per_second, char *buffer, size_t size);
/* 1.5e-6 s → "1.5 µs". */
CW_API const char *cw_format_time(double seconds, char *buffer, size_t size);

/* The power of 10 of the SI prefix, at most 0 and at least -12, that leaves SECONDS 1 or more if one does; *PREFIX gets
 * it: "", "m", "µ", "n", "p". */
CW_API int cw_time_prefix(double seconds, const char **prefix);

CW_END_DECLS

#endif
