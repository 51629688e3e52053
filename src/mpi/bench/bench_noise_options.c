#include "mpi/bench/bench_noise_options.h"

#include "mpi/bench/bench_application.h"
#include "mpi/together.h"

static const char *const ways_to_split[] = {"rank", "node", NULL};
static const char *const controls[] = {"auto", "none", "node", "leaf", NULL};

#define OPTION(NAME, TYPE, MEMBER) .name = NAME, .type = TYPE, .offset = offsetof(struct noise_options, MEMBER)

const struct cw_option noise_options[] = {
    {OPTION("op", CW_OPTION_TEXT, op), .value_name = "OPERATION[:SIZE][,...]", .default_text = "allreduce:8B",
     .help = "what the application calls: allreduce, reduce, bcast, barrier, alltoall, scatter, gather or allgather, "
             "and the size that MPI is given (8B)"},
    {OPTION("ratio", CW_OPTION_REALS, ratio), .value_name = "R[,...]|R..R", .default_text = "0.5", .min = 1e-6,
     .max = 1 - 1e-6, .help = "perturbation ratios: perturbing ranks / all that take part"},
    {OPTION("perturb", CW_OPTION_TEXT, perturb), .value_name = "PATTERN[:SIZE][,...]",
     .default_text = "permutation:10MiB",
     .help = "what the others exchange: permutation, shift, bisection, incast or neighbour, and the size of a message "
             "(10MiB)"},
    {OPTION("splits", CW_OPTION_INT, splits), .value_name = "N", .default_text = "30", .min = 1, .max = 1e6,
     .help = "random splits of each ratio, at most"},
    {OPTION("samples", CW_OPTION_INT, samples), .value_name = "N", .default_text = "100", .min = 1, .max = 1e6,
     .help = "calls of a block, at most"},
    {OPTION("time", CW_OPTION_TIME, time), .default_text = "60s", .min = 0, .max = 1e6,
     .help = "time to measure for, shared out among all blocks; when it is over, what is measured counts; 0: no limit"},
    {OPTION("ci", CW_OPTION_REAL, ci), .rare = true, .value_name = "R", .default_text = "0", .min = 0, .max = 10,
     .help =
         "end when the 95 % confidence interval of every slowdown is within this part of it, such as 0.05; 0: never"},
    {OPTION("by", CW_OPTION_CHOICE, by), .rare = true, .default_text = "rank", .choices = ways_to_split,
     .help = "draw ranks, or nodes with all their ranks"},
    {OPTION("idle", CW_OPTION_INT, idle), .rare = true, .value_name = "N", .default_text = "0", .min = 0, .max = 1e9,
     .help = "ranks (nodes, by node), drawn for each split, that do neither"},
    {OPTION("root", CW_OPTION_INT, root), .rare = true, .value_name = "RANK", .default_text = "0", .min = 0, .max = 1e9,
     .help = "root of bcast and reduce, among the ranks of the application"},
    {OPTION("control", CW_OPTION_CHOICE, control), .rare = true, .default_text = "auto", .choices = controls,
     .help = "measure the effect of perturbation that shares no cable with the application, too: among ranks of a "
             "node, or of nodes on one leaf switch (needs --leaves or --fabric); auto: what can be had"},
    {OPTION("leaves", CW_OPTION_INPUT, leaves), .rare = true,
     .help = "file with a line for each leaf switch: the names of its hosts, or lists such as node[001-016]"},
    PREDICTION_OPTIONS(struct noise_options, prediction),
    {OPTION("sync", CW_OPTION_CHOICE, sync), .rare = true, .default_text = "window", .choices = bench_starts,
     .help = "begin calls at an agreed moment of the common clock, or after a barrier"},
    {OPTION("wait", CW_OPTION_CHOICE, wait), .rare = true, .default_text = "auto", .choices = wait_choices,
     .help = "how ranks wait for messages; auto: sleep where ranks share processors, else spin"},
    {OPTION("dry-run", CW_OPTION_FLAG, dry_run),
     .help = "show what would be measured, on which ranks and for how long, and end"},
    {OPTION("save", CW_OPTION_OUTPUT, save), .value_name = "FILE.csv", .incidental = true,
     .help = "write every sample to FILE as soon as its block is measured, and what is known of the run to "
             "FILE-metadata.json, for crosswind analyse"},
    {.name = NULL},
};
