#include "cli/help/topics.h"

#include <stddef.h>
#include <strings.h>

#include "base/option.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "cli/flit/flit_options.h"
#include "flow/method.h"
#include "flow/transport/transport_set.h"
#include "net/files/formats.h"
#include "net/nodes.h"
#include "route/engine.h"
#include "sim/flit/flit_module.h"
#include "study/compare/measures.h"
#include "study/papers/paper.h"
#include "topo/topology.h"
#include "traffic/pattern.h"
#include "traffic/placement.h"
#include "traffic/schedule.h"

/* --- words of options, results and files -------------------------------------------------------------------------- */

struct word {
    const char *name; /* "lmc" */
    const char *help; /* whole sentences */
};

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

static const struct cw_registry word_registry = {.items = words, .size = sizeof *words};

/* --- the user's defaults ------------------------------------------------------------------------------------------ */

static const struct word configuration[] = {
    {"~/.config/crosswind/config", "The file; in $XDG_CONFIG_HOME/crosswind if that is set. CROSSWIND_CONFIG names "
                                   "another one, and if it is empty, none "
                                   "is read. crosswind-mpi reads none: its ranks may run on hosts whose files differ."},
    {"NAME = VALUE",
     "The default of the option --NAME; yes or no for an option without a value. # begins a comment. A value that has "
     "blanks at its ends, or a # behind a blank, is in double quotes. Before the first section are the lines for all "
     "verbs: threads, seed, format, quiet and plugin."},
    {"[VERB]", "Begins the section of a verb, whose options may all have defaults there, but for those that name what "
               "is written: "
               "each run would write over what the one before has written."},
    {NULL, NULL},
};

static const struct cw_registry configuration_registry = {.items = configuration, .size = sizeof *configuration};

/* --- questions, each answered in doc/guide/answers.md ---------------------------------------------------------------
 */

static const struct word questions[] = {
    {"What is my fabric, and what is wrong with it?", "crosswind topo FILE"},
    {"What share of its bandwidth do messages get?", "crosswind ebb FILE --lft TABLES"},
    {"How much do other jobs slow mine down?", "crosswind noise FILE --lft TABLES"},
    {"Are my forwarding tables sound?", "crosswind route FILE --lft TABLES"},
    {"How far are my routes from the best that tables can be?", "crosswind route FILE --lft TABLES"},
    {"Which routing engine should OpenSM use?", "crosswind compare FILE --lft TABLES"},
    {"How do I install better tables?", "crosswind route FILE --routing min-contention --write TABLES"},
    {"Which cable do I mend first?", "crosswind what-if FILE --lft TABLES"},
    {"Which failure would hurt most?", "crosswind what-if FILE --lft TABLES"},
    {"May I take two spines down together for maintenance?",
     "crosswind what-if FILE --lft TABLES --fail spine1,spine2"},
    {"What has changed since yesterday?", "crosswind diff BEFORE AFTER --before-lft TABLES --lft TABLES"},
    {"Which channels are hot in an all-to-all?", "crosswind congestion FILE --lft TABLES --traffic alltoall"},
    {"Would adaptive routing help?", "crosswind compare FILE --routing updn,spray,adaptive"},
    {"How long does it take between GPUs, with NVLink inside the hosts?",
     "crosswind jobs FILE --lft TABLES --nodes dgx-h100 --jobs 'alltoall bytes=1MiB'"},
    {"How long does my allreduce take?", "crosswind jobs FILE --jobs 'ring-allreduce bytes=64MiB'"},
    {"Which algorithm is fastest?", "crosswind jobs FILE --jobs JOB --advise collective"},
    {"Who slows whom down?", "crosswind jobs FILE --jobs 'JOB; JOB'"},
    {"Where should the next job run?", "crosswind jobs FILE --jobs 'JOB; JOB' --advise placement"},
    {"Is it the routes that slow my jobs down?", "crosswind jobs FILE --jobs 'JOB; JOB' --advise routing"},
    {"In which order should hosts pass on a broadcast?", "crosswind tree FILE --lft TABLES --save auto"},
    {"Where does my program spend its time?", "crosswind program RECORDING"},
    {"How long would my program take elsewhere?", "crosswind jobs NETWORK --jobs recorded:RECORDING"},
    {"What is on the longest path of my program?", "crosswind jobs NETWORK --jobs recorded:RECORDING --longest-path 1"},
    {"How many cores should I leave to communication?", "crosswind cores"},
    {"How do I move data faster than over one path?", "crosswind plan NETWORK --traffic PATTERN"},
    {"What would a network be like?", "crosswind topo NETWORK"},
    {"Which of three networks is best for my work?", "crosswind compare NETWORK NETWORK NETWORK --measure 'time:JOB'"},
    {"How many spines do I need?", "crosswind compare xgft:2:16,16:1,16 xgft:2:16,16:1,8"},
    {"What load does a network take?", "crosswind flit NETWORK --load 0.1..0.9"},
    {"What does the worst traffic do to it?", "crosswind flit NETWORK --traffic group-adversarial"},
    {"How does a network age?", "crosswind compare NETWORK --failed 5%"},
    {NULL, NULL},
};

