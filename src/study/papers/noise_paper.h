/*
 * The figures in which Hoefler, Schneider and Lumsdaine (2009) simulate network noise, and the examples that they work
 * out by hand. Figures are numbered as in the journal paper.
 *
 *     1        time-lines of a broadcast                  noise_examples.c
 *     3 to 6   what the benchmark measures                noise_measured.c
 *     7 to 10  a binomial tree beside eight messages      worked_example.c, worked_drawing.c
 *     table1   fat trees, table2: tori                    noise_examples.c
 *
 * and, noise_paper.c, by simulation: a binomial tree of one share of the endpoints, a random derangement of the others,
 * in unit time (sim/noise.h):
 *
 *     11       real fabrics, by perturbation ratio (those that are given: the papers' maps are not public)
 *     13       the fat trees of table 1, ratio 1/2
 *     15       100-ary 2-cube and 20-ary 3-cube, by ratio: 0.1 to 0.9, and 0.95
 *     16       the tori of table 2, ratio 1/2
 */
#ifndef CW_STUDY_PAPERS_NOISE_PAPER_H
#define CW_STUDY_PAPERS_NOISE_PAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/trials.h"
#include "route/routes.h"
#include "sim/noise.h"
#include "sim/noise_case.h"
#include "study/papers/paper.h"

CW_BEGIN_DECLS

extern const struct cw_paper cw_paper_noise;

/* Of its figures. 8, 9 and 10 are other names of 7. */
enum cw_noise_figure {
    CW_NOISE_TIME_LINE,
    CW_NOISE_BOXES,
    CW_NOISE_BY_RATIO,
    CW_NOISE_SCALING,
    CW_NOISE_LATENCIES,
    CW_NOISE_WORKED,
    CW_NOISE_FABRICS = CW_NOISE_WORKED + 4,
    CW_NOISE_TREES,
    CW_NOISE_RATIOS,
    CW_NOISE_CUBES,
    CW_NOISE_TABLE1,
    CW_NOISE_TABLE2
};

struct cw_noise_point {
    struct cw_point point;
    const char *curve;              /* which of the figure's curves: "fat trees", "2-cubes" */
    const char *network;            /* a topology's specification; with `routes` only a name */
    const struct cw_routes *routes; /* NULL: the default engine's */
    double ratio;
    const struct cw_selection *selection; /* the endpoints that take part; NULL: all */
    /* results */
    uint32_t endpoints;
    struct cw_noise_result result;
};

/* --- tables 1 and 2 ----------------------------------------------------------------------------------------------- */

/*
 * Table 1's xgft(h, m1 … m(h-1), w1 … w(h-1)) leaves out the 12 hosts of each leaf and their single cable, and fills
 * all 24 ports of the switches with parallel cables: xgft(3,12,8,12,4) is XGFT(3; 12,12,8; 1,12,4). Two numbers of
 * table 2 are misprints.
 */
struct cw_published_network {
    const char *layout; /* as printed: "XGFT(2,12,6)", "9-ary 3-cube" */
    const char *spec;   /* as a topology's specification */
    uint32_t endpoints; /* as printed */
    uint32_t switches;  /* as printed; 0: none printed */
};

/* What the generator makes of one. */
struct cw_network_size {
    uint32_t endpoints, switches;
    char cables[32]; /* parallel cables between switches joined: "2", or "1 to 2" */
};

extern const struct cw_published_network cw_published_trees[]; /* table 1, ended by a NULL layout */
extern const struct cw_published_network cw_published_cubes[]; /* table 2: 2-cubes, then 3-cubes; ended the same way */

/* Builds NETWORK and counts. */
int cw_published_network_size(const struct cw_published_network *network, struct cw_network_size *out);

/* What claims are asked of: whether the N rows are as printed. */
struct cw_published_table {
    const struct cw_published_network *networks;
    const struct cw_network_size *sizes;
    size_t n;
};

extern const struct cw_paper_claim cw_table1_claims[1], cw_table2_claims[1];
int cw_noise_make_table(struct cw_paper_run *run, size_t figure);

/* --- figure 1 ----------------------------------------------------------------------------------------------------- */

/*
 * What one interrupted process or one slow message does to the others. Time in slices, processes numbered from 0. Every
 * process computes, then the data goes down a binomial tree from process 0. A message takes `latency`; a sender begins
 * its next message `gap` after the one before.
 */

#define CW_TIME_LINE_PROCESSES 4

