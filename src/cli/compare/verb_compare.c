/* crosswind compare: networks and routings side by side, by several measures. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/compare/install_column.h"
#include "cli/compare/measure_columns.h"
#include "cli/compare/stored_figures.h"
#include "cli/fabric.h"
#include "cli/flit/flit_mode.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "route/engine.h"
#include "study/compare/measures.h"
#include "topo/odd_cables.h"
#include "topo/topology.h"

struct compare_options {
    char *routings, *tables, *repair, *measures;
};

static const struct cw_option options[] = {
    {.name = "routing",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct compare_options, routings),
     .value_name = "NAME[,NAME...]",
     .names = &cw_engine_registry,
     .help = "routings to compare (see crosswind help routings); by default, of one network the one that suits it, "
             "OpenSM's usual ones and min-contention, of several the one that suits each"},
    {.name = "lft",
     .type = CW_OPTION_INPUTS,
     .offset = offsetof(struct compare_options, tables),
     .value_name = "FILE[,FILE...]",
     .help = "forwarding tables to compare, too, as --lft of other verbs; they come first"},
    {.name = "repair",
     .rare = true,
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct compare_options, repair),
     .value_name = "NAME",
     .names = &cw_engine_registry,
     .help = "where the tables of --lft no longer lead to the destination (--failed), use entries of this routing"},
    {.name = "measure",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct compare_options, measures),
     .value_name = "NAME[:PARAMETER][,...]",
     .names = &cw_measure_registry,
     .default_text = "ebb,noise,worst-shift,alltoall,lanes,deadlock-free",
     .help = "what to compare (see crosswind help measures)"},
    {.name = NULL},
};

static const struct cw_option arguments[] = {
    {.name = "NETWORK",
     .type = CW_OPTION_INPUT,
     .names = &cw_topology_registry,
     .required = true,
     .repeats = true,
     .help = NETWORK_HELP "; any number of them"},
    {.name = NULL},
};

/* The usual engines of OpenSM, and ours that makes tables that it can load; less those that this program lacks. */
static const char *const usual[] = {"minhop", "updn", "ftree", "dfsssp", "nue", "min-contention"};

/* Starts zeroed. */
struct texts {
    char **items;
    size_t n, capacity;
};

struct comparison {
    struct invocation *invocation;
    const struct compare_options *values;
    struct cw_measure *measures;
    size_t n_measures;
    bool flits;
    struct texts files, routings; /* with tables; and of engines. Both empty: the one that suits each network */
    struct texts names;           /* of the rows that are begun */
    struct figure_keeper keeper;
    const char *spec;      /* of the network at hand, and … */
    struct cw_inputs read; /* … its files */
    struct measure_columns columns;
    struct cw_table *table;
    struct cw_progress *progress;
    struct cw_study_figure *found; /* [rows][n_measures], and … */
    struct cw_measured *figures;   /* … the same */
    bool installs;                 /* how to do that is asked for: of a fabric */
    struct install_column install;
    size_t rows;
    uint32_t fewest, most; /* endpoints of a network */
};

/* --- what is asked for -------------------------------------------------------------------------------------------- */

static int add_text(struct texts *list, const char *text, size_t length)
{
    const int rc =
        cw_grow_array((void **)&list->items, &list->capacity, list->n + 1, sizeof *list->items, "names of routings");
    if (rc) return rc;
    char *copy = list->items[list->n] = cw_copy_text(text, length);
    if (!copy) return CW_ENOMEM;
    list->n++;
    return 0;
}

static void free_texts(struct texts *list)
{
    for (size_t i = 0; i < list->n; i++) free(list->items[i]);
    free(list->items);
}

static int read_routings(struct comparison *comparison)
{
    int rc = 0;
    for (const char *left = comparison->values->routings; left && !rc;) {
        const size_t length = cw_registry_element(&cw_engine_registry, left);
        if (length == 0) return cw_fail(CW_EUSAGE, "--routing: one of the names is empty");
        rc = add_text(&comparison->routings, left, length);
        if (!rc) rc = cw_engine_check(comparison->routings.items[comparison->routings.n - 1]);
        left = left[length] == 0 ? NULL : left + length + 1;
    }
    for (const char *left = comparison->values->tables; left && !rc;) {
        const size_t length = strcspn(left, ",:");
        rc = add_text(&comparison->files, left, length);
        left = left[length] == 0 ? NULL : left + length + 1;
    }
    return rc;
}

