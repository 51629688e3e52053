/*
 * Programs as GOAL text: the format that LogGOPSim's schedgen writes, and other tools of that field (T. Hoefler, C.
 * Siebert, A. Lumsdaine: Group Operation Assembly Language, ICPP 2009; doc/formats/goal.md has the whole of it).
 *
 * A file is `num_ranks N`, then for each rank `rank R {`, its actions one a line (`LABEL: send 10b to 1 tag 0`,
 * `recv 10b from 0`, `calc NANOSECONDS`), who waits for whom (`LABEL requires LABEL`: until that is done;
 * `LABEL irequires LABEL`: until that has begun), and `}`. Before an action whose beginning is waited for, the program
 * gets a computation of 0 s: that waits for what the action waits for, and both the action and whoever waits for its
 * beginning wait for that.
 */
#ifndef CW_TRAFFIC_GOAL_FILE_H
#define CW_TRAFFIC_GOAL_FILE_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "traffic/rank_program.h"

CW_BEGIN_DECLS

/* The program of DATA [LENGTH bytes], called FILE in messages. Actions of a rank keep their order; those of 0 s that
 * stand for beginnings follow them. CW_EPARSE with file and line for what is malformed, for messages that nobody sends
 * or receives, for a receive from any rank or of any tag, and for a processor other than 0: a rank has one. NICs are
 * passed over. O(n log n) for n lines. */
CW_API int cw_goal_parse(const char *file, const char *data, size_t length, struct cw_program **out);

/* The same of file PATH ("-": standard input). */
CW_API int cw_goal_read(const char *path, struct cw_program **out);

/* Appends PROGRAM to TEXT, from which the same program is read again; computations are rounded to whole ns, and tags
 * are new ones. CW_EUSAGE for a program without ranks, CW_ELIMIT for computations of more than 10^15 ns. */
CW_API int cw_goal_write(const struct cw_program *program, struct cw_text *text);

CW_END_DECLS

#endif