enum cw_time_line_noise { CW_NOISELESS, CW_OS_NOISE, CW_NETWORK_NOISE, CW_TIME_LINES };

/* The example's: 1 slice of computation, latency 2, gap 1. Operating-system noise holds up process 1 for 2 slices when
 * its data arrives; network noise doubles the latency of the message to it. */
struct cw_time_line {
    double computed; /* when the computation ends */
    struct cw_time_line_message {
        uint32_t src, dst;
        double sent, arrived, clean; /* clean: when it would arrive without congestion */
    } messages[CW_TIME_LINE_PROCESSES - 1];
    uint32_t interrupted; /* the process held up, CW_NONE if there is none, … */
    double from, to;      /* … and when */
    double finish[CW_TIME_LINE_PROCESSES];
};

int cw_time_line_run(enum cw_time_line_noise noise, struct cw_time_line *out);

extern const struct cw_paper_claim cw_time_line_claims[2]; /* of the three time-lines, by enum cw_time_line_noise */
int cw_noise_make_time_lines(struct cw_paper_run *run, size_t figure);

/* --- figures 3 to 6 ----------------------------------------------------------------------------------------------- */

/*
 * Of what crosswind-mpi bench noise --save has measured, on your machine or on a testbed. Files that were measured
 * alike on the same hosts are one allocation.
 *
 *     3   times of calls with and without perturbation, by the size of the application
 *     4   slowdown by perturbation ratio, with a straight line
 *     5   slowdown by the size of the allocation, ratio 1/2
 *     6   times of calls by the size of the allocation, ratio 1/2
 */
int cw_noise_measured_begin(struct cw_paper_run *run);
void cw_noise_measured_end(struct cw_paper_run *run);
int cw_noise_make_measured(struct cw_paper_run *run, size_t figure);

extern const struct cw_paper_claim cw_noise_boxes_claims[1], cw_noise_by_ratio_claims[2], cw_noise_scaling_claims[1],
    cw_noise_latencies_claims[1];

/* --- figures 7 to 10 ---------------------------------------------------------------------------------------------- */

/*
 * A binomial tree of 8 ranks on a fat tree of 16 endpoints, and eight messages that disturb it.
 *
 * The papers print mapping, messages and what comes of them, but no forwarding tables: they "assume an ideally balanced
 * routing". The tables here are one such, under which all that is printed holds; other routings give other numbers.
 */

#define CW_WORKED_RANKS    8
#define CW_WORKED_LEVELS   3
#define CW_WORKED_CHANNELS 64

/* An edge of the tree. */
struct cw_worked_message {
    uint32_t level;            /* from 0 */
    uint32_t src, dst;         /* ranks */
    uint32_t clean, perturbed; /* congestion: the greatest on its way */
    uint32_t worst;            /* the first channel of its way where `perturbed` is reached */
    bool longest;              /* on the longest path */
};

struct cw_worked_example {
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_noise_case given;    /* mapping and perturbation */
    struct cw_noise_replay replay; /* times and longest path, by the simulator */
    struct cw_worked_message messages[CW_WORKED_RANKS - 1];
    uint32_t application[CW_WORKED_LEVELS][CW_WORKED_CHANNELS]; /* messages of the tree on each channel */
    uint32_t perturbation[CW_WORKED_CHANNELS];                  /* constant over the levels */
    uint16_t targets[CW_WORKED_CHANNELS];                       /* bit e: the channel is on a route to endpoint e */
};

/* Simulates the example with the balanced tables, or with ENGINE's routes. *OUT is owned by the caller. */
int cw_worked_example_run(const char *engine, struct cw_worked_example **out);
void cw_worked_example_free(struct cw_worked_example *example);

extern const struct cw_paper_claim cw_worked_claims[5]; /* of pointers to two: balanced, then under plain D-mod-k */
int cw_noise_make_worked_example(struct cw_paper_run *run, size_t figure);

/* noise-fig8-9.csv: every channel, noise-fig10.csv: every message. */
int cw_worked_write(const struct cw_paper_run *run, const struct cw_worked_example *example);

/* noise-fig7.svg: the tree; noise-fig8-levelN.svg: the network at each level; noise-fig9-levelN.svg: the same
 * perturbed; noise-fig10.svg: the tree with its congestion. */
int cw_worked_draw(const struct cw_paper_run *run, const struct cw_worked_example *example);

CW_END_DECLS

#endif
