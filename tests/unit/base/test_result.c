/* Results: provenance, and the text, CSV, JSON and metadata they are written as. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/random.h"
#include "base/result.h"
#include "base/version.h"

/* SHA-256 of "abc" and of the empty message (FIPS 180-2, appendix B, and the standard's definition). */
static const char HASH_ABC[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
static const char HASH_EMPTY[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static const struct cw_column columns[] = {
    {"pattern", CW_COLUMN_TEXT, NULL, "Who sends to whom"},
    {"endpoints", CW_COLUMN_INT, NULL, "Endpoints of the fabric"},
    {"time", CW_COLUMN_REAL, "s", "Time of a round"},
};

static struct cw_table *new_table(const char *name)
{
    struct cw_table *table = NULL;
    assert_int_equal(cw_table_new(name, "Rounds of the pattern", columns, 3, &table), 0);
    return table;
}

/* Two tables, two notes, two inputs. */
static struct cw_result *sample(void)
{
    struct cw_result *result = NULL;
    assert_int_equal(cw_result_new(&result), 0);
    cw_result_set_command(result, "crosswind replaced", 1);
    cw_result_set_command(result, "crosswind noise torus:4x4", 42);
    assert_int_equal(cw_inputs_add(cw_result_inputs(result), "abc.net", HASH_ABC), 0);
    assert_int_equal(cw_inputs_add(cw_result_inputs(result), "-", HASH_EMPTY), 0);
    struct cw_table *table = new_table("rounds");
    cw_table_text(table, "ring");
    cw_table_int(table, 10368);
    cw_table_real(table, 1.0 / 3);
    cw_table_text(table, "a\xff\"b");
    cw_table_none(table);
    cw_table_none(table);
    assert_int_equal(cw_result_add_table(result, table), 0);
    assert_int_equal(cw_result_add_table(result, new_table("empty")), 0);
    cw_result_note(result, "%d of %d channels carry more than one message, which is why the slowest of them decides.",
                   7, 96);
    for (int again = 0; again < 2; again++) cw_result_note(result, "Second."); /* is there once */
    assert_int_equal(cw_result_notes(result), 2);
    assert_string_equal(cw_result_note_at(result, 1), "Second.");
    return result;
}

static void test_text(void **state)
{
    (void)state;
    struct cw_result *result = sample();
    struct cw_text text = {0}, expected = {0};
    cw_text_printf(&expected,
                   "Rounds of the pattern\n\n"
                   "pattern  endpoints   time\n"
                   "                     [ms]\n"
                   "-------  ---------  -----\n"
                   "ring        10,368  333.3\n"
                   "a\xff\"b             -    -\n\n"
                   "Rounds of the pattern\n\n"
                   "pattern  endpoints  time\n"
                   "                     [s]\n"
                   "-------  ---------  ----\n"
                   "(no rows)\n\n"
                   "7 of 96 channels carry more than one message, which is why the slowest of them\n"
                   "decides.\n"
                   "Second.\n\n"
                   "# crosswind %s\n"
                   "# command: crosswind noise torus:4x4\n"
                   "# seed: 42\n"
                   "# input: abc.net (SHA-256 %s)\n"
                   "# input: - (SHA-256 %s)\n",
                   cw_version(), HASH_ABC, HASH_EMPTY);
    assert_int_equal(cw_result_write(result, CW_FORMAT_TEXT, 0, &text), 0);
    assert_string_equal(text.data, expected.data);
    cw_text_free(&text);
    cw_text_free(&expected);
    cw_result_free(result);
    cw_result_free(NULL);
}

/* Lines to be copied stay lines, whatever the width; those of a list are wrapped, with their second line further in. */
static void test_note_to_type(void **state)
{
    (void)state;
    struct cw_result *result = NULL;
    struct cw_text text = {0};
    assert_int_equal(cw_result_new(&result), 0);
    cw_result_note(result,
                   "What to type now:\n    mpirun --option  %s\nand then wait a while.\n  one: of a list\n  two",
                   "one,two,three\x1b");
    assert_int_equal(cw_result_write(result, CW_FORMAT_TEXT, 12, &text), 0);
    static const char expected[] = "What to type\nnow:\n    mpirun --option  one,two,three\\x1b\nand then\nwait "
                                   "a\nwhile.\n  one: of a\n    list\n  two\n";
    text.data[strlen(expected)] = '\0';
    assert_string_equal(text.data, expected);
    cw_text_free(&text);
    cw_result_free(result);
}

static void test_csv(void **state)
{
    (void)state;
    struct cw_result *result = sample();
    struct cw_text text = {0};
    assert_int_equal(cw_result_write(result, CW_FORMAT_CSV, 20, &text), 0);
    assert_string_equal(text.data, "pattern,endpoints,time\n"
                                   "ring,10368,0.3333333333\n"
                                   "\"a\xff\"\"b\",,\n"
                                   "\n"
                                   "pattern,endpoints,time\n");
    cw_text_free(&text);
    cw_result_free(result);
}

static json_t *reload(const struct cw_text *text)
{
    json_error_t error;
    json_t *document = json_loadb(text->data, text->length, JSON_REJECT_DUPLICATES, &error);
    if (!document) fail_msg("line %d: %s", error.line, error.text);
    return document;
}

/* The member at the path KEYS, separated by '/'; numbers index arrays. */
static json_t *member(json_t *value, const char *keys)
{
    char copy[200], *rest = copy;
    snprintf(copy, sizeof copy, "%s", keys);
    for (char *key = strsep(&rest, "/"); key; key = strsep(&rest, "/"))
        value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10)) : json_object_get(value, key);
    if (!value) fail_msg("there is no %s", keys);
    return value;
}

