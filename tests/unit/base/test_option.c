/* Option tables: values, limits, parameters of plug-ins, arguments of verbs, help. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input.h"
#include "base/option.h"
#include "base/registry_internal.h"

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))

enum colour { RED, GREEN, BLUE };
static const char *const colours[] = {"red", "green", "blue", NULL};

struct values {
    bool quick;
    int64_t count;
    double real;
    uint64_t bytes;
    double rate;
    double time;
    char *text;
    int colour;
    struct cw_reals ratio;
    struct cw_ints ints;
    struct cw_ints dimensions;
    struct cw_sizes sizes;
    double byte_time;
};

#define AT(FIELD) .offset = offsetof(struct values, FIELD)
static const struct cw_option options[] = {
    {.name = "quick", .type = CW_OPTION_FLAG, AT(quick), .help = "Skip the slow part"},
    {.name = "count",
     .type = CW_OPTION_INT,
     AT(count),
     .default_text = "8",
     .min = 1,
     .max = 64,
     .positional = true,
     .help = "Number of things"},
    {.name = "real", .type = CW_OPTION_REAL, AT(real), .min = 0, .max = INFINITY, .help = "A real"},
    {.name = "bytes",
     .type = CW_OPTION_BYTES,
     AT(bytes),
     .default_text = "8B",
     .min = 1,
     .max = 0x1p30,
     .help = "Size of a message"},
    {.name = "rate",
     .type = CW_OPTION_RATE,
     AT(rate),
     .default_text = "40Gbit/s",
     .min = 1,
     .max = 1e12,
     .help = "Rate of a channel"},
    {.name = "time", .type = CW_OPTION_TIME, AT(time), .min = 0, .max = 1, .help = "Latency of a channel"},
    {.name = "text",
     .type = CW_OPTION_TEXT,
     AT(text),
     .value_name = "FILE",
     .default_text = "a.net",
     .positional = true,
     .help = "The file"},
    {.name = "colour",
     .type = CW_OPTION_CHOICE,
     AT(colour),
     .choices = colours,
     .default_text = "green",
     .help = "A colour"},
    {.name = "ratio",
     .type = CW_OPTION_REALS,
     AT(ratio),
     .default_text = "0.1..0.9:0.1",
     .min = 0,
     .max = 1,
     .help = "Perturbation ratios"},
    {.name = "ints", .type = CW_OPTION_INTS, AT(ints), .min = -5, .max = 100, .help = "Some numbers"},
    {.name = "dimensions", .type = CW_OPTION_DIMENSIONS, AT(dimensions), .min = 2, .max = 1000, .help = "Sizes"},
    {.name = "sizes", .type = CW_OPTION_SIZES, AT(sizes), .default_text = "8B", .min = 1, .max = 4096, .help = "Sizes"},
    {.name = "gap", .type = CW_OPTION_BYTE_TIME, AT(byte_time), .min = 0, .max = 1e-3, .help = "Time of a byte"},
    {.name = NULL}};

struct common {
    int64_t seed;
    bool verbose;
};
static const struct cw_option common_options[] = {{.name = "seed",
                                                   .type = CW_OPTION_INT,
                                                   .offset = offsetof(struct common, seed),
                                                   .default_text = "1",
                                                   .help = "Seed of all random draws"},
                                                  {.name = "verbose",
                                                   .letter = 'v',
                                                   .type = CW_OPTION_FLAG,
                                                   .offset = offsetof(struct common, verbose),
                                                   .help = "Say more"},
                                                  {.name = NULL}};

static int make_values(void **state)
{
    static struct values values;
    values = (struct values){0};
    *state = &values;
    return cw_options_init(options, &values);
}

static int free_values(void **state)
{
    cw_options_free(options, *state);
    cw_options_free(options, *state); /* again: everything owned was zeroed */
    return 0;
}

