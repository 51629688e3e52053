/*
 * Forwarding tables as they come: compressed, cut into pieces at any byte, and with lines that are like earlier ones,
 * which the reader compares instead of parsing them. Fed line by line it never does, for too little is left to look at:
 * that is what all else is held to, message for message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/random.h"
#include "lft_test.h"
#include "route/files/lft_internal.h"

static const struct {
    const char *net, *tables;
} files[] = {
    {"two-level.ibnetdiscover", "two-level.lfts"},         {"two-level.ibnetdiscover", "two-level.fdbs"},
    {"two-level.ibnetdiscover", "two-level.dump_fts"},     {"two-level.ibnetdiscover", "two-level.dump_fts-n"},
    {"two-level.ibnetdiscover", "two-level.ibroute-a"},    {"two-level.ibnetdiscover", "two-level-updn.fdbs"},
    {"two-level.ibnetdiscover", "two-level-updn.lfts"},    {"two-level-lmc.ibnetdiscover", "two-level-lmc.lfts"},
    {"two-level-lmc.ibnetdiscover", "two-level-lmc.fdbs"}, {"three-level.ibnetdiscover", "three-level-ftree.lfts"},
};

#define EACH_FILE(I) for (size_t I = 0; I < sizeof files / sizeof *files; I++)

/* --- pieces ------------------------------------------------------------------------------------------------------- */

#define BY_LINES SIZE_MAX

enum { LIDS = 256, SWITCHES_MOST = 32 }; /* the files have fewer */

/* Feeds TEXT: first the bytes before BORDER, then what was left of them with the rest; or line by line. */
static int feed(struct cw_lft_parser *parser, const struct cw_text *text, size_t border)
{
    size_t done = 0, used;
    int rc = 0;
    if (border != BY_LINES) {
        rc = cw_lft_parser_feed(parser, text->data, border, false, &done);
        return rc ? rc : cw_lft_parser_feed(parser, text->data + done, text->length - done, true, &used);
    }
    while (rc == 0 && done < text->length) {
        const char *newline = memchr(text->data + done, '\n', text->length - done);
        const size_t length = newline ? (size_t)(newline + 1 - text->data) - done : text->length - done;
        rc = cw_lft_parser_feed(parser, text->data + done, length, true, &used);
        done += length;
    }
    return rc;
}

/* What a file says, or why it is refused. Compared byte by byte: all of it is set. */
struct said {
    int rc;
    char message[512];
    const char *format;
    uint32_t n_tables, n_unknown;
    struct cw_lft_lid lids[LIDS];
    uint8_t ports[SWITCHES_MOST][LIDS];
};

static void say(const struct cw_lft_names *names, const struct cw_text *text, size_t border, struct said *said)
{
    struct cw_lft_parser *parser;
    const struct cw_lft_content *content;
    memset(said, 0, sizeof *said);
    must(cw_lft_parser_new("tables", names, &parser));
    said->rc = feed(parser, text, border);
    if (said->rc == 0) said->rc = cw_lft_parser_finish(parser, &content);
    if (said->rc) {
        snprintf(said->message, sizeof said->message, "%s", cw_error_message());
    } else {
        said->format = content->format;
        said->n_tables = content->n_tables;
        said->n_unknown = content->n_unknown;
        memcpy(said->lids, content->lids, sizeof said->lids);
        assert_true(cw_network_switches(names->net) <= SWITCHES_MOST);
        for (uint32_t i = 0; i < cw_network_switches(names->net); i++)
            if (content->ports[i]) memcpy(said->ports[i], content->ports[i], LIDS);
    }
    cw_lft_parser_free(parser);
}

static void assert_same_said(const struct cw_lft_names *names, const struct cw_text *text, size_t border,
                             const struct said *expected)
{
    static struct said found;
    say(names, text, border, &found);
    if (memcmp(&found, expected, sizeof found) != 0)
        fail_msg("border %zu: %d '%s', expected %d '%s'", border, found.rc, found.message, expected->rc,
                 expected->message);
}