static void assert_member(json_t *document, const char *keys, const char *expected)
{
    assert_string_equal(json_string_value(member(document, keys)), expected);
}

static void test_json(void **state)
{
    (void)state;
    static const char *const order[] = {"tool",    "version",  "command", "seed", "inputs",
                                        "context", "complete", "tables",  "notes"};
    struct cw_result *result = sample();
    struct cw_text text = {0};
    assert_int_equal(cw_result_write(result, CW_FORMAT_JSON, 0, &text), 0);
    json_t *document = reload(&text);
    const char *key;
    json_t *value;
    size_t i = 0;
    assert_int_equal(json_object_size(document), 9);
    json_object_foreach(document, key, value) assert_string_equal(key, order[i++]);
    assert_member(document, "tool", "crosswind");
    assert_member(document, "version", cw_version());
    assert_member(document, "command", "crosswind noise torus:4x4");
    assert_int_equal(json_integer_value(member(document, "seed")), 42);
    assert_member(document, "inputs/0/path", "abc.net");
    assert_member(document, "inputs/0/sha256", HASH_ABC);
    assert_member(document, "inputs/1/sha256", HASH_EMPTY);
    assert_member(document, "tables/rounds/columns/2/name", "time");
    assert_member(document, "tables/rounds/columns/2/type", "real");
    assert_member(document, "tables/rounds/columns/2/unit", "s");
    assert_true(json_is_null(member(document, "tables/rounds/columns/1/unit")));
    assert_member(document, "tables/rounds/columns/0/help", "Who sends to whom");
    assert_int_equal(json_integer_value(member(document, "tables/rounds/rows/0/endpoints")), 10368);
    assert_true(json_real_value(member(document, "tables/rounds/rows/0/time")) == 0.3333333333);
    assert_member(document, "tables/rounds/rows/1/pattern", "a\xef\xbf\xbd\"b");
    assert_true(json_is_null(member(document, "tables/rounds/rows/1/time")));
    assert_int_equal(json_array_size(member(document, "tables/empty/rows")), 0);
    assert_member(document, "notes/1", "Second.");
    json_decref(document);
    cw_text_free(&text);
    cw_result_free(result);
}

/* Whatever the cells, JSON gives them back: integers exactly, reals to 10 digits, texts byte by byte. */
static void test_json_round_trip(void **state)
{
    (void)state;
    static const char letters[] = "ab,\"\\\n\t/ \x01";
    struct cw_random random = cw_random_of(5, CW_STREAM_TEST, 0);
    struct cw_result *result = NULL;
    struct cw_text text = {0};
    assert_int_equal(cw_result_new(&result), 0);
    struct cw_table *table = new_table("random");
    for (size_t row = 0; row < 300; row++) {
        char name[12] = "";
        for (uint32_t k = cw_random_below(&random, 11); k > 0; k--) name[k - 1] = letters[cw_random_below(&random, 10)];
        cw_table_text(table, name);
        cw_table_int(table, (int64_t)cw_random_u64(&random));
        cw_table_real(table, (cw_random_unit(&random) - 0.5) * pow(10, cw_random_below(&random, 40) - 20.0));
    }
    assert_int_equal(cw_result_add_table(result, table), 0);
    assert_int_equal(cw_result_write(result, CW_FORMAT_JSON, 0, &text), 0);
    json_t *document = reload(&text), *rows = member(document, "tables/random/rows");
    assert_int_equal(json_array_size(rows), 300);
    assert_true(json_is_null(member(document, "command")));
    assert_true(json_is_null(member(document, "seed")));
    for (size_t row = 0; row < 300; row++) {
        json_t *object = json_array_get(rows, row);
        const double real = cw_table_cell_real(table, row, 2);
        assert_member(object, "pattern", cw_table_cell_text(table, row, 0));
        assert_true(json_integer_value(member(object, "endpoints")) == cw_table_cell_int(table, row, 1));
        assert_true(fabs(json_real_value(member(object, "time")) - real) <= 5e-10 * fabs(real));
    }
    json_decref(document);
    cw_text_free(&text);
    cw_result_free(result);
}