static void test_defaults(void **state)
{
    const struct values *v = *state;
    assert_false(v->quick);
    assert_int_equal(v->count, 8);
    assert_true(v->real == 0);
    assert_int_equal(v->bytes, 8);
    assert_true(v->rate == 5e9);
    assert_string_equal(v->text, "a.net");
    assert_int_equal(v->colour, GREEN);
    assert_int_equal(v->ratio.n, 9);
    assert_true(v->ratio.values[2] == 0.3);
    assert_null(v->ints.values);
    assert_int_equal(v->sizes.n, 1);
    assert_true(v->sizes.values[0] == 8 && v->byte_time == 0);
}

static void test_set_every_type(void **state)
{
    struct values *v = *state;
    static const char *const settings[][2] = {{"quick", "yes"},   {"count", "64"},           {"real", "1e-3"},
                                              {"bytes", "10MiB"}, {"rate", "2GB/s"},         {"time", "12.8ns"},
                                              {"text", "b,c=d"},  {"colour", "blue"},        {"ratio", "0.5,0.25..0.3"},
                                              {"ints", "4x8x-2"}, {"dimensions", "10x10x4"}, {"sizes", "8B,4KiB"},
                                              {"gap", "40Gbit/s"}};
    for (size_t i = 0; i < COUNT(settings); i++)
        assert_int_equal(cw_options_set("test", options, v, settings[i][0], settings[i][1]), 0);
    assert_true(v->quick);
    assert_int_equal(v->count, 64);
    assert_true(v->real == 1e-3);
    assert_int_equal(v->bytes, 10485760);
    assert_true(v->rate == 2e9);
    assert_true(v->time == 12.8e-9);
    assert_string_equal(v->text, "b,c=d");
    assert_int_equal(v->colour, BLUE);
    assert_int_equal(v->ratio.n, 7);
    assert_int_equal(v->ints.n, 3);
    assert_int_equal(v->ints.values[2], -2);
    assert_int_equal(v->dimensions.n, 3);
    assert_int_equal(v->dimensions.values[2], 4);
    assert_int_equal(v->sizes.n, 2);
    assert_int_equal(v->sizes.values[1], 4096);
    assert_true(v->byte_time == 1 / 5e9);
    assert_int_equal(cw_options_set("test", options, v, "ints", "1..3,9"), 0);
    assert_int_equal(v->ints.n, 4);
    assert_int_equal(cw_options_set("test", options, v, "quick", "no"), 0);
    assert_false(v->quick);
}

/* A refused value says why and leaves the old one. */
static void test_refused_values(void **state)
{
    struct values *v = *state;
    static const char *const settings[][3] = {
        {"count", "0", "option 'count' of test: 0 is out of range; expected 1 to 64"},
        {"count", "65", "expected 1 to 64"},
        {"count", "1e1", "not a whole number"},
        {"count", "", "not a whole number"},
        {"real", "nan", "not a number"},
        {"real", "inf", "not a number"},
        {"real", "1e999", "does not fit"},
        {"real", "-1", "expected at least 0"},
        {"bytes", "2GiB", "expected 1 B to 1 GiB"},
        {"rate", "0", "expected 8 bit/s to 8 Tbit/s"},
        {"time", "2s", "expected 0 s to 1 s"},
        {"colour", "gren", "there is no 'gren'; did you mean green? (choices: red, green, blue)"},
        {"colour", "mauve", "there is no 'mauve' (choices: red, green, blue)"},
        {"ratio", "0.5,1.5", "1.5 is out of range; expected 0 to 1"},
        {"ratio", "0.5,", "empty item"},
        {"ints", "4,101", "101 is out of range"},
        {"dimensions", "10x1", "1 is out of range"},
        {"dimensions", "10,10", "not a list of sizes such as 10x10x4"},
        {"dimensions", "x10", "not a list of sizes"},
        {"dimensions", "10x", "not a list of sizes"},
        {"dimensions", "", "not a list of sizes"},
        {"sizes", "8B,8KiB", "8 KiB is out of range; expected 1 B to 4 KiB"},
        {"sizes", "8B,x", "'x' is not a size"},
        {"gap", "0.2", "without a unit would be seconds for each byte"},
        {"gap", "0.2s", "0.2s is out of range; expected 0 s/byte to 1 ms/byte"},
        {"quick", "maybe", "not yes or no"},
        {"cuont", "3", "test has no option cuont; did you mean count? (options: quick, count,"},
        {"zzz", "3", "test has no option zzz (options:"},
    };
    for (size_t i = 0; i < COUNT(settings); i++) {
        assert_int_equal(cw_options_set("test", options, v, settings[i][0], settings[i][1]), CW_EUSAGE);
        if (!strstr(cw_error_message(), settings[i][2]))
            fail_msg("'%s' lacks '%s'", cw_error_message(), settings[i][2]);
    }
    assert_int_equal(cw_options_set("test", options, v, "count", NULL), CW_EUSAGE);
    test_defaults(state);
}

