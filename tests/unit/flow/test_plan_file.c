/* Plan files: what is written reads back the same; what is malformed is refused with the element's name. */
#include "net/network_internal.h"
#include "plan_test.h"

#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

static struct sketch *finished_sketch(void)
{
    struct sketch *sketch = small_sketch();
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    return sketch;
}

/* Reads TEXT as a plan file called `plan.json`: as a plan or, if PLAN is NULL, its demands. */
static int read_text(const struct sketch *sketch, const char *text, struct cw_plan *plan, struct cw_demands *demands)
{
    return plan ? cw_plan_parse(&sketch->problem, "plan.json", text, strlen(text), plan)
                : cw_plan_parse_demands(sketch->net, "plan.json", text, strlen(text), demands);
}

static void assert_same(const struct cw_plan *a, const struct cw_plan *b)
{
    assert_same_paths(a, b);
    assert_string_equal(a->method, b->method);
    assert_true(a->z == b->z && (a->bound == b->bound || (isnan(a->bound) && isnan(b->bound))));
    assert_true(a->network_routes == b->network_routes);
    assert_int_equal(a->proof.n, b->proof.n);
    for (uint32_t i = 0; i < a->proof.n; i++)
        assert_true(a->proof.channel[i] == b->proof.channel[i] && a->proof.length[i] == b->proof.length[i]);
    assert_int_equal(a->k, b->k);
    assert_true(a->chunk_bytes == b->chunk_bytes);
}

/* Writes the plan, reads it and writes it again; and reads the demands alone. */
static void round_trip(const struct sketch *sketch)
{
    struct cw_text text = {0}, again = {0};
    struct cw_plan plan = {0};
    struct cw_demands demands = {0};
    must(cw_plan_write(&sketch->problem, &sketch->plan, NULL, &text));
    must(read_text(sketch, text.data, NULL, &demands));
    assert_int_equal(demands.n, sketch->demands.n);
    for (size_t d = 0; d < demands.n; d++) {
        const struct cw_demand *x = &demands.items[d], *y = &sketch->demands.items[d];
        assert_true(x->src == y->src && x->dst == y->dst && x->bytes == y->bytes);
    }
    cw_demands_free(&demands);
    must(read_text(sketch, text.data, &plan, NULL));
    assert_same(&sketch->plan, &plan);
    must(cw_plan_write(&sketch->problem, &plan, NULL, &again));
    assert_string_equal(text.data, again.data);
    cw_plan_free(&plan);
    cw_text_free(&text);
    cw_text_free(&again);
}

static void reads_what_it_writes(void **state)
{
    (void)state;
    struct sketch *sketch = finished_sketch();
    round_trip(sketch);
    sketch_proof(sketch);
    sketch->plan.network_routes = true;
    sketch->plan.k = 7;
    sketch->plan.chunk_bytes = UINT64_C(1) << 63;
    round_trip(sketch);
    sketch_free(sketch);
}

/* Parallel cables, odd port numbers, names that need quotes, bytes beyond 63 bits, and no limit on any channel. */
static void keeps_what_is_unusual(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new(NULL);
    sketch->net = parallel_cables((const double[]){1e9, 1e9 / 3}, 2);
    must(cw_network_set_title(sketch->net, "a \"quoted\" \\ title"));
    sketch_demand(sketch, 0, 1, UINT64_MAX);
    sketch_begin(sketch);
    snprintf(sketch->plan.method, sizeof sketch->plan.method, "m\"\n");
    const uint32_t up = channel_between(sketch->net, 0, 2), down = channel_between(sketch->net, 3, 1);
    const uint32_t between = channel_between(sketch->net, 2, 3);
    must(cw_plan_add(&sketch->plan, 0, 1e-3, (uint32_t[]){up, between, down}, 3));
    must(cw_plan_add(&sketch->plan, 0, 1 - 1e-3, (uint32_t[]){up, between + 1, down}, 3));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    round_trip(sketch);
    for (uint32_t c = 0; c < sketch->net->n_channels; c++) sketch->problem.capacity[c] = INFINITY;
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    round_trip(sketch);
    sketch_free(sketch);
}

