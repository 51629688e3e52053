/*
 * Two simulations that should do the same in every cycle.
 */
#ifndef CW_TESTS_FLIT_TWINS_H
#define CW_TESTS_FLIT_TWINS_H

#include "flit_test.h"
#include "net/network_internal.h"

/* What one cycle of both did. Returns how many figures differ. */
static inline uint32_t differences(const struct flit_case *c, struct cw_flit_simulation *a,
                                   struct cw_flit_simulation *b, const struct cw_flit_window *did,
                                   const struct cw_flit_window *other)
{
    uint32_t n = 0;
    n += did->injected_flits != other->injected_flits;
    n += did->accepted_flits != other->accepted_flits;
    n += did->messages != other->messages;
    n += did->latency_sum != other->latency_sum;
    n += did->network_latency_sum != other->network_latency_sum;
    n += did->flit_hops != other->flit_hops;
    n += did->marked != other->marked;
    n += did->finished != other->finished;
    for (uint32_t e = 0; e < c->net->n_endpoints; e++) n += cw_flit_accepted_by(a)[e] != cw_flit_accepted_by(b)[e];
    for (uint32_t i = 0; i < c->net->n_channels; i++) n += cw_flit_channel_flits(a)[i] != cw_flit_channel_flits(b)[i];
    return n;
}

/* Runs the cases A and B, which differ in their hardware alone, cycle by cycle, for CYCLES or until finite jobs are
 * done. Returns the first cycle, counted from 1, in which they differ; 0: none. Some 100 flits must have been
 * taken in then. */
static inline uint32_t compare_twins(struct flit_case *a, struct flit_case *b, uint32_t cycles)
{
    if (!a->setup.jobs) a->setup.jobs = &a->job;
    if (!b->setup.jobs) b->setup.jobs = &b->job;
    struct cw_flit_simulation *one = begin_flit_case(a), *other = begin_flit_case(b);
    uint32_t differs = 0;
    uint64_t accepted = 0;
    for (uint32_t t = 1; t <= cycles && differs == 0; t++) {
        const struct cw_flit_window did = run_flits(one, 1), too = run_flits(other, 1);
        assert_int_equal(did.cycles, too.cycles);
        accepted += did.accepted_flits;
        if (did.cycles == 0) break; /* finite jobs are done */
        if (differences(a, one, other, &did, &too) > 0) differs = t;
    }
    assert_true(differs > 0 || accepted > 100);
    if (differs == 0)
        assert_memory_equal(cw_flit_latency_histogram(one), cw_flit_latency_histogram(other),
                            CW_FLIT_LATENCY_BINS * sizeof(uint64_t));
    end_flit_case(one);
    end_flit_case(other);
    return differs;
}

#endif
