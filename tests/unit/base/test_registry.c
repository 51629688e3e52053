/* Looking things up by name: pointers and structures, other names, guesses and lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/registry.h"
#include "base/registry_internal.h"
#include "base/text.h"

struct colour {
    const char *name;
    int wavelength; /* nm */
};

static const struct colour red = {"red", 700}, green = {"green", 530}, violet = {"violet", 400};
static const struct colour *const colours[] = {&red, &green, &violet, NULL};
static const struct colour other_colours[] = {{"crimson", 650}, {"green", 1}, {NULL, 0}};

static const struct cw_registry others = {.items = other_colours, .size = sizeof *other_colours};
static const struct cw_registry plain = {.items = colours,
                                         .near = "no colour is called '%s'; did you mean '%s'?",
                                         .none = "no colour is called '%s'; there are %s"};
static const struct cw_registry both = {
    .items = colours, .also = &others, .near = "near %s: %s", .none = "none %s: %s"};

static void test_items(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) assert_ptr_equal(cw_registry_item(&plain, i), colours[i]);
    assert_null(cw_registry_item(&plain, 3));
    for (size_t i = 0; i < 2; i++) assert_ptr_equal(cw_registry_item(&others, i), &other_colours[i]);
    assert_null(cw_registry_item(&others, 2));
    assert_null(cw_registry_item(&both, 3)); /* its own only */
    assert_string_equal(cw_registry_name_of(cw_registry_item(&others, 0)), "crimson");
}

static void test_find(void **state)
{
    (void)state;
    assert_ptr_equal(cw_registry_find(&plain, "red"), &red);
    assert_ptr_equal(cw_registry_find(&plain, "violet"), &violet);
    assert_ptr_equal(cw_registry_find(&others, "green"), &other_colours[1]);
    assert_ptr_equal(cw_registry_find(&both, "green"), &green);
    assert_null(cw_registry_find(&both, "crimson"));
    assert_null(cw_registry_find(&plain, "re"));
    assert_null(cw_registry_find(&plain, "Red"));
    assert_null(cw_registry_find(&plain, ""));
}

static void check_unknown(const struct cw_registry *registry, const char *name, const char *message)
{
    assert_int_equal(cw_registry_unknown(registry, name), CW_EUSAGE);
    assert_string_equal(cw_error_message(), message);
}

static void test_unknown(void **state)
{
    (void)state;
    check_unknown(&plain, "gren", "no colour is called 'gren'; did you mean 'green'?");
    check_unknown(&plain, "GREEN", "no colour is called 'GREEN'; did you mean 'green'?");
    check_unknown(&plain, "crimsn", "no colour is called 'crimsn'; there are red, green, violet");
    check_unknown(&both, "crimsn", "near crimsn: crimson");
    check_unknown(&both, "ochre", "none ochre: red, green, violet, crimson"); /* green once */
}

static void test_guess(void **state)
{
    (void)state;
    struct cw_guess guess = cw_guess_of("crimsen");
    cw_guess_try(&guess, "cramsen"); /* one edit, and the first of those */
    cw_registry_guess(&both, &guess);
    assert_string_equal(guess.nearest, "cramsen");
    guess = cw_guess_of("crimsen");
    cw_guess_try(&guess, "cramsin");
    cw_registry_guess(&both, &guess);
    assert_string_equal(guess.nearest, "crimson");
}

static void test_list(void **state)
{
    (void)state;
    struct cw_text text = {0};
    cw_registry_list(&both, " ", &text);
    assert_int_equal(cw_text_check(&text), 0);
    assert_string_equal(text.data, "red green violet crimson");
    cw_text_free(&text);
}

/* The elements of LIST, with '|' between two. */
static void check_elements(const char *list, const char *right)
{
    char found[128] = "";
    for (const char *left = list; left;) {
        const size_t length = cw_registry_element(&plain, left);
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.*s", left == list ? "" : "|", (int)length,
                 left);
        left = left[length] ? left + length + 1 : NULL;
    }
    assert_string_equal(found, right);
}

static void test_elements(void **state)
{
    (void)state;
    check_elements("red", "red");
    check_elements("red,green", "red|green");
    check_elements("red:x=1", "red:x=1");
    check_elements("red:x=1,y=2", "red:x=1,y=2");
    check_elements("red:x=1,green:y=2", "red:x=1|green:y=2");
    check_elements("red:x=1,red:x=2", "red:x=1|red:x=2");
    check_elements("red:x=1,y=2,green:y=2,z=3,violet", "red:x=1,y=2|green:y=2,z=3|violet");
    check_elements("red,green:x=1", "red|green:x=1");
    check_elements("red:x=1,green,violet:z=0", "red:x=1|green|violet:z=0");
    /* Parameters without a name, and flags; values that look like something else. */
    check_elements("red:4,5,green", "red:4,5|green");
    check_elements("red:x=1,bright,green", "red:x=1,bright|green");
    check_elements("red:file=a:b,x=green,green:c:d", "red:file=a:b,x=green|green:c:d");
    check_elements("red:x=1,green=2", "red:x=1,green=2");
    /* What is no name is an element's all the same where it can be nothing else, so that it is called unknown. */
    check_elements("red,grean", "red|grean");
    check_elements("red:x=1,grean:y=2", "red:x=1|grean:y=2");
    check_elements("red,,green", "red||green");
    check_elements("red:x=1,", "red:x=1|");
    check_elements("red,x=1", "red,x=1");
}

