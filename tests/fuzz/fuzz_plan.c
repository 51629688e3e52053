/* Plan files. What is accepted is a plan that is written again and read again as it is. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "flow/plan.h"
#include "fuzz.h"
#include "topo/topology.h"

static struct cw_flow_problem two, alike;
static struct cw_demands demands, shift;

/* 100 bytes from 0 to 1 and 200 from 0 to 2; and from each node 100 to the next row, of which a file may be a rule. */
static void prepare(void)
{
    struct cw_network *net;
    if (two.net) return;
    if (cw_topology_build("torus:4x4@1GB/s", &net) != 0) abort();
    if (cw_demands_add(&demands, 0, 1, 100) != 0 || cw_demands_add(&demands, 0, 2, 200) != 0) abort();
    if (cw_flow_problem_make(net, &demands, -1, NULL, 0, &two) != 0) abort();
    if (cw_demands_pattern(net, NULL, "shift:4", 100, 1, &shift) != 0) abort();
    if (cw_flow_problem_make(net, &shift, -1, NULL, 0, &alike) != 0) abort();
}

static void check(const struct cw_flow_problem *problem, struct cw_plan *plan)
{
    struct cw_text text = {0}, again = {0};
    struct cw_plan_figures figures;
    struct cw_plan same = {0};
    if (cw_plan_verify(problem, plan) != 0 || cw_plan_figures_compute(problem, plan, &figures) != 0) abort();
    if (cw_plan_write(problem, plan, NULL, &text) != 0) abort();
    if (cw_plan_parse(problem, "again", text.data, text.length, &same) != 0 ||
        cw_plan_write(problem, &same, NULL, &again) != 0)
        abort();
    if (strcmp(text.data, again.data) != 0) abort();
    cw_plan_free(&same);
    cw_text_free(&text);
    cw_text_free(&again);
}

static void read_plan(const struct cw_flow_problem *problem, const char *text, size_t size)
{
    struct cw_plan plan;
    if (cw_plan_parse(problem, "fuzz", text, size, &plan) == 0) {
        check(problem, &plan);
        cw_plan_free(&plan);
    } else if (*cw_error_message() == 0) {
        abort(); /* every failure says why */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct cw_demands read;
    struct cw_channel_changes faults;
    prepare();
    read_plan(&two, text, size);
    read_plan(&alike, text, size);
    if (cw_plan_parse_demands(two.net, "fuzz", text, size, &read) == 0) cw_demands_free(&read);
    if (cw_plan_parse_faults("fuzz", text, size, &faults) == 0) free(faults.items);
    return 0;
}
