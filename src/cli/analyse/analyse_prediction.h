/* Predictions beside a measurement, for verbs that measure or analyse: their options, and what is done with them. */
#ifndef ANALYSE_PREDICTION_H
#define ANALYSE_PREDICTION_H

#include "cli/fabric.h"
#include "cli/verb.h"
#include "study/bench/bench_prediction.h"
#include "topo/topology.h"

struct prediction_options {
    char *fabric, *hosts; /* NULL: no prediction; hosts are endpoints of their own name */
    int64_t rounds;
    double latency, overhead, gap;
};

/* Their rows in the option table of a verb whose values, a STRUCTURE, have them as MEMBER. The verb also has `network`
 * and `routes`. */
#define PREDICTION_OPTION(STRUCTURE, MEMBER, FIELD)                                                                    \
    (offsetof(STRUCTURE, MEMBER) + offsetof(struct prediction_options, FIELD))
#define PREDICTION_OPTIONS(STRUCTURE, MEMBER)                                                                          \
    {.name = "fabric",                                                                                                 \
     .type = CW_OPTION_INPUT,                                                                                          \
     .offset = PREDICTION_OPTION(STRUCTURE, MEMBER, fabric),                                                           \
     .value_name = "NETWORK",                                                                                          \
     .names = &cw_topology_registry,                                                                                   \
     .help = "predict the slowdown of each split on this network, and compare; its routes are given as for crosswind " \
             "noise (--lft, --routing, ...)"},                                                                         \
        {.name = "hosts",                                                                                              \
         .type = CW_OPTION_INPUT,                                                                                      \
         .offset = PREDICTION_OPTION(STRUCTURE, MEMBER, hosts),                                                        \
         .help = "with --fabric: which endpoint each host is, a line \"HOST ENDPOINT\" each; by default hosts are "    \
                 "endpoints of their own name"},                                                                       \
        {.name = "rounds",                                                                                             \
         .type = CW_OPTION_INT,                                                                                        \
         .offset = PREDICTION_OPTION(STRUCTURE, MEMBER, rounds),                                                       \
         .value_name = "N",                                                                                            \
         .default_text = "200",                                                                                        \
         .min = 1,                                                                                                     \
         .max = 1e6,                                                                                                   \
         .help = "with --fabric: rounds of perturbation that are simulated for each split"},                           \
        {.name = "L",                                                                                                  \
         .type = CW_OPTION_TIME,                                                                                       \
         .offset = PREDICTION_OPTION(STRUCTURE, MEMBER, latency),                                                      \
         .value_name = "TIME",                                                                                         \
         .min = 0,                                                                                                     \
         .max = 1e6,                                                                                                   \
         .help = "with --fabric: LogGP's latency of a message; by default the sum of the latencies of the channels "   \
                 "on its route"},                                                                                      \
        {.name = "o",                                                                                                  \
         .type = CW_OPTION_TIME,                                                                                       \
         .offset = PREDICTION_OPTION(STRUCTURE, MEMBER, overhead),                                                     \
         .value_name = "TIME",                                                                                         \
         .default_text = "1us",                                                                                        \
         .min = 0,                                                                                                     \
         .max = 1e6,                                                                                                   \
         .help = "with --fabric: LogGP's time that a message costs in software and adapters, both ends together"},     \
    {                                                                                                                  \
        .name = "G", .type = CW_OPTION_BYTE_TIME, .offset = PREDICTION_OPTION(STRUCTURE, MEMBER, gap),                 \
        .value_name = "TIME|RATE", .min = 0, .max = 1e-3,                                                              \
        .help = "with --fabric: LogGP's time for each byte, or the rate; by default that of the channels on the route" \
    }

/* CW_EUSAGE for options that mean nothing to a measurement, or nothing without --fabric. */
int prediction_check(const struct invocation *invocation, const struct prediction_options *options);

/* What is predicted on. */
struct prediction_site {
    struct fabric fabric;
    uint32_t *endpoints; /* [ranks of the run] */
};

/* Opens what --fabric names, and finds the hosts of RUN there. Free with prediction_site_free, also after an error. */
int prediction_site_open(struct invocation *invocation, const struct prediction_options *options,
                         const struct cw_bench_run *run, struct prediction_site *site);
void prediction_site_free(struct prediction_site *site);

/* Predicts all splits, and adds tables and notes to the result. Free PREDICTION with cw_bench_prediction_free. */
int prediction_report(struct invocation *invocation, const struct prediction_options *options,
                      const struct prediction_site *site, const struct cw_bench_analysis *analysis,
                      struct cw_bench_prediction *prediction);

#endif