static void test_parameters(void **state)
{
    struct values *v = *state;
    assert_int_equal(cw_options_parse_parameters("p", options, v, NULL), 0);
    assert_int_equal(cw_options_parse_parameters("p", options, v, ""), 0);
    test_defaults(state);
    assert_int_equal(cw_options_parse_parameters("p", options, v, "12,quick,b.net,colour=red,dimensions=4x4"), 0);
    assert_int_equal(v->count, 12);
    assert_true(v->quick);
    assert_string_equal(v->text, "b.net");
    assert_int_equal(v->colour, RED);
    assert_int_equal(v->dimensions.n, 2);
    assert_int_equal(cw_options_parse_parameters("p", options, v, "quick=no"), 0);
    assert_false(v->quick);
}

static void test_refused_parameters(void **state)
{
    static const char *const bad[][2] = {
        {"1,a,b", "p: unexpected 'b'; expected at most 2 values without a name"},
        {"1,,quick", "empty"},
        {"1,", "empty"},
        {",", "empty"},
        {"8,count=9", "option 'count' of p is given twice"},
        {"count=9,8", "p: '8' has no name, and count is given already (a comma begins another value)"},
        {"quick,quick=no", "given twice"},
        {"count=", "'' is not a whole number"},
        {"=3", "no option"},
        {"real", "'real' is not a whole number"},
        {"colour=blu", "did you mean blue?"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(cw_options_parse_parameters("p", options, *state, bad[i][0]), CW_EUSAGE);
        if (!strstr(cw_error_message(), bad[i][1])) fail_msg("'%s' lacks '%s'", cw_error_message(), bad[i][1]);
    }
    struct common common = {0};
    assert_int_equal(cw_options_parse_parameters("p", common_options, &common, "3"), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "p: '3' has no name; expected name=value");
}

#define MAX_ARGUMENTS 16

static const struct cw_option two_arguments[] = {
    {.name = "NETWORK", .type = CW_OPTION_INPUT, .required = true, .help = "A network"},
    {.name = "FILE", .type = CW_OPTION_OUTPUT, .help = "Where the trial goes"},
    {.name = NULL}};
static const struct cw_option four_arguments[] = {{.name = "A", .type = CW_OPTION_TEXT},
                                                  {.name = "B", .type = CW_OPTION_TEXT},
                                                  {.name = "C", .type = CW_OPTION_TEXT},
                                                  {.name = "D", .type = CW_OPTION_TEXT},
                                                  {.name = NULL}};

/* Splits LINE at blanks and parses it with both tables. */
static int parse_line(struct values *values, struct common *common, const char *line,
                      const struct cw_option *positional, struct cw_arguments *arguments)
{
    static char copy[400];
    char *argv[MAX_ARGUMENTS];
    int argc = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) argv[argc++] = word;
    const struct cw_option_group groups[] = {{options, values}, {common_options, common}};
    return cw_options_parse_arguments("crosswind test", groups, 2, argc, argv, positional, arguments);
}