static void test_large_seed(void **state)
{
    (void)state;
    json_t *exact = cw_json_unsigned(INT64_MAX), *larger = cw_json_unsigned(UINT64_MAX);
    assert_true(json_integer_value(exact) == INT64_MAX);
    assert_string_equal(json_string_value(larger), "18446744073709551615");
    json_decref(exact);
    json_decref(larger);
}

static void test_json_failure_is_kept(void **state)
{
    (void)state;
    json_t *object = json_object(), *array = json_array();
    struct cw_text text = {0};
    cw_json_set(&object, "a", NULL);
    assert_null(object);
    cw_json_set(&object, "b", json_integer(1));
    cw_json_append(&array, object);
    assert_null(array);
    cw_json_append(&array, json_integer(1));
    assert_int_equal(cw_json_write(array, &text), CW_ENOMEM);
    cw_text_free(&text);
}

static void test_metadata_of_one_table(void **state)
{
    (void)state;
    struct cw_result *result = NULL;
    struct cw_text text = {0};
    assert_int_equal(cw_result_new(&result), 0);
    cw_result_set_command(result, "crosswind check a", 3);
    assert_int_equal(cw_result_add_table(result, new_table("rounds")), 0);
    cw_result_set_property(result, "hosts", json_pack("[s]", "h1"));
    cw_result_set_property(result, "hosts", json_pack("[ss]", "h1", "h2")); /* in place of the first */
    assert_int_equal(cw_result_write_metadata(result, "a.csv", &text), 0);
    json_t *document = reload(&text);
    assert_member(document, "@context", "http://www.w3.org/ns/csvw");
    assert_member(document, "url", "a.csv");
    assert_member(document, "dc:title", "Rounds of the pattern");
    assert_member(document, "tableSchema/columns/1/name", "endpoints");
    assert_member(document, "tableSchema/columns/1/datatype", "integer");
    assert_member(document, "tableSchema/columns/2/schema:unitText", "s");
    assert_member(document, "tableSchema/columns/2/dc:description", "Time of a round");
    assert_member(document, "prov:wasGeneratedBy/schema:softwareVersion", cw_version());
    assert_member(document, "prov:wasGeneratedBy/schema:description", "crosswind check a");
    assert_int_equal(
        json_integer_value(member(document, "prov:wasGeneratedBy/schema:additionalProperty/0/schema:value")), 3);
    assert_int_equal(json_array_size(member(document, "prov:wasGeneratedBy/schema:additionalProperty")), 2);
    assert_member(document, "prov:wasGeneratedBy/schema:additionalProperty/1/schema:value/1", "h2");
    json_decref(document);
    cw_text_free(&text);
    cw_result_free(result);
}

/* Each table's rows, as its metadata counts them, begin with its header and end with its last row. */
static void test_metadata_of_two_tables(void **state)
{
    (void)state;
    struct cw_result *result = sample();
    struct cw_text text = {0};
    assert_int_equal(cw_result_write_metadata(result, "a.csv", &text), 0);
    json_t *document = reload(&text);
    assert_member(document, "tables/0/url", "a.csv#row=1-3");
    assert_member(document, "tables/1/url", "a.csv#row=5-5");
    assert_member(document, "prov:wasGeneratedBy/prov:used/0/schema:sha256", HASH_ABC);
    assert_member(document, "prov:wasGeneratedBy/prov:used/1/schema:sha256", HASH_EMPTY);
    assert_member(document, "notes/1/schema:text", "Second.");
    json_decref(document);
    cw_text_free(&text);
    cw_result_free(result);
}

static const struct cw_column timed_columns[] = {
    {"method", CW_COLUMN_TEXT, NULL, "How"},
    {"took", CW_COLUMN_REAL, "s", "On the clock", .measured = true},
    {"z", CW_COLUMN_REAL, NULL, "What"},
    {"steps", CW_COLUMN_INT, NULL, "Until the clock stopped it", .measured = true},
};

/* Two rows of which SECONDS of the first was measured. */
static struct cw_table *timed_table(double seconds)
{
    struct cw_table *table = NULL;
    assert_int_equal(cw_table_new("timed", NULL, timed_columns, 4, &table), 0);
    cw_table_text(table, "fast");
    cw_table_real(table, seconds);
    cw_table_real(table, 0.5);
    cw_table_int(table, 9);
    cw_table_text(table, "none");
    cw_table_none(table);
    cw_table_none(table);
    cw_table_none(table);
    return table;
}

static void write_timed(double seconds, enum cw_format format, struct cw_text *text)
{
    struct cw_result *result = NULL;
    assert_int_equal(cw_result_new(&result), 0);
    assert_int_equal(cw_result_add_table(result, timed_table(seconds)), 0);
    assert_int_equal(cw_result_write(result, format, 0, text), 0);
    cw_result_free(result);
}

