/* What a program of verbs does with a command line, by a verb of the test's own: what it records, which form the result
 * has and where it goes, what is left of one that fails, and how it ends. */
#include "cli_test.h"

#include <limits.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/interrupt.h"

struct probe {
    char *say;
    int64_t rows;
    int fails; /* after the rows */
    bool unsound, remarks, interrupts;
    char *beside; /* refused where --rows is 0 */
};

static const char *const failures[] = {"no", "usage", "other", NULL};

static const struct cw_option options[] = {
    {.name = "say",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct probe, say),
     .default_text = "hello",
     .help = "x"},
    {.name = "rows",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct probe, rows),
     .default_text = "2",
     .max = 100,
     .rare = true,
     .help = "x"},
    {.name = "fails",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct probe, fails),
     .default_text = "no",
     .choices = failures,
     .help = "x"},
    {.name = "unsound", .type = CW_OPTION_FLAG, .offset = offsetof(struct probe, unsound), .help = "x"},
    {.name = "remarks", .type = CW_OPTION_FLAG, .offset = offsetof(struct probe, remarks), .help = "x"},
    {.name = "interrupts", .type = CW_OPTION_FLAG, .offset = offsetof(struct probe, interrupts), .help = "x"},
    {.name = "beside", .type = CW_OPTION_TEXT, .offset = offsetof(struct probe, beside), .help = "x"},
    {.name = NULL},
};

static const struct cw_option arguments[] = {{.name = "WORD", .type = CW_OPTION_TEXT, .help = "x"}, {.name = NULL}};

static const struct cw_column columns[] = {
    {"n", CW_COLUMN_INT, NULL, "x"},
    {"x_mean", CW_COLUMN_REAL, NULL, "x"},
    {"x_ci95", CW_COLUMN_REAL, NULL, "x", .interval = true},
};

static int run_probe(struct invocation *invocation)
{
    static const char *const beside[] = {"beside", "say", NULL};
    const struct probe *values = invocation->values;
    struct cw_table *table;
    const int refused = values->rows == 0 && !values->fails ? invocation_refuse(invocation, beside, "is for rows") : 0;
    if (refused) return refused;
    assert_int_equal(cw_table_new("probe", "A probe", columns, 3, &table), 0);
    assert_int_equal(cw_result_add_table(invocation->result, table), 0);
    cw_table_expect(table, (size_t)values->rows + (values->fails > 0));
    if (values->remarks) cw_text_add(&cw_result_inputs(invocation->result)->remarks, "first\nsecond\n");
    if (values->interrupts) raise(SIGTERM);
    int rc = values->interrupts ? cw_interrupt_check() : 0;
    for (int64_t i = 0; i < values->rows; i++) {
        cw_table_int(table, i);
        cw_table_real(table, 0.5 * (double)i);
        i == 1 ? cw_table_none(table) : cw_table_real(table, 0.25);
    }
    cw_result_note(invocation->result, "It says %s.", values->say);
    invocation->failed = values->unsound;
    if (values->fails) rc = cw_fail(values->fails == 1 ? CW_EUSAGE : CW_EIO, "it fails");
    return rc;
}

static int run_status(struct invocation *invocation)
{
    invocation->status = invocation->command ? atoi(invocation->command[0]) : 3;
    return 0;
}

static const struct verb verb_probe = {.name = "probe",
                                       .help = "A probe",
                                       .arguments = arguments,
                                       .options = options,
                                       .size = sizeof(struct probe),
                                       .computes = true,
                                       .run = run_probe};
static const struct verb verb_probe_twice = {.name = "probe twice",
                                             .help = "Another",
                                             .options = options,
                                             .size = sizeof(struct probe),
                                             .computes = true,
                                             .run = run_probe};
static const struct verb verb_only_two = {.name = "only two", .help = "Another", .size = 1, .run = run_status};
static const struct verb verb_status = {
    .name = "status", .help = "A status", .command = true, .size = 1, .run = run_status};

const struct verb *const verbs[] = {&verb_probe, &verb_probe_twice, &verb_only_two, &verb_status, NULL};

/* --- what is recorded --------------------------------------------------------------------------------------------- */

