/* Measures how long all-to-all(v) of a mixture of experts takes to be planned over rails, at first and when its bytes
 * have drifted, on one core. Usage: rails_bench [LARGEST], GPUs; 4096 unless given. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/estimate.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "base/table.h"
#include "flow/rails.h"
#include "net/network_internal.h"
#include "topo/topology.h"

#define GPUS   8 /* of a box, which has as many ports */
#define STEPS  11
#define GAP    0.01
#define SEED   1
#define LOST   40  /* of so many ports one is lost, and one has half of its rate */
#define TARGET 512 /* GPUs for which there are targets: … */
#define COLD   5   /* … ms at first, … */
#define WARM   1   /* … and after drift */

static const struct cw_column columns[] = {
    {"gpus", CW_COLUMN_INT, NULL, "8 of a box, with 8 ports"},
    {"ports", CW_COLUMN_TEXT, NULL, "whole, or some lost and some slow"},
    {"cold", CW_COLUMN_REAL, "ms", "the first plan of a handle"},
    {"warm", CW_COLUMN_REAL, "ms", "median of plans after every pair's bytes have drifted by up to 10 %"},
    {"warm_min", CW_COLUMN_REAL, "ms", "least"},
    {"warm_max", CW_COLUMN_REAL, "ms", "greatest"},
    {"gap", CW_COLUMN_REAL, NULL, "greatest (time - bound) / bound of all plans"},
    {"sweeps", CW_COLUMN_INT, NULL, "of the first plan"},
    {"warm_sweeps", CW_COLUMN_INT, NULL, "of the others, in all"},
    {"met", CW_COLUMN_TEXT, NULL, "512 GPUs: at most 5 ms at first and 1 ms after drift, within 1 %"},
};

/* One expert a GPU, in random places; expert i is chosen in proportion to 1 / (i + 1), by each GPU a little otherwise.
 */
static void choose_experts(struct cw_random *random, uint32_t n, uint32_t *place, uint64_t *bytes)
{
    cw_random_permutation(random, n, place);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t i = 0; i < n; i++)
            bytes[(size_t)s * n + place[i]] = (uint64_t)(1e8 * (0.5 + cw_random_unit(random)) / (i + 1));
}

static void drift(struct cw_random *random, size_t n, uint64_t *bytes)
{
    for (size_t i = 0; i < n; i++) bytes[i] = (uint64_t)((double)bytes[i] * (0.9 + 0.2 * cw_random_unit(random)));
}

static void damage(struct cw_random *random, const struct cw_network *net, double *capacity)
{
    for (uint32_t c = net->first[net->n_endpoints]; c < net->n_channels; c++) {
        const uint32_t drawn = cw_random_below(random, LOST);
        if (!cw_network_is_host_channel(net, c) && drawn < 2) capacity[c] *= drawn == 0 ? 0 : 0.5;
    }
}

static int measure(const struct cw_network *net, bool whole, uint64_t *bytes, uint32_t *place, double *capacity,
                   struct cw_table *table)
{
    struct cw_random random = cw_random_of(SEED, CW_STREAM_TEST, net->n_endpoints);
    struct cw_rails *rails = NULL;
    struct cw_rails_plan plan;
    double ms[STEPS], gap = 0;
    int64_t sweeps = 0, later = 0;
    choose_experts(&random, net->n_endpoints, place, bytes);
    for (uint32_t c = 0; c < net->n_channels; c++) capacity[c] = net->capacity[c];
    if (!whole) damage(&random, net, capacity);
    int rc = cw_rails_new(net, capacity, &rails);
    for (int i = 0; i < STEPS && !rc; i++) {
        if (i > 0) drift(&random, (size_t)net->n_endpoints * net->n_endpoints, bytes);
        const double begin = cw_stopwatch_now();
        rc = cw_rails_solve(rails, bytes, GAP, &plan);
        ms[i] = (cw_stopwatch_now() - begin) * 1e3;
        if (rc) break;
        gap = fmax(gap, (plan.seconds - plan.bound) / plan.bound);
        *(i > 0 ? &later : &sweeps) += plan.sweeps;
    }
    cw_rails_free(rails);
    if (rc) return rc;
    cw_sort_reals(ms + 1, STEPS - 1);
    const bool met = ms[0] <= COLD && ms[STEPS / 2] <= WARM && gap <= GAP;
    cw_table_int(table, net->n_endpoints);
    cw_table_text(table, whole ? "whole" : "damaged");
    cw_table_real(table, ms[0]);
    cw_table_real(table, ms[STEPS / 2]);
    cw_table_real(table, ms[1]);
    cw_table_real(table, ms[STEPS - 1]);
    cw_table_real(table, gap);
    cw_table_int(table, sweeps);
    cw_table_int(table, later);
    cw_table_text(table, net->n_endpoints != TARGET ? "" : met ? "yes" : "no");
    return 0;
}

static int measure_size(uint32_t gpus, struct cw_table *table)
{
    char spec[64];
    struct cw_network *net = NULL;
    snprintf(spec, sizeof spec, "rail:%u,%d,%d,nvlink=3600Gbit/s@400Gbit/s", gpus / GPUS, GPUS, GPUS);
    int rc = cw_topology_build(spec, &net);
    if (rc) return rc;
    uint64_t *bytes = cw_new_array((size_t)gpus * gpus, sizeof *bytes, "a matrix");
    uint32_t *place = cw_new_array(gpus, sizeof *place, "experts");
    double *capacity = cw_new_array(net->n_channels, sizeof *capacity, "capacities");
    rc = bytes && place && capacity ? 0 : CW_ENOMEM;
    if (!rc) rc = measure(net, true, bytes, place, capacity, table);
    if (!rc) rc = measure(net, false, bytes, place, capacity, table);
    free(bytes);
    free(place);
    free(capacity);
    cw_network_free(net);
    return rc;
}

static int run(unsigned long largest)
{
    static const uint32_t sizes[] = {64, 512, 4096};
    struct cw_table *table;
    struct cw_text text = {0};
    int rc = cw_table_new("rails_bench", "Plans of all-to-all(v) over rails on one core", columns,
                          sizeof columns / sizeof *columns, &table);
    if (rc) return rc;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !rc; i++)
        if (sizes[i] <= largest) rc = measure_size(sizes[i], table);
    if (!rc) rc = cw_table_write_text(table, 0, "csv or json", &text);
    if (!rc) fputs(text.data, stdout);
    cw_text_free(&text);
    cw_table_free(table);
    return rc;
}

int main(int argc, char **argv)
{
    const int rc = run(argc > 1 ? strtoul(argv[1], NULL, 10) : 4096);
    if (rc) fprintf(stderr, "rails_bench: %s\n", cw_error_message());
    return rc ? 1 : 0;
}