static void borders_change_nothing(void **state)
{
    (void)state;
    EACH_FILE(i)
    {
        struct cw_network *net = fabric(files[i].net);
        struct cw_lft_names names;
        struct cw_text text = content(files[i].tables);
        must(cw_lft_names_new(net, &names));
        static struct said expected;
        say(&names, &text, BY_LINES, &expected);
        assert_int_equal(expected.rc, 0);
        /* all places in lines, whose lengths are no multiples */
        const size_t step = i > 3 || text.length > 5000 ? 127 : 17;
        for (size_t border = i % step; border <= text.length; border += step)
            assert_same_said(&names, &text, border, &expected);
        cw_text_free(&text);
        cw_lft_names_free(&names);
        cw_network_free(net);
    }
}

/* --- lines that are like others ----------------------------------------------------------------------------------- */

/* One change of a file in which most lines are known: a byte, a line left out, a line said twice. */
static void damage(struct cw_text *text, struct cw_random *random)
{
    static const char bytes[] = "0123456789abcdefABCDEFx: #'\n\r\t-";
    const size_t at = cw_random_below(random, (uint32_t)text->length), kind = cw_random_below(random, 4);
    char *line = text->data + at;
    while (line > text->data && line[-1] != '\n') line--;
    char *next = memchr(line, '\n', text->length - (size_t)(line - text->data));
    next = next ? next + 1 : text->data + text->length;
    const size_t length = (size_t)(next - line), behind = text->length - (size_t)(next - text->data);
    if (kind == 0 && length < text->length) {
        memmove(line, next, behind);
        text->length -= length;
    } else if (kind == 1 && length + behind < text->length) { /* the line before it is written over by it */
        memmove(line - (length < (size_t)(line - text->data) ? length : 0), line, length);
    } else {
        text->data[at] = bytes[cw_random_below(random, sizeof bytes - 1)];
    }
}

static void damage_is_told_alike(void **state)
{
    (void)state;
    unsigned refused = 0, read = 0;
    EACH_FILE(i)
    {
        struct cw_network *net = fabric(files[i].net);
        struct cw_lft_names names;
        struct cw_text whole = content(files[i].tables);
        must(cw_lft_names_new(net, &names));
        for (uint64_t k = 0; k < 60; k++) {
            struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 1000 * i + k);
            struct cw_text text = {0};
            cw_text_append(&text, whole.data, whole.length);
            damage(&text, &random);
            static struct said expected;
            say(&names, &text, BY_LINES, &expected);
            *(expected.rc ? &refused : &read) += 1;
            assert_same_said(&names, &text, 0, &expected);
            assert_same_said(&names, &text, cw_random_below(&random, (uint32_t)text.length), &expected);
            cw_text_free(&text);
        }
        cw_text_free(&whole);
        cw_lft_names_free(&names);
        cw_network_free(net);
    }
    assert_true(refused > 100);
    assert_true(read > 100);
}

/* --- compressed --------------------------------------------------------------------------------------------------- */

static void compressed_tables_are_the_same(void **state)
{
    (void)state;
    static const char *const endings[] = {".gz", ".xz", ".zst"};
    EACH_FILE(i)
    {
        struct cw_network *net = fabric(files[i].net);
        struct cw_text text = content(files[i].tables);
        struct cw_lft_report plain;
        struct cw_routes *expected = parse(net, &text, &plain);
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
            struct cw_lft_report report;
            struct cw_routes *routes;
            char path[64];
            snprintf(path, sizeof path, "/tmp/crosswind-lft-%ld%s", (long)getpid(), endings[k]);
            must(cw_file_write(path, &text));
            must(cw_lft_read(net, path, &report, &routes));
            unlink(path);
            assert_same_tables(routes, expected);
            assert_string_equal(report.format, plain.format);
            assert_int_equal(report.entries, plain.entries);
            assert_int_equal(report.holes, plain.holes);
            assert_int_equal(report.lids_most, plain.lids_most);
            cw_text_free(&report.details);
            cw_routes_free(routes);
        }
        cw_routes_free(expected);
        cw_text_free(&plain.details);
        cw_text_free(&text);
        cw_network_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_change_nothing),
        cmocka_unit_test(damage_is_told_alike),
        cmocka_unit_test(compressed_tables_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
