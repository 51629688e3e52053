/* Demands to any of several endpoints: what is chosen against linear programs that know every channel, or every route,
 * on hundreds of random networks; the limits of members; and the file. */
#include "method_test.h"

#include "flow/anycast/anycast.h"
#include "flow/clp_model.h"
#include "flow/legs/legs.h"

#define MOST 4096 /* rows, columns or values of a program */

/* --- linear programs ---------------------------------------------------------------------------------------------- */

/* Minimise the last column: columns first, then rows one by one. */
struct program {
    struct cw_clp *clp;
    int n_columns, n_values;
    int index[MOST];
    double value[MOST];
};

static struct program *program_of(int n_columns)
{
    struct program *program = zeros(1, sizeof *program);
    double lower[MOST] = {0}, upper[MOST], cost[MOST] = {0};
    int start[MOST] = {0};
    assert_true(n_columns < MOST);
    for (int j = 0; j < n_columns; j++) upper[j] = INFINITY;
    cost[n_columns - 1] = 1;
    must(cw_clp_new(1e-9, &program->clp));
    must(cw_clp_add_columns(program->clp, &(struct cw_clp_items){n_columns, lower, upper, cost, start, NULL, NULL}));
    program->n_columns = n_columns;
    return program;
}

static void put(struct program *program, int column, double value)
{
    assert_true(program->n_values < MOST);
    program->index[program->n_values] = column;
    program->value[program->n_values++] = value;
}

static void end_row(struct program *program, double lower, double upper)
{
    const int start[] = {0, program->n_values};
    const struct cw_clp_items row = {1, &lower, &upper, NULL, start, program->index, program->value};
    must(cw_clp_add_rows(program->clp, &row));
    program->n_values = 0;
}

static double least_of(struct program *program)
{
    enum cw_clp_end end;
    must(cw_clp_solve(program->clp, INFINITY, &end));
    assert_int_equal(end, CW_CLP_OPTIMAL);
    const double least = cw_clp_solution(program->clp)[program->n_columns - 1];
    cw_clp_free(program->clp);
    free(program);
    return least;
}

/* Bytes are counted in largest demands, the last column in what the fastest channel needs for one. */
static double amount(const struct cw_flow_problem *problem, uint64_t bytes)
{
    return (double)bytes / (double)problem->unit_bytes;
}

static double unit_seconds(const struct cw_flow_problem *problem)
{
    return (double)problem->unit_bytes / problem->unit_capacity;
}

/* What members can take, in rows: FIRST is the column of pair 0; pairs are every demand's to every member. */
static void limit_members(struct program *program, const struct cw_flow_problem *problem,
                          const struct cw_anycast *anycast, int first)
{
    for (size_t m = 0; m < anycast->n_members; m++) {
        const struct cw_anycast_member *member = &anycast->members[m];
        for (int rate = 0; rate < 2; rate++) {
            int pair = first;
            for (size_t d = 0; d < anycast->n_demands; d++) {
                const struct cw_anycast_set *set = &anycast->sets[anycast->demands[d].set];
                for (uint32_t i = set->first; i < set->first + set->n; i++, pair++)
                    if (i == m) put(program, pair, 1);
            }
            if (rate && isfinite(member->rate))
                put(program, program->n_columns - 1, -member->rate / problem->unit_capacity);
            const bool limited = rate ? isfinite(member->rate) : member->bytes < UINT64_MAX;
            end_row(program, -INFINITY, !limited ? INFINITY : rate ? 0 : amount(problem, member->bytes));
        }
    }
}

/* --- free paths: flows of each demand on each channel ------------------------------------------------------------- */