/* What was measured is shown to people, and is not in rows that programs compare. */
static void test_measured_is_apart_from_rows(void **state)
{
    (void)state;
    struct cw_text text = {0};
    write_timed(0.125, CW_FORMAT_TEXT, &text);
    assert_non_null(strstr(text.data, "took"));
    assert_non_null(strstr(text.data, "0.125"));
    cw_text_free(&text);
    write_timed(0.125, CW_FORMAT_CSV, &text);
    assert_string_equal(text.data, "method,z\nfast,0.5\nnone,\n");
    cw_text_free(&text);
    write_timed(0.125, CW_FORMAT_JSON, &text);
    json_t *document = reload(&text);
    assert_int_equal(json_array_size(member(document, "tables/timed/columns")), 2);
    assert_int_equal(json_object_size(member(document, "tables/timed/rows/0")), 2);
    assert_member(document, "tables/timed/columns/1/name", "z");
    assert_member(document, "measured/timed/columns/0/name", "took");
    assert_int_equal(json_object_size(member(document, "measured/timed/rows/0")), 2);
    assert_true(json_real_value(member(document, "measured/timed/rows/0/took")) == 0.125);
    assert_int_equal(json_integer_value(member(document, "measured/timed/rows/0/steps")), 9);
    assert_true(json_is_null(member(document, "measured/timed/rows/1/took")));
    json_decref(document);
    cw_text_free(&text);
}

/* A result without such columns has no word of them. */
static void test_nothing_measured(void **state)
{
    (void)state;
    struct cw_result *result = sample();
    struct cw_text text = {0};
    assert_int_equal(cw_result_write(result, CW_FORMAT_JSON, 0, &text), 0);
    assert_null(strstr(text.data, "measured"));
    cw_text_free(&text);
    cw_result_free(result);
}

/* A file beside the result: rows begin with the context, and what was measured is in the file's metadata. */
static void test_file_beside(void **state)
{
    (void)state;
    char path[] = "/tmp/crosswind-result-XXXXXX", beside[64];
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    snprintf(beside, sizeof beside, "%s-metadata.json", path);
    struct cw_result *result = sample();
    struct cw_text text = {0};
    struct cw_table *table = timed_table(0.125);
    cw_result_set_context(result, CW_CONTEXT_NETWORK, "torus:4x4, once");
    cw_result_set_context_number(result, CW_CONTEXT_SEED, 42);
    assert_int_equal(cw_result_save_csv(result, table, path), 0);
    assert_int_equal(cw_file_read(path, &text), 0);
    assert_string_equal(text.data, "network,seed,method,z\n\"torus:4x4, once\",42,fast,0.5\n"
                                   "\"torus:4x4, once\",42,none,\n");
    cw_text_free(&text);
    assert_int_equal(cw_file_read(beside, &text), 0);
    json_t *document = reload(&text);
    assert_member(document, "url", strrchr(path, '/') + 1);
    assert_member(document, "tableSchema/columns/3/name", "z");
    assert_int_equal(json_array_size(member(document, "tableSchema/columns")), 4);
    const json_t *took = member(document, "prov:wasGeneratedBy/schema:additionalProperty/1");
    assert_string_equal(json_string_value(json_object_get(took, "schema:name")), "timed.took");
    assert_string_equal(json_string_value(json_object_get(took, "schema:unitText")), "s");
    const json_t *values = json_object_get(took, "schema:value");
    assert_int_equal(json_array_size(values), 2);
    assert_true(json_real_value(json_array_get(values, 0)) == 0.125);
    assert_true(json_is_null(json_array_get(values, 1)));
    json_decref(document);
    cw_text_free(&text);
    assert_int_equal(remove(beside), 0);
    cw_table_free(table);

    /* nothing measured, no metadata */
    table = new_table("plain");
    assert_int_equal(cw_result_save_csv(result, table, path), 0);
    assert_int_not_equal(access(beside, F_OK), 0);
    cw_table_text(table, "half a row");
    assert_int_equal(cw_result_save_csv(result, table, path), CW_EINTERNAL);
    cw_table_free(table);
    assert_int_equal(remove(path), 0);
    cw_result_free(result);
}

static void test_detail_is_not_in_csv(void **state)
{
    (void)state;
    struct cw_result *result = NULL;
    struct cw_text text = {0};
    assert_int_equal(cw_result_new(&result), 0);
    assert_int_equal(cw_result_add_detail(result, new_table("detail")), 0);
    assert_int_equal(cw_result_add_table(result, new_table("rounds")), 0);
    assert_int_equal(cw_result_tables(result), 2);
    assert_int_equal(cw_result_write(result, CW_FORMAT_CSV, 0, &text), 0);
    assert_string_equal(text.data, "pattern,endpoints,time\n");
    cw_text_free(&text);
    assert_int_equal(cw_result_write_metadata(result, "a.csv", &text), 0);
    json_t *document = reload(&text);
    assert_member(document, "url", "a.csv");
    json_decref(document);
    cw_text_free(&text);
    assert_int_equal(cw_result_write(result, CW_FORMAT_JSON, 0, &text), 0);
    document = reload(&text);
    member(document, "tables/detail/rows");
    json_decref(document);
    cw_text_free(&text);
    cw_result_free(result);
}

