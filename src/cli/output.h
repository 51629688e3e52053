/*
 * Where a verb's result goes: standard output or the file of --output, in the format of --format; what is finished also
 * after an error or Ctrl-C. Of several ranks, one writes.
 */
#ifndef CW_CLI_OUTPUT_H
#define CW_CLI_OUTPUT_H

#include "cli/verb.h"

struct output {
    struct invocation *invocation;
    struct cw_text rows; /* "FILE.unfinished.csv", where rows wait for the other formats; empty: CSV, or no file */
    int descriptor;      /* of the rows; -1: nothing has been written */
};

/* Before the verb runs: rows of CSV leave as they finish. Those of other formats that go to a file are kept beside it
 * in FILE.unfinished.csv until the result is whole, so that a program that is killed has lost none. */
void output_begin(struct output *output, struct invocation *invocation);

/* After it ended with ERROR or 0: writes what there is. If rows were finished before an error, the result says what is
 * missing, and so does the message; then invocation->failed is set. If none were, remarks about
 * files go to standard error, for they may be why. Returns ERROR or one of its own. */
int output_end(struct output *output, int rc);

#endif
