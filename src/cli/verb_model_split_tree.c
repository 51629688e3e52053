/* crosswind model split-tree: what the model says of nonblocking collectives whose tree is split between application
 * and communication cores. */
#include "base/error.h"
#include "cli/verb.h"
#include "study/papers/split_tree_points.h"

struct split_tree_options {
    int64_t cores, chunks;
    int collective, equation, placement, executor, figure;
    double compute;
    bool simulate;
};

static const struct cw_option options[] = {
    {.name = "cores",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct split_tree_options, cores),
     .value_name = "N",
     .min = 2,
     .max = 4096,
     .help = "cores of the machine, of which some compute and the others communicate; must be given"},
    {.name = "collective",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct split_tree_options, collective),
     .default_text = "bcast",
     .names = &cw_collective_trees,
     .help = "which collective; bcast and reduce are alike, and so are scatter and gather"},
    {.name = "compute",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct split_tree_options, compute),
     .value_name = "R",
     .default_text = "1",
     .min = 0,
     .max = 1e6,
     .help =
         "how long the computation beside the collective takes on all cores, as a multiple of the blocking collective "
         "on all cores; fewer cores take longer in proportion"},
    {.name = "equation",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct split_tree_options, equation),
     .default_text = "exact",
     .choices = cw_split_equation_names,
     .help = "edges of each level of the tree: counted, or by equation 3 as the paper prints it"},
    {.name = "simulate",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct split_tree_options, simulate),
     .help = "also execute the tree edge by edge: an edge begins when its data are there and its core is free"},
    {.name = "placement",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct split_tree_options, placement),
     .default_text = "block",
     .choices = cw_split_placement_names,
     .help = "with --simulate: which communication core executes the edges of rank r of N, of P: r P / N (block) or r "
             "modulo P (round-robin)"},
    {.name = "executor",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct split_tree_options, executor),
     .default_text = "child",
     .choices = cw_split_executor_names,
     .help = "with --simulate: whose edge it is, the child's or the parent's"},
    {.name = "chunks",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct split_tree_options, chunks),
     .value_name = "N",
     .default_text = "1",
     .min = 1,
     .max = 256,
     .help = "with --simulate: pieces that the data are cut into, each of which goes its way alone"},
    {.name = "figure",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct split_tree_options, figure),
     .default_text = "overlapped",
     .choices = cw_split_shown_names,
     .help = "with --plot: the time of collective and computation, or of the collective alone"},
    {.name = NULL},
};

static int check_options(const struct invocation *invocation)
{
    static const char *const of_simulation[] = {"placement", "executor", "chunks", NULL};
    static const char *const of_plot[] = {"figure", NULL};
    const struct split_tree_options *values = invocation->values;
    if (!invocation_has(invocation, "cores")) return cw_fail(CW_EUSAGE, "expected --cores N, the number of cores");
    int rc = values->simulate ? 0 : invocation_refuse(invocation, of_simulation, "is for --simulate");
    return rc || invocation->common.plot ? rc : invocation_refuse(invocation, of_plot, "is for --plot FILE");
}

/* From which N on which S is best. */
static void note_switches(struct cw_result *result, const struct cw_split_points *points)
{
    struct cw_text text = {0};
    int64_t last = -1;
    cw_text_add(&text, "Best numbers of levels on application cores:");
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_split_point *point = &points->items[i];
        if (!point->best || point->steps == last) continue;
        cw_text_printf(&text, "%s S = %u from N = %u", last < 0 ? "" : ",", point->steps, point->n);
        last = point->steps;
    }
    cw_text_add(&text, ".");
    cw_result_note_text(result, &text);
}

static void note_least(struct cw_result *result, const struct cw_split_points *points)
{
    const struct cw_split_model *model = &points->about.model;
    const struct cw_split_point *least = &points->items[points->least];
    const uint32_t sliced = cw_split_best_sliced(model);
    const struct cw_split_slices slices = cw_split_slices_of(model, sliced);
    const struct cw_split_times all = cw_split_times_of(model, model->cores, UINT32_MAX);
    cw_result_note(result,
                   "Collective and computation are fastest, at %.3f transfers, with N = %u application cores, P = %u "
                   "communication cores and S = %u; one after another on all %u cores they take %.3f.",
                   least->times.overlapped, least->n, model->cores - least->n, least->steps, model->cores,
                   all.blocking + all.compute);
    cw_result_note(result,
                   "Slices split the data instead of the tree. They are fastest, at %.3f transfers, with N = %u, where "
                   "communication cores take %.1f %% of the bytes.",
                   slices.overlapped, sliced, 100 * (1 - slices.fraction));
}