static void test_errors(void **state)
{
    (void)state;
    struct cw_result *result = sample();
    struct cw_text text = {0};
    assert_int_equal(cw_result_tables(result), 2);
    assert_string_equal(cw_table_name(cw_result_table(result, 1)), "empty");
    assert_int_equal(cw_result_add_table(result, new_table("rounds")), CW_EINTERNAL); /* and frees it */
    struct cw_table *unfinished = new_table("unfinished");
    cw_table_text(unfinished, "x");
    assert_int_equal(cw_result_add_table(result, unfinished), 0);
    for (int format = CW_FORMAT_TEXT; format <= CW_FORMAT_JSON; format++)
        assert_int_equal(cw_result_write(result, (enum cw_format)format, 0, &text), CW_EINTERNAL);
    assert_int_equal(cw_result_write_metadata(result, "a.csv", &text), CW_EINTERNAL);
    assert_null(text.data);
    cw_result_free(result);
}

/* --- context, rows as they finish, early ends --------------------------------------------------------------------- */

static void test_context(void **state)
{
    (void)state;
    struct cw_result *result = NULL;
    struct cw_text text = {0};
    assert_int_equal(cw_result_new(&result), 0);
    cw_result_set_context(result, CW_CONTEXT_NETWORK, "replaced");
    cw_result_set_context(result, CW_CONTEXT_NETWORK, "xgft(2,12,6)");
    cw_result_set_context_number(result, CW_CONTEXT_ENDPOINTS, 144);
    cw_result_set_context_number(result, CW_CONTEXT_SEED, UINT64_MAX);
    struct cw_table *table = new_table("rounds"); /* it has a column "endpoints" */
    cw_table_text(table, "ring");
    cw_table_int(table, 7);
    cw_table_none(table);
    assert_int_equal(cw_result_add_table(result, table), 0);
    assert_int_equal(cw_result_write(result, CW_FORMAT_CSV, 0, &text), 0);
    assert_string_equal(text.data, "network,seed,pattern,endpoints,time\n"
                                   "\"xgft(2,12,6)\",18446744073709551615,ring,7,\n");
    cw_text_free(&text);
    assert_int_equal(cw_result_write(result, CW_FORMAT_TEXT, 0, &text), 0);
    assert_null(strstr(text.data, "xgft"));
    cw_text_free(&text);
    assert_int_equal(cw_result_write(result, CW_FORMAT_JSON, 0, &text), 0);
    json_t *document = reload(&text);
    assert_member(document, "context/network", "xgft(2,12,6)");
    assert_int_equal(json_integer_value(member(document, "context/endpoints")), 144);
    assert_true(json_is_true(member(document, "complete")));
    assert_null(json_object_get(document, "missing"));
    json_decref(document);
    cw_text_free(&text);
    assert_int_equal(cw_result_write_metadata(result, "a.csv", &text), 0);
    document = reload(&text);
    assert_member(document, "tableSchema/columns/0/name", "network");
    assert_member(document, "tableSchema/columns/1/name", "seed");
    assert_member(document, "tableSchema/columns/1/datatype", "integer");
    assert_int_equal(json_array_size(member(document, "tableSchema/columns")), 5);
    json_decref(document);
    cw_text_free(&text);
    cw_result_free(result);
}

static int collect(void *context, const struct cw_text *text)
{
    cw_text_append(context, text->data, text->length);
    return 0;
}

static int refuse(void *context, const struct cw_text *text)
{
    ++*(int *)context;
    return cw_fail(CW_EIO, "%zu bytes are too many", text->length);
}

static void add_row(struct cw_table *table, int64_t endpoints)
{
    cw_table_text(table, "ring");
    cw_table_int(table, endpoints);
    cw_table_real(table, 0.5);
}

/* A row leaves when its last cell is there, the header with the first one; a second table waits until the first has all
 * its rows; details stay. */
