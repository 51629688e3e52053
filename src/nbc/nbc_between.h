/*
 * How hosts pass on what takes in several of them: along which tree, which is schedules (traffic/schedule.h) with a
 * host in the place of a rank. The same data are executed (nbc/nbc_program.h) and predicted
 * (study/overlap/host_trees.h).
 */
#ifndef CW_NBC_BETWEEN_H
#define CW_NBC_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "traffic/schedule.h"

CW_BEGIN_DECLS

/*
 * The catalogue. Adding a tree: its schedules, and one line here of two parts.
 *
 * SHAPE(CONSTANT, "as users type it", "FAMILY"): its schedule of a collective is called FAMILY-COLLECTIVE. If that has
 * parameters, they are a radix and the number of segments, which follow one another; there are a broadcast, a reduction
 * and an allreduce then. Else no host sends more than one message in a round, or receives more. What has no schedule
 * goes as auto says. All are for any number of hosts.
 *
 * TREE(WORD, "name", CONSTANT, RADIX, NOTE): what `crosswind tree` compares. A word for columns, a radix (0: it has
 * none), and what is to be said of its times.
 */
#define CW_NBC_SHAPES(SHAPE, TREE)                                                                                     \
    SHAPE(CHAIN, "chain", "pipeline")                                                                                  \
    TREE(chain, "chain", CHAIN, 0, "")                                                                                 \
    SHAPE(KNOMIAL, "binomial, k-nomial:K", "pipeline")                                                                 \
    TREE(binomial, "binomial", KNOMIAL, 2, "")                                                                         \
    TREE(k_nomial_4, "k-nomial:4", KNOMIAL, 4, "")                                                                     \
    TREE(k_nomial_8, "k-nomial:8", KNOMIAL, 8, "")                                                                     \
    SHAPE(HOST_RING, "ring", "ring") TREE(ring, "ring", HOST_RING, 0, ", of allreduces alone")

#define CW_NBC_SHAPE_CONSTANT(CONSTANT, TEXT, FAMILY) CW_NBC_##CONSTANT,
#define CW_NBC_NO_SHAPE(CONSTANT, TEXT, FAMILY)
#define CW_NBC_NO_TREE(WORD, NAME, CONSTANT, RADIX, NOTE)

enum cw_nbc_shape {
    CW_NBC_SHAPE_AUTO, /* a chain, a binomial tree or a ring, whichever is faster for the hosts and the bytes */
    CW_NBC_SHAPES(CW_NBC_SHAPE_CONSTANT, CW_NBC_NO_TREE) /* CW_NBC_CHAIN, … */
    CW_NBC_NATIVE                                        /* not at all: what spans hosts is left to MPI */
};

struct cw_nbc_between {
    enum cw_nbc_shape shape;
    unsigned radix; /* k-nomial; else 0 */
    bool by_fabric; /* hosts are in the order of the fabric, if that is known; else in that of their first ranks */
};

/* "auto", "fabric", "chain", "binomial", "k-nomial:4", "ring", "native". CW_EUSAGE; WHAT names it in messages. */
int cw_nbc_between_parse(const char *what, const char *text, struct cw_nbc_between *out);

/* The same back, but for the order, into TEXT of CW_NBC_BETWEEN_SIZE bytes, which it returns. */
#define CW_NBC_BETWEEN_SIZE 24
const char *cw_nbc_between_format(const struct cw_nbc_between *between, char *text);

/* The schedule of COLLECTIVE along SHAPE; NULL: there is none. */
const struct cw_schedule_kind *cw_nbc_between_kind(enum cw_nbc_shape shape, enum cw_collective_kind collective);

/* Whether hosts pass a message of COLLECTIVE on from one to the next; else each sends straight to each. */
bool cw_nbc_between_passes(enum cw_collective_kind collective);

/* What is done where BETWEEN leaves it open, or has no schedule: a tree that suits HOSTS and BYTES as long as nothing
 * is known of the network. Its shape has a schedule of COLLECTIVE, which is one that hosts pass on. */
struct cw_nbc_between cw_nbc_between_settle(const struct cw_nbc_between *between, enum cw_collective_kind collective,
                                            uint32_t hosts, uint64_t bytes);

/* The schedule of COLLECTIVE along BETWEEN, which is settled, in SEGMENTS (where the shape has them). CW_ENOMEM. */
int cw_nbc_between_schedule(const struct cw_nbc_between *between, enum cw_collective_kind collective, uint32_t segments,
                            struct cw_schedule **out);

/* A message of `bytes`, as hosts cut it: N_BLOCKS blocks of the schedule, each of so many segments of the same length;
 * the last ones may have fewer bytes, or none. A segment is a multiple of the size of any number. */
struct cw_nbc_cut {
    uint64_t bytes, segment;
    uint32_t n_blocks, per_block; /* 0 segments of nothing */
};

struct cw_nbc_cut cw_nbc_cut_of(uint64_t bytes, uint32_t n_blocks);

CW_END_DECLS

#endif