static const struct cw_registry question_registry = {.items = questions, .size = sizeof *questions};

/* --- what a topic consists of ------------------------------------------------------------------------------------- */

static void topology_item(const void *item, struct topic_item *out)
{
    const struct cw_topology *topology = item;
    *out = (struct topic_item){topology->name, topology->help, topology->synopsis, topology->options, NULL, NULL};
}

static void engine_item(const void *item, struct topic_item *out)
{
    const struct cw_engine *engine = item;
    *out = (struct topic_item){engine->name, engine->help, NULL, engine->options, NULL, cw_engine_use(engine)};
}

static const struct hardware {
    const char *name, *help;
    const struct cw_option *options;
} hardware[] = {{"parameters", "any of these, separated by commas", cw_flit_hardware_parameters}, {.name = NULL}};
static const struct cw_registry hardware_registry = {.items = hardware, .size = sizeof *hardware};

static void hardware_item(const void *item, struct topic_item *out)
{
    const struct hardware *whole = item;
    *out = (struct topic_item){whole->name, whole->help, NULL, whole->options, NULL, NULL};
}

static void module_item(const void *item, struct topic_item *out)
{
    const struct cw_flit_module *module = item;
    *out = (struct topic_item){module->name, module->help, NULL, module->options, NULL, NULL};
}

static void pattern_item(const void *item, struct topic_item *out)
{
    const struct cw_pattern_kind *pattern = item;
    *out = (struct topic_item){pattern->name, pattern->help, pattern->synopsis, pattern->options, NULL, NULL};
}

static void schedule_item(const void *item, struct topic_item *out)
{
    const struct cw_schedule_kind *schedule = item;
    *out = (struct topic_item){schedule->name, schedule->help, NULL, schedule->options, NULL, NULL};
}

static void alias_item(const void *item, struct topic_item *out)
{
    const struct cw_schedule_alias *alias = item;
    *out = (struct topic_item){.name = alias->name, .means = alias->means};
}

static void usual_item(const void *item, struct topic_item *out)
{
    const struct cw_collective_traits *collective = item;
    *out = (struct topic_item){.name = collective->name, .means = collective->usual};
}

static void placement_item(const void *item, struct topic_item *out)
{
    const struct cw_placement_kind *placement = item;
    *out = (struct topic_item){placement->name, placement->help, NULL, placement->options, NULL, NULL};
}

static void measure_item(const void *item, struct topic_item *out)
{
    const struct cw_measure_kind *measure = item;
    *out = (struct topic_item){measure->name, measure->help, measure->synopsis, NULL, NULL, NULL};
}

static void method_item(const void *item, struct topic_item *out)
{
    const struct cw_method *method = item;
    *out = (struct topic_item){method->name, method->help, NULL, NULL, NULL, NULL};
}

static void transport_item(const void *item, struct topic_item *out)
{
    const struct cw_transport_set *set = item;
    *out = (struct topic_item){set->name, set->help, NULL, NULL, NULL, NULL};
}

