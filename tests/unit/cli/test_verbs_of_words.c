/* What help, man and completion print of verbs, topics and names; and analyse of runs in which slowdowns were planted.
 */
#include "cli_test.h"

#include "cli/help/topics.h"

extern const struct verb verb_help, verb_man, verb_completion, verb_ebb, verb_model, verb_model_split_tree, verb_plan,
    verb_analyse, verb_testbed, verb_cores, verb_flit;
const struct verb *const verbs[] = {
    &verb_ebb,  &verb_model, &verb_model_split_tree, &verb_plan, &verb_analyse, &verb_testbed, &verb_cores, &verb_flit,
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

/* Paragraphs indented by four blanks have at most 80 columns, and use them: the next line's first word had no room. */
static void check_width(const char *text)
{
    for (const char *line = text, *next; *line; line = next) {
        size_t columns = 0;
        const char *end = strchr(line, '\n');
        if (!end) break;
        next = end + 1;
        if (strncmp(line, "    ", 4) != 0 || line[4] == ' ' || line[4] == '-') continue;
        for (const char *c = line; c < end; c++)
            columns += (*c & 0xc0) != 0x80; /* of a character in UTF-8 the first byte */
        if (columns > 80) fail_msg("%zu columns: %.*s", columns, (int)(end - line), line);
        if (strncmp(next, "    ", 4) != 0 || next[4] == ' ' || next[4] == '-' || !strncmp(next, "    For ", 8))
            continue;
        for (const char *c = next + 4; *c != ' ' && *c != '\n'; c++) columns += (*c & 0xc0) != 0x80;
        if (columns + 1 <= 80) fail_msg("%zu columns would do: %.*s", columns + 1, (int)(end - line), line);
    }
}

/* A topic names all that it has; each of these can be asked for by itself, in upper or lower case. */
static void test_topics(void **state)
{
    (void)state;
    for (const struct topic *topic = topics; topic->name; topic++) {
        char line[80];
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
        check_width(ran.out);
        assert_false(topic_item(topic, n, &item));
        assert_true(n > 0 && topic_item(topic, n - 1, &item));
        ran_free(&ran);
        char name[64];
        for (size_t c = 0; (name[c] = item.name[c]); c++)
            if (name[c] >= 'a' && name[c] <= 'z') name[c] = (char)(name[c] - 'a' + 'A');
        snprintf(line, sizeof line, "help '%s'", name);
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

/* WORDS, the last of which is being typed, have this answer: what stays, which files may follow, and the candidates. */
static void check_completed(const char *words, const char *stays, const char *files, const char *expected)
{
    char line[200];
    snprintf(line, sizeof line, "completion -- %s", words);
    struct ran ran = printed(line);
    struct cw_text answer = {0}, wanted = {0};
    struct cw_lines lines = cw_lines_of("", ran.out, strlen(ran.out));
    for (int i = 0; cw_lines_next(&lines); i++)
        cw_text_printf(&answer, i < 2 ? "%.*s|" : "%.*s ", (int)strcspn(lines.line, "\t\n"), lines.line);
    cw_text_printf(&wanted, "%s|%s|%s%s", stays, files, expected, *expected ? " " : "");
    if (strcmp(answer.data, wanted.data) != 0)
        fail_msg("'%s' is completed by '%s' instead of '%s'", words, answer.data, wanted.data);
    cw_text_free(&answer);
    cw_text_free(&wanted);
    ran_free(&ran);
}

/* Of each verb, all options but those that were given; of each of these, all that it may be, once where several verbs
 * have it. */
static void test_completion_of_options(void **state)
{
    (void)state;
    const struct cw_option *asked[512];
    size_t n_asked = 0;
    for (size_t v = 0; verbs[v]; v++) {
        struct cw_option_group groups[MAX_GROUPS];
        const size_t n = verb_groups(verbs[v], NULL, groups);
        char line[200], part[80];
        size_t options = 0;
        snprintf(line, sizeof line, "completion -- %s --version --", verbs[v]->name);
        struct ran all = printed(line);
        assert_null(strstr(all.out, "--version\t"));
        for (size_t g = 0; g < n; g++)
            for (const struct cw_option *option = groups[g].options; option->name; option++, options++) {
                if (strcmp(option->name, "version") == 0) continue;
                snprintf(part, sizeof part, "\n--%s\t", option->name);
                check_has(&all, part);
                check_has(&all, option->help);
                size_t known = 0;
                while (known < n_asked && asked[known] != option) known++;
                if (known < n_asked || (!option->choices && !option->names)) continue;
                assert_true(n_asked < sizeof asked / sizeof *asked);
                asked[n_asked++] = option;
                snprintf(line, sizeof line, "completion -- %s --%s=", verbs[v]->name, option->name);
                struct ran values = printed(line);
                for (size_t i = 0; option->choices && option->choices[i]; i++) check_has(&values, option->choices[i]);
                for (size_t i = 0; option->names && cw_registry_item(option->names, i); i++)
                    check_has(&values, cw_registry_name_of(cw_registry_item(option->names, i)));
                ran_free(&values);
            }
        assert_int_equal(times(all.out, "\n--"), options - 1);
        ran_free(&all);
    }
}

static void test_completion(void **state)
{
    (void)state;
    check_completed("m", "", "", "model man");
    check_completed("mo", "", "", "model");
    check_completed("--v", "", "", "--version");
    check_completed("help '' ''", "", "", "");
    check_completed("nothing-such --", "", "", "");
    check_completed("ebb --dir", "", "", "--direction");
    check_completed("ebb --direction b", "", "", "both bi");
    check_completed("ebb --direction=b", "--direction=", "", "both bi");
    check_completed("ebb --trials ''", "", "", "");          /* a number is nobody's to guess */
    check_completed("ebb --trials --plo", "", "", "--plot"); /* which is no value */
    check_completed("ebb --lft f", "", "file", "");
    check_completed("ebb --endpoints h", "", "file", "hca");
    check_completed("ebb --format c", "", "", "csv");
    check_completed("ebb hyperc", "", "file", "hypercube:");
    check_completed("ebb --quiet hyperc", "", "file", "hypercube:"); /* a flag has no value */
    check_completed("ebb -q --help hyperc", "", "file", "hypercube:");
    check_completed("ebb torus:4 hyperc", "", "", ""); /* there is but one network */
    check_completed("ebb --routing dmo", "", "", "dmodk");
    check_completed("ebb --quiet --q", "", "", "");
    check_completed("ebb --quiet=", "--quiet=", "", "yes no");
    check_completed("ebb -- --q", "", "file", "");
    check_completed("model sp", "", "file", "split-tree");
    check_completed("model split-tree --comp", "", "", "--compute");
    check_completed("model split-tree --collective sc", "", "", "scatter");
    check_completed("model --tra", "", "", "--traffic");
    check_completed("help topol", "", "", "topologies");
    check_completed("completion f", "", "", "fish");
    check_completed("testbed torus:2 -- --x", "", "file", "");
    /* lists */
    check_completed("plan --method lp,heu", "lp,", "", "heuristic");
    check_completed("flit --traffic 'uniform;bitc'", "uniform;", "", "bitcomp");
    check_completed("flit --routing minhop,up", "minhop,", "", "updn");
    check_completed("ebb --routing minhop,up", "", "", ""); /* takes one */
    /* parameters: of the registry's own tables, each once, with what they may be */
    check_completed("ebb dragonfly:1,2,ar", "dragonfly:1,2,", "", "arrangement=");
    check_completed("ebb dragonfly:1,arrangement=random,ar", "dragonfly:1,arrangement=random,", "", "");
    check_completed("ebb dragonfly:1,2,1,arrangement=p", "dragonfly:1,2,1,arrangement=", "", "palmtree");
    check_completed("ebb --routing dfsssp:la", "dfsssp:", "", "lanes=");
    check_completed("ebb --routing dfsssp:lanes=4,la", "dfsssp:lanes=4,", "", "");
    check_completed("flit --routing dfsssp:lanes=4,l", "dfsssp:lanes=4,", "", "lmc= lash");
    check_completed("flit --routing dfsssp:lanes=4,updn,dfsssp:la", "dfsssp:lanes=4,updn,dfsssp:", "", "lanes=");
    check_completed("model --traffic collective:rabens", "collective:", "", "rabenseifner");
    check_completed("model --traffic matrix:f", "matrix:", "file", "file=");
    check_completed("plan --transport bgq:list", "bgq:", "", "list-search=");
    check_completed("plan --export m", "", "", "mps:");
    check_completed("plan --export mps:f", "mps:", "file", "");
    check_refused("completion fisch", 2, "there is no completion for 'fisch'; did you mean 'fish'?");
    check_refused("completion qqqqqqqqqq", 2,
                  "there is no completion for 'qqqqqqqqqq'; expected one of bash, zsh, fish");
    struct ran bash = printed("completion"), same = printed("completion bash"), fish = printed("completion fish");
    assert_string_equal(bash.out, same.out);
    check_has(&bash, "complete -F _crosswind crosswind\n");
    check_has(&fish, "complete --command crosswind --no-files --arguments '(_crosswind)'\n");
    ran_free(&bash);
    ran_free(&same);
    ran_free(&fish);
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
    check_refused("analyse " CW_TEST_DATA "/golden/bench/noise.csv --figure times", 2, "--figure is for --plot FILE");
    check_refused("analyse", 2, "FILE");
}

/* The points of the N-th block of a figure's script, at most 100; their number. */
static size_t read_series(const char *script, int n, double points[100][2])
{
    char name[32];
    snprintf(name, sizeof name, "$series%d << END\n", n);
    const char *at = strstr(script, name);
    size_t count = 0;
    assert_non_null(at);
    for (at = strchr(at, '\n') + 1; strncmp(at, "END", 3) != 0; at = strchr(at, '\n') + 1) {
        assert_true(count < 100);
        assert_int_equal(sscanf(at, "%lf %lf", &points[count][0], &points[count][1]), 2);
        count++;
    }
    return count;
}

/* Slowdowns of splits beside their ratio; the line that was fitted, and its band, from the least ratio to the greatest.
 */
static void test_analyse_figure(void **state)
{
    (void)state;
    double splits[100][2], line[100][2], low[100][2], high[100][2];
    if (system("command -v gnuplot > /dev/null") != 0) skip();
    struct ran ran = result_of("analyse " CW_TEST_DATA "/golden/bench/noise.csv --plot ratio.svg --figure ratio");
    char *script = content_of("ratio.gp");
    assert_int_equal(read_series(script, 0, splits), 27); /* nine at each of three ratios */
    for (size_t i = 0; i < 27; i++) {
        assert_true(fabs(splits[i][0] - 0.25 * (double)(i / 9 + 1)) < 0.02);
        if (i % 9 > 0) assert_true(splits[i][0] > splits[i - 1][0]); /* beside each other */
        size_t row = 0;
        while (fabs(json_number_value(cell(&ran, "slowdown", row, "ratio")) - 0.25 * (double)(i / 9 + 1)) > 1e-9 ||
               strcmp(json_string_value(cell(&ran, "slowdown", row, "comparison")), "perturbed/clean") != 0)
            row++;
        assert_true(splits[i][1] >= json_number_value(cell(&ran, "slowdown", row, "slowdown_min")) * (1 - 1e-6));
        assert_true(splits[i][1] <= json_number_value(cell(&ran, "slowdown", row, "slowdown_max")) * (1 + 1e-6));
    }
    const double intercept = json_number_value(cell(&ran, "fit", 0, "intercept")),
                 slope = json_number_value(cell(&ran, "fit", 0, "slope"));
    const size_t n = read_series(script, 1, line);
    assert_true(n > 2 && read_series(script, 2, low) == n && read_series(script, 3, high) == n);
    for (size_t i = 0; i < n; i++) {
        assert_true(fabs(line[i][0] - 0.25 - 0.5 * (double)i / (double)(n - 1)) < 1e-9);
        assert_true(fabs(line[i][1] - intercept - slope * line[i][0]) < 1e-6);
        assert_true(low[i][0] == line[i][0] && high[i][0] == line[i][0]);
        assert_true(low[i][1] < line[i][1] && line[i][1] < high[i][1]);
        assert_true(fabs(low[i][1] + high[i][1] - 2 * line[i][1]) < 1e-6);
    }
    free(script);
    ran_free(&ran);
}

/* --- machines ----------------------------------------------------------------------------------------------------- */

/* Each core once; as many ranks as are asked for, and all others communicate: the lines to type name the same. */
static void test_cores(void **state)
{
    (void)state;
    setenv("XDG_CACHE_HOME", "/nowhere", 1);
    struct ran ran = result_of("cores --machine 'package:2 core:8 pu:2' --ranks 12");
    struct cw_text ranks = {0}, ours = {0};
    assert_int_equal(rows_of(&ran, "cores"), 16);
    size_t n = 0;
    for (size_t i = 0; i < 16; i++) {
        const bool rank = strcmp(json_string_value(cell(&ran, "cores", i, "role")), "rank") == 0;
        check_int(&ran, "cores", i, "cpu", 2 * (int64_t)i); /* the first of two */
        check_int(&ran, "cores", i, "package", (int64_t)i / 8);
        check_text(&ran, "cores", i, "role", rank ? "rank" : "communication");
        n += rank;
        cw_text_printf(rank ? &ranks : &ours, "%s%zu", (rank ? ranks : ours).length > 0 ? "," : "", 2 * i);
    }
    assert_int_equal(n, 12);
    char line[300];
    snprintf(line, sizeof line, "CROSSWIND_NBC_CORES=%s ", ours.data);
    assert_int_equal(notes_with(&ran, line), 2); /* Open MPI and Slurm */
    snprintf(line, sizeof line, "mpirun -n 12 -bind-to user:%s -genv", ranks.data);
    check_note(&ran, line);
    snprintf(line, sizeof line, "taskset -c %s PROGRAM", ranks.data);
    check_note(&ran, line);
    check_note(&ran, "12 ranks and 4 communication cores: ");
    check_note(&ran, "This rests on the model alone");
    cw_text_free(&ranks);
    cw_text_free(&ours);
    ran_free(&ran);
    ran = result_of("cores --machine 'core:10 pu:1' --ranks 8"); /* neighbours as ranges, where that is said */
    check_note(&ran, "taskset -c 0-7 PROGRAM");
    check_note(&ran, "user:0,1,2,3,4,5,6,7 ");
    ran_free(&ran);
    ran = result_of("cores --machine 'core:2 pu:1' --ranks 2");
    check_note(&ran, "No spare core: stay with MPI's own collectives. With 2 cores to use and 2 ranks none is left");
    ran_free(&ran);
}

/* Measurements of so many processors as there are and MORE, in FILE. */
static void write_tuning(const char *file, const char *mpi, long more)
{
    char content[400];
    struct ran version = printed("-V");
    snprintf(content, sizeof content,
             "version %.*s\nmpi %s\nprocessors %ld\ntime 2026-01-03T03:04:05Z\n"
             "bcast,60,4,1048576,auto,0.021,0.013,0.012,0.01475,3e-06\n",
             (int)strcspn(version.out + 10, "\n"), version.out + 10, mpi, sysconf(_SC_NPROCESSORS_ONLN) + more);
    write_text(file, content);
    ran_free(&version);
}

/* What was measured counts; what is kept of this machine must fit it. */
static void test_tuning(void **state)
{
    (void)state;
    static const char *const mpis[] = {"openmpi", "mpich"};
    char place[200], host[128] = "", file[300];
    assert_non_null(getcwd(place, sizeof place));
    setenv("XDG_CACHE_HOME", place, 1);
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    assert_int_equal(system("mkdir -p crosswind"), 0);
    write_tuning("measured.txt", "Some MPI", 5);
    struct ran ran = result_of("cores --machine 'core:64 pu:1' --tuning measured.txt");
    check_note(&ran, "This rests on what was measured with Some MPI and 60 ranks beside 4 communication cores "
                     "(2026-01-03T03:04:05Z): ");
    check_note(&ran, "MPI's blocking bcast takes 12 ms");
    ran_free(&ran);
    for (long more = 0; more < 2; more++) {
        for (size_t i = 0; i < 2; i++) {
            snprintf(file, sizeof file, "crosswind/overlap-%s-%s.txt", host, mpis[i]);
            write_tuning(file, mpis[i], more);
        }
        ran = result_of("cores");
        assert_int_equal(notes_with(&ran, " are not used: measured with "), 2 * more);
        ran_free(&ran);
        ran = result_of("cores --tuning off");
        assert_int_equal(notes_with(&ran, " are not used: "), 0);
        ran_free(&ran);
    }
}

/* A script of the whole network; nothing is run. */
static void test_testbed(void **state)
{
    (void)state;
    struct ran ran = printed("testbed xgft:2:2,2:1,2 --print");
    check_has(&ran, "# xgft:2:2,2:1,2, routed by dmodk: 4 hosts, 4 switches, 8 cables\n");
    check_has(&ran, "for n in h0 h1 h2 h3; do new $n 0; done\nfor n in s1-0 s1-1 s2-0 s2-1; do new $n 1; done\n");
    assert_int_equal(times(ran.out, " type veth peer name "), 8);
    ran_free(&ran);
    ran = printed("testbed crossbar:3 --print");
    check_has(&ran, "# crossbar:3, routed by minhop: 3 hosts, 1 switch, 3 cables\n");
    ran_free(&ran);
    check_refused("testbed crossbar:3", 2, "crosswind testbed needs a command behind --");
    check_refused("testbed crossbar:3 --print -- ls", 2, "--print runs nothing; leave out COMMAND");
    check_refused("testbed crossbar:3 --print --all", 2, "--print runs nothing; leave out --all");
    check_refused("testbed crossbar:3 --print --ranks-per-host 2", 2, "--ranks-per-host is for mpirun");
    check_refused("testbed crossbar:3 --print --format csv", 2, "--format is for results");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overview),   cmocka_unit_test(test_verbs),
        cmocka_unit_test(test_topics),     cmocka_unit_test(test_man),
        cmocka_unit_test(test_completion), cmocka_unit_test(test_completion_of_options),
        cmocka_unit_test(test_analyse),    cmocka_unit_test(test_analyse_figure),
        cmocka_unit_test(test_cores),      cmocka_unit_test(test_tuning),
        cmocka_unit_test(test_testbed),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