static void test_rows_leave_as_they_finish(void **state)
{
    (void)state;
    struct cw_result *result = NULL;
    struct cw_text out = {0}, at_once = {0};
    struct cw_table *first = new_table("first"), *detail = new_table("detail"), *second = new_table("second");
    assert_int_equal(cw_result_new(&result), 0);
    cw_result_set_context(result, CW_CONTEXT_ROUTES, "dor");
    cw_result_stream(result, collect, &out);
    assert_int_equal(cw_result_add_table(result, first), 0);
    assert_int_equal(cw_result_add_detail(result, detail), 0);
    assert_int_equal(cw_result_add_table(result, second), 0);
    cw_table_expect(first, 2);
    add_row(detail, 1);
    cw_table_text(first, "ring");
    cw_table_int(first, 1);
    assert_null(out.data);
    cw_table_none(first);
    assert_string_equal(out.data, "routes,pattern,endpoints,time\ndor,ring,1,\n");
    add_row(second, 2);
    assert_string_equal(out.data, "routes,pattern,endpoints,time\ndor,ring,1,\n");
    add_row(first, 3);
    assert_string_equal(out.data, "routes,pattern,endpoints,time\ndor,ring,1,\ndor,ring,3,0.5\n\n"
                                  "routes,pattern,endpoints,time\ndor,ring,2,0.5\n");
    assert_int_equal(cw_result_add_table(result, new_table("empty")), 0);
    assert_int_equal(cw_result_end_stream(result), 0);
    assert_int_equal(cw_result_write(result, CW_FORMAT_CSV, 0, &at_once), 0);
    assert_string_equal(out.data, at_once.data);
    cw_text_free(&out);
    cw_text_free(&at_once);
    cw_result_free(result);
}

static void test_stream_errors(void **state)
{
    (void)state;
    struct cw_result *result = NULL;
    struct cw_table *table = new_table("rounds");
    struct cw_text out = {0};
    int calls = 0;
    assert_int_equal(cw_result_new(&result), 0);
    cw_result_stream(result, refuse, &calls);
    assert_int_equal(cw_result_add_table(result, table), 0);
    add_row(table, 1);
    add_row(table, 2);
    assert_int_equal(calls, 1);
    cw_fail(CW_EUSAGE, "something else");
    assert_int_equal(cw_result_end_stream(result), CW_EIO);
    assert_non_null(strstr(cw_error_message(), "bytes are too many"));
    cw_result_free(result);

    table = new_table("rounds");
    assert_int_equal(cw_result_new(&result), 0);
    cw_result_stream(result, collect, &out);
    assert_int_equal(cw_result_add_table(result, table), 0);
    add_row(table, 1);
    cw_result_set_context(result, CW_CONTEXT_NETWORK, "too late");
    assert_int_equal(cw_result_end_stream(result), CW_EINTERNAL);
    cw_text_free(&out);
    cw_result_free(result);
}

/* What is finished stays, in every format, and each says what is missing. */
static void test_early_end(void **state)
{
    (void)state;
    static const char missing[] = "interrupted; table rounds has 1 of 3 rows; table empty has 0 of 2 rows";
    struct cw_result *result = NULL;
    struct cw_table *table = new_table("rounds"), *empty = new_table("empty"), *full = new_table("full");
    struct cw_text text = {0};
    assert_int_equal(cw_result_new(&result), 0);
    assert_int_equal(cw_result_add_table(result, table), 0);
    assert_int_equal(cw_result_add_table(result, empty), 0);
    assert_int_equal(cw_result_add_detail(result, full), 0);
    cw_table_expect(table, 3);
    cw_table_expect(empty, 2);
    cw_table_expect(full, 1);
    add_row(full, 1);
    add_row(table, 1);
    cw_table_text(table, "half a row");
    assert_int_equal(cw_result_check(result), CW_EINTERNAL);
    assert_int_equal(cw_result_rows(result), 2);
    assert_string_equal(cw_result_end_early(result, "interrupted"), missing);
    assert_int_equal(cw_result_check(result), 0);
    assert_int_equal(cw_result_write(result, CW_FORMAT_CSV, 0, &text), 0);
    assert_string_equal(text.data, "pattern,endpoints,time\nring,1,0.5\n\npattern,endpoints,time\n");
    cw_text_free(&text);
    assert_int_equal(cw_result_write(result, CW_FORMAT_TEXT, 200, &text), 0);
    assert_non_null(strstr(text.data, "\nINCOMPLETE: interrupted; table rounds has 1 of 3 rows; table empty has"));
    cw_text_free(&text);
    assert_int_equal(cw_result_write(result, CW_FORMAT_JSON, 0, &text), 0);
    json_t *document = reload(&text);
    assert_true(json_is_false(member(document, "complete")));
    assert_member(document, "missing", missing);
    json_decref(document);
    cw_text_free(&text);
    assert_int_equal(cw_result_write_metadata(result, "a.csv", &text), 0);
    document = reload(&text);
    assert_non_null(strstr(json_string_value(member(document, "notes/0/schema:text")), missing));
    json_decref(document);
    cw_text_free(&text);
    cw_result_free(result);
}

