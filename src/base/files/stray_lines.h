/*
 * Lines that are no part of a file: what a terminal, or an error of the tool that wrote it, has left among the others.
 * Readers pass them over and say so in a remark.
 */
#ifndef CW_BASE_STRAY_LINES_H
#define CW_BASE_STRAY_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* Starts zeroed. */
struct cw_stray_lines {
    unsigned long n, first; /* how many, and the number of the first */
    unsigned long errors;   /* of them are of the tool */
};

/* A prompt ("[root@node ~]# ", "root@node:~# ", "[sudo] "), what script(1) writes around, "```", or what
 * infiniband-diags say on stderr ("ibwarn: [", "src/query_smp.c:228; "). */
bool cw_is_stray(const char *line, size_t length);

/* Counts line NUMBER. */
void cw_stray_lines_add(struct cw_stray_lines *strays, const char *line, size_t length, unsigned long number);

/* The remark, if there were any: "FILE:FIRST: 2 lines are no part of the WHAT, …". */
void cw_stray_lines_remark(const struct cw_stray_lines *strays, const char *file, const char *what);

CW_END_DECLS

#endif
