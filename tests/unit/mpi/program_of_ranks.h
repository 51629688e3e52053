/* Verbs of crosswind-mpi, run by the ranks of ranks_test.h as the program runs them, but in this process. */
#ifndef CW_TESTS_PROGRAM_OF_RANKS_H
#define CW_TESTS_PROGRAM_OF_RANKS_H

#include "ranks_test.h"

#include <dlfcn.h>

#include "../cli/cli_test.h"

#include "base/interrupt.h"
#include "mpi/together.h"

/* What all are told to do, and the exit status of each. */
static struct {
    int n;
    char *words[WORDS + 1];
    int statuses[RANKS];
} line_of_ranks;

/* All have one standard output, which nobody closes. */
int fclose(FILE *file)
{
    int (*closing)(FILE *) = NULL;
    *(void **)&closing = dlsym(RTLD_NEXT, "fclose");
    return file == stdout ? fflush(file) : closing(file);
}

static void tell_nothing(const struct program_ranks *ranks)
{
    (void)ranks;
}

static void be_program(int rank)
{
    struct ranks ranks;
    char *words[WORDS + 1];
    memcpy(words, line_of_ranks.words, sizeof words);
    line_of_ranks.statuses[rank] = -1; /* if it does not come to an end */
    must_be(!ranks_begin(&ranks), "it cannot begin");
    ranks.program.threads = 1;
    ranks.program.tell = tell_nothing;
    line_of_ranks.statuses[rank] = program_main(&ranks.program, line_of_ranks.n, words);
    ranks_end(&ranks, line_of_ranks.statuses[rank]);
}

/* Runs LINE on the ranks that were set up; results are in JSON, and of rank 0, as its exit status, which all others
 * have, too. Of ranks that were aborted, the statuses of that. */
static struct ran run_on_ranks(const char *line)
{
    static char name[] = "crosswind-mpi";
    char *copy;
    struct ran ran = {0};
    FILE *err = tmpfile();
    assert_true(asprintf(&copy, "%s --format json --output result.json", line) > 0);
    line_of_ranks.n = split_line(copy, line_of_ranks.words);
    line_of_ranks.words[0] = name;
    unlink("result.json");
    const int kept = dup(STDERR_FILENO);
    fflush(NULL);
    dup2(fileno(err), STDERR_FILENO);
    run_ranks(be_program);
    cw_interrupt_clear(); /* a verb's end */
    dup2(kept, STDERR_FILENO);
    close(kept);
    ran.status = line_of_ranks.statuses[0];
    ran.out = access("result.json", R_OK) == 0 ? content_of("result.json") : strdup("");
    ran.err = calloc(1, 4096);
    assert_true(pread(fileno(err), ran.err, 4095, 0) >= 0);
    ran.json = json_loads(ran.out, 0, NULL);
    fclose(err);
    free(copy);
    return ran;
}

/* All ranks have ended well, and there is a result. */
static void check_well(const struct ran *ran)
{
    for (int r = 0; r < job.n; r++)
        if (line_of_ranks.statuses[r] != 0)
            fail_msg("rank %d ends with %d: %s", r, line_of_ranks.statuses[r], ran->err);
    assert_non_null(ran->json);
}

#endif