/* A note whose text found no memory is no note: the result has failed. */
static void test_note_without_memory(void **state)
{
    (void)state;
    struct cw_result *result;
    struct cw_text text = {0};
    assert_int_equal(cw_result_new(&result), 0);
    cw_text_add(&text, "50 % of it.");
    cw_result_note_text(result, &text);
    assert_null(text.data);
    assert_int_equal(cw_result_check(result), 0);
    assert_int_equal(cw_result_write(result, CW_FORMAT_TEXT, 0, &text), 0);
    assert_non_null(strstr(text.data, "50 % of it.\n"));
    cw_text_free(&text);
    text.failed = true;
    cw_result_note_text(result, &text);
    assert_int_equal(cw_result_check(result), CW_ENOMEM);
    cw_result_free(result);
}

/* Nor are rows given away without the context that found none. */
static int count_calls(void *context, const struct cw_text *text)
{
    (void)text;
    ++*(int *)context;
    return 0;
}

static void test_stream_without_memory(void **state)
{
    (void)state;
    static const struct cw_column numbers[] = {{"n", CW_COLUMN_INT, NULL, "a number"}};
    struct cw_result *result;
    struct cw_table *table;
    struct cw_text failed = {.failed = true};
    int calls = 0;
    assert_int_equal(cw_result_new(&result), 0);
    cw_result_stream(result, count_calls, &calls);
    assert_int_equal(cw_table_new("t", NULL, numbers, 1, &table), 0);
    assert_int_equal(cw_result_add_table(result, table), 0);
    cw_table_int(table, 1);
    assert_int_equal(calls, 1);
    cw_result_note_text(result, &failed);
    cw_table_int(table, 2);
    assert_int_equal(calls, 1);
    assert_int_equal(cw_result_end_stream(result), CW_ENOMEM);
    cw_result_free(result);
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

static const struct cw_figure_panel panels[] = {{.y = "time"}};
static const struct cw_figure by_endpoints = {
    .kind = CW_FIGURE_LINES, .table = "rounds", .x = "endpoints", .y = "time"};

static void check_figure_refused(const struct cw_figure *figure, const char *message)
{
    struct cw_result *result = sample();
    assert_int_equal(cw_result_figure(result, figure), CW_EINTERNAL);
    if (!strstr(cw_error_message(), message)) fail_msg("'%s' is not in '%s'", message, cw_error_message());
    assert_int_equal(cw_result_figures(result), 0);
    cw_result_free(result);
}

/* Each in one thing not as BY_ENDPOINTS. */
static void test_figures_refused(void **state)
{
    (void)state;
    struct cw_figure figure = by_endpoints;
    figure.table = "other";
    check_figure_refused(&figure, "a figure of table 'other', which the result does not have");
    figure = by_endpoints;
    figure.y = "times";
    check_figure_refused(&figure, "table 'rounds' has no column 'times'");
    figure.y = "pattern";
    check_figure_refused(&figure, "column 'pattern' of table 'rounds' is text, not numbers");
    figure.y = NULL;
    check_figure_refused(&figure, "a figure of lines: y is needed");
    figure = by_endpoints;
    figure.rows = "pattern";
    check_figure_refused(&figure, "a figure of lines: rows means nothing there");
    figure = by_endpoints;
    figure.low = "time";
    check_figure_refused(&figure, "some of low, median, high, min, max and samples");
    figure = by_endpoints;
    figure.panels = panels;
    figure.n_panels = 1;
    check_figure_refused(&figure, "a figure of lines with 1 panels");
    figure = by_endpoints;
    figure.names_table = "rounds";
    figure.names_key = "endpoints";
    figure.names = "pattern";
    check_figure_refused(&figure, "a figure of lines with names of table 'rounds'");
    struct cw_figure bars = {.kind = CW_FIGURE_BARS, .table = "rounds", .rows = "pattern"};
    check_figure_refused(&bars, "a figure of bars with 0 panels");
    bars.panels = &(struct cw_figure_panel){.y = "time", .ci95 = "pattern"};
    bars.n_panels = 1;
    check_figure_refused(&bars, "column 'pattern'");
    struct cw_figure map = {.kind = CW_FIGURE_HEAT_MAP,
                            .table = "rounds",
                            .row = "endpoints",
                            .column = "endpoints",
                            .value = "time",
                            .names_table = "rounds",
                            .names_key = "pattern",
                            .names = "pattern"};
    check_figure_refused(&map, "column 'pattern' of table 'rounds' is text, not numbers");
}

/* In JSON stands what is said, and no more; after the tables. */
static void test_figures_json(void **state)
{
    (void)state;
    static const char expected[] =
        "[{\"kind\":\"lines\",\"table\":\"rounds\",\"title\":\"Rounds of the pattern\",\"x\":\"endpoints\","
        "\"y\":\"time\"},"
        "{\"kind\":\"lines\",\"table\":\"rounds\",\"title\":\"T\",\"x\":\"endpoints\",\"y\":\"time\","
        "\"ci95\":\"time\",\"low\":\"time\",\"median\":\"time\",\"high\":\"time\",\"min\":\"time\","
        "\"max\":\"time\",\"samples\":\"endpoints\",\"series\":\"pattern\",\"marked\":\"pattern\","
        "\"x_label\":\"X\",\"y_label\":\"Y\",\"level_label\":\"one\",\"level\":1.0,\"x_range\":[0.0,2.0],"
        "\"log_x\":true,\"log_y\":true,\"equal\":true},"
        "{\"kind\":\"bars\",\"table\":\"rounds\",\"title\":\"Rounds of the pattern\",\"rows\":\"pattern\","
        "\"panels\":[{\"y\":\"time\",\"ci95\":\"time\",\"label\":\"L\",\"best_rows\":[1]},{\"y\":\"time\"}]},"
        "{\"kind\":\"heat-map\",\"table\":\"rounds\",\"title\":\"Rounds of the pattern\",\"row\":\"endpoints\","
        "\"column\":\"endpoints\",\"value\":\"time\",\"names\":{\"table\":\"rounds\",\"key\":\"endpoints\","
        "\"name\":\"pattern\"}},"
        "{\"kind\":\"sorted\",\"table\":\"rounds\",\"title\":\"Rounds of the pattern\",\"y\":\"time\"},"
        "{\"kind\":\"histogram\",\"table\":\"rounds\",\"title\":\"Rounds of the pattern\",\"x\":\"endpoints\","
        "\"y\":\"time\"},"
        "{\"kind\":\"timeline\",\"table\":\"rounds\",\"title\":\"Rounds of the "
        "pattern\",\"who\":\"pattern\",\"from\":\"time\","
        "\"to\":\"time\"}]";
    char title[] = "T"; /* copied */
    const bool best[] = {false, true};
    const struct cw_figure_panel two[] = {{.y = "time", .ci95 = "time", .label = "L", .best = best}, {.y = "time"}};
    const struct cw_figure figures[] = {
        by_endpoints,
        {.kind = CW_FIGURE_LINES,
         .table = "rounds",
         .title = title,
         .x = "endpoints",
         .y = "time",
         .ci95 = "time",
         .low = "time",
         .median = "time",
         .high = "time",
         .min = "time",
         .max = "time",
         .samples = "endpoints",
         .series = "pattern",
         .marked = "pattern",
         .x_label = "X",
         .y_label = "Y",
         .level_label = "one",
         .level = 1,
         .x_to = 2,
         .log_x = true,
         .log_y = true,
         .equal = true},
        {.kind = CW_FIGURE_BARS, .table = "rounds", .rows = "pattern", .panels = two, .n_panels = 2},
        {.kind = CW_FIGURE_HEAT_MAP,
         .table = "rounds",
         .row = "endpoints",
         .column = "endpoints",
         .value = "time",
         .names_table = "rounds",
         .names_key = "endpoints",
         .names = "pattern"},
        {.kind = CW_FIGURE_SORTED, .table = "rounds", .y = "time"},
        {.kind = CW_FIGURE_HISTOGRAM, .table = "rounds", .x = "endpoints", .y = "time"},
        {.kind = CW_FIGURE_TIMELINE, .table = "rounds", .who = "pattern", .from = "time", .to = "time"}};
    struct cw_result *result = sample();
    struct cw_text text = {0};
    json_t *document;
    assert_int_equal(cw_result_write(result, CW_FORMAT_JSON, 0, &text), 0);
    assert_null(strstr(text.data, "figures")); /* none is declared */
    cw_text_free(&text);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        assert_int_equal(cw_result_figure(result, &figures[i]), 0);
    title[0] = 'U';
    assert_int_equal(cw_result_write(result, CW_FORMAT_JSON, 0, &text), 0);
    assert_true(strstr(text.data, "\"figures\"") > strstr(text.data, "\"tables\""));
    assert_int_equal(cw_json_read("result", text.data, text.length, &document), 0);
    char *got = json_dumps(json_object_get(document, "figures"), JSON_COMPACT);
    assert_string_equal(got, expected);
    free(got);
    json_decref(document);
    cw_text_free(&text);
    cw_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_refused),
        cmocka_unit_test(test_figures_json),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_note_to_type),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_round_trip),
        cmocka_unit_test(test_large_seed),
        cmocka_unit_test(test_json_failure_is_kept),
        cmocka_unit_test(test_metadata_of_one_table),
        cmocka_unit_test(test_metadata_of_two_tables),
        cmocka_unit_test(test_detail_is_not_in_csv),
        cmocka_unit_test(test_measured_is_apart_from_rows),
        cmocka_unit_test(test_nothing_measured),
        cmocka_unit_test(test_file_beside),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_context),
        cmocka_unit_test(test_rows_leave_as_they_finish),
        cmocka_unit_test(test_stream_errors),
        cmocka_unit_test(test_early_end),
        cmocka_unit_test(test_note_without_memory),
        cmocka_unit_test(test_stream_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