/* The command that gives the same result again; what only says how to compute or show it is left out. */
static void test_command(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {"probe", "crosswind probe"},
        {"probe --say=a-z_.,:=@+%", "crosswind probe --say=a-z_.,:=@+%"},
        {"probe --say 'two words' --seed 7", "crosswind probe --say 'two words' --seed 7"},
        {"probe -q --say '' --threads 2", "crosswind probe --say ''"},
        {"probe --say \"it's\" --rows 1", "crosswind probe --say '\"it'\\''s\"' --rows 1"},
        {"probe twice --fails=no", "crosswind probe twice --fails=no"},
        {"probe here --output a.json", "crosswind probe here"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[256];
        const bool file = strstr(lines[i][0], "--output");
        snprintf(line, sizeof line, "%s%s", lines[i][0], file ? "" : " --format json");
        struct ran ran = run_line(line);
        json_t *json = file ? json_load_file("a.json", 0, NULL) : json_incref(ran.json);
        if (ran.status != 0 || !json) fail_msg("'%s' gives %d: %s", line, ran.status, ran.err);
        assert_string_equal(json_string_value(json_object_get(json, "command")), lines[i][1]);
        assert_int_equal(json_integer_value(json_object_get(json, "seed")), i == 2 ? 7 : 1);
        json_decref(json);
        ran_free(&ran);
    }
}

/* --- forms and places --------------------------------------------------------------------------------------------- */

static void check_form(const char *line, const char *path, const char *begins)
{
    struct ran ran = run_line(line);
    assert_int_equal(ran.status, 0);
    char *content = path ? content_of(path) : strdup(ran.out);
    if (path) assert_string_equal(ran.out, "");
    if (strncmp(content, begins, strlen(begins)) != 0) fail_msg("'%s' gives\n%s", line, content);
    free(content);
    ran_free(&ran);
}

static void test_forms(void **state)
{
    (void)state;
    check_form("probe", NULL, "A probe\n");
    check_form("probe --format csv", NULL, "seed,n,x_mean,x_ci95\n1,0,0,0.25\n1,1,0.5,\n");
    check_form("probe --format json", NULL, "{\n  \"tool\": \"crosswind\"");
    check_form("probe --output out.csv", "out.csv", "seed,n,x_mean,x_ci95\n1,0,0,0.25\n1,1,0.5,\n");
    check_form("probe --output out.json", "out.json", "{\n");
    check_form("probe --output out.text", "out.text", "A probe\n");
    check_form("probe --output out.dat", "out.dat", "A probe\n");
    check_form("probe --output csv", "csv", "A probe\n");
    check_form("probe --output out.csv --format json", "out.csv", "{\n");
    check_form("probe --output out.json --format text", "out.json", "A probe\n");
    assert_int_equal(access("out.csv-metadata.json", F_OK), 0);
    assert_int_equal(access("out.json.unfinished.csv", F_OK), -1);
    json_t *json = json_load_file("out.csv-metadata.json", 0, NULL);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "dc:title")), "A probe");
    json_decref(json);
}

/* A mean whose interval is missing is said to have none, once. */
static void test_intervals(void **state)
{
    (void)state;
    struct ran ran = result_of("probe --rows 2");
    assert_int_equal(notes_with(&ran, "A mean without ± has no confidence interval"), 1);
    assert_int_equal(notes_with(&ran, "It says hello."), 1);
    ran_free(&ran);
    ran = result_of("probe --rows 1");
    assert_int_equal(notes_with(&ran, "A mean without ±"), 0);
    ran_free(&ran);
}

/* --- ends --------------------------------------------------------------------------------------------------------- */

static void check_end(const char *line, int status, const char *out, const char *err)
{
    struct ran ran = run_line(line);
    if (ran.status != status) fail_msg("'%s' gives %d instead of %d", line, ran.status, status);
    if (!strstr(ran.out, out) || !strstr(ran.err, err)) fail_msg("'%s' prints\n%s\nand\n%s", line, ran.out, ran.err);
    ran_free(&ran);
}

static void test_ends(void **state)
{
    (void)state;
    check_end("probe --rows 0 --fails usage", 2, "", "crosswind: it fails\n");
    check_end("probe --rows 0 --fails other", 1, "", "crosswind: it fails\n");
    check_end("probe --rows 1 --fails usage", 1, "it fails", "crosswind: ");
    check_end("probe --unsound", 1, "A probe", "");
    check_end("probe --unsound --rows 0 --fails usage", 1, "", "it fails");
    check_end("probe --rows 0 --fails other --remarks", 1, "", "crosswind: note: first\ncrosswind: note: second\n");
    check_end("probe --remarks", 0, "second", "");
    check_end("probe --rows 101", 2, "", "--rows");
    check_end("probe --sya x", 2, "", "did you mean --say?");
    check_end("probe one two", 2, "", "unexpected argument 'two'");
    check_end("porbe", 2, "", "there is no verb 'porbe', did you mean 'probe'?");
    check_end("only", 2, "", "'only' is only the first half of a verb, expected 'only two'");
    check_end("only two", 3, "", "");
    check_end("status", 3, "", "");
    check_end("status -- 5", 5, "", "");
    check_end("-V", 0, "crosswind 0.", "");
    check_end("--version", 0, "crosswind 0.", "");
    check_end("probe --version", 0, "crosswind 0.", "");
    check_end("probe -h", 0, "Usage: crosswind probe [WORD] [options]\n\nA probe.\n", "");
    check_end("probe --help", 0, "Also --rows, --threads, --seed, --quiet, --plugin: see 'crosswind probe", "");
    check_end("probe --help=all", 0, "--rows N", "");
    check_end("status -h", 0, "Usage: crosswind status [options] [-- COMMAND [ARG...]]", "");
}

