#include "mpi/overlap/overlap_options.h"

#include <limits.h>

#include "mpi/overlap/overlap_compute.h"

const struct cw_option overlap_options[] = {
    {.name = "op",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct overlap_options, op),
     .value_name = "OP[,OP...]",
     .default_text = "bcast,reduce",
     .help =
         "collectives: bcast, reduce, allreduce, scatter, gather, allgather, alltoall; with --tuning all of them by "
         "default"},
    {.name = "bytes",
     .type = CW_OPTION_BYTES,
     .offset = offsetof(struct overlap_options, bytes),
     .default_text = "2MiB",
     .min = 1,
     .max = INT_MAX,
     .help = "size of the buffer of a bcast or reduction; of the others, of what goes to, or comes from, each rank"},
    {.name = "ranks",
     .type = CW_OPTION_INTS,
     .offset = offsetof(struct overlap_options, ranks),
     .value_name = "N[,N...]|N..N",
     .min = 2,
     .max = 1e6,
     .help = "how many ranks take part, the first ones; by default all. The others are idle, and their cores "
             "communicate, unless --cores says which do"},
    {.name = "methods",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct overlap_options, methods),
     .value_name = "NAME[,NAME...]",
     .default_text = "blocking,native,blocking@all,native@all,native-yield@all,split-tree:0,split-tree:1,slices:1,auto",
     .help =
         "ways to carry the collective out, in turn. MPI's own: blocking (after the computation) and native (its "
         "nonblocking function), and native-yield (the same, and MPI_Test and sched_yield until it is done, for ranks "
         "that share cores), on the cores that are left to ranks; the same with @all, on the communication cores, too. "
         "With communication cores: split-tree:S (the last S levels of the tree by ranks), "
         "binomial or k-nomial:K (the whole tree on these cores; an allgather or alltoall has none), "
         "slices:F (the fraction F of the bytes on these cores) and auto"},
    {.name = "cores",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct overlap_options, cores),
     .value_name = "LIST",
     .help =
         "communication cores of each host, as 3 or 0,4-7; by default CROSSWIND_NBC_CORES, or those that ranks leave "
         "free"},
    {.name = "beside",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct overlap_options, beside),
     .default_text = "cpu",
     .choices = overlap_kinds,
     .help = "what ranks do meanwhile: a loop on their core (cpu), or sleep as ranks whose device computes, so that "
             "their cores are free (accelerator)"},
    {.name = "compute",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct overlap_options, compute),
     .help = "how long that takes with all ranks; by default as long as the collective alone among all by whichever of "
             "blocking@all, native@all and native-yield@all takes least, for perfect overlap. Fewer ranks share the "
             "same work, so that it takes longer"},
    {.name = "repetitions",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct overlap_options, repetitions),
     .value_name = "N",
     .default_text = "100",
     .min = 1,
     .max = 1e6,
     .help = "repetitions of all methods, at most"},
    {.name = "time",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct overlap_options, time),
     .default_text = "20s",
     .min = 0,
     .max = 1e6,
     .help =
         "begin no repetition after that, for each collective and number of ranks; with --tuning, 5s by default, no "
         "measurement in all; 0: no limit"},
    {.name = "emulate",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct overlap_options, emulate),
     .value_name = "CORES",
     .min = 4,
     .max = 256,
     .help =
         "measure nothing; let the scheduler run on so many emulated cores, as threads that sleep instead of moving "
         "data, beside model and simulation. Of one --op that has a tree: bcast, reduce, allreduce, scatter, gather"},
    {.name = "plot",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct overlap_options, plot),
     .value_name = "FILE.svg",
     .help = "draw the times of one collective over the number of ranks with gnuplot, whose script stays beside it"},
    {.name = "save",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct overlap_options, save),
     .value_name = "FILE.csv",
     .incidental = true,
     .help = "write every repetition to FILE, as soon as a collective among a number of ranks is measured, and what is "
             "known of the run to FILE-metadata.json, for crosswind reproduce split-tree --runs"},
    {.name = "dry-run",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct overlap_options, dry_run),
     .help = "show what would be measured, by which ranks and communication cores and for how long, and end"},
    {.name = "tuning",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct overlap_options, tune),
     .help =
         "measure shortly which schedule is best for which collective and size here, or that MPI's own is, and keep "
         "that for libcrosswind-nbc and crosswind cores"},
    {.name = NULL},
};
