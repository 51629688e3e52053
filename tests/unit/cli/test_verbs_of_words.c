/* What help, man and completion print of verbs, topics and names; and analyse of runs in which slowdowns were planted.
 */
#include "cli_test.h"

#include "cli/topics.h"

extern const struct verb verb_help, verb_man, verb_completion, verb_ebb, verb_model, verb_model_split_tree, verb_plan,
    verb_analyse, verb_testbed;
const struct verb *const verbs[] = {
    &verb_ebb,  &verb_model, &verb_model_split_tree, &verb_plan, &verb_analyse, &verb_testbed,
    &verb_help, &verb_man,   &verb_completion,       NULL};

static struct ran printed(const char *line)
{
    struct ran ran = run_line(line);
    if (ran.status != 0 || *ran.err) fail_msg("'%s' gives %d: %s", line, ran.status, ran.err);
    return ran;
}

static void check_has(const struct ran *ran, const char *part)
{
    if (!strstr(ran->out, part)) fail_msg("'%s' is not in\n%s", part, ran->out);
}

/* How often PART is in TEXT. */
static size_t times(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}

/* --- help --------------------------------------------------------------------------------------------------------- */

static void test_overview(void **state)
{
    (void)state;
    struct ran ran = printed("help"), alone = printed("");
    assert_string_equal(ran.out, alone.out);
    for (size_t i = 0; verbs[i]; i++) {
        char line[200]; /* all begin in one column */
        snprintf(line, sizeof line, "\n  %-16s %s\n", verbs[i]->name, verbs[i]->help);
        check_has(&ran, line);
    }
    for (const struct topic *topic = topics; topic->name; topic++) {
        char line[400];
        snprintf(line, sizeof line, "\n  %-16s %s\n", topic->name, topic->help);
        check_has(&ran, line);
    }
    ran_free(&ran);
    ran_free(&alone);
}

/* Every option, by its name and with its letter; those that few need are only named unless all is asked for. */
static void test_verbs(void **state)
{
    (void)state;
    for (size_t i = 0; verbs[i]; i++) {
        struct cw_option_group groups[MAX_GROUPS];
        const size_t n = verb_groups(verbs[i], NULL, groups);
        char line[64], name[64];
        snprintf(line, sizeof line, "%s --help=all", verbs[i]->name);
        struct ran all = printed(line);
        snprintf(line, sizeof line, "%s --help", verbs[i]->name);
        struct ran some = printed(line);
        for (size_t g = 0; g < n; g++)
            for (const struct cw_option *option = groups[g].options; option->name; option++) {
                snprintf(name, sizeof name, "--%s", option->name);
                check_has(&all, name);
                check_has(&some, name);
                snprintf(name, sizeof name, "\n  --%s", option->name); /* where it is explained */
                if (option->letter) snprintf(name, sizeof name, "\n  -%c, --%s", option->letter, option->name);
                if (!strstr(all.out, name)) fail_msg("'%s' is not explained in\n%s", name, all.out);
                assert_int_equal(strstr(some.out, name) != NULL, !option->rare);
            }
        snprintf(name, sizeof name, "Usage: crosswind %s", verbs[i]->name);
        assert_int_equal(strncmp(all.out, name, strlen(name)), 0);
        assert_int_equal(times(all.out, "\nArguments:\n"), verbs[i]->arguments != NULL);
        assert_int_equal(times(all.out, "\nExamples:\n"), verbs[i]->examples != NULL);
        assert_int_equal(times(all.out, "[-- COMMAND [ARG...]]"), verbs[i]->command);
        ran_free(&all);
        ran_free(&some);
    }
}

