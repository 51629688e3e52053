/* The flow-level simulation beside SimGrid's (model CM02, without its corrections for TCP): the same messages on the
 * same routes of random networks end at the same times.
 *
 *     simgrid scenes        600 scenes of messages that all begin at once: ends to 1e-9, so that all rates are the same
 *     simgrid programs      150 programs whose messages wait for others and for computations: ends to 1e-6
 *     simgrid platforms     what `topo --write X.xml` writes of 40 trees: messages end there as on the platform that is
 * made here, to 1e-9; and routes of other networks have as many links as shortest paths simgrid time          how much
 * faster ours is, in one run, on collectives of many ranks
 */
#include <simgrid/s4u.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "sim/flows/flow_sim.h"
#include "topo/topology.h"
#include "traffic/rank_program.h"
#include "traffic/schedule.h"

namespace s4u = simgrid::s4u;

namespace
{

[[noreturn]] void give_up()
{
    std::fprintf(stderr, "%s\n", cw_error_message());
    std::exit(1);
}

void must(int rc)
{
    if (rc) give_up();
}

/* A message of a scene: it begins when `after` are there, and its sender has computed. */
struct Message {
    uint32_t src, dst;
    uint64_t bytes;
    std::vector<size_t> after;
};

struct Scene {
    cw_network *net = nullptr;
    cw_routes *routes = nullptr;
    std::vector<Message> messages;
    std::vector<double> computing; /* s, of each rank, at its beginning; or empty: none does */
    std::string platform;          /* a file that SimGrid reads instead; or empty */
};

/* --- by SimGrid --------------------------------------------------------------------------------------------------- */

std::vector<uint32_t> route_of(const Scene &scene, uint32_t src, uint32_t dst)
{
    std::vector<uint32_t> channels(cw_routes_max_hops(scene.routes));
    uint32_t hops;
    must(cw_routes_paths(scene.routes, 1, &src, &dst, &hops, channels.data(), nullptr));
    channels.resize(hops);
    return channels;
}

std::vector<s4u::Host *> read_platform(const Scene &scene)
{
    std::vector<s4u::Host *> hosts;
    s4u::Engine::get_instance()->load_platform(scene.platform);
    s4u::Engine::get_instance()->seal_platform();
    for (uint32_t e = 0; e < scene.net->n_endpoints; e++) {
        char name[CW_NAME_SIZE];
        hosts.push_back(s4u::Host::by_name(cw_network_name(scene.net, e, name, sizeof name)));
    }
    return hosts;
}

void build_platform(const Scene &scene, std::vector<s4u::Host *> &hosts)
{
    auto *zone = s4u::create_full_zone("all");
    std::vector<s4u::Link *> links;
    std::map<std::pair<uint32_t, uint32_t>, bool> done;
    for (uint32_t e = 0; e < scene.net->n_endpoints; e++)
        hosts.push_back(zone->create_host("h" + std::to_string(e), 1.0)->set_core_count(64));
    for (uint32_t c = 0; c < scene.net->n_channels; c++)
        links.push_back(zone->create_link("c" + std::to_string(c), scene.net->capacity[c])
                            ->set_latency(scene.net->latency[c])
                            ->seal());
    for (const Message &message : scene.messages) {
        if (done[{message.src, message.dst}]) continue;
        done[{message.src, message.dst}] = true;
        std::vector<s4u::LinkInRoute> route;
        for (const uint32_t channel : route_of(scene, message.src, message.dst)) route.emplace_back(links[channel]);
        zone->add_route(hosts[message.src]->get_netpoint(), hosts[message.dst]->get_netpoint(), nullptr, nullptr, route,
                        false);
    }
    zone->seal();
}

void start_engine()
{
    static char name[] = "simgrid", quiet[] = "--log=root.thres:critical", model[] = "--cfg=network/model:CM02",
                cross[] = "--cfg=network/crosstraffic:0", width[] = "--cfg=network/bandwidth-factor:1",
                latency[] = "--cfg=network/latency-factor:1", weight[] = "--cfg=network/weight-S:0",
                gamma[] = "--cfg=network/TCP-gamma:0", work[] = "--cfg=maxmin/precision:1e-12",
                timing[] = "--cfg=surf/precision:1e-12";
    static char *arguments[] = {name, quiet, model, cross, width, latency, weight, gamma, work, timing, nullptr};
    int n = 10;
    new s4u::Engine(&n, arguments);
}

/* ENDS [messages]. Once a process. */
void run_simgrid(const Scene &scene, double *ends)
{
    std::vector<s4u::Host *> hosts;
    std::vector<s4u::CommPtr> comms;
    std::vector<s4u::ExecPtr> execs;
    start_engine();
    if (scene.platform.empty())
        build_platform(scene, hosts);
    else
        hosts = read_platform(scene);
    for (const Message &message : scene.messages)
        comms.push_back(
            s4u::Comm::sendto_init(hosts[message.src], hosts[message.dst])->set_payload_size(message.bytes));
    for (size_t rank = 0; rank < scene.computing.size(); rank++) {
        execs.push_back(s4u::Exec::init());
        execs.back()->set_host(hosts[rank])->set_flops_amount(scene.computing[rank]);
    }
    for (size_t i = 0; i < comms.size(); i++) {
        for (const size_t before : scene.messages[i].after) comms[before]->add_successor(comms[i]);
        if (!execs.empty()) execs[scene.messages[i].src]->add_successor(comms[i]);
    }
    for (auto &exec : execs) exec->vetoable_start();
    for (auto &comm : comms) comm->vetoable_start();
    s4u::Engine::get_instance()->run();
    for (size_t i = 0; i < comms.size(); i++) ends[i] = comms[i]->get_finish_time();
}

/* SimGrid runs one simulation a process. */
std::vector<double> ask_simgrid(const Scene &scene)
{
    std::vector<double> ends(scene.messages.size());
    int ways[2];
    if (pipe(ways)) std::abort();
    const pid_t child = fork();
    if (child == 0) {
        run_simgrid(scene, ends.data());
        for (size_t sent = 0, all = ends.size() * sizeof(double); sent < all;)
            sent += static_cast<size_t>(write(ways[1], reinterpret_cast<char *>(ends.data()) + sent, all - sent));
        _exit(0);
    }
    close(ways[1]);
    for (size_t got = 0, all = ends.size() * sizeof(double); got < all;) {
        const ssize_t n = read(ways[0], reinterpret_cast<char *>(ends.data()) + got, all - got);
        if (n <= 0) {
            std::fprintf(stderr, "SimGrid ended early\n");
            std::exit(1);
        }
        got += static_cast<size_t>(n);
    }
    close(ways[0]);
    waitpid(child, nullptr, 0);
    return ends;
}

/* --- by Crosswind ------------------------------------------------------------------------------------------------- */

/* One rank an endpoint. */
cw_program *make_program(const Scene &scene, std::vector<uint32_t> &receives)
{
    cw_program_builder *builder;
    cw_program *program;
    std::vector<uint32_t> works;
    must(cw_program_begin(scene.net->n_endpoints, &builder));
    for (uint32_t rank = 0; rank < scene.computing.size(); rank++)
        works.push_back(cw_program_compute(builder, rank, scene.computing[rank]));
    for (size_t i = 0; i < scene.messages.size(); i++) {
        const Message &message = scene.messages[i];
        const uint32_t tag = static_cast<uint32_t>(i);
        const uint32_t send = cw_program_send(builder, message.src, message.dst, tag, message.bytes);
        for (const size_t before : message.after) cw_program_wait(builder, send, receives[before]);
        if (!works.empty()) cw_program_wait(builder, send, works[message.src]);
        receives.push_back(cw_program_receive(builder, message.dst, message.src, tag, message.bytes));
    }
    must(cw_program_finish(builder, &program));
    return program;
}

std::vector<double> ask_crosswind(const Scene &scene, double *seconds = nullptr)
{
    std::vector<uint32_t> receives, endpoints;
    cw_program *program = make_program(scene, receives);
    std::vector<double> done(program->n_actions), ends;
    for (uint32_t e = 0; e < scene.net->n_endpoints; e++) endpoints.push_back(e);
    cw_flow_job job{};
    job.program = program;
    job.endpoints = endpoints.data();
    job.ends = done.data();
    job.sends = CW_FLOW_AT_ONCE;
    cw_flow_setup setup{};
    setup.routes = scene.routes;
    setup.jobs = &job;
    setup.n_jobs = 1;
    cw_flow_result result;
    double end;
    const auto begin = std::chrono::steady_clock::now();
    must(cw_flow_run(&setup, &end, &result));
    if (seconds) *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    /* Receives come in the order of messages at each rank. */
    std::vector<uint32_t> next(program->first, program->first + program->n_ranks);
    for (const Message &message : scene.messages) {
        uint32_t &at = next[message.dst];
        while (program->actions[at].kind != CW_ACTION_RECEIVE) at++;
        ends.push_back(done[at++]);
    }
    cw_program_free(program);
    return ends;
}

/* --- scenes ------------------------------------------------------------------------------------------------------- */

const char *const networks[] = {"xgft:2:4,4:1,2", "torus:4x4",         "dragonfly:2,4,2,g=3", "jellyfish:8,3,2",
                                "crossbar:9",     "hypercube:4",       "hyperx:3x3,t=2",      "mesh:4x3",
                                "rail:4,2,4",     "xgft:3:2,2,4:1,2,2"};

void open(Scene &scene, const char *spec)
{
    must(cw_topology_build(spec, &scene.net));
    must(cw_engine_route(scene.net, nullptr, 1, 1, &scene.routes));
}

void close(Scene &scene)
{
    cw_routes_free(scene.routes);
    cw_network_free(scene.net);
}

/* Ranks compute once, at the beginning: SimGrid's processors do several things at a time. */
void draw(Scene &scene, uint64_t index, bool dependent, const char *spec = nullptr)
{
    cw_random random = cw_random_of(dependent ? 8 : 7, CW_STREAM_TEST, index);
    open(scene, spec ? spec : networks[index % (sizeof networks / sizeof *networks)]);
    const uint32_t n = scene.net->n_endpoints, count = 2 + cw_random_below(&random, dependent ? 120 : 60);
    for (uint32_t c = 0; c < scene.net->n_channels; c++) {
        scene.net->capacity[c] = 1e9 * (1 + cw_random_below(&random, index % 2 ? 4 : 1000));
        scene.net->latency[c] = 0;
    }
    for (uint32_t rank = 0; dependent && rank < n; rank++)
        scene.computing.push_back(0.01 * (1 + cw_random_below(&random, 1000)));
    std::vector<std::vector<size_t>> received(n);
    for (uint32_t i = 0; i < count; i++) {
        Message message{};
        message.src = cw_random_below(&random, n);
        message.dst = (message.src + 1 + cw_random_below(&random, n - 1)) % n;
        message.bytes = 1000000000 + 1000 * static_cast<uint64_t>(cw_random_below(&random, 10000000));
        const auto &before = received[message.src];
        for (int k = 0; dependent && k < 2 && !before.empty(); k++) {
            const size_t earlier = before[cw_random_below(&random, static_cast<uint32_t>(before.size()))];
            if (message.after.empty() || message.after[0] != earlier) message.after.push_back(earlier);
        }
        received[message.dst].push_back(i);
        scene.messages.push_back(message);
    }
}

int compare(uint64_t n_scenes, bool dependent, double tolerance)
{
    size_t compared = 0;
    double worst = 0;
    for (uint64_t index = 0; index < n_scenes; index++) {
        Scene scene;
        draw(scene, index, dependent);
        const std::vector<double> ours = ask_crosswind(scene), theirs = ask_simgrid(scene);
        for (size_t i = 0; i < ours.size(); i++, compared++) {
            const double difference = std::fabs(ours[i] / theirs[i] - 1);
            worst = std::fmax(worst, difference);
            if (difference <= tolerance) continue;
            std::printf("scene %d on %s: message %zu ends at %.15g, by SimGrid at %.15g\n", static_cast<int>(index),
                        scene.net->title, i, ours[i], theirs[i]);
            return 1;
        }
        close(scene);
    }
    std::printf("%zu messages in %d scenes end as by SimGrid, to %.1e\n", compared, static_cast<int>(n_scenes), worst);
    return 0;
}

/* --- platforms that we write -------------------------------------------------------------------------------------- */

/* In a process of its own: 0 if SimGrid's routes are as long as ours in SCENE. */
int compare_routes(const Scene &scene)
{
    const pid_t child = fork();
    int status = 1;
    if (child == 0) {
        start_engine();
        const std::vector<s4u::Host *> hosts = read_platform(scene);
        for (uint32_t a = 0; a < hosts.size(); a++)
            for (uint32_t b = 0; b < hosts.size(); b++) {
                std::vector<s4u::Link *> links;
                double latency;
                if (a == b) continue;
                hosts[a]->route_to(hosts[b], links, &latency);
                if (links.size() == route_of(scene, a, b).size()) continue;
                std::printf("%s: SimGrid's route from %s to %s has %zu links\n", scene.net->title,
                            hosts[a]->get_cname(), hosts[b]->get_cname(), links.size());
                std::fflush(stdout);
                _exit(1);
            }
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

int compare_platforms()
{
    static const char *const trees[] = {"xgft:2:4,4:1,1", "crossbar:9", "xgft:3:2,3,2:1,1,1", "mesh:5"};
    static const char *const others[] = {"torus:4x3", "xgft:2:4,3:1,2", "dragonfly:2,4,2,g=3", "jellyfish:8,3,2"};
    char path[] = "/tmp/platform-XXXXXX.xml";
    const int file = mkstemps(path, 4);
    size_t compared = 0;
    int bad = file < 0;
    if (!bad) ::close(file);
    for (uint64_t index = 0; !bad && index < 40; index++) {
        Scene scene;
        draw(scene, index, false, trees[index % 4]);
        for (uint32_t c = 0; index % 2 && c < scene.net->n_channels; c++)
            scene.net->capacity[scene.net->twin[c]] = scene.net->capacity[c];
        const std::vector<double> here = ask_simgrid(scene);
        must(cw_network_write(scene.net, path));
        scene.platform = path;
        const std::vector<double> there = ask_simgrid(scene);
        for (size_t i = 0; i < here.size(); i++, compared++) bad |= std::fabs(there[i] / here[i] - 1) > 1e-9;
        if (bad) std::printf("%s: messages end at other times on the platform that was written\n", scene.net->title);
        close(scene);
    }
    for (const char *const spec : others) {
        Scene scene;
        must(cw_topology_build(spec, &scene.net));
        must(cw_engine_route(scene.net, "minhop", 1, 1, &scene.routes));
        must(cw_network_write(scene.net, path));
        scene.platform = path;
        bad |= compare_routes(scene);
        close(scene);
    }
    unlink(path);
    if (!bad) std::printf("%zu messages end on 40 platforms that were written as on those that were made\n", compared);
    return bad;
}

/* --- how long it takes -------------------------------------------------------------------------------------------- */

void unroll(Scene &scene, const char *spec, uint64_t bytes)
{
    cw_schedule *schedule;
    cw_messages messages{};
    uint32_t rounds, blocks;
    uint64_t total;
    const uint32_t n = scene.net->n_endpoints;
    must(cw_schedule_new(spec, &schedule));
    must(cw_schedule_plan(schedule, n, &rounds, &blocks));
    must(cw_schedule_total_bytes(schedule, n, bytes, &total));
    std::vector<std::vector<size_t>> last(n), now(n);
    for (uint32_t round = 0; round < rounds; round++) {
        messages.n = 0;
        must(cw_schedule_round(schedule, n, round, &messages));
        for (size_t i = 0; i < messages.n; i++) {
            const cw_message &item = messages.items[i];
            Message message{};
            message.src = item.src;
            message.dst = item.dst;
            message.bytes = cw_schedule_bytes(total, blocks, item.block, item.n_blocks);
            if (!item.free) message.after = last[item.src];
            now[item.dst].push_back(scene.messages.size());
            scene.messages.push_back(message);
        }
        for (uint32_t rank = 0; rank < n; rank++) {
            if (!now[rank].empty()) last[rank] = now[rank];
            now[rank].clear();
        }
    }
    cw_messages_free(&messages);
    cw_schedule_free(schedule);
}

int race(const char *network, const char *schedule, uint64_t bytes)
{
    Scene scene;
    double ours;
    open(scene, network);
    for (uint32_t c = 0; c < scene.net->n_channels; c++)
        scene.net->latency[c] = 0; /* SimGrid shares by latencies, too */
    unroll(scene, schedule, bytes);
    const double end = [&] {
        double last = 0;
        for (const double at : ask_crosswind(scene, &ours)) last = std::fmax(last, at);
        return last;
    }();
    const auto begin = std::chrono::steady_clock::now();
    double last = 0;
    for (const double at : ask_simgrid(scene)) last = std::fmax(last, at);
    const double theirs = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%s, %s of %llu bytes, %zu messages: %.3f s, SimGrid %.3f s, %.0f times; ends at %.6g and %.6g s\n",
                network, schedule, static_cast<unsigned long long>(bytes), scene.messages.size(), ours, theirs,
                theirs / ours, end, last);
    close(scene);
    return 0;
}

} /* namespace */

int main(int argc, char **argv)
{
    if (argc == 2 && std::strcmp(argv[1], "scenes") == 0) return compare(600, false, 1e-9);
    if (argc == 2 && std::strcmp(argv[1], "programs") == 0) return compare(150, true, 1e-6);
    if (argc == 2 && std::strcmp(argv[1], "platforms") == 0) return compare_platforms();
    if (argc >= 4 && std::strcmp(argv[1], "time") == 0)
        return race(argv[2], argv[3], argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 65536);
    std::fprintf(stderr, "simgrid scenes|programs|platforms|time NETWORK SCHEDULE [BYTES]\n");
    return 2;
}