/* What is finished when it ends early is shown, and says what is missing; files tell the same. */
static void test_early(void **state)
{
    (void)state;
    struct ran ran = run_line("probe --rows 1 --fails other --format json");
    assert_int_equal(ran.status, 1);
    assert_true(json_is_false(json_object_get(ran.json, "complete")));
    assert_int_equal(rows_of(&ran, "probe"), 1);
    assert_string_equal(json_string_value(json_object_get(ran.json, "missing")),
                        "it fails; table probe has 1 of 2 rows");
    assert_string_equal(ran.err, "crosswind: it fails; table probe has 1 of 2 rows\n");
    ran_free(&ran);
    check_end("probe --rows 1 --fails other --output early.csv", 1, "", "it fails");
    assert_int_equal(lines_of("early.csv"), 2);
    check_end("probe --interrupts --format csv", 1, "seed,n,x_mean", "nterrupted");
}

/* What cannot be written leaves its rows behind. */
static void test_no_place(void **state)
{
    (void)state;
    check_end("probe --output nowhere/out.json", 1, "", "nowhere/out.json");
    check_end("probe --output nowhere/out.csv", 1, "", "nowhere/out.csv");
}

/* --- defaults of the user's --------------------------------------------------------------------------------------- */

/* With TEXT as the user's file, LINE records this command, and that these options were given by the file (NULL: it was
 * of no use). */
static void check_configured(const char *text, const char *line, const char *command, const char *given)
{
    write_text("config", text);
    struct ran ran = run_line(line);
    json_t *json = strstr(line, "--output") ? json_load_file("a.json", 0, NULL) : json_incref(ran.json);
    if (ran.status != 0 || !json) fail_msg("'%s' gives %d: %s", line, ran.status, ran.err);
    const char *recorded = json_string_value(json_object_get(json, "command"));
    const json_t *configuration = json_object_get(json, "configuration");
    const char *used = json_string_value(json_object_get(configuration, "options"));
    if (strcmp(recorded, command) != 0) fail_msg("'%s' is recorded as '%s' instead of '%s'", line, recorded, command);
    if (given ? !used || strcmp(used, given) != 0 : configuration != NULL)
        fail_msg("'%s' has '%s' instead of '%s'", line, used ? used : "", given ? given : "");
    if (given) assert_string_equal(json_string_value(json_object_get(configuration, "path")), "config");
    json_decref(json);
    ran_free(&ran);
}

static void check_wrong(const char *text, const char *message)
{
    write_text("config", text);
    check_refused("probe", 2, message);
}

static void test_configuration(void **state)
{
    (void)state;
    const char *some =
        "# mine\n\nseed=7 # lucky\n  format = json\nquiet = yes\n[probe] # one verb\nsay = two words\nrows = 1\n"
        "[probe twice]\nseed = 8\n";
    setenv("CROSSWIND_CONFIG", "config", true);
    check_configured(some, "probe", "crosswind probe --seed=7 '--say=two words' --rows=1",
                     "--seed=7 --format=json --quiet '--say=two words' --rows=1");
    check_configured(some, "probe twice", "crosswind probe twice --seed=8", "--format=json --quiet --seed=8");
    check_configured(some, "probe --say a --seed 1 here --quiet=no", "crosswind probe --rows=1 --say a --seed 1 here",
                     "--format=json --rows=1"); /* what is typed goes first */
    check_configured("[probe]\nsay = \" # \"\nunsound = no\nbeside=a#b\r\n", "probe --format json",
                     "crosswind probe '--say= # ' --unsound=no '--beside=a#b'",
                     "'--say= # ' --unsound=no '--beside=a#b'");
    check_configured("[probe]\nsay = a\n", "probe twice --format json", "crosswind probe twice", NULL);
    check_configured("format = csv\n", "probe --output a.json", "crosswind probe", NULL); /* the ending says it */
    check_configured("", "probe --format json", "crosswind probe", NULL);
    /* a default that the verb refuses gives way, also the second one; what is typed does not */
    check_configured("[probe]\nbeside = a\nsay = b\nrows=0\n", "probe --format json", "crosswind probe --rows=0",
                     "--rows=0");
    check_refused("probe --beside a --rows 0", 2, "--beside is for rows");
    check_configured("[probe]\nbeside = a\n", "probe --format json", "crosswind probe --beside=a", "--beside=a");
    /* who is to blame */
    write_text("config", "\n[probe]\nrows = 0\nfails = usage\nsay = it\n");
    check_end("probe", 2, "", "crosswind: it fails (config:5 has --say=it)\n");
    check_end("status", 3, "", ""); /* computes nothing */
}

