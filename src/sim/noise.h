/*
 * Network noise: how much random background traffic slows a collective down (papers 1 and 2, sections 3 to 5).
 *
 * A trial splits the N endpoints of the placement into y = ⌊ratio·N + 1/2⌋ that perturb and x = N - y that run the
 * application, in the order the placement gives (uniformly random by default); the perturbation pattern runs among the
 * y, the schedule among the x; the collective is timed with and without the perturbation. The trial's slowdown is
 * perturbed / clean.
 *
 * The rounds of a perturbation pattern follow one another without end, so that at any time it is in one of them. A
 * trial meets it in a round drawn at random, each with equal probability but those that have no messages, which take no
 * time. A constant perturbation stays there; per round, each level of the collective meets the pattern's next round
 * (and other draws, of a pattern that draws). The mean over trials is that over the rounds.
 *
 * Trials are keyed by (seed, trial): the same trial number draws from the same stream at every ratio, so that ratios
 * are compared on like samples, and a row does not depend on which other ratios were asked for.
 */
#ifndef CW_SIM_NOISE_H
#define CW_SIM_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/summary.h"
#include "sim/collective.h"
#include "sim/noise_case.h"
#include "traffic/pattern.h"
#include "traffic/placement.h"

CW_BEGIN_DECLS

struct cw_executor;
struct cw_progress;

enum cw_perturbation {
    CW_PERTURBATION_CONSTANT, /* one for the whole trial */
    CW_PERTURBATION_PER_ROUND /* another one at each level */
};

enum cw_noise_model {
    CW_NOISE_COUNTS, /* messages of a round on each channel (sim/collective.h): the papers' */
    CW_NOISE_FLOWS /* messages share channels in time (sim/flows/flow_sim.h); the perturbation is flows without end, of
                      which those of one sender share its rate. In seconds only, with G of the channels; L is 0 or
                      beside the channels' latencies; the perturbation is constant */
};

struct cw_noise_setup {
    struct cw_collective_setup collective;
    const struct cw_pattern *background; /* what perturbing endpoints send one another; a derangement in the papers */
    const struct cw_placement *placement;
    double ratio; /* perturbing endpoints / those of the placement */
    enum cw_perturbation perturbation;
    size_t trials;
    uint64_t seed;
    unsigned n_threads;                 /* 0: all cores */
    struct cw_times *samples;           /* [trials] gets the times of every trial; may be NULL */
    struct cw_progress *progress;       /* steps once a trial; may be NULL */
    const struct cw_executor *executor; /* who runs the trials; NULL: threads of this process */
    enum cw_noise_model model;
};

struct cw_noise_result {
    uint32_t application, perturbing;             /* x and y */
    uint64_t perturbation_messages;               /* drawn in all trials; 0: nothing perturbed, slowdowns are 1 */
    struct cw_summary slowdown;                   /* perturbed / clean */
    struct cw_summary clean, perturbed, overhead; /* overhead = perturbed - clean */
};

CW_API int cw_noise_check_sized(const struct cw_noise_setup *setup, size_t size);

/* Whether SETUP can be run: CW_EUSAGE for a ratio that is not in [0, 1) or leaves fewer than 2 application endpoints,
 * and for a schedule or a background that is not defined for so many. Takes no time. */
static inline int cw_noise_check(const struct cw_noise_setup *setup)
{
    return cw_noise_check_sized(setup, sizeof *setup);
}

CW_API int cw_noise_run_sized(const struct cw_noise_setup *setup, size_t size, struct cw_noise_result *out);

/* Checks SETUP and runs the trials; a collective that takes no time (loggp with L, o and G of 0) is CW_EUSAGE, too.
 * Time: about N routes a trial; memory: 8 bytes a channel and about 60 an endpoint, for each thread; 40 a
 * trial. */
static inline int cw_noise_run(const struct cw_noise_setup *setup, struct cw_noise_result *out)
{
    return cw_noise_run_sized(setup, sizeof *setup, out);
}

CW_API int cw_noise_draw_sized(const struct cw_noise_setup *setup, size_t size, size_t trial,
                               struct cw_noise_case *out);

/* Writes trial TRIAL (from 0) of SETUP down as a case that replays it; nothing is run. CW_EUSAGE for a perturbation
 * that changes at each level: a case has one. Free with cw_noise_case_free. */
static inline int cw_noise_draw(const struct cw_noise_setup *setup, size_t trial, struct cw_noise_case *out)
{
    return cw_noise_draw_sized(setup, sizeof *setup, trial, out);
}

CW_END_DECLS

#endif