static void test_arguments(void **state)
{
    struct values *v = *state;
    struct common common = {0};
    struct cw_arguments given;
    assert_int_equal(parse_line(v, &common,
                                "first --count 3 --quick --ints -4,5 --seed=-7 - --text - --verbose -- --real -x",
                                four_arguments, &given),
                     0);
    assert_int_equal(v->count, 3);
    assert_true(v->quick);
    assert_int_equal(v->ints.values[0], -4);
    assert_int_equal(common.seed, -7);
    assert_true(common.verbose);
    assert_string_equal(v->text, "-");
    static const char *const positional[] = {"first", "-", "--real", "-x"};
    assert_int_equal(given.n_positional, 4);
    for (size_t i = 0; i < 4; i++) assert_string_equal(given.positional[i], positional[i]);
    assert_null(given.positional[4]);
    cw_arguments_free(&given);
    assert_int_equal(parse_line(v, &common, "--text=--odd=", four_arguments, &given), 0);
    assert_string_equal(v->text, "--odd=");
    assert_int_equal(given.n_positional, 0);
    cw_arguments_free(&given);
    common.verbose = false;
    assert_int_equal(parse_line(v, &common, "-v a -- -v", four_arguments, &given), 0);
    assert_true(common.verbose);
    assert_int_equal(given.n_positional, 2);
    assert_true(cw_arguments_have(&given, "verbose"));
    cw_arguments_free(&given);
}

/* What was given, with its words, and what has its default. */
static void test_given(void **state)
{
    static const struct {
        const char *option;
        int first, words;
    } expected[] = {{"NETWORK", 0, 1}, {"count", 1, 2}, {"seed", 3, 1}, {"quick", 4, 1}, {NULL, 5, 1}, {"FILE", 6, 1}};
    struct common common = {0};
    struct cw_arguments given;
    assert_int_equal(parse_line(*state, &common, "first --count 8 --seed=7 --quick -- --real", two_arguments, &given),
                     0);
    assert_int_equal(given.n, COUNT(expected));
    for (size_t i = 0; i < given.n; i++) {
        const struct cw_option *option = given.items[i].option;
        if (expected[i].option)
            assert_string_equal(option->name, expected[i].option);
        else
            assert_null(option);
        assert_int_equal(given.items[i].first, expected[i].first);
        assert_int_equal(given.items[i].words, expected[i].words);
    }
    assert_true(given.end_of_options);
    assert_true(cw_arguments_have(&given, "count"));
    assert_true(cw_arguments_have(&given, "seed"));
    assert_true(cw_arguments_have(&given, "FILE"));
    assert_false(cw_arguments_have(&given, "real")); /* after "--" it is no option */
    assert_false(cw_arguments_have(&given, "text"));
    cw_arguments_free(&given);
    assert_false(cw_arguments_have(&given, "count"));
}

static void check_files(const char *input, const char *output, int code, const char *message)
{
    struct {
        char *input, *output, *text;
    } v = {0};
    static const struct cw_option files[] = {{.name = "lft", .type = CW_OPTION_INPUT, .offset = 0},
                                             {.name = "plan", .type = CW_OPTION_OUTPUT, .offset = sizeof(char *)},
                                             {.name = "from", .type = CW_OPTION_TEXT, .offset = 2 * sizeof(char *)},
                                             {.name = NULL}};
    const struct cw_option_group group = {files, &v};
    assert_int_equal(cw_options_set("verb", files, &v, "from", "/no/such"), 0);
    if (input) assert_int_equal(cw_options_set("verb", files, &v, "lft", input), 0);
    if (output) assert_int_equal(cw_options_set("verb", files, &v, "plan", output), 0);
    assert_int_equal(cw_options_check_outputs(&group, 1, NULL), code);
    if (code) assert_string_equal(cw_error_message(), message);
    cw_options_free(files, &v);
    assert_null(v.input);
    assert_null(v.output);
}

static void test_files(void **state)
{
    (void)state;
    check_files(NULL, NULL, 0, NULL);
    check_files("/no/such", "not-there-yet", 0, NULL); /* what is read is not looked at */
    check_files(NULL, "/dev/null", 0, NULL);
    check_files("-", "/no/such/plan", CW_EIO, "cannot create a file beside /no/such/plan: No such file or directory");
    assert_int_not_equal(access("not-there-yet", F_OK), 0); /* checking makes nothing */
}

