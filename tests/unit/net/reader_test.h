/*
 * What tests of one reader ask: who its vertices are, and what it says of content with a fault.
 */
#ifndef CW_TEST_READER_TEST_H
#define CW_TEST_READER_TEST_H

#include <string.h>

#include "base/error.h"
#include "net/files/formats_internal.h"
#include "net/network_internal.h"

static inline struct cw_network *read_content(const struct cw_reader *reader, const char *content)
{
    struct cw_network *net = NULL;
    if (reader->read("file", content, strlen(content), NULL, &net)) fail_msg("%s", cw_error_message());
    if (cw_network_check(net)) fail_msg("%s", cw_error_message());
    return net;
}

/* The names of all vertices in order, a '|' between endpoints and switches. */
static inline void assert_vertices(const struct cw_network *net, const char *expected)
{
    struct cw_text names = {0};
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        char name[CW_NAME_SIZE];
        cw_text_printf(&names, "%s%s",
                       v == net->n_endpoints ? "|"
                       : v == 0              ? ""
                                             : " ",
                       cw_network_name(net, v, name, sizeof name));
    }
    assert_string_equal(names.data, expected);
    cw_text_free(&names);
}

/* All channels in order, as "a/1>s/1 CAPACITY LATENCY", in byte/s and s. */
static inline void assert_channels(const struct cw_network *net, const char *expected)
{
    struct cw_text text = {0};
    char name[2 * CW_NAME_SIZE];
    for (uint32_t c = 0; c < net->n_channels; c++)
        cw_text_printf(&text, "%s %g %g\n", cw_network_channel_name(net, c, name, sizeof name), net->capacity[c],
                       net->latency[c]);
    assert_string_equal(text.data, expected);
    cw_text_free(&text);
}

struct refusal {
    const char *content, *words; /* the message begins with these */
};

static inline void assert_refused(const struct cw_reader *reader, const struct refusal *refusals, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *content = refusals[i].content;
        struct cw_network *net = NULL;
        if (reader->read("file", content, strlen(content), NULL, &net) == 0) fail_msg("accepted: %s", content);
        assert_null(net);
        if (strncmp(cw_error_message(), refusals[i].words, strlen(refusals[i].words)) != 0)
            fail_msg("%s: '%s' does not begin with '%s'", content, cw_error_message(), refusals[i].words);
    }
}

/* NET, written by WRITER and read by READER, is the network EXPECTED. */
static inline void assert_read_back(const struct cw_network *net, const struct cw_writer *writer,
                                    const struct cw_reader *reader, const struct cw_network *expected)
{
    struct cw_text text = {0};
    if (writer->write(net, &text)) fail_msg("%s", cw_error_message());
    struct cw_network *read = NULL;
    assert_true(reader->recognises(text.data, text.length));
    if (reader->read("written", text.data, text.length, NULL, &read)) fail_msg("%s\n%s", cw_error_message(), text.data);
    if (!cw_network_equal(expected, read)) fail_msg("%s\n%s", cw_error_message(), text.data);
    cw_network_free(read);
    cw_text_free(&text);
}

#endif
