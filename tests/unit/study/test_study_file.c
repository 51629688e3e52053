/* Files of studies: which cases they make, and what is wrong with those that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "study/compare/study_file.h"

static struct cw_study study_of(const char *text)
{
    struct cw_study study;
    if (cw_study_parse("s.yaml", text, strlen(text), &study)) fail_msg("%s", cw_error_message());
    return study;
}

/* TEXT is refused with MESSAGE. */
static void refuse(const char *text, const char *message)
{
    struct cw_study study;
    const int rc = cw_study_parse("s.yaml", text, strlen(text), &study);
    if (rc != CW_EPARSE || strcmp(cw_error_message(), message) != 0)
        fail_msg("%s\ngives %d and '%s' instead of '%s'", text, rc, rc ? cw_error_message() : "", message);
}

/* KEY has VALUES, with '|' between two. */
static void check_values(const struct cw_study *study, enum cw_study_key key, const char *values)
{
    char all[512] = "";
    for (size_t i = 0; i < study->keys[key].n; i++) {
        strcat(all, i > 0 ? "|" : "");
        strcat(all, study->keys[key].items[i].text);
    }
    assert_string_equal(all, values);
}

/* The cases of TEXT, with ';' between two: the values of their axes with blanks between them, "-" for none. */
static void check_cases(const char *text, const char *expected)
{
    struct cw_study study = study_of(text);
    struct cw_study_case *cases;
    size_t n;
    char all[1024] = "";
    if (cw_study_cases(&study, &cases, &n)) fail_msg("%s", cw_error_message());
    for (size_t i = 0; i < n; i++) {
        strcat(all, i > 0 ? ";" : "");
        for (size_t axis = 0; axis < CW_STUDY_AXES; axis++) {
            const char *value = cases[i].of[axis];
            if (study.keys[axis].n == 0) continue;
            if (all[0] && all[strlen(all) - 1] != ';') strcat(all, " ");
            strcat(all, !value ? "-" : *value ? value : "nothing");
        }
        assert_string_equal(cases[i].of[CW_STUDY_NETWORK], study.keys[CW_STUDY_NETWORK].items[cases[i].network].text);
    }
    assert_string_equal(all, expected);
    free(cases);
    cw_study_free(&study);
}

#define BASE "network: torus:4x4\nmeasure: ebb\n"

static void test_values(void **state)
{
    (void)state;
    struct cw_study study = study_of("title: a title, of words\n"
                                     "network: [xgft(2,8,4), 'dragonfly:2,4,2', \"torus:4x4\" , a(1, 2)]\n"
                                     "routing:\n"
                                     "  - updn,nue:lanes=2,vls=3\n"
                                     "  - minhop\n"
                                     "failed: ['', 'a,b']\n"
                                     "seed: [007, 2]\n"
                                     "trials: 10\n"
                                     "measure: [ebb, 'time:alltoall bytes=1MiB;shift:1,hops']\n");
    check_values(&study, CW_STUDY_TITLE, "a title, of words");
    check_values(&study, CW_STUDY_NETWORK, "xgft(2,8,4)|dragonfly:2,4,2|torus:4x4|a(1,2)");
    check_values(&study, CW_STUDY_ROUTING, "updn|nue:lanes=2,vls=3|minhop");
    check_values(&study, CW_STUDY_FAILED, "|a,b");
    check_values(&study, CW_STUDY_SEED, "7|2");
    check_values(&study, CW_STUDY_MEASURES, "ebb|time:alltoall bytes=1MiB;shift:1|hops");
    assert_int_equal(study.keys[CW_STUDY_NETWORK].items[3].line, 2);
    assert_int_equal(study.keys[CW_STUDY_ROUTING].items[2].line, 5);
    assert_false(study.keys[CW_STUDY_NETWORK].items[0].parted);
    assert_false(study.keys[CW_STUDY_SEED].items[1].parted);
    assert_null(cw_study_single(&study, CW_STUDY_REPAIR));
    assert_int_equal(cw_study_default(&study, CW_STUDY_SEED, "9"), 0);
    check_values(&study, CW_STUDY_SEED, "7|2");
    assert_int_equal(cw_study_default(&study, CW_STUDY_REPAIR, "dor"), 0);
    assert_string_equal(cw_study_single(&study, CW_STUDY_REPAIR), "dor");
    cw_study_free(&study);
}

