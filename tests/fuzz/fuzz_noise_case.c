/* Case files, and replaying those that are possible on a small network. */
#include <stdlib.h>

#include "base/error.h"
#include "fuzz.h"
#include "route/engine.h"
#include "sim/noise_case.h"
#include "topo/topology.h"

/* What is written can be read, and replays without a difference. */
static void write_back(const struct cw_noise_case *noise_case, const struct cw_noise_replay *result)
{
    struct cw_noise_case again;
    struct cw_text text = {0}, differences = {0};
    cw_noise_case_write(noise_case, "torus:4x4", result, &text);
    if (cw_text_check(&text) == 0) {
        if (cw_noise_case_parse("written", text.data, text.length, &again) != 0) abort();
        if (cw_noise_case_compare(&again, result, &differences) != 0) abort();
        cw_noise_case_free(&again);
    }
    cw_text_free(&text);
    cw_text_free(&differences);
}

static void replay(const struct cw_noise_case *noise_case)
{
    static struct cw_network *net;
    static struct cw_routes *routes;
    static struct cw_schedule *schedule;
    if (!net && (cw_network_open("torus:4x4", &net) != 0 || cw_engine_route(net, NULL, 1, 1, &routes) != 0 ||
                 cw_schedule_new("binomial-bcast", &schedule) != 0))
        abort();
    const struct cw_collective_setup setup = {.routes = routes, .schedule = schedule};
    struct cw_noise_replay result;
    struct cw_text differences = {0};
    if (cw_noise_case_run(noise_case, &setup, &result) != 0) return;
    cw_noise_case_compare(noise_case, &result, &differences);
    cw_text_free(&differences);
    write_back(noise_case, &result);
    cw_noise_replay_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_noise_case noise_case;
    if (cw_noise_case_parse("input", (const char *)data, size, &noise_case) != 0) {
        if (*cw_error_message() == 0) abort();
        return 0;
    }
    replay(&noise_case);
    cw_noise_case_free(&noise_case);
    return 0;
}