/* A topic names all that it has; each of these can be asked for by itself, in upper or lower case. */
static void test_topics(void **state)
{
    (void)state;
    for (const struct topic *topic = topics; topic->name; topic++) {
        char line[64];
        struct topic_item item;
        size_t n = 0;
        snprintf(line, sizeof line, "help %s", topic->name);
        struct ran ran = printed(line);
        for (size_t part = 0; part < TOPIC_PARTS && topic->parts[part].registry; part++)
            for (size_t i = 0; cw_registry_item(topic->parts[part].registry, i); i++, n++) {
                assert_true(topic_item(topic, n, &item));
                assert_string_equal(item.name, cw_registry_name_of(cw_registry_item(topic->parts[part].registry, i)));
                check_has(&ran, item.name);
                for (const struct cw_option *option = item.options; option && option->name; option++)
                    check_has(&ran, option->name);
            }
        assert_false(topic_item(topic, n, &item));
        assert_true(n > 0 && topic_item(topic, n - 1, &item));
        ran_free(&ran);
        char name[64];
        for (size_t c = 0; (name[c] = item.name[c]); c++)
            if (name[c] >= 'a' && name[c] <= 'z') name[c] = (char)(name[c] - 'a' + 'A');
        snprintf(line, sizeof line, "help %s", name);
        ran = printed(line);
        check_has(&ran, item.means ? item.means : item.name);
        ran_free(&ran);
    }
    check_refused("help tourus", 2, "there is no help on 'tourus'; did you mean 'torus'?");
    check_refused("help qqqqqqqqqq", 2, "there is no help on 'qqqqqqqqqq'; 'crosswind help' lists verbs and topics");
    struct ran ran = printed("help model"), same = printed("model --help");
    assert_string_equal(ran.out, same.out);
    ran_free(&ran);
    ran_free(&same);
}

/* --- man ---------------------------------------------------------------------------------------------------------- */

static void test_man(void **state)
{
    (void)state;
    struct ran page = printed("man");
    check_has(&page, ".TH CROSSWIND 1 \"\" \"crosswind 0.");
    for (size_t i = 0; verbs[i]; i++) {
        struct cw_option_group groups[MAX_GROUPS];
        const size_t n = verb_groups(verbs[i], NULL, groups);
        size_t options = 0, arguments = 0;
        char line[64];
        snprintf(line, sizeof line, strchr(verbs[i]->name, ' ') ? "man '%s'" : "man %s", verbs[i]->name);
        struct ran ran = printed(line);
        for (size_t g = 0; g < n; g++)
            for (const struct cw_option *option = groups[g].options; option->name; option++) options++;
        for (const struct cw_option *argument = verbs[i]->arguments; argument && argument->name; argument++)
            arguments++;
        assert_int_equal(times(ran.out, ".TP\n\\fB"), options);
        assert_int_equal(times(ran.out, ".TP\n\\fI"), arguments);
        assert_int_equal(times(ran.out, ".SH EXAMPLES\n.nf\n"), verbs[i]->examples != NULL);
        for (const char *c = ran.out; *c; c++) /* no line begins with what roff takes for its own, but its requests */
            if ((c == ran.out || c[-1] == '\n') && (*c == '\'' || *c == '.')) assert_true(c[1] >= 'A' && c[1] <= 'z');
        snprintf(line, sizeof line, "crosswind\\-%s \\- ",
                 strcmp(verbs[i]->name, "model split-tree") == 0 ? "model\\-split\\-tree" : verbs[i]->name);
        check_has(&ran, line);
        ran_free(&ran);
    }
    assert_int_equal(times(page.out, "(1)\n"), sizeof verbs / sizeof *verbs - 1);
    ran_free(&page);
    struct ran ebb = printed("man ebb");
    check_has(
        &ebb,
        "\n.TP\n\\fB\\-\\-direction\\fR both|uni|bi\none half sends to the other (uni), both halves send (bi), or a "
        "row for each (both) (default both)\n");
    check_has(&ebb, "\n.TP\n\\fB\\-q, \\-\\-quiet\\fR\nshow no progress\n");
    check_has(&ebb, "\n.TP\n\\fB\\-h, \\-\\-help\\fR[=\\fIall\\fR]\n");
    ran_free(&ebb);
    check_refused("man ebc", 2, "there is no verb 'ebc', did you mean 'ebb'?");
}

/* --- completion --------------------------------------------------------------------------------------------------- */

/* What the script answers to WORDS, the last of which is being typed, in any order. */
static char *completed(const char *words)
{
    char command[400];
    snprintf(
        command, sizeof command,
        "bash -c 'source ./completion; COMP_WORDS=(crosswind %s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _crosswind; "
        "echo \" ${COMPREPLY[*]} \"' > answer",
        words);
    assert_int_equal(system(command), 0);
    return content_of("answer");
}