/* Who wrote no blank after a comma may have meant one value. */
static void test_parted(void **state)
{
    struct cw_study study = study_of("network: [dragonfly:8,16,b(1,2),'x',y]\nmeasure: [ebb,hops]\n");
    const bool parted[] = {true, true, true, false, false};
    (void)state;
    check_values(&study, CW_STUDY_NETWORK, "dragonfly:8|16|b(1,2)|x|y");
    for (size_t i = 0; i < 5; i++) assert_int_equal(study.keys[CW_STUDY_NETWORK].items[i].parted, parted[i]);
    cw_study_free(&study);
}

/* The last axis varies fastest; tables come before engines. */
static void test_cases(void **state)
{
    (void)state;
    check_cases(BASE, "torus:4x4");
    check_cases("network: [a, b]\nseed: [1, 2]\nfailed: [\"\", x]\nmeasure: hops\n",
                "a nothing 1;a nothing 2;a x 1;a x 2;b nothing 1;b nothing 2;b x 1;b x 2");
    check_cases(BASE "routing: [minhop, dor]\nlft: [t, u]\ntrials: [1, 2]\n",
                "torus:4x4 t - 1;torus:4x4 t - 2;torus:4x4 u - 1;torus:4x4 u - 2;torus:4x4 - minhop 1;"
                "torus:4x4 - minhop 2;torus:4x4 - dor 1;torus:4x4 - dor 2");
    check_cases(BASE "lft: t\nrepair: minhop\n", "torus:4x4 t");
}

static void test_left_out(void **state)
{
    (void)state;
    check_cases("network: [a, b]\nrouting: [minhop, dor]\nmeasure: hops\nleave out: {network: a, routing: dor}\n",
                "a minhop;b minhop;b dor");
    check_cases("network: [a, b, c]\nrouting: [minhop, dor]\nmeasure: hops\nleave out:\n"
                "- {network: [a, c], routing: dor}\n- network: b\n",
                "a minhop;c minhop");
    /* What has tables has no engine. */
    check_cases(BASE "routing: [minhop, dor]\nlft: t\nleave out: [{routing: [minhop, dor]}]\n", "torus:4x4 t -");
    struct cw_study study = study_of(BASE "leave out: {network: torus:4x4}\n");
    struct cw_study_case *cases;
    size_t n;
    assert_int_equal(cw_study_cases(&study, &cases, &n), CW_EPARSE);
    assert_string_equal(cw_error_message(), "s.yaml: leave out: no case remains");
    cw_study_free(&study);
}

static void test_too_many(void **state)
{
    char text[8192] = BASE;
    struct cw_study_case *cases;
    size_t n;
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        strcat(text, axis == 0 ? "failed: [x" : axis == 1 ? "]\ndegraded: [x" : "]\nendpoints: [x");
        for (int i = 0; i < 99; i++) sprintf(text + strlen(text), ", x%d", i);
    }
    strcat(text, "]\n");
    struct cw_study study = study_of(text);
    assert_int_equal(cw_study_cases(&study, &cases, &n), CW_ELIMIT);
    assert_string_equal(cw_error_message(), "s.yaml: there are more than 100000 combinations, too many for one study");
    cw_study_free(&study);
}

static void test_keys_refused(void **state)
{
    (void)state;
    refuse("", "s.yaml: this is no study; expected keys, such as \"network: torus:8x8\"");
    refuse("# nothing\n", "s.yaml: this is no study; expected keys, such as \"network: torus:8x8\"");
    refuse("\n- network\n", "s.yaml:2: this is no study; expected keys, such as \"network: torus:8x8\"");
    refuse("measure: ebb\n", "s.yaml: network is missing");
    refuse("network: a\n", "s.yaml: measure is missing");
    refuse(BASE "routings: minhop\n", "s.yaml:3: no key is called 'routings'; did you mean 'routing'?");
    refuse(BASE "leave-out: 1\n", "s.yaml:3: no key is called 'leave-out'; did you mean 'leave out'?");
    refuse(BASE "colour: 1\n",
           "s.yaml:3: no key is called 'colour'; expected one of network, lft, routing, endpoints, failed, degraded, "
           "seed, trials, title, input-format, node-name-map, nodes, repair, measure, leave out");
    refuse(BASE "[a]: 1\n", "s.yaml:3: expected a key, such as \"network: torus:8x8\"");
    refuse(BASE "network: b\n", "s.yaml:3: network is there twice");
    refuse(BASE "repair: minhop\n", "s.yaml:3: repair is for the fabric's own tables, lft, which are missing");
    refuse(BASE "title: [a, b]\n", "s.yaml:3: title: expected one value, not a list");
}