static const struct cw_registry transport_parameters = {.items = cw_transport_options,
                                                        .size = sizeof *cw_transport_options};

static void parameter_item(const void *item, struct topic_item *out)
{
    const struct cw_option *parameter = item;
    *out = (struct topic_item){parameter->name, parameter->help, NULL, NULL, NULL, NULL};
}

static void reader_item(const void *item, struct topic_item *out)
{
    const struct cw_reader *reader = item;
    *out = (struct topic_item){reader->name, reader->help, NULL, NULL, NULL, NULL};
}

static void machine_item(const void *item, struct topic_item *out)
{
    const struct cw_machine *machine = item;
    *out = (struct topic_item){.name = machine->name, .help = machine->help};
}

static void writer_item(const void *item, struct topic_item *out)
{
    const struct cw_writer *writer = item;
    *out = (struct topic_item){writer->name, writer->help, writer->extension, NULL, NULL, NULL};
}

static void experiment_item(const void *item, struct topic_item *out)
{
    const struct cw_paper *paper = item;
    *out = (struct topic_item){paper->name, paper->help, NULL, NULL, NULL};
}

static void word_item(const void *item, struct topic_item *out)
{
    const struct word *word = item;
    *out = (struct topic_item){.name = word->name, .help = word->help};
}

const struct topic topics[] = {
    {"topologies",
     "Networks that can be generated, written NAME:parameters; the speed and latency of their links may follow, as in "
     "torus:4x4@100Gbit/s,50ns",
     {{&cw_topology_registry, topology_item}}},
    {"formats",
     "Formats of files that are read as a network; the content tells which",
     {{&cw_reader_registry, reader_item}}},
    {"writers",
     "Formats in which a network is written; the file's ending tells which",
     {{&cw_writer_registry, writer_item}}},
    {"machines",
     "Hosts whose inside is known, for --nodes, written NAME or NAME:parameters",
     {{&cw_machine_registry, machine_item}},
     "doc/formats/nodes.md says what the parameters are, and how a file describes other machines."},
    {"routings",
     "Routings, written NAME or NAME:parameters, and which verbs can use them",
     {{&cw_engine_registry, engine_item}}},
    {"patterns",
     "Traffic patterns, who sends to whom, written NAME or NAME:parameters",
     {{&cw_pattern_registry, pattern_item}},
     "Every verb takes every pattern. congestion and noise take its rounds one after another, and draw anew in each "
     "trial. flit and model let every rank send again and again, each message to one of its receivers in all rounds in "
     "proportion to bytes; they draw once, except for the patterns that say that they draw for every message. plan "
     "moves the bytes of all rounds at once, and draws once. All messages have one size, except those of matrix."},
    {"hardware",
     "What switches and channels are like in flit-level simulation, as in --hardware input-buffer=8KiB,speedup=1",
     {{&hardware_registry, hardware_item}}},
    {"allocators",
     "Which input each output of a switch serves, in flit-level simulation, written NAME or NAME:parameters",
     {{&cw_flit_module_registries[CW_FLIT_ALLOCATOR], module_item}}},
    {"queues",
     "How flits wait at an input of a switch, in flit-level simulation",
     {{&cw_flit_module_registries[CW_FLIT_QUEUES], module_item}}},
    {"buffers",
     "Which lanes share the space of an input, in flit-level simulation, written NAME or NAME:parameters",
     {{&cw_flit_module_registries[CW_FLIT_BUFFERS], module_item}}},
    {"markings",
     "Which messages switches mark, in flit-level simulation, written NAME or NAME:parameters",
     {{&cw_flit_module_registries[CW_FLIT_MARKING], module_item}}},
    {"controls",
     "How sources react to marks, in flit-level simulation, written NAME or NAME:parameters",
     {{&cw_flit_module_registries[CW_FLIT_RATE_CONTROL], module_item}}},
    {"schedules",
     "Collectives, written NAME or NAME:parameters",
     {{&cw_schedule_registry, schedule_item},
      {&cw_schedule_alias_registry, alias_item},
      {&cw_schedule_usual_registry, usual_item}}},
    {"placements",
     "Placements of ranks on endpoints, written NAME or NAME:parameters",
     {{&cw_placement_registry, placement_item}}},
    {"measures", "Measures by which crosswind compare compares", {{&cw_measure_registry, measure_item}}},
    {"methods", "Methods that split data movements over paths", {{&cw_method_registry, method_item}}},
    {"transports",
     "What relaying costs, for the predictions of crosswind plan",
     {{&cw_transport_registry, transport_item}, {&transport_parameters, parameter_item}},
     "First the sets there are, then the parameters that they consist of. A file of a machine that was measured does "
     "as "
     "well (doc/formats/transport.md). Behind a colon, single parameters are replaced: --transport "
     "bgq:copy=2GB/s,list-search=0"},
    {"experiments", "Published experiments that crosswind reproduce repeats", {{&cw_paper_registry, experiment_item}}},
    {"configuration",
     "Defaults of options, from a file of yours",
     {{&configuration_registry, word_item}},
     "What is typed takes precedence: --quiet=no undoes quiet = yes. So does the ending of --output over a default of "
     "format. A default that the verb refuses beside other options is passed over. Whatever else is wrong is an error, "
     "with file and line. Each result names the file and what of it was used. The command that it records has these "
     "options, so that it gives the same on another machine."},
    {"questions",
     "What to type, by the question that it answers",
     {{&question_registry, word_item}},
     "doc/guide/answers.md shows each with what it prints. FILE is a map of a fabric, such as ibnetdiscover prints, "
     "TABLES its forwarding tables, NETWORK either a map or a specification such as torus:8x8."},
    {"words", "Words of options, results and files, and units", {{&word_registry, word_item}}},
    {.name = NULL},
};

