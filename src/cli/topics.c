#include "cli/topics.h"

#include <string.h>

#include "flow/flow_problem.h"
#include "flow/method.h"
#include "net/formats.h"
#include "route/engine.h"
#include "route/packet_routing.h"
#include "topo/topology.h"
#include "traffic/pattern.h"
#include "traffic/placement.h"
#include "traffic/schedule.h"
#include "traffic/workload.h"

static bool topology_item(size_t i, struct topic_item *item)
{
    const struct cw_topology *topology = cw_topologies[i];
    if (!topology) return false;
    *item = (struct topic_item){topology->name, topology->help, topology->synopsis, topology->options, NULL};
    return true;
}

static bool engine_item(size_t i, struct topic_item *item)
{
    const struct cw_engine *engine = cw_engines[i];
    if (!engine) return false;
    *item = (struct topic_item){engine->name, engine->help, NULL, engine->options, NULL};
    return true;
}

static bool routing_item(size_t i, struct topic_item *item)
{
    const struct cw_packet_routing_kind *routing = cw_packet_routings[i];
    if (!routing) return false;
    *item = (struct topic_item){routing->name, routing->help, NULL, routing->options, NULL};
    return true;
}

static bool workload_item(size_t i, struct topic_item *item)
{
    const struct cw_workload_kind *workload = cw_workload_kinds[i];
    if (!workload) return false;
    *item = (struct topic_item){workload->name, workload->help, NULL, workload->options, NULL};
    return true;
}

static bool pattern_item(size_t i, struct topic_item *item)
{
    const struct cw_pattern_kind *pattern = cw_pattern_kinds[i];
    if (!pattern) return false;
    *item = (struct topic_item){pattern->name, pattern->help, NULL, pattern->options, NULL};
    return true;
}

static bool schedule_item(size_t i, struct topic_item *item)
{
    size_t kinds = 0;
    while (cw_schedule_kinds[kinds]) kinds++;
    if (i < kinds) {
        const struct cw_schedule_kind *schedule = cw_schedule_kinds[i];
        *item = (struct topic_item){schedule->name, schedule->help, NULL, schedule->options, NULL};
        return true;
    }
    const struct cw_schedule_alias *alias = &cw_schedule_aliases[i - kinds];
    *item = (struct topic_item){.name = alias->name, .means = alias->means};
    return alias->name != NULL;
}

static bool placement_item(size_t i, struct topic_item *item)
{
    const struct cw_placement_kind *placement = cw_placement_kinds[i];
    if (!placement) return false;
    *item = (struct topic_item){placement->name, placement->help, NULL, placement->options, NULL};
    return true;
}

static bool demand_item(size_t i, struct topic_item *item)
{
    if (i == 0) {
        *item = (struct topic_item){
            .name = "0", .help = "The 91 patterns of Bui et al., by number", .synopsis = "0 ... 90"};
        return true;
    }
    const struct cw_demand_kind *kind = &cw_demand_kinds[i - 1];
    *item = (struct topic_item){kind->name, kind->help, NULL, kind->options, NULL};
    return kind->name != NULL;
}

static bool method_item(size_t i, struct topic_item *item)
{
    const struct cw_method *method = cw_methods[i];
    if (!method) return false;
    *item = (struct topic_item){method->name, method->help, NULL, NULL, NULL};
    return true;
}

static bool reader_item(size_t i, struct topic_item *item)
{
    const struct cw_reader *reader = cw_readers[i];
    if (!reader) return false;
    *item = (struct topic_item){reader->name, reader->help, NULL, NULL, NULL};
    return true;
}

static bool writer_item(size_t i, struct topic_item *item)
{
    const struct cw_writer *writer = cw_writers[i];
    if (!writer) return false;
    *item = (struct topic_item){writer->name, writer->help, writer->extension, NULL, NULL};
    return true;
}

const struct topic topics[] = {
    {"topologies",
     "Networks that can be generated, written NAME:parameters; the speed and latency of their links may follow, as in "
     "torus:4x4@100Gbit/s,50ns",
     topology_item},
    {"formats", "Files that can be read as a network, recognised by their content", reader_item},
    {"writers", "Files that a network can be written to, chosen by their ending", writer_item},
    {"engines", "Routing engines, written NAME or NAME:parameters", engine_item},
    {"routings", "Routings decided packet by packet, for flit-level simulation; engines can be named, too",
     routing_item},
    {"patterns", "Traffic patterns, written NAME or NAME:parameters", pattern_item},
    {"workloads", "Traffic of a continuous load, for flit-level simulation and models", workload_item},
    {"schedules", "Collectives, written NAME or NAME:parameters", schedule_item},
    {"placements", "Placements of ranks on endpoints, written NAME or NAME:parameters", placement_item},
    {"demands", "Who sends to whom in data movements, written NAME or NAME:parameters", demand_item},
    {"methods", "Ways to split data movements over paths", method_item},
    {NULL, NULL, NULL},
};

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
    if (item->options) cw_options_help(item->options, false, text);
}

void topic_help(const struct topic *topic, struct cw_text *text)
{
    struct topic_item item;
    add_title(topic, text);
    for (size_t i = 0; topic->item(i, &item); i++) add_item(&item, text);
}

bool topic_item_help(const char *name, struct cw_text *text)
{
    bool found = false;
    for (const struct topic *topic = topics; topic->name; topic++) {
        struct topic_item item;
        for (size_t i = 0; topic->item(i, &item); i++) {
            if (strcmp(item.name, name) != 0) continue;
            if (found) cw_text_add(text, "\n");
            add_title(topic, text);
            add_item(&item, text);
            found = true;
        }
    }
    return found;
}
