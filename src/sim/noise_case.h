/*
 * An explicit case: who runs where and who disturbs whom, written down, so that a simulation can be replayed figure by
 * figure.
 *
 * A case file has one statement a line; '#' begins a comment:
 *     net xgft h m1 … mh w1 … wh radix | net torus k n        the network (optional where one is given otherwise);
 *     net WORD                                                … a specification, or a file without blanks in its name
 *     app x e0 … e(x-1)                                       rank r of the application runs on endpoint e_r
 *     pert y s0 d0 … s(y-1) d(y-1)                            the perturbation: s_i sends to d_i
 *     level l messages clean_sum clean_max perturbed_sum perturbed_max     \
 *     perturbation_only messages sum max                                   | expected figures (all optional)
 *     time clean perturbed                                                 |
 *     bisect n s0 d0 … / bisect_result sum_of_1/c max                      /
 * Figures that are there are compared with what the simulation gives. doc/formats/noise-case.md is the manual.
 */
#ifndef CW_SIM_NOISE_CASE_H
#define CW_SIM_NOISE_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "sim/collective.h"

CW_BEGIN_DECLS

/* Flows between endpoints. */
struct cw_endpoint_pairs {
    uint32_t *src, *dst;
    size_t n;
};

/* The greatest and the sum of a set of messages' congestions. */
struct cw_congestion_sum {
    uint64_t messages, sum;
    double inverse_sum; /* of 1/congestion */
    uint32_t max;
};

struct cw_noise_case {
    char *file;
    char *network;       /* a topology specification or a file; NULL: none given */
    uint32_t *endpoints; /* [ranks] */
    uint32_t ranks;
    struct cw_endpoint_pairs perturbation;
    bool has_bisection;
    struct cw_endpoint_pairs bisection;
    /* Expected figures, each with the line it stands on (0: not there). */
    struct cw_level *levels;
    unsigned long *level_lines; /* [n_levels] */
    size_t n_levels, levels_capacity;
    struct cw_congestion_sum perturbation_only, bisection_result;
    struct cw_times times;
    unsigned long perturbation_line, bisection_line, times_line;
};

/* Reads PATH ("-": standard input). CW_EPARSE with file and line. */
CW_API int cw_noise_case_read(const char *path, struct cw_noise_case *out);
CW_API int cw_noise_case_parse(const char *file, const char *data, size_t length, struct cw_noise_case *out);
CW_API void cw_noise_case_free(struct cw_noise_case *noise_case);

/* What the simulation makes of a case. Owned by the caller; cw_noise_replay_free. */
struct cw_noise_replay {
    struct cw_trace trace;
    struct cw_times times;
    uint32_t *path; /* ranks on the longest path, perturbed */
    size_t path_length;
    struct cw_congestion_sum perturbation_only;
    struct cw_congestion_sum bisection; /* zero where the case has none */
};

/* Replays CASE with SETUP's routes, schedule and timing. An endpoint the network lacks, or that has two roles, is
 * CW_EUSAGE. */
CW_API int cw_noise_case_run(const struct cw_noise_case *noise_case, const struct cw_collective_setup *setup,
                             struct cw_noise_replay *out);
CW_API void cw_noise_replay_free(struct cw_noise_replay *replay);

/* Appends CASE as a file, with REPLAY's figures as the expected ones. NETWORK is what to call the network; one that no
 * 'net' line can hold is left out. */
CW_API void cw_noise_case_write(const struct cw_noise_case *noise_case, const char *network,
                                const struct cw_noise_replay *replay, struct cw_text *text);

/* Appends a line for each expected figure that REPLAY does not meet: "FILE:LINE: level 2: clean_sum is 3, expected 2".
 * Returns how many there are. Times are compared to 1e-9, the bisection to 1e-6, both relative. */
CW_API size_t cw_noise_case_compare(const struct cw_noise_case *noise_case, const struct cw_noise_replay *replay,
                                    struct cw_text *differences);

CW_END_DECLS

#endif