/* Two outputs called FIRST and SECOND. */
static void assert_outputs(const char *first, const char *second, const char *refused)
{
    struct {
        char *plan, *moves;
    } v = {0};
    static const struct cw_option files[] = {{.name = "plan", .type = CW_OPTION_OUTPUT, .offset = 0},
                                             {.name = "moves", .type = CW_OPTION_OUTPUT, .offset = sizeof(char *)},
                                             {.name = NULL}};
    const struct cw_option_group group = {files, &v};
    struct cw_inputs inputs = {0};
    assert_int_equal(cw_options_set("verb", files, &v, "plan", first), 0);
    assert_int_equal(cw_options_set("verb", files, &v, "moves", second), 0);
    cw_inputs_record(&inputs);
    assert_int_equal(cw_options_check_outputs(&group, 1, NULL), refused ? CW_EUSAGE : 0);
    cw_inputs_record(NULL);
    if (refused && !strstr(cw_error_message(), refused)) fail_msg("%s", cw_error_message());
    cw_inputs_free(&inputs);
    cw_options_free(files, &v);
}

/* No file is two outputs, be it there or not, nor what an output brings with it; devices may be given twice. */
static void test_outputs(void **state)
{
    (void)state;
    char there[] = "/tmp/crosswind-option-XXXXXX", metadata[64];
    const int file = mkstemp(there);
    assert_true(file >= 0);
    close(file);
    snprintf(metadata, sizeof metadata, "%s-metadata.json", there);
    assert_outputs(there, there, "--plan and --moves would write the same file");
    assert_outputs(there, metadata, "--plan and --moves would write the same file");
    assert_outputs("not-there-yet", "./not-there-yet", "--plan and --moves would write the same file");
    assert_outputs("picture.svg", "picture.gp", "--plan and --moves would write the same file");
    assert_outputs("not-there-yet", "picture.svg", NULL);
    assert_outputs("picture.csv", "picture.gp", NULL); /* no figure, no script */
    assert_outputs("/dev/null", "/dev/null", NULL);
    unlink(there);
}

/* Positional arguments have types, too: which is missing, and which file cannot be written. */
static void test_positional(void **state)
{
    struct common common = {0};
    struct cw_arguments given;
    struct cw_text text = {0};
    assert_int_equal(parse_line(*state, &common, "--seed 3", two_arguments, &given), 0);
    assert_int_equal(cw_arguments_check("crosswind test", &given), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "crosswind test: expected NETWORK, see 'crosswind test --help'");
    cw_arguments_free(&given);
    assert_int_equal(parse_line(*state, &common, "/no/such/network", two_arguments, &given), 0);
    assert_int_equal(cw_arguments_check("crosswind test", &given), 0);
    assert_int_equal(cw_options_check_outputs(NULL, 0, &given), 0); /* that is for its reader to say */
    assert_false(cw_arguments_have(&given, "FILE"));
    cw_arguments_free(&given);
    assert_int_equal(parse_line(*state, &common, "net /no/such/trial", two_arguments, &given), 0);
    assert_int_equal(cw_options_check_outputs(NULL, 0, &given), CW_EIO);
    assert_non_null(strstr(cw_error_message(), "/no/such/trial"));
    cw_arguments_free(&given);
    cw_positional_synopsis(two_arguments, &text);
    cw_positional_help(two_arguments, &text);
    assert_string_equal(text.data, " NETWORK [FILE]"
                                   "  NETWORK                 A network\n"
                                   "  FILE                    Where the trial goes\n");
    cw_text_free(&text);
}

/* What stands behind an argument that repeats takes the last words, however many there are. */
static void test_repeated(void **state)
{
    static const struct cw_option several[] = {
        {.name = "NAME", .type = CW_OPTION_TEXT, .required = true, .help = "A name"},
        {.name = "RESULT", .type = CW_OPTION_TEXT, .required = true, .repeats = true, .help = "A result"},
        {.name = "FILE", .type = CW_OPTION_OUTPUT, .required = true, .help = "A file"},
        {.name = NULL}};
    static const struct {
        const char *line, *names, *missing;
    } cases[] = {{"--seed 3", "", "NAME"},
                 {"a", "N", "RESULT"},
                 {"a b", "NR", "FILE"},
                 {"a b --seed 3 c", "NR-F", NULL},
                 {"a b --seed 3 c /no/such/folder/d", "NR-RF", NULL}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct common common = {0};
        struct cw_arguments given;
        size_t at = 0;
        assert_int_equal(parse_line(*state, &common, cases[i].line, several, &given), 0);
        for (const char *name = cases[i].names; *name; name++, at++)
            if (*name != '-') assert_int_equal(*given.items[at].option->name, *name);
        assert_int_equal(cw_arguments_check("test", &given), cases[i].missing ? CW_EUSAGE : 0);
        if (cases[i].missing) assert_non_null(strstr(cw_error_message(), cases[i].missing));
        assert_int_equal(cw_options_check_outputs(NULL, 0, &given), i == 4 ? CW_EIO : 0);
        cw_arguments_free(&given);
    }
    struct cw_text text = {0};
    cw_positional_synopsis(several, &text);
    assert_string_equal(text.data, " NAME RESULT... FILE");
    cw_text_free(&text);
}

