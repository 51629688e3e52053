#include "cli/words.h"

#include <stddef.h>

#include "base/registry_internal.h"

static const struct word words[] = {
    /* what users write */
    {"units",
     "Sizes: 8, 8B, 64kB (1000 bytes), 64KiB (1024 bytes), 10MiB. Rates: 40Gbit/s, 2GB/s, 1GiB/s. Times: 12.8ns, "
     "1.5us, 10ms, 2s; a number alone is in seconds."},
    {"ranges",
     "Lists and ranges of numbers: 0.1,0.5 or 0.1..0.9:0.1 (from, to, step). Without a step a range goes up by one in "
     "the last decimal place that is written: 0.1..0.9 by 0.1, 1..4 by 1. Lists of sizes have no ranges: "
     "8B,4KiB,1MiB."},
    {"names",
     "Names of endpoints and switches, as results print them. node[001-064], node[1-4,7] and rack[1-2]n[01-16] stand "
     "for many, with the zeros that are written; commas separate several. A host's name, node001, stands for all of "
     "its "
     "adapters: node001 HCA-1, node001 mlx5_1. What is called exactly so goes first. doc/formats/placement.md says "
     "where names are used."},
    {"seed",
     "The number from which all random choices are made. The same command with the same seed gives the same result, "
     "with any number of threads."},
    /* forms of results */
    {"text",
     "The default form of a result (--format text): tables for people, then sentences that say what they mean."},
    {"csv",
     "A form of a result (--format csv): the verb's main tables, comma-separated, with a row of column names first. "
     "Rows are written as they are finished. With --output FILE, FILE-metadata.json has units, notes, command, seed "
     "and the "
     "hashes of the input files. doc/formats/results.md explains every column."},
    {"json",
     "A form of a result (--format json): all tables with their units, the notes, the command, the seed and the hashes "
     "of the input files in one object. doc/formats/results.md explains every column."},
    {"ci95",
     "The half width of the 95 % confidence interval of a mean, printed as ± in text. It is missing where there are "
     "fewer than 10 samples, where all samples are equal, or where they have a trend."},
    /* networks */
    {"endpoint",
     "A host port that sends and receives. A host with two ports is two endpoints. --endpoints says which take part."},
    {"cable", "Joins two ports; it has two channels."},
    {"channel",
     "One direction of a cable, written A/PORT>B/PORT. Messages meet on channels. Each has a capacity and a latency."},
    {"hop", "One channel of a path. A path from host to host through one switch has two hops."},
    {"bisection",
     "The channels from one half of the endpoints to the other, for the halves with the fewest such channels."},
    /* InfiniBand */
    {"guid", "The 64-bit number by which InfiniBand knows a node or a port for good, written 0x0008f10500200b50."},
    {"lid", "Local identifier: the 16-bit address of an InfiniBand port, which the subnet manager assigns."},
    {"lmc",
     "LID mask control: a port with LMC m has 2^m consecutive LIDs, so that a fabric can have as many routes to it."},
    {"lft",
     "Linear forwarding table: for each destination LID, the port by which a switch of InfiniBand sends a packet on. "
     "--lft FILE takes the tables of a fabric: opensm-lfts.dump, opensm.fdbs, or what dump_fts, dump_lfts or ibroute "
     "print."},
    {"sl",
     "Service level: a number from 0 to 15 in every InfiniBand packet, by which each port on its way chooses a virtual "
     "lane. --path-records gives the service level of each path, --sl2vl the tables of the ports."},
    {"vl", "Virtual lane: one of several queues that share a channel, each with buffers and credits of its own."},
    {"lane", "Short for virtual lane (vl)."},
    {"hca", "Host channel adapter. Others, the aggregation nodes inside switches, and routers send no traffic unless "
            "--endpoints all includes them. The name of a host stands for all of its HCAs (names)."},
    /* traffic */
    {"rank", "A process of an application, numbered from 0. The placement says which endpoint it runs on."},
    {"round", "A step of a pattern or a collective. Its messages are sent at the same time."},
    {"trial", "One repetition with random choices of its own. Means and intervals are over trials."},
    {"perturbation",
     "Background traffic beside a collective. The perturbation ratio (--ratio) is the number of endpoints that run it, "
     "divided by the number of those that take part."},
    /* what is computed */
    {"congestion",
     "Of a channel: how many messages of a round use it. Of a message: the greatest congestion on its way. A message "
     "gets 1/congestion of the bandwidth."},
    {"slowdown", "The time of a collective with background traffic, divided by its time without."},
    {"ebb",
     "Effective bisection bandwidth: random halves of the endpoints are paired at random; the mean over messages of "
     "1/congestion, as a share of the bandwidth of a link (Hoefler, Schneider, Lumsdaine 2008). 1: no contention."},
    {"loggp",
     "A model of the time of a message (Alexandrov et al. 1995): o + L + bytes x G x congestion. o is the time it "
     "costs "
     "in software and adapters, L the latency, G the time for a byte. crosswind noise --time loggp uses it; --o, --L "
     "and --G set the parameters. G times the congestion is what contention adds to the published model."},
    {"flit",
     "Flow control digit: the part of a message that a channel moves in one cycle. Buffers and credits count flits."},
    {"load", "Traffic as a share of the bandwidth of the channels from endpoints. See offered and accepted."},
    {"offered", "Offered load: what endpoints would send if nothing held them up."},
    {"accepted", "Accepted load: what arrives. Where it is less than the offered load, the network is saturated."},
    {"steady",
     "Steady state: accepted load and latency have no trend any more. Only there do their means say anything of the "
     "network; --warmup is the time until then."},
    {"deadlock",
     "Packets that wait for one another's buffers in a cycle, and never move again. It cannot happen if the channel "
     "dependencies of the routing have no cycle (Dally and Seitz 1987)."},
    {"link-load",
     "The link-load bound: no more traffic can be accepted than the busiest channel lets through. crosswind model "
     "computes it without simulation."},
    {"z",
     "Of a plan: the fraction of every demand that moves in the time in which one channel moves the largest demand. "
     "z_bound is the most that any plan can have, proven."},
    {NULL, NULL},
};

const struct cw_registry word_registry = {.items = words, .size = sizeof *words};
