/*
 * What a program of verbs does: finds the verb, parses its arguments, runs it and writes its result. There are two:
 * crosswind (cli/main.c), one process, and crosswind-mpi (mpi/main_mpi.c), which several ranks run as one. Each defines
 * its name and its table of verbs.
 */
#ifndef CW_CLI_PROGRAM_H
#define CW_CLI_PROGRAM_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/trials.h"

/* The ranks that run one invocation: the same command line, each in a process of its own, with the same result. Rank 0
 * alone writes it, and messages. */
struct program_ranks {
    unsigned rank, n;
    unsigned threads;                   /* of this rank, unless the user says how many: its part of the host's cores */
    const struct cw_executor *executor; /* of trials: shared out over the ranks */
    /* Called by all ranks at the same points, each with what it came to: 0, or the error of the lowest rank that has
     * one, whose message becomes that of all. What ranks have agreed on once holds for all further calls, which then do
     * not wait for anybody: a rank that failed need not follow those that did not to their end. */
    int (*agree)(const struct program_ranks *ranks, int rc);
    void (*tell)(const struct program_ranks *ranks); /* all ranks at the end: rank 0 says at which rate trials ran */
};

extern const char program_name[];

/* Runs the command line; RANKS is NULL in a program of one process. Returns the exit status. */
int program_main(const struct program_ranks *ranks, int argc, char **argv);

/* Appends WORD, and a blank before it, as a shell takes it. */
void program_add_word(struct cw_text *text, const char *word);

/* Whether this process is the one that writes. */
bool program_speaks(const struct program_ranks *ranks);

#endif
