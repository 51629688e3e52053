/*
 * Reading the fixtures of tests/golden/fabric, and looking at what came of them.
 */
#ifndef CW_TEST_IB_FIXTURES_H
#define CW_TEST_IB_FIXTURES_H

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "net/files/formats.h"
#include "net/network_internal.h"

static inline struct cw_network *checked(struct cw_network *net)
{
    if (cw_network_check(net)) fail_msg("%s", cw_error_message());
    return net;
}

static inline struct cw_network *read_fixture(const char *name)
{
    char path[512];
    struct cw_network *net = NULL;
    snprintf(path, sizeof path, CW_TEST_DATA "/golden/fabric/%s", name);
    if (cw_network_read(path, &net)) fail_msg("%s", cw_error_message());
    return checked(net);
}

static inline struct cw_network *parse_text(const char *text)
{
    struct cw_network *net = NULL;
    if (cw_network_parse("test", text, strlen(text), &net)) fail_msg("%s", cw_error_message());
    return checked(net);
}

/* NET written as an ibsim file and read back. */
static inline struct cw_network *through_ibsim(const struct cw_network *net)
{
    struct cw_text text = {0};
    struct cw_network *back = NULL;
    const struct cw_writer *const *writer = cw_writers;
    while (strcmp((*writer)->name, "ibsim") != 0) writer++;
    if ((*writer)->write(net, &text)) fail_msg("%s", cw_error_message());
    if (cw_network_parse("written", text.data, text.length, &back)) fail_msg("%s\n%s", cw_error_message(), text.data);
    cw_text_free(&text);
    return checked(back);
}

static inline void assert_same(const struct cw_network *a, const struct cw_network *b)
{
    if (!cw_network_equal(a, b)) fail_msg("%s", cw_error_message());
}

static inline uint32_t vertex(const struct cw_network *net, const char *name)
{
    const uint32_t v = cw_network_find(net, name);
    if (v == CW_NONE) fail_msg("no vertex '%s'", name);
    return v;
}

/* There is a cable from port PORT_A of A to port PORT_B of B, of CAPACITY byte/s. */
static inline void assert_cable(const struct cw_network *net, const char *a, uint32_t port_a, const char *b,
                                uint32_t port_b, double capacity)
{
    const uint32_t channel = cw_network_channel_at(net, vertex(net, a), port_a);
    if (channel == CW_NONE) fail_msg("no cable at port %u of '%s'", port_a, a);
    assert_int_equal(net->head[channel], vertex(net, b));
    assert_int_equal(cw_network_port(net, net->twin[channel]), port_b);
    if (net->capacity[channel] != capacity)
        fail_msg("port %u of '%s' has %.17g byte/s, not %.17g", port_a, a, net->capacity[channel], capacity);
}

static inline void assert_names(const struct cw_network *net, const char *const *names)
{
    char name[512];
    for (uint32_t v = 0; v < net->n_vertices; v++)
        assert_string_equal(cw_network_name(net, v, name, sizeof name), names[v]);
}

#endif
