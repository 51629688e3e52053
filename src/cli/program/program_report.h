/*
 * What crosswind program shows of a program.
 */
#ifndef CW_CLI_PROGRAM_REPORT_H
#define CW_CLI_PROGRAM_REPORT_H

#include "cli/verb.h"
#include "traffic/recorded/recording.h"

/* What was read, and what is counted of it. */
struct program_subject {
    struct invocation *invocation;
    const char *rule;               /* for collectives; NULL: none was given */
    size_t top;                     /* rows that text shows */
    struct cw_recording *recording; /* NULL: it is no recording */
    struct cw_program *program;
    struct cw_flows matrix;
    uint64_t left_out, messages, bytes; /* LEFT_OUT: ends of messages without another */
    double computed, in_mpi;
};

/* Adds the tables and sentences of all ranks together, or what RANK does; -1: all. Sorts the matrix. */
int program_report(struct program_subject *subject, int64_t rank);

/* Says that CROWD ranks of a machine had only so many PROCESSORS when they were recorded (CROWD 0: they had enough), or
 * that ranks WAITED for them for a share of their time that counts (NaN: nobody knows). */
void program_note_processors(struct cw_result *result, uint32_t crowd, uint32_t processors, double waited);

#endif