static void random_shares_survive(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 20; trial++) {
        struct cw_random random = cw_random_of(3, CW_STREAM_TEST, trial);
        struct sketch *sketch = sketch_new("torus:6@1GB/s");
        sketch_demand(sketch, 0, 3, cw_random_u64(&random) | 1);
        sketch_begin(sketch);
        for (int i = 0; i < 5; i++) {
            sketch_path(sketch, 0, cw_random_unit(&random), NODES(0, 1, 2, 3));
            sketch_path(sketch, 0, cw_random_unit(&random), NODES(0, 5, 4, 3));
        }
        must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
        must(cw_plan_round(&sketch->problem, &sketch->plan));
        round_trip(sketch);
        sketch_free(sketch);
    }
}

/* Of torus:4x4, computed by another program. */
#define FINGERPRINT_END "9bca4a33b24fbd27e17c7567bc0f6797cd4aade8690430687be798bf5fb"
#define FINGERPRINT     "68929" FINGERPRINT_END

static void written_form(void **state)
{
    (void)state;
    static const char expected[] =
        "{\n"
        "  \"format\": \"crosswind-plan\",\n"
        "  \"version\": 1,\n"
        "  \"network\": {\"title\": \"torus:4x4@1GB/s\", \"endpoints\": 16, \"switches\": 16, \"cables\": 48,\n"
        "              \"fingerprint\": \"" FINGERPRINT "\"},\n"
        "  \"unit_capacity\": 1000000000,\n"
        "  \"unit_bytes\": 200,\n"
        "  \"method\": \"test\",\n"
        "  \"relays\": \"switches\",\n"
        "  \"network_routes\": false,\n"
        "  \"k\": 0,\n"
        "  \"z\": 1.33333333333333,\n"
        "  \"bound\": null,\n"
        "  \"chunk_bytes\": 65536,\n"
        "  \"lengths\": [],\n"
        "  \"demands\": [\n"
        "    {\"src\": 0, \"src_name\": \"h0\", \"dst\": 1, \"dst_name\": \"h1\", \"bytes\": 100, \"paths\": [\n"
        "      {\"share\": 1, \"bytes\": 100, \"vertices\": [0, 16, 17, 1], \"channels\": [0, 17, 21]}]},\n"
        "    {\"src\": 0, \"src_name\": \"h0\", \"dst\": 2, \"dst_name\": \"h2\", \"bytes\": 200, \"paths\": [\n"
        "      {\"share\": 0.25, \"bytes\": 50, \"vertices\": [0, 16, 17, 18, 2], \"channels\": [0, 17, 22, 26]},\n"
        "      {\"share\": 0.75, \"bytes\": 150, \"vertices\": [0, 16, 19, 18, 2], \"channels\": [0, 18, 33, 26]}]}]\n"
        "}\n";
    struct sketch *sketch = finished_sketch();
    struct cw_text text = {0};
    sketch->plan.z = 1.33333333333333;
    sketch->plan.chunk_bytes = 65536;
    must(cw_plan_write(&sketch->problem, &sketch->plan, NULL, &text));
    assert_string_equal(text.data, expected);
    cw_text_free(&text);
    sketch_free(sketch);
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

/* TEXT with the first FROM replaced by TO. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (!at) fail_msg("no '%s' in %s", from, text);
    struct cw_text result = {0};
    cw_text_append(&result, text, (size_t)(at - text));
    cw_text_add(&result, to);
    cw_text_add(&result, at + strlen(from));
    must(cw_text_check(&result));
    return result.data;
}

static const struct {
    const char *from, *to, *message;
} malformed[] = {
    {"\"k\": 0", "\"k\": 0, \"kk\": 1", "plan.json: kk is 1, expected no such key"},
    {"crosswind-plan", "crosswind-network", "plan.json: format is \"crosswind-network\", expected \"crosswind-plan\""},
    {"\"version\": 1", "\"version\": 2", "plan.json: version is 2, expected 1"},
    {"  \"version\": 1,\n", "", "plan.json: version is missing, expected 1"},
    {"\"switches\": 16", "\"switches\": 17", "plan.json: network.switches is 17, expected 16"},
    {"\"cables\": 48", "\"cables\": 48, \"x\": 1", "plan.json: network.x is 1, expected no such key"},
    {"\"68929", "\"00000",
     "plan.json: network.fingerprint is \"00000" FINGERPRINT_END "\", expected \"" FINGERPRINT "\""},
    {"\"unit_capacity\": 1", "\"unit_capacity\": 2",
     "plan.json: unit_capacity is 2000000000, expected the network's 1000000000"},
    {"\"unit_bytes\": 200", "\"unit_bytes\": 100", "plan.json: unit_bytes is 100, expected the largest demand's 200"},
    {"\"method\": \"test\"", "\"method\": \"\"", "plan.json: method is \"\", expected a name of 1 to 31 bytes"},
    {"\"test\"", "\"12345678901234567890123456789012\"",
     "plan.json: method is \"12345678901234567890123456789012\", expected a name of 1 to 31 bytes"},
    {"\"relays\": \"switches\"", "\"relays\": \"endpoints\"",
     "plan.json: relays is \"endpoints\", expected \"switches\": every node of this network relays, unless relays are "
     "named"},
    {"  \"relays\": \"switches\",\n", "",
     "plan.json: relays is missing, expected \"switches\": every node of this network relays, unless relays are named"},
    {"network_routes\": false", "network_routes\": null", "plan.json: network_routes is null, expected true or false"},
    {"  \"network_routes\": false,\n", "", "plan.json: network_routes is missing, expected true or false"},
    {"\"k\": 0", "\"k\": -1", "plan.json: k is -1, expected a whole number from 0 to 4294967295"},
    {"\"z\": 1", "\"z\": -1", "plan.json: z is -1.3333333333333333, expected a number, 0 or more, or null"},
    {"\"z\": 1", "\"z\": 2",
     "plan.json: channel s(0,0)/2>s(1,0)/3 carries 1.75 of its capacity at rate z = 2.33333333333"},
    {"\"bound\": null", "\"bound\": \"x\"", "plan.json: bound is \"x\", expected a number, 0 or more, or null"},
    {"\"bound\": null", "\"bound\": 1",
     "plan.json: lengths is [], expected a list of channels and lengths that prove the bound"},
    {"\"bound\": null", "\"bound\": 3",
     "plan.json: lengths is [], expected a list of channels and lengths that prove the bound"},
    {"\"lengths\": []", "\"lengths\": {}",
     "plan.json: lengths is {}, expected an empty list, because there is no bound"},
    {"\"lengths\": []", "\"lengths\": [[17, 1]]",
     "plan.json: lengths is [[17,1]], expected an empty list, because there is no bound"},
    {",\n  \"lengths\": []", "", "plan.json: lengths is missing, expected an empty list, because there is no bound"},
    {",\n  \"chunk_bytes\": 0", "",
     "plan.json: chunk_bytes is missing, expected a number of bytes, 0 to 18446744073709551615"},
    {"\"demands\": [", "\"demands\": [1, ",
     "plan.json: demands has 3 items, expected 2: one for each demand of the problem"},
    {"\"dst\": 1", "\"dst\": 2", "plan.json: demands[0].dst is 2, expected 1"},
    {"\"dst_name\": \"h2\"", "\"dst_name\": \"h3\"", "plan.json: demands[1].dst_name is \"h3\", expected \"h2\""},
    {"\"h2\", \"bytes\": 200", "\"h2\", \"bytes\": 201",
     "plan.json: demands[1].bytes is 201, expected the 200 of this demand"},
    {"\"h2\", \"bytes\": 200", "\"h2\", \"bytes\": \"18446744073709551616\"",
     "plan.json: demands[1].bytes is \"18446744073709551616\", expected a number of bytes, 0 to 18446744073709551615"},
    {"\"share\": 0.25", "\"shares\": 0.25", "plan.json: demands[1].paths[0].shares is 0.25, expected no such key"},
    {"\"share\": 0.25", "\"share\": 0.5",
     "plan.json: demands[1].paths[0], h0 to h2: it has 50 bytes, but its share is 0.5 of 200"},
    {"\"share\": 0.25", "\"share\": 0.2500001", "plan.json: the shares of demands[1] add up to 1.0000001, expected 1"},
    {"\"share\": 0.25", "\"share\": 1.25",
     "plan.json: demands[1].paths[0], h0 to h2: its share is 1.25, expected more than 0 and at most 1"},
    {"\"bytes\": 50", "\"bytes\": 51", "plan.json: the bytes of demands[1] add up to more than its 200"},
    {"\"bytes\": 50", "\"bytes\": 5.5",
     "plan.json: demands[1].paths[0].bytes is 5.5, expected a number of bytes, 0 to 18446744073709551615"},
    {"\"share\": 1, \"bytes\": 100", "\"share\": 1, \"bytes\": 0", "plan.json: demands[0].paths have no bytes"},
    {"[0, 16, 17, 18, 2]", "[0, 16, 17, 18]",
     "plan.json: demands[1].paths[0].vertices is [0,16,17,18], expected a list of vertices, one more than there are "
     "channels"},
    {"[0, 16, 17, 18, 2]", "[0, 16, 17, 32, 2]",
     "plan.json: demands[1].paths[0].vertices[3] is 32, expected a whole number from 0 to 31"},
    {"[0, 16, 17, 18, 2]", "[0, 16, 17, 21, 2]",
     "plan.json: demands[1].paths[0].channels[2] is 22, expected a channel from vertex 17, s(1,0), to 21, s(1,1)"},
    {"[0, 17, 22, 26]", "[0, 17, 96, 26]",
     "plan.json: demands[1].paths[0].channels[2] is 96, expected a whole number from 0 to 95"},
    {"[0, 17, 22, 26]", "[0, 17, 22, \"26\"]",
     "plan.json: demands[1].paths[0].channels[3] is \"26\", expected a whole number from 0 to 95"},
    {"[0, 17, 22, 26]", "null",
     "plan.json: demands[1].paths[0].channels is null, expected a list of one or more channels"},
    {"[0, 16, 17, 18, 2], \"channels\": [0, 17, 22, 26]", "[0, 16, 17, 18], \"channels\": [0, 17, 22]",
     "plan.json: demands[1].paths[0], h0 to h2: it ends at s(2,0)"},
    {"[0, 16, 17, 18, 2], \"channels\": [0, 17, 22, 26]", "[0, 16, 17, 16], \"channels\": [0, 17, 23]",
     "plan.json: demands[1].paths[0], h0 to h2: it comes to s(0,0) twice"},
    {"[0, 16, 17, 1], \"channels\": [0, 17, 21]", "[16, 17, 1], \"channels\": [17, 21]",
     "plan.json: demands[0].paths[0], h0 to h1: channel s(0,0)/2>s(1,0)/3 does not begin where the path is"},
    {"[\n      {\"share\": 1, \"bytes\": 100, \"vertices\": [0, 16, 17, 1], \"channels\": [0, 17, 21]}]", "[]",
     "plan.json: demands[0].paths is [], expected a list of one or more paths"},
    {"{\"share\": 1, \"bytes\": 100, \"vertices\": [0, 16, 17, 1], \"channels\": [0, 17, 21]}", "[]",
     "plan.json: demands[0].paths[0] is [], expected an object"},
};

static void malformed_files_name_the_element(void **state)
{
    (void)state;
    struct sketch *sketch = finished_sketch();
    struct cw_text text = {0};
    struct cw_plan plan;
    must(cw_plan_write(&sketch->problem, &sketch->plan, NULL, &text));
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        char *broken = replaced(text.data, malformed[i].from, malformed[i].to);
        assert_int_equal(read_text(sketch, broken, &plan, NULL), CW_EPARSE);
        assert_string_equal(cw_error_message(), malformed[i].message);
        free(broken);
    }
    assert_int_equal(read_text(sketch, "[]", &plan, NULL), CW_EPARSE);
    assert_string_equal(cw_error_message(), "plan.json:1: no object, expected { \"format\": \"crosswind-plan\", …");
    cw_text_free(&text);
    sketch_free(sketch);
}

static void forged_proofs_name_the_element(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } forged[] = {
        {"\"bound\": 2.6666666666666665", "\"bound\": 1", "plan.json: z is 1.33333333333 and so above its bound 1"},
        {"\"bound\": 2.6666666666666665", "\"bound\": 1.34",
         "plan.json: bound is 1.34, but its lengths prove no less than 2.66666666667"},
        {"\"bound\": 2.6666666666666665", "\"bound\": null",
         "plan.json: lengths is [[17,1],[18,1],[19,1],[20,1]], expected an empty list, because there is no bound"},
        {"[18, 1]", "[18]", "plan.json: lengths[1] is [18], expected a channel and its length"},
        {"[18, 1]", "18", "plan.json: lengths[1] is 18, expected a channel and its length"},
        {"[18, 1]", "[18, 1, 1]", "plan.json: lengths[1] is [18,1,1], expected a channel and its length"},
        {"[18, 1]", "[18, null]", "plan.json: lengths[1] is [18,null], expected a channel and its length"},
        {"[18, 1]", "[-18, 1]", "plan.json: lengths[1] is [-18,1], expected a channel and its length"},
        {"[18, 1]", "[4294967296, 1]", "plan.json: lengths[1] is [4294967296,1], expected a channel and its length"},
        {"[18, 1]", "[17, 1]", "plan.json: lengths[1]: channel 17, expected one of 96, above those before"},
        {"[20, 1]", "[96, 1]", "plan.json: lengths[3]: channel 96, expected one of 96, above those before"},
        {"[18, 1]", "[18, -0.5]",
         "plan.json: lengths[1]: channel s(0,0)/3>s(3,0)/2 has length -0.5, expected more than 0"},
        {"[17, 1]", "[0, 1]", "plan.json: lengths[0]: channel h0/1>s(0,0)/1 has no limit, so its length must be 0"},
        {"[17, 1]", "[17, 0.5]", "plan.json: bound is 2.66666666667, but its lengths prove no less than 4.66666666667"},
        {" [20, 1]", " [22, 1]", "plan.json: bound is 2.66666666667, but its lengths prove no less than inf"},
    };
    struct sketch *sketch = finished_sketch();
    struct cw_text text = {0};
    struct cw_plan plan;
    sketch_proof(sketch);
    must(cw_plan_write(&sketch->problem, &sketch->plan, NULL, &text));
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        char *broken = replaced(text.data, forged[i].from, forged[i].to);
        assert_int_equal(read_text(sketch, broken, &plan, NULL), CW_EPARSE);
        assert_string_equal(cw_error_message(), forged[i].message);
        free(broken);
    }
    cw_text_free(&text);
    sketch_free(sketch);
}

/* What the network lacks is in the file, and can be read before there is one. */
static void faults_are_in_the_file(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"[[5, 0]", "[[-5, 0]", "plan.json: network.changes[0] is -5, expected a whole number from 0 to 4294967294"},
        {"[7, 5000", "[7, -5000", "plan.json: network.changes[1] is -5000000000, expected a number, 0 or more"},
        {"[7, 5000000000]", "[7]", "plan.json: network.changes[1] is [7], expected a list of two: channel and byte/s"},
        {"[[5, 0]", "5, \"more\": [[5, 0]", "plan.json: network.changes is 5, expected a list of changes"},
    };
    (void)state;
    struct cw_channel_change items[] = {{5, 0}, {7, 5e9}, {8, 0}, {9, 0}, {11, 0}, {12, 1}};
    const struct cw_channel_changes faults = {.items = items, .n = 6};
    struct sketch *sketch = finished_sketch();
    struct cw_text text = {0};
    struct cw_channel_changes read = {0};
    struct cw_plan plan;
    must(cw_plan_write(&sketch->problem, &sketch->plan, &faults, &text));
    must(cw_plan_parse_faults("plan.json", text.data, text.length, &read));
    assert_int_equal(read.n, 6);
    for (size_t i = 0; i < 6; i++)
        assert_true(read.items[i].channel == items[i].channel && read.items[i].capacity == items[i].capacity);
    free(read.items);
    must(read_text(sketch, text.data, &plan, NULL));
    cw_plan_free(&plan);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *broken = replaced(text.data, cases[i].from, cases[i].to);
        assert_int_equal(cw_plan_parse_faults("plan.json", broken, strlen(broken), &read), CW_EPARSE);
        assert_string_equal(cw_error_message(), cases[i].message);
        free(broken);
    }
    cw_text_free(&text);
    sketch_free(sketch);
}