const struct cw_registry topic_registry = {.items = topics, .size = sizeof *topics};

bool topic_item(const struct topic *topic, size_t i, struct topic_item *item)
{
    for (size_t p = 0; p < TOPIC_PARTS && topic->parts[p].registry; p++) {
        const struct topic_part *part = &topic->parts[p];
        size_t n = 0;
        while (cw_registry_item(part->registry, n) && n < i) n++;
        const void *found = cw_registry_item(part->registry, n);
        if (found) {
            part->describe(found, item);
            return true;
        }
        i -= n;
    }
    return false;
}

static void add_title(const struct topic *topic, struct cw_text *text)
{
    cw_text_wrap(text, topic->help, 0, 0, 80);
    cw_text_add(text, ".\n");
}

static void add_item(const struct topic_item *item, struct cw_text *text)
{
    const bool ending = item->synopsis && item->synopsis[0] == '.';
    cw_text_printf(text, "\n%s%s%s\n    ", item->synopsis && !ending ? item->synopsis : item->name, ending ? " " : "",
                   ending ? item->synopsis : "");
    if (item->means)
        cw_text_printf(text, "another name for %s", item->means);
    else
        cw_text_wrap(text, item->help, 4, 4, 80);
    cw_text_add(text, "\n");
    if (item->use) {
        cw_text_add(text, "    For ");
        cw_text_wrap(text, item->use, 8, 4, 80);
        cw_text_add(text, ".\n");
    }
    if (item->options) cw_options_help(item->options, false, true, text);
}

void topic_help(const struct topic *topic, struct cw_text *text)
{
    struct topic_item item;
    add_title(topic, text);
    if (topic->more) {
        cw_text_add(text, "\n");
        cw_text_wrap(text, topic->more, 0, 0, 80);
        cw_text_add(text, "\n");
    }
    for (size_t i = 0; topic_item(topic, i, &item); i++) add_item(&item, text);
}

bool topic_item_help(const char *name, struct cw_text *text)
{
    bool found = false;
    for (const struct topic *topic = topics; topic->name; topic++) {
        struct topic_item item;
        for (size_t i = 0; topic_item(topic, i, &item); i++) {
            if (strcasecmp(item.name, name) != 0) continue;
            if (found) cw_text_add(text, "\n");
            add_title(topic, text);
            add_item(&item, text);
            found = true;
        }
    }
    return found;
}