static double least_seconds(const struct cw_flow_problem *problem, const struct cw_anycast *anycast, size_t n_pairs)
{
    const struct cw_network *net = problem->net;
    const int n_channels = (int)net->n_channels, flows = (int)anycast->n_demands * n_channels;
    const int seconds = flows + (int)n_pairs;
    struct program *program = program_of(seconds + 1);
    int pair = flows;
    for (size_t d = 0; d < anycast->n_demands; d++) {
        const struct cw_anycast_demand *demand = &anycast->demands[d];
        const struct cw_anycast_set *set = &anycast->sets[demand->set];
        for (uint32_t v = 0; v < net->n_vertices; v++) {
            for (int c = 0; c < n_channels; c++) {
                if (net->tail[c] == v) put(program, (int)d * n_channels + c, 1);
                if (net->head[c] == v) put(program, (int)d * n_channels + c, -1);
            }
            for (uint32_t i = 0; i < set->n; i++)
                if (anycast->members[set->first + i].endpoint == v) put(program, pair + (int)i, 1);
            const double out = v == demand->src ? amount(problem, demand->bytes) : 0;
            end_row(program, out, out);
        }
        for (int c = 0; c < n_channels; c++) { /* endpoints do not forward */
            const bool out = net->tail[c] < net->n_endpoints && net->tail[c] != demand->src;
            if (!out && problem->capacity[c] > 0) continue;
            put(program, (int)d * n_channels + c, 1);
            end_row(program, 0, 0);
        }
        pair += (int)set->n;
    }
    for (int c = 0; c < n_channels; c++) {
        if (isinf(problem->capacity[c])) continue;
        for (size_t d = 0; d < anycast->n_demands; d++) put(program, (int)d * n_channels + c, 1);
        put(program, seconds, -problem->capacity[c] / problem->unit_capacity);
        end_row(program, -INFINITY, 0);
    }
    limit_members(program, problem, anycast, flows);
    return least_of(program) * unit_seconds(problem);
}

/* --- routes that are given: only who sends to whom is chosen ------------------------------------------------------ */

static double least_on_routes(const struct cw_flow_problem *problem, const struct cw_anycast *anycast)
{
    const struct cw_legs *legs = problem->legs;
    const int n_pairs = (int)problem->demands->n;
    struct program *program = program_of(n_pairs + 1);
    int pair = 0;
    for (size_t d = 0; d < anycast->n_demands; d++) {
        for (uint32_t i = 0; i < anycast->sets[anycast->demands[d].set].n; i++) put(program, pair++, 1);
        end_row(program, amount(problem, anycast->demands[d].bytes), amount(problem, anycast->demands[d].bytes));
    }
    for (uint32_t c = 0; c < problem->net->n_channels; c++) {
        for (int p = 0; p < n_pairs; p++) {
            uint32_t n;
            const struct cw_demand *demand = &problem->demands->items[p];
            const uint32_t *channels =
                cw_legs_channels(legs, legs->from_index[demand->src], legs->to_index[demand->dst], 0, &n);
            for (uint32_t i = 0; i < n; i++)
                if (channels[i] == c) put(program, p, 1);
        }
        put(program, n_pairs, -problem->capacity[c] / problem->unit_capacity);
        end_row(program, -INFINITY, 0);
    }
    limit_members(program, problem, anycast, 0);
    return least_of(program) * unit_seconds(problem);
}

/* --- random cases ------------------------------------------------------------------------------------------------- */

/* A text with one or two sets of one to four members among NET's endpoints, and some demands of thousands of bytes, or
 * BIG ones. The others send. */
static void draw_text(struct cw_random *random, const struct cw_network *net, bool big, struct cw_text *text)
{
    const uint32_t n = net->n_endpoints;
    const double quarter = net->capacity[0] / 4; /* rates are of the size of capacities */
    const uint32_t n_sets = 1 + cw_random_below(random, 2), n_members = n_sets + cw_random_below(random, 4);
    uint64_t sent[2] = {0}, members[2] = {0};
    const uint32_t n_demands = 2 + cw_random_below(random, 3);
    uint32_t sets[4];
    uint64_t bytes[4];
    for (uint32_t d = 0; d < n_demands; d++) {
        sets[d] = cw_random_below(random, n_sets);
        bytes[d] = (1000 + cw_random_below(random, 9000)) * (big ? UINT64_C(1000000007) : 1);
        sent[sets[d]] += bytes[d];
        cw_text_printf(text, "demand %u set%u %luB # one\n", n_members + cw_random_below(random, n - n_members),
                       sets[d], (unsigned long)bytes[d]);
    }
    for (uint32_t m = 0; m < n_members; m++) members[m % n_sets]++;
    const uint32_t tightness = cw_random_below(random, 3); /* exactly enough, nearly, or plenty */
    for (uint32_t m = 0; m < n_members; m++) {
        const uint64_t share = (sent[m % n_sets] + members[m % n_sets] - 1) / members[m % n_sets];
        cw_text_printf(text, "member set%u %u", m % n_sets, m);
        if (share > 0 && cw_random_below(random, 3) > 0)
            cw_text_printf(text, " bytes=%luB", (unsigned long)(share + share * tightness / 4));
        if (cw_random_below(random, 3) == 0)
            cw_text_printf(text, " rate=%.0fB/s", quarter * (1 + cw_random_below(random, 4)));
        cw_text_add(text, "\n");
    }
    must(cw_text_check(text));
}