static bool is_long(const void *item)
{
    return ((const struct colour *)item)->wavelength > 500;
}

/* A registry that picks from an array knows nothing of the rest. */
static void test_has(void **state)
{
    (void)state;
    const struct cw_registry some = {.items = colours, .has = is_long, .near = plain.near, .none = plain.none};
    assert_ptr_equal(cw_registry_item(&some, 0), &red);
    assert_ptr_equal(cw_registry_item(&some, 1), &green);
    assert_null(cw_registry_item(&some, 2));
    assert_null(cw_registry_find(&some, "violet"));
    check_unknown(&some, "violets", "no colour is called 'violets'; there are red, green");
    const struct cw_registry of_structures = {.items = other_colours, .size = sizeof *other_colours, .has = is_long};
    assert_ptr_equal(cw_registry_find(&of_structures, "crimson"), &other_colours[0]);
    assert_null(cw_registry_find(&of_structures, "green"));
}

/* --- what is added while the program runs ------------------------------------------------------------------------- */

static const struct colour *growing[5] = {&red};

static const char *lacks(const void *item)
{
    return ((const struct colour *)item)->wavelength > 0 ? NULL : "a wavelength";
}

static const struct cw_registry open_registry = {
    .items = growing, .also = &others, .room = 5, .item_size = sizeof(struct colour), .kind = "colour", .lacks = lacks};

static void check_refused(const struct colour *colour, unsigned interface, size_t size, int rc, const char *message)
{
    assert_int_equal(cw_registry_add(&open_registry, colour, interface, size), rc);
    if (!strstr(cw_error_message(), message)) fail_msg("'%s' does not say '%s'", cw_error_message(), message);
}

static void test_add(void **state)
{
    static const struct colour blue = {"blue", 470}, dark = {"dark", 0}, named_well[] = {{"a-1", 1}, {"z", 2}};
    static const struct colour named_badly[] = {{"", 1},   {"Blue", 1}, {"a b", 1}, {"a:b", 1},
                                                {"1a", 1}, {"-a", 1},   {NULL, 1}};
    const size_t size = sizeof blue;
    (void)state;
    check_refused(&blue, CW_INTERFACE + 1, size, CW_EUSAGE, "was compiled for interface ");
    check_refused(&blue, CW_INTERFACE, size - 8, CW_EUSAGE, "(8 bytes) of Crosswind");
    check_refused(&dark, CW_INTERFACE, size, CW_EUSAGE, "colour 'dark' lacks a wavelength");
    check_refused(&red, CW_INTERFACE, size, CW_EUSAGE, "there is a colour 'red' already");
    check_refused(&other_colours[0], CW_INTERFACE, size, CW_EUSAGE, "there is a colour 'crimson' already");
    for (size_t i = 0; i < sizeof named_badly / sizeof *named_badly; i++)
        check_refused(&named_badly[i], CW_INTERFACE, size, CW_EUSAGE, "expected a name of lower-case letters");
    assert_null(cw_registry_item(&open_registry, 1)); /* nothing was added so far */

    assert_int_equal(cw_registry_add(&open_registry, &blue, CW_INTERFACE, size), 0);
    assert_ptr_equal(cw_registry_find(&open_registry, "blue"), &blue);
    assert_ptr_equal(cw_registry_item(&open_registry, 1), &blue);
    check_refused(&blue, CW_INTERFACE, size, CW_EUSAGE, "there is a colour 'blue' already");
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(cw_registry_add(&open_registry, &named_well[i], CW_INTERFACE, size), 0);
    check_refused(&green, CW_INTERFACE, size, CW_EUSAGE, "already"); /* of others */
    check_refused(&violet, CW_INTERFACE, size, CW_ELIMIT, "no room for another colour than 4");
    assert_null(cw_registry_item(&open_registry, 4));
    assert_int_equal(cw_registry_add(&plain, &blue, CW_INTERFACE, size), CW_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items), cmocka_unit_test(test_find), cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_guess), cmocka_unit_test(test_list), cmocka_unit_test(test_elements),
        cmocka_unit_test(test_has),   cmocka_unit_test(test_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