static void test_named_outputs(void **state)
{
    (void)state;
    static const char *const forms[] = {"lp", "mps", NULL};
    static const struct {
        const char *name;
    } items[] = {{"lp"}, {"mps"}, {NULL}};
    static const struct cw_registry registry = {.items = items, .size = sizeof *items};
    static const struct cw_option export[] = {{.name = "export", .type = CW_OPTION_NAMED_OUTPUT, .names = &registry},
                                              {.name = NULL}};
    static const char *const bad[] = {"lp", "lp:", "xls:a", ":a", ""};
    char *value = NULL;
    const char *file;
    const struct cw_option_group group = {export, &value};
    for (size_t i = 0; forms[i]; i++) {
        char text[32];
        snprintf(text, sizeof text, "%s:a:b", forms[i]);
        assert_int_equal(cw_options_set("verb", export, &value, "export", text), 0);
        assert_ptr_equal(cw_option_named_output(export, value, &file), &items[i]);
        assert_string_equal(file, "a:b");
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(cw_options_set("verb", export, &value, "export", bad[i]), CW_EUSAGE);
        assert_non_null(strstr(cw_error_message(), "' is none of lp:FILE, mps:FILE"));
    }
    assert_int_equal(cw_options_check_outputs(&group, 1, NULL), 0);
    assert_int_equal(cw_options_set("verb", export, &value, "export", "lp:/no/such/program"), 0);
    assert_int_equal(cw_options_check_outputs(&group, 1, NULL), CW_EIO);
    assert_non_null(strstr(cw_error_message(), "/no/such/program"));
    cw_options_free(export, &value);
}