static struct cw_anycast read_text(const struct cw_network *net, const struct cw_text *text)
{
    struct cw_anycast anycast = {0};
    must(cw_anycast_parse(net, NULL, "sets", text->data, text->length, &anycast));
    return anycast;
}

static void near_to(double value, double expected, const char *what, uint64_t trial)
{
    if (!(fabs(value - expected) <= 1e-5 * expected))
        fail_msg("trial %lu: %s is %.9g, expected %.9g", (unsigned long)trial, what, value, expected);
}

/* What is chosen keeps its promises, and no plan of it by the method optimum is worse than was said. */
static void check_choice(const struct cw_anycast *anycast, const struct cw_flow_problem *pairs,
                         const struct cw_anycast_choice *choice, uint64_t trial)
{
    const struct cw_method_setup setup = {.n_threads = 1};
    struct cw_flow_problem problem;
    struct cw_plan plan = {0};
    double drain = 0;
    uint64_t taken = 0, nearest = 0, sent = 0;
    must(cw_anycast_check(anycast, pairs->net, &choice->demands));
    for (size_t m = 0; m < anycast->n_members; m++) {
        assert_true(choice->taken[m] <= anycast->members[m].bytes);
        assert_true(choice->nearest[m] <= anycast->members[m].bytes);
        taken += choice->taken[m];
        nearest += choice->nearest[m];
        drain = fmax(drain, (double)choice->taken[m] / anycast->members[m].rate);
    }
    for (size_t d = 0; d < anycast->n_demands; d++) sent += anycast->demands[d].bytes;
    assert_true(taken == sent && nearest == sent);
    assert_true(choice->bound_seconds <= choice->seconds && choice->seconds <= choice->nearest_seconds * (1 + 1e-5));
    must(pairs->legs ? cw_flow_problem_make_on_legs(pairs->legs, &choice->demands, 0, NULL, 0, &problem)
                     : cw_flow_problem_make(pairs->net, &choice->demands, 0, NULL, 0, &problem));
    must(cw_method_solve(cw_method_find("optimum"), &problem, &setup, &plan));
    must(cw_plan_verify(&problem, &plan));
    const double seconds = (double)problem.unit_bytes / problem.unit_capacity / plan.z;
    if (!(fmax(seconds, drain) <= choice->seconds * 1.002)) /* whole bytes of a thousand, and crumbs */
        fail_msg("trial %lu: the plan needs %.9g, expected %.9g", (unsigned long)trial, fmax(seconds, drain),
                 choice->seconds);
    cw_plan_free(&plan);
    cw_flow_problem_free(&problem);
}

static void check_trial(const struct cw_network *net, const struct cw_legs_setup *legs_setup, uint64_t trial)
{
    struct cw_random random = cw_random_of(23, CW_STREAM_TEST, trial);
    const struct cw_method_setup setup = {.n_threads = 1, .epsilon = 0.01};
    struct cw_text text = {0};
    struct cw_demands pairs = {0};
    struct cw_legs *legs = NULL;
    struct cw_flow_problem problem;
    struct cw_anycast_choice choice;
    draw_text(&random, net, trial % 2 == 1, &text);
    struct cw_anycast anycast = read_text(net, &text);
    must(cw_anycast_pairs(&anycast, &pairs));
    if (legs_setup) must(cw_legs_make(net, &pairs, legs_setup, 1, &legs));
    must(legs ? cw_flow_problem_make_on_legs(legs, &pairs, 0, NULL, 0, &problem)
              : cw_flow_problem_make(net, &pairs, 0, NULL, 0, &problem));
    must(cw_anycast_choose(&anycast, &problem, &setup, &choice));
    check_choice(&anycast, &problem, &choice, trial);
    if (cw_clp_least_gap() <= 0) {
        const double least = legs ? least_on_routes(&problem, &anycast) : least_seconds(&problem, &anycast, pairs.n);
        near_to(choice.seconds, least, "the time", trial);
        near_to(choice.bound_seconds, least, "the bound", trial);
    }
    cw_anycast_choice_free(&choice);
    cw_flow_problem_free(&problem);
    cw_legs_free(legs);
    cw_demands_free(&pairs);
    cw_anycast_free(&anycast);
    cw_text_free(&text);
}