static void test_values_refused(void **state)
{
    (void)state;
    refuse("measure: ebb\nnetwork:\n", "s.yaml:2: network: a value is missing");
    refuse("measure: ebb\nnetwork: ''\n", "s.yaml:2: network: a value is missing");
    refuse("measure: ebb\nnetwork: []\n", "s.yaml:2: network: the list is empty");
    refuse("measure: ebb\nnetwork:\n  - a\n  -\n", "s.yaml:4: network: a value is missing");
    refuse("measure: ebb\nnetwork: [a, {b: c}]\n", "s.yaml:2: network: expected a text or a number");
    refuse("measure: ebb\nnetwork: {a: b}\n", "s.yaml:2: network: expected a text or a number");
    refuse("measure: ebb\nnetwork: [a, b, a]\n", "s.yaml:2: network: 'a' is there twice");
    refuse("measure: ebb\nnetwork: \"-\"\n", "s.yaml:2: network: standard input can be read but once; expected a file");
    refuse("measure: ebb\nnetwork: \"a\\nb\"\n",
           "s.yaml:2: network: a value has a control character or the end of a line in it");
    refuse("measure: ebb\nnetwork: \"a\\0b\"\n",
           "s.yaml:2: network: a value has a control character or the end of a line in it");
    refuse(BASE "failed:\n", "s.yaml:3: failed: a value is missing; \"\" is nothing");
    refuse(BASE "seed: 1.5\n", "s.yaml:3: seed: '1.5' is no whole number from 0 to 9000000000000000000");
    refuse(BASE "seed: [1, 01]\n", "s.yaml:3: seed: '1' is there twice");
    refuse(BASE "seed: -1\n", "s.yaml:3: seed: '-1' is no whole number from 0 to 9000000000000000000");
    refuse(BASE "seed: 99999999999999999999\n",
           "s.yaml:3: seed: '99999999999999999999' is no whole number from 0 to 9000000000000000000");
    refuse(BASE "trials: 0\n", "s.yaml:3: trials: '0' is no whole number from 1 to 1000000");
    refuse(BASE "routing: [minhop, 'dor,,updn']\n", "s.yaml:3: routing: a value is missing");
    refuse(BASE "routing: [minhop, 'dor,minhop']\n", "s.yaml:3: routing: 'minhop' is there twice");
}

static void test_rules_refused(void **state)
{
    static const char expected[] =
        "leave out: expected what the cases have, such as \"- {network: torus:8x8, routing: dor}\"";
    char message[256];
    (void)state;
    snprintf(message, sizeof message, "s.yaml:3: %s", expected);
    refuse(BASE "leave out: dor\n", message);
    refuse(BASE "leave out:\n", message);
    refuse(BASE "leave out: {}\n", message);
    snprintf(message, sizeof message, "s.yaml:5: %s", expected);
    refuse(BASE "leave out:\n- network: torus:4x4\n- dor\n", message);
    refuse(BASE "leave out: {routing: dor}\n", "s.yaml:3: leave out: no case has routing 'dor'");
    refuse(BASE "routing: [updn, minhop]\nleave out:\n- routing: [updn, minhopp]\n",
           "s.yaml:5: leave out: no case has routing 'minhopp'; did you mean 'minhop'?");
    refuse(BASE "leave out: {network: torus:4x4, network: torus:4x4}\n", "s.yaml:3: leave out: network is there twice");
    refuse(BASE "leave out: {measure: ebb}\n",
           "s.yaml:3: no key is called 'measure'; expected one of network, lft, routing, endpoints, failed, degraded, "
           "seed, trials");
    refuse(BASE "leave out: {network: torus:4x4}\nleave out: {network: torus:4x4}\n",
           "s.yaml:4: leave out is there twice");
}

static void test_no_yaml(void **state)
{
    (void)state;
    refuse("network: [a, b\nmeasure: ebb\n", "s.yaml:2: this is no YAML: did not find expected ',' or ']'");
    refuse(BASE "x: 'a\n", "s.yaml:4: this is no YAML: found unexpected end of stream");
    refuse(BASE "\tx: a\n", "s.yaml:3: this is no YAML: found a tab character that violates indentation");
    refuse(BASE "title: \xff\n", "s.yaml:3: this is no YAML: invalid leading UTF-8 octet");
    refuse(BASE "title: *a\n", "s.yaml:3: this is no YAML: found undefined alias");
    refuse(BASE "---\nnetwork: b\n", "s.yaml:4: expected one document, this is a second");
    refuse(BASE "---\n]\n", "s.yaml:4: this is no YAML: did not find expected node content");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),         cmocka_unit_test(test_parted),
        cmocka_unit_test(test_cases),          cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_too_many),       cmocka_unit_test(test_keys_refused),
        cmocka_unit_test(test_values_refused), cmocka_unit_test(test_rules_refused),
        cmocka_unit_test(test_no_yaml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