/* What the reader of demands alone has to see for itself. */
static void malformed_demands_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"\"cables\": 48", "\"cables\": 47", "plan.json: network.cables is 47, expected 48"},
        {"\"src\": 0", "\"src\": 16", "plan.json: demands[0].src is 16, expected a whole number from 0 to 15"},
        {"\"src\": 0, ", "", "plan.json: demands[0].src is missing, expected a whole number from 0 to 15"},
        {"\"src_name\": \"h0\"", "\"src_name\": \"h1\"", "plan.json: demands[0].src_name is \"h1\", expected \"h0\""},
        {"\"dst\": 1, \"dst_name\": \"h1\"", "\"dst\": 0, \"dst_name\": \"h0\"",
         "plan.json: demands[0].dst is 0, expected another endpoint than src"},
        {"\"h1\", \"bytes\": 100", "\"h1\", \"bytes\": 0", "plan.json: demands[0].bytes is 0, expected more than 0"},
        {"\"demands\": [", "\"demands\": [], \"demand\": [", "plan.json: demand is "}};
    struct sketch *sketch = finished_sketch();
    struct cw_text text = {0};
    struct cw_demands demands;
    must(cw_plan_write(&sketch->problem, &sketch->plan, NULL, &text));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *broken = replaced(text.data, cases[i].from, cases[i].to);
        assert_int_equal(read_text(sketch, broken, NULL, &demands), CW_EPARSE);
        if (strncmp(cw_error_message(), cases[i].message, strlen(cases[i].message)) != 0)
            fail_msg("%s is not %s", cw_error_message(), cases[i].message);
        free(broken);
    }
    cw_text_free(&text);
    sketch_free(sketch);
}