/* The routings of one network of which nobody said any. */
static int usual_routings(struct comparison *comparison, const struct cw_network *net)
{
    const char *own = cw_engine_default(net);
    int rc = add_text(&comparison->routings, own, strlen(own));
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !rc; i++) {
        const struct cw_engine *engine = cw_registry_find(&cw_engine_registry, usual[i]);
        if (engine && strcmp(usual[i], own) != 0 && cw_engine_accepts(engine, net, NULL))
            rc = add_text(&comparison->routings, usual[i], strlen(usual[i]));
    }
    return rc;
}

static bool has_several(const struct comparison *comparison)
{
    return comparison->invocation->n_positional > 1;
}

static int check(struct comparison *comparison)
{
    int rc = cw_measures_parse(comparison->values->measures, &comparison->measures, &comparison->n_measures);
    if (!rc) rc = read_routings(comparison);
    if (!rc && comparison->values->repair && comparison->files.n == 0)
        rc = cw_fail(CW_EUSAGE, "--repair is for the fabric's own tables, --lft");
    if (!rc && comparison->values->repair) rc = cw_engine_check(comparison->values->repair);
    if (!rc && comparison->files.n > 0 && has_several(comparison))
        rc = cw_fail(CW_EUSAGE, "--lft: tables are those of one network; expected one NETWORK");
    for (size_t i = 0; !rc && i < comparison->n_measures; i++)
        comparison->flits |= comparison->measures[i].kind->by_flits;
    if (!rc && comparison->invocation->common.store && comparison->flits)
        rc = flit_mode_refuse(comparison->invocation,
                              "is not for --store, which does not tell such figures from others");
    return rc;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static int make_table(struct comparison *comparison, const char *title)
{
    struct measure_columns *columns = &comparison->columns;
    struct cw_text text = {0};
    int rc = measure_columns_begin(columns, 3, comparison->measures, comparison->n_measures);
    if (rc) return rc;
    if (comparison->installs) columns->last = (struct last_column){INSTALL_NAME, INSTALL_HELP};
    if (has_several(comparison)) measure_columns_add(columns, CW_COLUMN_TEXT, "network", "what the user called it");
    measure_columns_add(columns, CW_COLUMN_TEXT, "routing", "routing, or the file with tables");
    if (has_several(comparison)) measure_columns_add(columns, CW_COLUMN_INT, "endpoints", "endpoints that take part");
    if (has_several(comparison))
        cw_text_printf(&text, "%zu networks side by side", comparison->invocation->n_positional);
    else
        cw_text_printf(&text, "Routes of %s side by side", title);
    rc = cw_text_check(&text);
    if (rc)
        free(columns->columns);
    else
        rc = measure_columns_end(columns, "the first row", comparison->invocation->result, "comparison", text.data,
                                 &comparison->table);
    cw_text_free(&text);
    if (!rc) cw_table_expect(comparison->table, comparison->rows);
    return rc;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static void note_case(struct comparison *comparison, const char *measure, const char *why)
{
    cw_result_note(comparison->invocation->result, "%s%s%s: %s.", comparison->names.items[comparison->names.n - 1],
                   measure ? ", " : "", measure ? measure : "", why);
    comparison->invocation->failed = true;
}

/* Begins the row of NET and ROUTING; its figures are unknown yet. */
static int begin_row(struct comparison *comparison, const struct cw_network *net, const char *routing)
{
    struct cw_text name = {0};
    if (has_several(comparison)) cw_text_printf(&name, "%s by ", net->title);
    cw_text_printf(&name, "%s", routing);
    int rc = cw_text_check(&name);
    if (!rc) rc = add_text(&comparison->names, name.data, name.length);
    cw_text_free(&name);
    for (size_t i = 0; !rc && i < comparison->n_measures; i++)
        comparison->figures[(comparison->names.n - 1) * comparison->n_measures + i] =
            (struct cw_measured){.value = (double)NAN, .ci95 = (double)NAN};
    return rc;
}

static void end_row(struct comparison *comparison, const struct fabric *fabric, const char *routing)
{
    const struct cw_measured *row = &comparison->figures[(comparison->names.n - 1) * comparison->n_measures];
    if (has_several(comparison)) cw_table_text(comparison->table, fabric->net->title);
    cw_table_text(comparison->table, routing);
    if (has_several(comparison)) cw_table_int(comparison->table, fabric->selection->n);
    measure_cells(&comparison->columns, comparison->table, row, comparison->figures);
    if (comparison->installs) install_cell(&comparison->install, comparison->table);
}

static int take_all(struct comparison *comparison, const struct kept_case *kept, struct cw_compared *of)
{
    const size_t first = (comparison->names.n - 1) * comparison->n_measures;
    for (size_t i = 0; i < comparison->n_measures; i++) {
        struct cw_study_figure *found = &comparison->found[first + i];
        const int rc = figure_keeper_take(&comparison->keeper, kept, &comparison->measures[i], of, found);
        if (rc) return rc;
        if (found->error) note_case(comparison, comparison->measures[i].spec, found->message);
        comparison->figures[first + i] = cw_study_figure_measured(found);
        cw_progress_step(comparison->progress, 1);
    }
    return 0;
}

/* Where flits are asked for: OF gets what moves them. FABRIC's routes are PACKETS' afterwards if those follow them. */
static int add_flits(struct comparison *comparison, const struct routing *routing, struct fabric *fabric,
                     struct flit_mode *mode, struct cw_compared *of)
{
    struct invocation *invocation = comparison->invocation;
    int rc = flit_mode_open(invocation, fabric, mode);
    if (!rc && routing->lft) {
        rc = cw_packet_routing_of_routes(fabric->routes, &mode->given.packets);
        fabric->routes = NULL;
    } else if (!rc) {
        rc = flit_packets(invocation, fabric->net, routing->name, &mode->given.packets, &mode->given.routes);
        if (cw_ends_case_only(rc)) rc = 0; /* the measure says that there are none */
    }
    of->packets = mode->given.packets;
    of->flits = &invocation->flits;
    return rc;
}

/* The figures of FABRIC, whose network is open, by ROUTING. */
static int measure(struct comparison *comparison, const struct routing *routing, struct fabric *fabric,
                   struct kept_case *kept)
{
    struct invocation *invocation = comparison->invocation;
    struct cw_selection *connected = NULL, *cut_off = NULL;
    struct flit_mode mode = {0};
    cw_inputs_begin_part(&kept->routes);
    int rc = fabric_route(invocation, routing, fabric);
    cw_inputs_end_part(&kept->routes);
    if (rc) {
        if (!cw_ends_case_only(rc)) return rc;
        note_case(comparison, NULL, cw_error_message());
        cw_progress_step(comparison->progress, comparison->n_measures);
        return comparison->installs ? install_add(&comparison->install, NULL, NULL) : 0;
    }
    rc = cw_selection_connected(fabric->net, fabric->selection, false, &connected, &cut_off);
    if (rc) return rc;
    kept->cut_off = cut_off->n;
    struct cw_compared of = {.net = fabric->net,
                             .selection = connected,
                             .asked = fabric->selection,
                             .routes = fabric->routes,
                             .seed = (uint64_t)invocation->common.seed,
                             .n_threads = (unsigned)invocation->common.threads,
                             .executor = invocation_executor(invocation)};
    if (comparison->flits) rc = add_flits(comparison, routing, fabric, &mode, &of);
    if (!rc) rc = take_all(comparison, kept, &of);
    if (!rc && comparison->installs) rc = install_add(&comparison->install, &of, routing->name);
    flit_mode_free(&mode);
    cw_selection_free(connected);
    cw_selection_free(cut_off);
    return rc;
}

/* The row of the network at hand and ROUTING, as a study has it. */
static struct cw_study_case case_of(const struct comparison *comparison, const struct routing *routing)
{
    const struct routing *given = &comparison->invocation->routing;
    return (struct cw_study_case){.of = {[CW_STUDY_NETWORK] = comparison->spec,
                                         [CW_STUDY_LFT] = routing->lft,
                                         [CW_STUDY_ROUTING] = routing->name,
                                         [CW_STUDY_ENDPOINTS] = given->endpoints ? given->endpoints : "hca",
                                         [CW_STUDY_FAILED] = given->failed,
                                         [CW_STUDY_DEGRADED] = given->degraded,
                                         [CW_STUDY_SEED] = comparison->keeper.seed}};
}

static int add_row(struct comparison *comparison, const struct routing *routing, struct fabric *fabric)
{
    const char *name = routing->lft ? routing->lft : routing->name;
    struct kept_case kept = {.is = case_of(comparison, routing), .network = &comparison->read};
    int rc = begin_row(comparison, fabric->net, name);
    if (!rc) rc = measure(comparison, routing, fabric, &kept);
    cw_inputs_free(&kept.routes);
    if (!rc) end_row(comparison, fabric, name);
    cw_routes_free(fabric->routes);
    cw_text_free(&fabric->report.details);
    fabric->routes = NULL;
    fabric->has_report = false;
    return rc;
}

static int add_rows(struct comparison *comparison, struct fabric *fabric)
{
    int rc = 0;
    for (size_t i = 0; i < comparison->files.n && !rc; i++)
        rc = add_row(comparison,
                     &(struct routing){
                         .lft = comparison->files.items[i], .repair = comparison->values->repair, .all_lids = true},
                     fabric);
    for (size_t i = 0; i < comparison->routings.n && !rc; i++)
        rc = add_row(comparison, &(struct routing){.name = comparison->routings.items[i]}, fabric);
    if (comparison->files.n + comparison->routings.n == 0) {
        char *own = strdup(cw_engine_default(fabric->net));
        rc = own ? add_row(comparison, &(struct routing){.name = own}, fabric)
                 : cw_fail(CW_ENOMEM, "no memory for the name of a routing");
        free(own);
    }
    return rc;
}

/* --- what is best ------------------------------------------------------------------------------------------------- */

/* The first measure that has a best decides. */
static int note_installs(struct comparison *comparison)
{
    const size_t width = comparison->n_measures;
    size_t by = 0;
    struct cw_measured *figures = cw_new_array(comparison->rows, sizeof *figures, "figures");
    if (!figures) return CW_ENOMEM;
    while (by < width && comparison->measures[by].kind->better == CW_BETTER_NEITHER) by++;
    const struct cw_measure *measure = by < width ? &comparison->measures[by] : NULL;
    for (size_t r = 0; measure && r < comparison->rows; r++) figures[r] = comparison->figures[r * width + by];
    const int rc =
        install_notes(&comparison->install, comparison->invocation->result, measure, figures, comparison->names.items);
    free(figures);
    return rc;
}

static int declare_figure(struct comparison *comparison)
{
    const bool several = has_several(comparison);
    const struct cw_figure bars = {.kind = CW_FIGURE_BARS,
                                   .table = "comparison",
                                   .rows = several ? "network" : "routing",
                                   .series = several ? "routing" : NULL};
    bool *best;
    int rc =
        measures_find_best(comparison->measures, comparison->n_measures, comparison->figures, comparison->rows, &best);
    if (rc) return rc;
    rc = measure_figure(&comparison->columns, comparison->invocation->result, &bars, NULL, best);
    free(best);
    return rc;
}

static void note_regime(const struct comparison *comparison)
{
    measures_note(comparison->invocation->result, comparison->measures, comparison->n_measures);
    if (comparison->fewest < comparison->most)
        cw_result_note(comparison->invocation->result,
                       "The networks have from %u to %u endpoints. A job or pattern that runs on all of them is more "
                       "work on the larger ones: its times do not compare networks.",
                       comparison->fewest, comparison->most);
    cw_result_note(
        comparison->invocation->result,
        "All rows are drawn from one seed. Of the rows that are called the best, none is better than another "
        "by more than the intervals of both allow.");
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

static int make_room(struct comparison *comparison)
{
    const size_t each = comparison->files.n + comparison->routings.n, networks = comparison->invocation->n_positional;
    comparison->rows = networks * (each > 0 ? each : 1);
    comparison->figures =
        cw_new_array(comparison->rows * comparison->n_measures, sizeof *comparison->figures, "figures");
    comparison->found = cw_new_array(comparison->rows * comparison->n_measures, sizeof *comparison->found, "figures");
    comparison->progress =
        invocation_progress(comparison->invocation, "compare", comparison->rows * comparison->n_measures);
    return comparison->figures && comparison->found ? 0 : CW_ENOMEM;
}

/* What no routing mends. */
static int note_missing(const struct comparison *comparison, const struct cw_network *net)
{
    const struct invocation *invocation = comparison->invocation;
    struct cw_odd_cables pairs;
    uint64_t n = 0;
    const int rc = cw_missing_cables_find(net, &pairs);
    if (rc) return rc;
    for (size_t i = 0; i < pairs.n; i++)
        if (pairs.items[i].b != CW_NONE) n += pairs.items[i].usual_cables - pairs.items[i].cables;
    cw_odd_cables_free(&pairs);
    if (n > 0)
        cw_result_note(invocation->result,
                       "%" PRIu64 " cable%s missing: crosswind what-if %s --add missing says what %s would bring.", n,
                       n == 1 ? " is" : "s are", invocation->positional[0], n == 1 ? "it" : "they");
    return 0;
}

static int compare_network(struct comparison *comparison, size_t i)
{
    struct invocation *invocation = comparison->invocation;
    struct fabric fabric;
    comparison->spec = invocation->positional[i];
    cw_inputs_begin_part(&comparison->read);
    int rc = fabric_open(invocation, comparison->spec, &fabric);
    cw_inputs_end_part(&comparison->read);
    if (!rc && !has_several(comparison)) {
        cw_result_set_context(invocation->result, CW_CONTEXT_NETWORK, fabric.net->title);
        cw_result_set_context_number(invocation->result, CW_CONTEXT_ENDPOINTS, fabric.selection->n);
    }
    if (!rc && !has_several(comparison) && comparison->routings.n == 0) rc = usual_routings(comparison, fabric.net);
    if (!rc && (i == 0 || fabric.selection->n < comparison->fewest)) comparison->fewest = fabric.selection->n;
    if (!rc && (i == 0 || fabric.selection->n > comparison->most)) comparison->most = fabric.selection->n;
    comparison->installs = !rc && !has_several(comparison) && fabric.net->identity;
    if (!rc && i == 0) rc = make_room(comparison);
    if (!rc && i == 0) rc = make_table(comparison, fabric.net->title);
    if (!rc) rc = add_rows(comparison, &fabric);
    if (!rc && comparison->installs) rc = note_missing(comparison, fabric.net);
    fabric_free(&fabric);
    cw_inputs_free(&comparison->read);
    return rc;
}

static int run(struct invocation *invocation)
{
    struct comparison comparison = {.invocation = invocation, .values = invocation->values};
    int rc = check(&comparison);
    if (!rc)
        rc = figure_keeper_open(invocation, invocation->common.store, comparison.values->repair, &comparison.keeper);
    for (size_t i = 0; i < invocation->n_positional && !rc; i++) rc = compare_network(&comparison, i);
    cw_progress_free(comparison.progress);
    if (!rc && comparison.rows > 1)
        rc = measures_add_best(invocation->result, comparison.measures, comparison.n_measures, comparison.figures,
                               comparison.names.items, comparison.rows);
    if (!rc && comparison.installs) rc = note_installs(&comparison);
    if (!rc) note_regime(&comparison);
    if (!rc) rc = declare_figure(&comparison);
    free_texts(&comparison.routings);
    free_texts(&comparison.files);
    free_texts(&comparison.names);
    install_free(&comparison.install);
    cw_measures_free(comparison.measures, comparison.n_measures);
    free(comparison.figures);
    free(comparison.found);
    figure_keeper_close(invocation, &comparison.keeper);
    return rc;
}

static const char *undrawn(const struct invocation *invocation)
{
    const struct compare_options *values = invocation->values;
    struct cw_measure *measures = NULL;
    size_t n = 0;
    if (cw_measures_parse(values->measures, &measures, &n)) return NULL; /* which the verb says */
    const char *why = measures_undrawn(measures, n);
    cw_measures_free(measures, n);
    return why;
}

const struct verb verb_compare = {
    .name = "compare",
    .help = "Networks, routings and tables side by side, by several measures",
    .arguments = arguments,
    .description =
        "Each row is a network with one routing, or with forwarding tables; each measure is a column, with its "
        "interval and its ratio to the first row. A second table says which row is best, but only where the intervals "
        "leave no doubt. Of one InfiniBand fabric each row says how to install its routes. A row that has no such "
        "routes or figures says why, and the others go on; the exit status is then 1. With --store, each figure is "
        "kept as "
        "soon as it is there, also for crosswind study, which has the same.",
    .examples = "  crosswind compare fabric.ibnetdiscover --lft opensm-lfts.dump --routing updn,nue,min-contention\n"
                "  crosswind compare 'xgft(2,16,8)' dragonfly:4,8,4 torus:16x16 --measure 'time:alltoall "
                "bytes=1MiB,switches,cables'\n",
    .options = options,
    .size = sizeof(struct compare_options),
    .flits = FLITS_OF_LOADS,
    .network = true,
    .nodes = true,
    .stores = STORES_FIGURES,
    .compares = true,
    .counts_cut_off = true,
    .pictures = PICTURES_DECLARED,
    .undrawn = undrawn,
    .run = run,
};