static void free_paths_against_flows(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 200; trial++) {
        struct scene *scene = scene_random(trial, 9, 1, 1);
        check_trial(scene->net, NULL, trial);
        scene_free(scene);
    }
}

static void routes_against_assignments(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4x4");
    struct cw_routes *routes;
    must(cw_engine_route(net, NULL, 1, 1, &routes));
    const struct cw_routes *const ways[] = {routes};
    const struct cw_legs_setup setup = {.routes = ways, .n_routes = 1};
    for (uint64_t trial = 0; trial < 60; trial++) check_trial(net, &setup, trial);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* --- by hand ------------------------------------------------------------------------------------------------------ */

/* What is chosen in a row of eight, whose every cable carries 5 GB/s, for the sets of TEXT. */
static struct cw_anycast_choice choose_in_row(const char *text)
{
    const struct cw_method_setup setup = {.n_threads = 1};
    struct cw_network *net = network_of("mesh:8");
    struct cw_anycast anycast = {0};
    struct cw_demands pairs = {0};
    struct cw_flow_problem problem;
    struct cw_anycast_choice choice;
    must(cw_anycast_parse(net, NULL, "sets", text, strlen(text), &anycast));
    must(cw_anycast_pairs(&anycast, &pairs));
    must(cw_flow_problem_make(net, &pairs, 0, NULL, 0, &problem));
    must(cw_anycast_choose(&anycast, &problem, &setup, &choice));
    cw_flow_problem_free(&problem);
    cw_demands_free(&pairs);
    cw_anycast_free(&anycast);
    cw_network_free(net);
    return choice;
}

/* Both ends take data: whoever is nearer to the first sends there, unless it is full, or slow. */
static void nearest_by_hand(void **state)
{
    (void)state;
    struct cw_anycast_choice choice =
        choose_in_row("member ends 0\nmember ends 7\ndemand 1,2,3 ends 5GB\ndemand 4 ends 1GB");
    assert_true(choice.nearest[0] == 15000000000 && choice.nearest[1] == 1000000000);
    assert_true(fabs(choice.nearest_seconds - 3) < 1e-6);                    /* 15 GB over the cable of the first */
    assert_true(fabs(choice.seconds - 1.6) < 1e-6);                          /* 16 GB over those of both */
    assert_true(fabs(choice.bound_seconds - choice.seconds) < 1e-6);         /* a cut */
    assert_true(choice.taken[0] + choice.taken[1] == UINT64_C(16000000000)); /* so each has 8 */
    assert_true(fabs((double)choice.taken[0] - 8e9) < 1e4);
    cw_anycast_choice_free(&choice);
    choice = choose_in_row("member ends 0 bytes=7GB\nmember ends 7 rate=1GB/s\ndemand 1,2,3 ends 5GB");
    assert_true(choice.nearest[0] == 7000000000 && choice.nearest[1] == 8000000000);
    assert_true(fabs(choice.nearest_seconds - 8) < 1e-6 && fabs(choice.seconds - 8) < 1e-6);
    assert_true(choice.taken[0] == 7000000000);
    cw_anycast_choice_free(&choice);
}

static void refuse(const char *text, const char *message)
{
    struct cw_network *net = network_of("torus:4x4");
    struct cw_anycast anycast = {.n_sets = 42};
    assert_int_equal(cw_anycast_parse(net, NULL, "sets", text, strlen(text), &anycast), CW_EPARSE);
    if (!strstr(cw_error_message(), message)) fail_msg("'%s' is not in '%s'", message, cw_error_message());
    assert_int_equal(anycast.n_sets, 42);
    cw_network_free(net);
}

static void files_that_are_wrong(void **state)
{
    (void)state;
    refuse("", "sets: no demands; expected lines 'demand ENDPOINTS SET SIZE'");
    refuse("\nmembers io h1\n", "sets:2: 'members' begins no line; expected member SET");
    refuse("member io", "sets:1: a member without a name; expected member SET");
    refuse("member io h1 size=3", "sets:1: 'size=3' is no limit; expected bytes=SIZE or rate=RATE");
    refuse("member io h1 bytes=0", "sets:1: 'bytes=0': expected more than 0, or no such member");
    refuse("member io h1 rate=0", "sets:1: 'rate=0': expected more than 0");
    refuse("member io h1 bytes=much", "sets:1: bytes");
    refuse("member io h1\nmember disk h1", "sets:2: h1 is a member of io already; expected one line a member");
    refuse("member io h99", "sets:1: 'h99' is no endpoint; expected the name, number or GUID");
    refuse("member io s(0,0)", "sets:1: 's(0,0)' is no endpoint");
    refuse("member io h1\ndemand h2 oi 1MB", "sets:2: 'oi' is neither a set nor an endpoint; expected a set");
    refuse("member io h1\ndemand h2 h1 1MB", "sets:2: h1 is a member of io; expected the set as the destination");
    refuse("member io h[1-2]\ndemand h2 io 1MB", "sets:2: h2 is a member of io, and would send to itself");
    refuse("demand h2 h2 1MB", "sets:1: h2 is a member of nothing else, and would send to itself");
    refuse("member io h1\ndemand h2 io", "sets:2: expected demand ENDPOINTS SET SIZE");
    refuse("member io h1\ndemand h2 io 0", "sets:2: a demand of 0 bytes; expected more");
    refuse("member io h[1-2] bytes=1GiB\ndemand h[3-5] io 1GiB",
           "sets: io is short of 1 GiB: its members can take 2 GiB, and 3 GiB are sent to it");
}

/* Lines add up, in any order; all are all but the members; a destination may be one endpoint. */
static void files_that_are_right(void **state)
{
    (void)state;
    static const char text[] = "demand all io 2B # before its members\ndemand 0x3,h5 h4 1\nmember io h[1-2]\n"
                               "member io\t7 bytes=1KiB rate=8bit/s\ndemand h3 io 40B\n";
    struct cw_network *net = network_of("torus:4x2");
    struct cw_anycast anycast = {0};
    struct cw_demands demands = {0};
    const char *wrong = strstr(text, "0x3");
    refuse(text, "sets:2: '0x3' is no endpoint");
    char right[sizeof text];
    snprintf(right, sizeof right, "%.*s3%s", (int)(wrong - text), text, wrong + 3);
    must(cw_anycast_parse(net, NULL, "sets", right, strlen(right), &anycast));
    assert_int_equal(anycast.n_sets, 2);
    assert_int_equal(anycast.n_members, 4);
    assert_int_equal(anycast.sets[0].n, 3);
    assert_int_equal(anycast.members[2].endpoint, 7);
    assert_true(anycast.members[2].bytes == 1024 && anycast.members[2].rate == 1 && isinf(anycast.members[1].rate));
    assert_int_equal(anycast.n_demands, 7); /* 0, 3, 4, 5 and 6 to the set; 3 and 5 to 4 */
    assert_true(anycast.demands[1].src == 3 && anycast.demands[1].set == 0 && anycast.demands[1].bytes == 42);
    must(cw_demands_add(&demands, 0, 7, 2));
    assert_int_equal(cw_anycast_check(&anycast, net, &demands), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "h3 sends 0 bytes to the members of its set, expected 42"));
    must(cw_demands_add(&demands, 6, 5, 2));
    assert_int_equal(cw_anycast_check(&anycast, net, &demands), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "demand 1, from h6 to h5, is not asked for"));
    cw_demands_free(&demands);
    cw_anycast_free(&anycast);
    cw_network_free(net);
}

static void too_much_for_a_member(void **state)
{
    (void)state;
    static const char text[] = "member io 1 bytes=1KiB\nmember io 2\ndemand 0 io 2KiB\n";
    struct cw_network *net = network_of("torus:4x2");
    struct cw_anycast anycast = {0};
    struct cw_demands demands = {0};
    must(cw_anycast_parse(net, NULL, "sets", text, strlen(text), &anycast));
    must(cw_demands_add(&demands, 0, 1, 1024));
    must(cw_demands_add(&demands, 0, 2, 1024));
    must(cw_anycast_check(&anycast, net, &demands));
    demands.items[0].bytes++;
    demands.items[1].bytes--;
    assert_int_equal(cw_anycast_check(&anycast, net, &demands), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "h1 gets 1025 bytes, and can take 1024"));
    cw_demands_free(&demands);
    cw_anycast_free(&anycast);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_paths_against_flows), cmocka_unit_test(routes_against_assignments),
        cmocka_unit_test(nearest_by_hand),          cmocka_unit_test(files_that_are_wrong),
        cmocka_unit_test(files_that_are_right),     cmocka_unit_test(too_much_for_a_member)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