/* As many cables, wired otherwise, are another network. */
static void plans_of_other_networks_are_refused(void **state)
{
    (void)state;
    struct sketch *sketch = finished_sketch(), *mesh = sketch_new("mesh:4x4@1GB/s"), *turned = sketch_new(NULL);
    struct cw_builder *builder = cw_builder_new(16, 16, 48);
    struct cw_text text = {0};
    struct cw_demands demands;
    must(cw_plan_write(&sketch->problem, &sketch->plan, NULL, &text));
    assert_int_equal(read_text(mesh, text.data, NULL, &demands), CW_EPARSE);
    assert_string_equal(cw_error_message(), "plan.json: network.cables is 48, expected 40");
    for (uint32_t i = 0; i < 16; i++) {
        cw_builder_cable(builder, i, 0, 16 + i, 0, 1e9, 0);
        cw_builder_cable(builder, 16 + i, 0, 16 + (i + 1) % 16, 0, 1e9, 0);
        cw_builder_cable(builder, 16 + i, 0, 16 + (i + 4) % 16, 0, 1e9, 0);
    }
    must(cw_builder_finish(builder, &turned->net));
    assert_int_equal(read_text(turned, text.data, NULL, &demands), CW_EPARSE);
    assert_memory_equal(cw_error_message(), "plan.json: network.fingerprint is", 33);
    cw_text_free(&text);
    sketch_free(sketch);
    sketch_free(mesh);
    sketch_free(turned);
}

