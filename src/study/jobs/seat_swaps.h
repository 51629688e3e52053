/*
 * Where the ranks of a job had better run: from given endpoints on, ranks change places with each other and with
 * endpoints that nobody uses, as long as that makes channels less crowded.
 *
 * That is said by what each channel carries, all in all: who sends to whom when, and what waits for what, is left out.
 * So the search is fast, and what it finds is to be simulated (study/jobs/advice.h does).
 */
#ifndef CW_STUDY_JOBS_SEAT_SWAPS_H
#define CW_STUDY_JOBS_SEAT_SWAPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "study/jobs/flow_jobs.h"

CW_BEGIN_DECLS

/* *WHY, static, is why ranks of the last job of SETUP cannot change places: it names its hosts, a pair has several
 * routes, or another job is where the draw has it. NULL: they can. Errors of cw_placement_new. */
int cw_seats_check(const struct cw_flow_jobs_setup *setup, const char **why);

/* ENDPOINTS [ranks] are those of the last job of SETUP, which ends, rank by rank, and get better ones; *SWAPS counts
 * the changes. OWN has the times of all jobs: of the others' bytes in trial 0 what they send during that of the last
 * one counts. *CROWDING, Σ (bytes / capacity)² of all channels [s²], is then the least up to a single change, or what
 * is found within a fixed number of hops, about a second. Nothing is drawn but the jobs themselves.
 *
 * Nothing is set where cw_seats_check says why not. CW_EROUTE for endpoints that are not connected. Memory: twice the
 * job's matrix, and 8 bytes a channel. */
int cw_seats_swap(const struct cw_flow_jobs_setup *setup, const struct cw_flow_jobs *own, uint32_t *endpoints,
                  size_t *swaps, double *crowding);

CW_END_DECLS

#endif