static void check_completed(const char *words, const char *expected)
{
    char *answer = completed(words);
    if (strcmp(answer, expected) != 0) fail_msg("'%s' is completed by '%s' instead of '%s'", words, answer, expected);
    free(answer);
}

static void test_completion(void **state)
{
    (void)state;
    if (system("command -v bash > /dev/null") != 0) skip();
    struct ran ran = printed("completion");
    write_text("completion", ran.out);
    ran_free(&ran);
    write_text("file.x", "");
    check_completed("m", " model man \n");
    check_completed("mo", " model \n");
    check_completed("ebb --dir", " --direction \n");
    check_completed("ebb --direction b", " both bi \n");
    check_completed("ebb --trials 1", "  \n"); /* a number is nobody's to guess */
    check_completed("ebb --lft file", " file.x \n");
    check_completed("ebb --format c", " csv \n");
    check_completed("ebb hyperc", " hypercube \n");
    check_completed("ebb file", " file.x \n");
    check_completed("ebb --quiet hyperc", " hypercube \n"); /* a flag has no value */
    check_completed("ebb --routing dmo", " dmodk \n");
    check_completed("model sp", " split-tree \n");
    check_completed("model split-tree --comp", " --compute \n");
    check_completed("model split-tree --collective sc", " scatter \n");
    check_completed("model --tra", " --traffic \n");
    check_completed("help topol", " topologies \n");
    check_completed("plan --method heu", " heuristic \n");
    check_completed("ebb --nothing-such", "  \n");
}

/* --- analyse ------------------------------------------------------------------------------------------------------ */

/* In noise.csv the perturbation makes calls 2, 3 and 4 times as slow at 1/4, 1/2 and 3/4, and the control none. */
static void test_analyse(void **state)
{
    (void)state;
    static const struct {
        const char *comparison;
        double ratio, slowdown;
    } planted[] = {{"perturbed/clean", 0.25, 2}, {"perturbed/clean", 0.5, 3}, {"perturbed/clean", 0.75, 4},
                   {"control/clean", 0.25, 1},   {"control/clean", 0.5, 1},   {"control/clean", 0.75, 1}};
    struct ran ran = result_of("analyse " CW_TEST_DATA "/golden/bench/noise.csv");
    size_t found = 0;
    for (size_t row = 0; row < rows_of(&ran, "slowdown"); row++)
        for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
            if (strcmp(json_string_value(cell(&ran, "slowdown", row, "comparison")), planted[i].comparison) != 0 ||
                json_number_value(cell(&ran, "slowdown", row, "ratio")) != planted[i].ratio)
                continue;
            const double median = json_number_value(cell(&ran, "slowdown", row, "slowdown_median"));
            assert_true(fabs(median / planted[i].slowdown - 1) < 0.1);
            assert_true(json_number_value(cell(&ran, "slowdown", row, "slowdown_median_low")) <= median);
            assert_true(json_number_value(cell(&ran, "slowdown", row, "slowdown_median_high")) >= median);
            assert_int_equal(json_integer_value(cell(&ran, "slowdown", row, "application_ranks")) +
                                 json_integer_value(cell(&ran, "slowdown", row, "perturbing_ranks")),
                             8);
            found++;
        }
    assert_true(found >= sizeof planted / sizeof *planted);
    assert_true(fabs(json_number_value(cell(&ran, "fit", 0, "slope")) - 4) < 1); /* 1 + 4 · ratio */
    assert_true(fabs(json_number_value(cell(&ran, "fit", 0, "intercept")) - 1) < 0.3);
    ran_free(&ran);
    check_refused("analyse " CW_TEST_DATA "/golden/bench/noise.csv --figure times", 2,
                  "--figure is for --plot FILE.svg");
    check_refused("analyse", 2, "FILE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overview), cmocka_unit_test(test_verbs),      cmocka_unit_test(test_topics),
        cmocka_unit_test(test_man),      cmocka_unit_test(test_completion), cmocka_unit_test(test_analyse),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
