/*
 * One block of a noise measurement (study/bench/bench_run.h), carried out by all ranks together.
 *
 * Both sides make ready, and the application calls the operation a few times, once with data that are checked. Then the
 * perturbation begins, where the state has one; when all of it is under way, its leader tells the application's, which
 * samples and says stop. Clocks are compared anew if that is due, times are brought to the common clock, and rank 0
 * gets the samples, each with its status.
 */
#ifndef CW_MPI_BENCH_BLOCK_H
#define CW_MPI_BENCH_BLOCK_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/bench/bench_clock.h"
#include "mpi/bench/bench_operation.h"
#include "study/bench/bench_minima.h"
#include "study/bench/bench_run.h"
#include "study/bench/partners.h"
#include "study/bench/splits.h"

/* The two sides of a split, as one rank sees them. Starts zeroed. */
struct bench_sides {
    enum cw_bench_role role;
    MPI_Comm comm;   /* those of the same role */
    int rank;        /* in it */
    int application; /* rank of the whole run that leads the application */
    int perturbing;  /* ... that leads the perturbation */
};

/* Collective over ALL. */
void bench_sides_make(MPI_Comm all, const struct cw_bench_split *split, uint32_t n_ranks, struct bench_sides *out);
void bench_sides_free(struct bench_sides *sides);

enum bench_start { START_WINDOW, START_BARRIER };

extern const char *const bench_starts[]; /* their names, ended by NULL */

struct bench_limits {
    size_t samples; /* at most */
    size_t least;   /* of them are made whatever time says */
    double time;    /* [s] */
};

/* The sampling of one application rank. It starts zeroed. */
struct sampling {
    const struct bench_clock *clock;
    enum bench_start start;
    double margin;                   /* [s] between the last rank's being ready and the beginning; adapted */
    double lateness;                 /* [s] by which this rank missed the last beginning */
    struct cw_bench_moment *moments; /* [limits.samples] */
    size_t n;
};

/* Starts zeroed; its buffers stay for the next block. */
struct perturber {
    size_t capacity; /* bytes of each message that the buffers have room for */
    unsigned char *send, *receive;
    MPI_Request *requests;
    uint32_t *to; /* [n_ranks] */
};

/* What a rank has for all blocks. */
struct bench_crew {
    struct ranks *ranks;
    MPI_Comm all; /* a copy of MPI_COMM_WORLD, of measurements */
    enum cw_wait_mode mode;
    struct bench_clock clock;
    struct perturber perturber;
    struct sampling sampling;
    double margins[CW_BENCH_STATES]; /* sampling.margin at the end of the last block of each state */
    size_t most_samples;             /* room of sampling.moments and samples */
    struct cw_bench_sample *samples;
};

/* Collective. MODE and START as asked for; MOST_SAMPLES of a block. Free it also after an error. */
int bench_crew_begin(struct ranks *ranks, enum cw_wait_mode mode, enum bench_start start, size_t most_samples,
                     struct bench_crew *crew);
void bench_crew_end(struct bench_crew *crew);

struct bench_order {
    const struct cw_collective_traits *operation;
    const struct cw_perturbation *perturbation;
    size_t bytes, perturbation_bytes;
    int root;
    enum cw_bench_state state;
    const uint32_t *groups; /* [n_ranks] within which perturbing ranks exchange; of a state with perturbation */
    uint64_t seed;
    uint32_t number; /* of the block */
    struct bench_limits limits;
};

/* Collective. BLOCK gets n_samples, goodput and clock_error on rank 0, and crew->samples the samples. 0,
 * CW_EINTERRUPTED on a rank that was told to stop (others may still wait: nothing collective is possible any more), or
 * an error that all ranks have agreed on. */
int bench_block_run(struct bench_crew *crew, const struct bench_sides *sides, const struct bench_order *order,
                    struct cw_bench_block *block);

#endif