static void test_wrong_configuration(void **state)
{
    (void)state;
    setenv("CROSSWIND_CONFIG", "config", true);
    check_wrong("\nsed = 7", "crosswind: config:2: 'sed' is no option of all verbs; did you mean 'seed'?\n");
    check_wrong("say = a",
                "config:1: 'say' is no option of all verbs; expected threads, seed, format, quiet or plugin, or");
    check_wrong("[probe]\nrwos = 1", "config:2: probe has no option 'rwos'; did you mean 'rows'?");
    check_wrong("[probe]\nqqqqqqqq = 1", "config:2: probe has no option 'qqqqqqqq', see 'crosswind probe --help=all'");
    check_wrong("[porbe]", "config:1: there is no verb 'porbe'; did you mean 'probe'?");
    check_wrong("[qqqqqqqq]", "config:1: there is no verb 'qqqqqqqq', see 'crosswind help'");
    check_wrong("[probe", "config:1: '[probe' is no section; expected [VERB]");
    check_wrong("[probe] rows = 1", "is no section; expected [VERB]");
    check_wrong("seed", "config:1: 'seed' has no '='; expected NAME = VALUE, [VERB] or # and a comment");
    check_wrong("seed = # 7", "config:1: seed: expected a value behind '=', or one in quotes");
    check_wrong("[probe]\nsay = \"a", "config:2: say: expected a value behind '=', or one in quotes");
    check_wrong("[probe]\nsay = \"a\" b", "config:2: say: expected a value behind '=', or one in quotes");
    check_wrong("seed = x", "config:1: seed: 'x' is not a whole number");
    check_wrong("[probe twice]\nrows = 101",
                "config:2: rows: 101 is out of range; expected 0 to 100"); /* of any verb */
    check_wrong("quiet = maybe", "config:1: quiet: 'maybe' is not yes or no");
    check_wrong("seed = 1\nseed = 2", "config:2: 'seed' is given twice, before on line 1");
    check_wrong("[probe]\nseed = 1\n[probe twice]\n[probe]\nseed = 2",
                "config:5: 'seed' is given twice, before on line 2");
    check_wrong("--seed = 1", "config:1: '--seed': expected the name without dashes, 'seed'");
    check_wrong("output = a", "config:1: 'output' has no default; expected it on the command line, as --output");
    check_wrong("help = all", "'help' has no default");
    check_wrong("version = yes", "'version' has no default");
    check_end("probe --help", 0, "Usage: ", ""); /* which one may want to read now */
    check_end("status", 3, "", "");
    setenv("CROSSWIND_CONFIG", "nowhere/config", true);
    check_refused("probe", 1, "nowhere/config");
    setenv("CROSSWIND_CONFIG", "", true);
    check_end("probe", 0, "A probe", "");
}

/* Where it is looked for. */
static void test_place_of_configuration(void **state)
{
    (void)state;
    char here[PATH_MAX], folder[PATH_MAX + 20];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(mkdir("crosswind", 0755) | mkdir(".config", 0755) | mkdir(".config/crosswind", 0755), 0);
    write_text("crosswind/config", "seed = 5\n");
    write_text(".config/crosswind/config", "seed = 6\n");
    unsetenv("CROSSWIND_CONFIG");
    setenv("HOME", here, true);
    static const struct {
        const char *folder, *line;
    } places[] = {
        {"", "/crosswind/config: --seed=5"}, {"/nowhere", NULL}, {NULL, "/.config/crosswind/config: --seed=6"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(folder, sizeof folder, "%s%s", here, places[i].folder ? places[i].folder : "");
        places[i].folder ? setenv("XDG_CONFIG_HOME", folder, true) : unsetenv("XDG_CONFIG_HOME");
        struct ran ran = run_line("probe");
        assert_int_equal(ran.status, 0);
        if (!strstr(ran.out, places[i].line ? places[i].line : "# seed: 1\n"))
            fail_msg("place %zu gives\n%s", i, ran.out);
        ran_free(&ran);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_early),
        cmocka_unit_test(test_no_place),
        cmocka_unit_test(test_configuration),
        cmocka_unit_test(test_wrong_configuration),
        cmocka_unit_test(test_place_of_configuration),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
