/* An executor that does what processes would: each runs a block of trials on its own, the last one first, and what they
 * give is put together afterwards. */
#ifndef CW_TESTS_BLOCK_EXECUTOR_H
#define CW_TESTS_BLOCK_EXECUTOR_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/trials.h"

struct block_executor {
    struct cw_executor executor;
    size_t n; /* blocks */
    unsigned calls;
};

/* The trials of a block, one after another. */
struct block {
    struct cw_handout handout; /* first */
    atomic_size_t next, done;
    size_t end;
};

static inline bool next_of_block(struct cw_handout *handout, size_t *trial)
{
    struct block *block = (struct block *)handout;
    *trial = atomic_fetch_add(&block->next, 1);
    return *trial < block->end;
}

static inline void block_done(struct cw_handout *handout)
{
    atomic_fetch_add(&((struct block *)handout)->done, 1);
}

/* Runs block B; the outcomes come through memory of its own, as from another process. */
static inline int run_block(const struct cw_trials *trials, size_t b, size_t n_blocks, char *outcomes,
                            struct cw_tally *tally)
{
    const size_t first = trials->n * b / n_blocks, end = trials->n * (b + 1) / n_blocks;
    struct block block = {.handout = {next_of_block, block_done}, .next = first, .end = end};
    size_t failed;
    char *own = calloc(trials->n, trials->outcome_size);
    assert_non_null(own);
    const int rc = cw_trials_run_here(trials, &block.handout, own, tally, &failed);
    if (rc && failed < trials->n)
        assert_true(first <= failed && failed < end);
    else if (!rc)
        assert_int_equal(block.done, end - first);
    memcpy(outcomes + first * trials->outcome_size, own + first * trials->outcome_size,
           (end - first) * trials->outcome_size);
    free(own);
    return rc;
}

/* The error of the first block that has one. */
static inline int run_blocks(const struct cw_executor *executor, const struct cw_trials *trials, void *outcomes,
                             struct cw_tally *tally)
{
    struct block_executor *blocks = (struct block_executor *)(uintptr_t)executor;
    int rc = 0;
    char message[256] = "";
    blocks->calls++;
    for (size_t b = blocks->n; b-- > 0;) {
        struct cw_tally own = {0};
        const int failed = run_block(trials, b, blocks->n, outcomes, &own);
        if (failed) strncpy(message, cw_error_message(), sizeof message - 1);
        if (failed) rc = failed;
        if (!failed) assert_int_equal(cw_tally_merge(tally, &own), 0);
        cw_tally_free(&own);
    }
    return rc ? cw_fail(rc, "%s", message) : 0;
}

static inline struct block_executor block_executor(size_t n)
{
    return (struct block_executor){.executor = {run_blocks}, .n = n};
}

#endif
