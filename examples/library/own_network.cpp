// A network of one's own in C++: a ring of switches with one endpoint each, and the way between two of them.
#include <crosswind.h>

#include <cstdio>
#include <memory>
#include <vector>

int main()
{
    constexpr uint32_t n = 6;
    cw_builder *builder = cw_builder_new(n, n, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        cw_builder_cable(builder, i, 0, n + i, 0, CW_DEFAULT_CAPACITY, CW_DEFAULT_LATENCY);
        cw_builder_cable(builder, n + i, 0, n + (i + 1) % n, 0, CW_DEFAULT_CAPACITY, CW_DEFAULT_LATENCY);
    }
    cw_network *made = nullptr;
    cw_routes *walked = nullptr;
    if (cw_builder_finish(builder, &made) != 0) return std::puts(cw_error_message()), 1;
    const std::unique_ptr<cw_network, decltype(&cw_network_free)> net(made, cw_network_free);
    if (cw_engine_route(net.get(), "minhop", 1, 1, &walked) != 0) return std::puts(cw_error_message()), 1;
    const std::unique_ptr<cw_routes, decltype(&cw_routes_free)> routes(walked, cw_routes_free);

    const uint32_t from = 0, to = 2;
    uint32_t hops = 0;
    std::vector<uint32_t> way(cw_routes_max_hops(routes.get()));
    if (cw_routes_paths(routes.get(), 1, &from, &to, &hops, way.data(), nullptr) != 0)
        return std::puts(cw_error_message()), 1;
    for (uint32_t i = 0; i < hops; i++) {
        char name[CW_NAME_SIZE];
        std::printf("%s%s", i ? ", " : "", cw_network_channel_name(net.get(), way[i], name, sizeof name));
    }
    std::puts("");
    return 0;
}