/* The words are jansson's, the line is what matters. */
static void no_json_names_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *begin;
    } no_json[] = {{"{\n", "", "plan.json:1: "},
                   {"\n}\n", "", "plan.json:21: "},
                   {"\"k\": 0", "\"k\": 0, \"k\": 1", "plan.json:11: "},
                   {"\"test\"", "\"a\\u0000b\"", "plan.json:8: "},
                   {"\"bytes\": 50", "\"bytes\": 18446744073709551616", "plan.json:20: "}};
    struct sketch *sketch = finished_sketch();
    struct cw_text text = {0};
    struct cw_plan plan;
    must(cw_plan_write(&sketch->problem, &sketch->plan, NULL, &text));
    for (size_t i = 0; i < sizeof no_json / sizeof *no_json; i++) {
        char *broken = replaced(text.data, no_json[i].from, no_json[i].to);
        assert_int_equal(read_text(sketch, broken, &plan, NULL), CW_EPARSE);
        if (strncmp(cw_error_message(), no_json[i].begin, strlen(no_json[i].begin)) != 0)
            fail_msg("%s is not at %s", cw_error_message(), no_json[i].begin);
        free(broken);
    }
    cw_text_free(&text);
    sketch_free(sketch);
}

/* Wherever a file is cut off, that is an error with a message. */
static void truncated_files_are_refused(void **state)
{
    (void)state;
    struct sketch *sketch = finished_sketch();
    struct cw_text text = {0};
    struct cw_plan plan;
    must(cw_plan_write(&sketch->problem, &sketch->plan, NULL, &text));
    for (size_t length = 0; length + 2 < text.length; length += 13) {
        char *part = cw_copy_text(text.data, length);
        assert_non_null(part);
        assert_int_equal(read_text(sketch, part, &plan, NULL), CW_EPARSE);
        assert_memory_equal(cw_error_message(), "plan.json:", strlen("plan.json:"));
        free(part);
    }
    cw_text_free(&text);
    sketch_free(sketch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(keeps_what_is_unusual),
        cmocka_unit_test(random_shares_survive),
        cmocka_unit_test(written_form),
        cmocka_unit_test(malformed_files_name_the_element),
        cmocka_unit_test(forged_proofs_name_the_element),
        cmocka_unit_test(faults_are_in_the_file),
        cmocka_unit_test(malformed_demands_are_refused),
        cmocka_unit_test(plans_of_other_networks_are_refused),
        cmocka_unit_test(no_json_names_the_line),
        cmocka_unit_test(truncated_files_are_refused),
    };
    return cmocka_run_group_tests_name("plan file", tests, NULL, NULL);
}