static void note_simulated(struct cw_result *result, const struct cw_split_points *points)
{
    size_t above = 0;
    const struct cw_split_point *worst = NULL;
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_split_point *point = &points->items[i];
        if (point->simulated_overlapped <= point->times.overlapped * (1 + 1e-9)) continue;
        above++;
        if (!worst || point->simulated_overlapped / point->times.overlapped >
                          worst->simulated_overlapped / worst->times.overlapped)
            worst = point;
    }
    if (!worst)
        cw_result_note(result, "Simulated, no split tree takes longer than the model says.");
    else
        cw_result_note(result,
                       "Simulated, %zu of %zu split trees take longer than the model says, up to %.3f instead of %.3f "
                       "transfers (N = %u, S = %u).",
                       above, points->n, worst->simulated_overlapped, worst->times.overlapped, worst->n, worst->steps);
}

static int show(struct invocation *invocation, const struct cw_split_points *points)
{
    const struct split_tree_options *values = invocation->values;
    const bool parts = cw_collective_has_blocks(points->about.model.collective);
    struct cw_table *best = NULL, *all = NULL;
    int rc = cw_split_tree_best_table(points, &best);
    if (!rc) rc = cw_result_add_detail(invocation->result, best);
    if (!rc) rc = cw_split_tree_table(points, &all);
    if (!rc) cw_table_cut_text(all, 0);
    if (!rc) rc = cw_result_add_table(invocation->result, all);
    if (rc) return rc;
    note_switches(invocation->result, points);
    note_least(invocation->result, points);
    if (points->about.simulated) note_simulated(invocation->result, points);
    cw_result_note(invocation->result,
                   "A transfer is that of %s between two ranks; what cores take from each other of the memory's "
                   "bandwidth is not in the model.",
                   parts ? "one rank's part" : "the whole buffer");
    const char *plot = invocation->common.plot;
    return plot ? cw_split_tree_draw(points, (enum cw_split_shown)values->figure, NULL, plot) : 0;
}

static int run(struct invocation *invocation)
{
    const struct split_tree_options *values = invocation->values;
    int rc = check_options(invocation);
    if (rc) return rc;
    const struct cw_collective_traits *collective = cw_registry_item(&cw_collective_trees, (size_t)values->collective);
    const struct cw_split_case about = {.model = {.cores = (uint32_t)values->cores,
                                                  .collective = cw_collective_kind_of(collective),
                                                  .equation = (enum cw_split_equation)values->equation,
                                                  .ratio = values->compute},
                                        .simulated = values->simulate,
                                        .placement = (enum cw_split_placement)values->placement,
                                        .executor = (enum cw_split_executor)values->executor,
                                        .chunks = (uint32_t)values->chunks};
    cw_result_set_context(invocation->result, CW_CONTEXT_SEED, NULL); /* nothing is drawn */
    struct cw_split_points points;
    rc = cw_split_points_new(&about, (unsigned)invocation->common.threads, &points);
    if (rc) return rc;
    rc = show(invocation, &points);
    cw_split_points_free(&points);
    return rc;
}

const struct verb verb_model_split_tree = {
    .name = "model split-tree",
    .help = "How many cores, and which part of a collective's tree, to leave to communication",
    .description =
        "Some cores of a machine compute, a rank on each; the others communicate. A nonblocking collective goes along "
        "a "
        "binomial tree: its last S levels are executed by application cores, in MPI_Wait (broadcast, scatter) or "
        "before "
        "it starts (reduction, gather), the levels above by communication cores while the others compute (Denis, "
        "Jaeger, Jeannot, Perache, Taboada: Dynamic placement of progress thread for overlapping MPI non-blocking "
        "collectives on manycore processor, 2018). Computed are the times of the collective alone and beside a "
        "computation of fixed total work, for every number of application cores and every S. Equation 2 of the paper "
        "is printed upside down; here it is the right way round. Slices are another schedule: communication cores take "
        "a part of the data of every transfer, application cores the rest at the end.",
    .examples = "  crosswind model split-tree --cores 64\n"
                "  crosswind model split-tree --cores 64 --collective scatter --format csv\n"
                "  crosswind model split-tree --cores 48 --compute 2 --plot overlapped.svg\n"
                "  crosswind model split-tree --cores 64 --simulate --placement round-robin\n",
    .options = options,
    .size = sizeof(struct split_tree_options),
    .computes = true,
    .stores = STORES_RESULT,
    .pictures = PICTURES_OWN,
    .run = run,
};