static void test_refused_arguments(void **state)
{
    static const char *const bad[][2] = {
        {"--ratoi 0.5", "crosswind test has no option --ratoi; did you mean --ratio?"},
        {"--sede 5", "did you mean --seed?"},
        {"--zzz", "crosswind test has no option --zzz"},
        {"--seed 1 --seed 2", "--seed is given twice"},
        {"--quick --quick", "--quick is given twice"},
        {"--quick=maybe", "--quick: 'maybe' is not yes or no"},
        {"--quick=no --quick", "--quick is given twice"},
        {"--seed", "--seed needs a value: Seed of all random draws"},
        {"--seed --quick", "--seed needs a value"},
        {"--seed --", "--seed needs a value"},
        {"--seed=", "--seed: '' is not a whole number"},
        {"--seed 3x", "--seed: '3x' is not a whole number"},
        {"--count 65", "--count: 65 is out of range; expected 1 to 64"},
        {"-seed 5", "'-seed' needs two dashes: --seed"},
        {"-v --verbose", "--verbose is given twice"},
        {"-vv", "'-vv' is not an option"},
        {"-5", "'-5' is not an option"},
        {"a b c", "unexpected argument 'c'; expected at most 2"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct common common = {0};
        struct cw_arguments given = {.n = 99};
        assert_int_equal(parse_line(*state, &common, bad[i][0], two_arguments, &given), CW_EUSAGE);
        if (!strstr(cw_error_message(), bad[i][1])) fail_msg("'%s' lacks '%s'", cw_error_message(), bad[i][1]);
        assert_int_equal(given.n, 99);
    }
}

static void test_required(void **state)
{
    (void)state;
    struct {
        int64_t k;
    } v = {0};
    static const struct cw_option required[] = {
        {.name = "k", .type = CW_OPTION_INT, .required = true, .positional = true, .help = "Nodes in each dimension"},
        {.name = NULL}};
    const struct cw_option_group group = {required, &v};
    struct cw_arguments given = {.n = 99};
    assert_int_equal(cw_options_parse_parameters("torus", required, &v, NULL), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "torus needs k: Nodes in each dimension");
    assert_int_equal(cw_options_parse_parameters("torus", required, &v, "5"), 0);
    assert_int_equal(v.k, 5);
    assert_int_equal(cw_options_parse_arguments("verb", &group, 1, 0, NULL, NULL, &given), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "verb needs --k: Nodes in each dimension");
}

static void test_bad_default_is_internal(void **state)
{
    (void)state;
    struct values v = {0};
    static const struct cw_option bad[] = {
        {.name = "text", .type = CW_OPTION_TEXT, AT(text), .default_text = "owned"},
        {.name = "k", .type = CW_OPTION_INT, AT(count), .default_text = "9", .min = 1, .max = 8},
        {.name = NULL}};
    assert_int_equal(cw_options_init(bad, &v), CW_EINTERNAL);
    assert_non_null(strstr(cw_error_message(), "default of option k: 9 is out of range"));
    assert_null(v.text);
}

static void test_help(void **state)
{
    (void)state;
    static const struct cw_option shown[] = {
        {.name = "quick", .type = CW_OPTION_FLAG, .help = "Skip the slow part"},
        {.name = "ratio",
         .type = CW_OPTION_REALS,
         .value_name = "R[,R…]",
         .default_text = "0.1..0.9:0.1",
         .help = "Share of the endpoints that perturb, out of all the endpoints of the whole fabric"},
        {.name = "colour", .type = CW_OPTION_CHOICE, .choices = colours, .default_text = "red", .help = "A colour"},
        {.name = "a-very-long-option-name", .type = CW_OPTION_INT, .required = true, .help = "Long"},
        {.name = NULL}};
    struct cw_text text = {0};
    cw_options_help(shown, true, true, &text);
    assert_string_equal(text.data, "  --quick                 Skip the slow part\n"
                                   "  --ratio R[,R…]          Share of the endpoints that perturb, out of all the\n"
                                   "                          endpoints of the whole fabric (default: 0.1..0.9:0.1)\n"
                                   "  --colour NAME           A colour: red, green, blue (default: red)\n"
                                   "  --a-very-long-option-name N\n"
                                   "                          Long (required)\n");
    cw_text_free(&text);
    cw_options_help(shown, false, true, &text);
    assert_non_null(strstr(text.data, "  quick=yes|no            Skip"));
    assert_non_null(strstr(text.data, "  ratio=R[,R…]            Share"));
    cw_text_free(&text);
}

/* An option that stands without a value takes none from the next argument; help leaves out what is rare. */
static void test_bare_and_rare(void **state)
{
    (void)state;
    static const struct cw_option some[] = {
        {.name = "colour",
         .letter = 'c',
         .type = CW_OPTION_CHOICE,
         AT(colour),
         .value_name = "blue",
         .choices = colours,
         .default_text = "red",
         .bare = "green",
         .help = "A colour"},
        {.name = "count", .rare = true, .type = CW_OPTION_INT, AT(count), .help = "N"},
        {.name = NULL}};
    static const char *const lines[][2] = {
        {"--colour", "word"}, {"-c", "word"}, {"--colour=blue", "word"}, {"word", "--"}};
    static const int expected[] = {1, 1, 2, 0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct values v = {0};
        struct cw_arguments arguments = {0};
        static const struct cw_option positional[] = {{.name = "WORD", .type = CW_OPTION_TEXT}, {.name = NULL}};
        const struct cw_option_group group = {some, &v};
        assert_int_equal(cw_options_init(some, &v), 0);
        assert_int_equal(cw_options_parse_arguments("x", &group, 1, 2, (char *const *)lines[i], positional, &arguments),
                         0);
        assert_int_equal(v.colour, expected[i]);
        assert_int_equal(arguments.n_positional, 1);
        assert_string_equal(arguments.positional[0], "word");
        cw_arguments_free(&arguments);
        cw_options_free(some, &v);
    }
    struct cw_text text = {0};
    cw_options_help(some, true, false, &text);
    assert_string_equal(text.data, "  -c, --colour[=blue]     A colour\n");
    cw_text_free(&text);
    cw_options_help(some, true, true, &text);
    assert_non_null(strstr(text.data, "--count N"));
    cw_text_free(&text);
}

/* A plug-in without options or without a structure has values all the same, and refuses any parameter. */
static void test_values_of_plugins(void **state)
{
    (void)state;
    void *values = NULL;
    assert_int_equal(cw_option_values_new("things", options, sizeof(struct values), "3,bytes=4KiB", &values), 0);
    const struct values *made = values;
    assert_int_equal(made->count, 3);
    assert_int_equal(made->bytes, 4096);
    assert_int_equal(made->rate, 5e9); /* its default */
    cw_option_values_free(options, values);
    values = NULL;
    assert_int_equal(cw_option_values_new("things", options, sizeof(struct values), "3,4,5", &values), CW_EUSAGE);
    assert_null(values);
    assert_int_equal(cw_option_values_new("plain", NULL, 0, "x=1", &values), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "plain has no option x");
    assert_int_equal(cw_option_values_new("plain", NULL, 0, NULL, &values), 0);
    assert_non_null(values);
    cw_option_values_free(NULL, values);
    cw_option_values_free(options, NULL);
}

static void test_spec_split(void **state)
{
    (void)state;
    char name[8];
    assert_string_equal(cw_spec_split("torus:4x4:2", name, sizeof name), "4x4:2");
    assert_string_equal(name, "torus");
    assert_null(cw_spec_split("torus", name, sizeof name));
    assert_string_equal(name, "torus");
    assert_string_equal(cw_spec_split("torus:", name, sizeof name), "");
    assert_string_equal(cw_spec_split("dragonfly:1", name, sizeof name), "1");
    assert_string_equal(name, "dragonf");
}

#define WITH_VALUES(TEST) cmocka_unit_test_setup_teardown(TEST, make_values, free_values)

/* Choices may be the items of a registry. */
static void test_choices_of_registry(void **state)
{
    (void)state;
    static const struct shape {
        const char *name;
    } shapes[] = {{"round"}, {"square"}, {NULL}};
    static const struct cw_registry registry = {.items = shapes, .size = sizeof *shapes};
    static const struct cw_option shaped[] = {
        {.name = "shape", .type = CW_OPTION_CHOICE, .names = &registry, .default_text = "square", .help = "A shape"},
        {.name = NULL}};
    int shape = 0;
    struct cw_text text = {0};
    assert_int_equal(cw_options_init(shaped, &shape), 0);
    assert_int_equal(shape, 1);
    assert_int_equal(cw_options_set("p", shaped, &shape, "shape", "round"), 0);
    assert_int_equal(shape, 0);
    assert_int_equal(cw_options_set("p", shaped, &shape, "shape", "sqare"), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "did you mean square? (choices: round, square)"));
    cw_options_help(shaped, true, true, &text);
    assert_string_equal(text.data, "  --shape NAME            A shape: round, square (default: square)\n");
    cw_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_VALUES(test_defaults),
        WITH_VALUES(test_set_every_type),
        WITH_VALUES(test_refused_values),
        WITH_VALUES(test_parameters),
        WITH_VALUES(test_refused_parameters),
        WITH_VALUES(test_arguments),
        WITH_VALUES(test_given),
        cmocka_unit_test(test_choices_of_registry),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_outputs),
        WITH_VALUES(test_positional),
        WITH_VALUES(test_repeated),
        cmocka_unit_test(test_named_outputs),
        WITH_VALUES(test_refused_arguments),
        cmocka_unit_test(test_required),
        cmocka_unit_test(test_bad_default_is_internal),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_bare_and_rare),
        cmocka_unit_test(test_values_of_plugins),
        cmocka_unit_test(test_spec_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
