// How much of what its endpoints offer a network accepts, flit by flit, and how long messages take.
//     saturation dragonfly:2,4,2 ugal-l group-adversarial
#include <crosswind.h>

#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

namespace
{

// Whatever the library makes is freed by its own function, and errors are exceptions.
template <class T, void (*release)(T *)> struct Free {
    void operator()(T *made) const { release(made); }
};
template <class T, void (*release)(T *)> using Owned = std::unique_ptr<T, Free<T, release>>;

void check(int rc)
{
    if (rc != 0) throw rc;
}

// What is accepted of LOAD, a share of the injection bandwidth.
cw_steady_result measure(const cw_packet_routing *routing, const cw_workload *workload,
                         const std::vector<uint32_t> &endpoints, double load)
{
    cw_flit_job job{};
    job.kind = CW_FLIT_CONTINUOUS;
    job.n_ranks = static_cast<uint32_t>(endpoints.size());
    job.endpoints = endpoints.data();
    job.workload = workload;
    job.load = load;
    job.message_flits = 1;
    cw_flit_setup setup{};
    setup.routing = routing;
    setup.hardware = cw_flit_default_hardware();
    setup.jobs = &job;
    setup.n_jobs = 1;
    setup.seed = 1;
    setup.n_threads = 1;
    cw_flit_simulation *made = nullptr;
    check(cw_flit_new(&setup, &made));
    const Owned<cw_flit_simulation, cw_flit_free> simulation(made);
    cw_steady_setup steady{};
    steady.warmup = 5000;
    steady.cycles = 5000;
    steady.confidence = 0.95;
    cw_steady_result result{};
    check(cw_steady_run(made, &setup, &steady, &result));
    return result;
}

void run(const char *network, const char *engine, const char *pattern)
{
    cw_network *made = nullptr;
    check(cw_network_open(network, &made));
    const Owned<cw_network, cw_network_free> net(made);
    cw_packet_routing *packets = nullptr;
    check(cw_packet_routing_new(made, engine, 1, 1, &packets));
    const Owned<cw_packet_routing, cw_packet_routing_free> routing(packets);
    std::vector<uint32_t> endpoints(cw_network_endpoints(made));
    std::iota(endpoints.begin(), endpoints.end(), 0);
    cw_ranks ranks{};
    cw_ranks_of(made, cw_network_endpoints(made), &ranks);
    cw_workload *load = nullptr;
    check(cw_workload_new(pattern, &ranks, 1, &load));
    const Owned<cw_workload, cw_workload_free> workload(load);
    for (const double offered : {0.1, 0.2, 0.4, 0.8}) {
        cw_steady_result result = measure(packets, load, endpoints, offered);
        std::printf("offered %.1f, accepted %.3f, %.0f cycles%s\n", offered, result.accepted, result.latency_mean,
                    result.saturated ? " and growing" : "");
        cw_steady_free(&result);
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 4) return std::fputs("usage: saturation NETWORK ROUTING PATTERN\n", stderr), 2;
    try {
        run(argv[1], argv[2], argv[3]);
    } catch (int) {
        return std::fprintf(stderr, "%s\n", cw_error_message()), 1;
    }
    return 0;
}
