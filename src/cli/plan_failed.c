#include "cli/plan_failed.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/name_index.h"

/* While a list is read. */
struct parsing {
    const struct cw_network *net;
    struct cw_name_index *names;
    struct plan_failed failed;
};

static int add_cable(struct parsing *parsing, uint32_t channel)
{
    struct plan_failed *failed = &parsing->failed;
    void *channels = failed->channels;
    const int error =
        cw_grow_array(&channels, &failed->capacity, failed->n + 2, sizeof *failed->channels, "failed channels");
    failed->channels = channels;
    if (error) return error;
    failed->channels[failed->n++] = channel;
    failed->channels[failed->n++] = parsing->net->twin[channel];
    return 0;
}

static int add_number(struct parsing *parsing, const char *item)
{
    int64_t number;
    const int error = cw_parse_int("--failed", item, &number);
    if (error) return error;
    if (number >= parsing->net->n_channels)
        return cw_fail(CW_EUSAGE, "--failed: there is no channel %s; they are 0 to %u", item,
                       parsing->net->n_channels - 1);
    return add_cable(parsing, (uint32_t)number);
}

/* The channel that leaves A by PORT where TEXT is "A/PORT"; CW_NONE if it is not. */
static uint32_t channel_at(const struct parsing *parsing, const char *text)
{
    char name[CW_NAME_SIZE];
    const char *slash = strrchr(text, '/');
    int64_t port;
    if (!slash || slash == text || (size_t)(slash - text) >= sizeof name || !isdigit((unsigned char)slash[1]))
        return CW_NONE;
    memcpy(name, text, (size_t)(slash - text));
    name[slash - text] = 0;
    const uint32_t v = cw_name_index_name(parsing->names, name);
    if (v == CW_NONE || cw_parse_int("port", slash + 1, &port) || port > UINT16_MAX) return CW_NONE;
    return cw_network_channel_at(parsing->net, v, (uint32_t)port);
}

/* "A/PORT" or "A/PORT>B/PORT". */
static int add_port(struct parsing *parsing, char *item)
{
    char *head = strchr(item, '>');
    if (head) *head = 0;
    const uint32_t channel = channel_at(parsing, item), twin = head ? channel_at(parsing, head + 1) : CW_NONE;
    if (head) *head = '>';
    if (channel == CW_NONE || (head && twin != parsing->net->twin[channel]))
        return cw_fail(CW_EUSAGE, "--failed: %s has no channel %s", parsing->net->title, item);
    return add_cable(parsing, channel);
}

/* All cables between A and B. */
static int add_between(struct parsing *parsing, uint32_t a, uint32_t b, const char *item)
{
    const struct cw_network *net = parsing->net;
    bool any = false;
    int error = 0;
    for (uint32_t c = net->first[a]; !error && c < net->first[a + 1]; c++) {
        if (net->head[c] != b) continue;
        any = true;
        error = add_cable(parsing, c);
    }
    if (!error && !any) return cw_fail(CW_EUSAGE, "--failed: there is no cable %s in %s", item, net->title);
    return error;
}

/* "A-B"; either name may itself have a '-'. */
static int add_pair(struct parsing *parsing, char *item)
{
    for (char *dash = strchr(item, '-'); dash; dash = strchr(dash + 1, '-')) {
        *dash = 0;
        const uint32_t a = cw_name_index_name(parsing->names, item), b = cw_name_index_name(parsing->names, dash + 1);
        *dash = '-';
        if (a != CW_NONE && b != CW_NONE) return add_between(parsing, a, b, item);
    }
    return cw_fail(CW_EUSAGE,
                   "--failed: '%s' names no cable of %s; expected A-B, A/PORT, A/PORT>B/PORT or a channel's number",
                   item, parsing->net->title);
}

static int add_item(struct parsing *parsing, char *item)
{
    if (*item == 0) return cw_fail(CW_EUSAGE, "--failed: an empty name");
    if (item[strspn(item, "0123456789")] == 0) return add_number(parsing, item);
    if (strchr(item, '>') || channel_at(parsing, item) != CW_NONE) return add_port(parsing, item);
    return add_pair(parsing, item);
}

/* The length of the first item of LIST. */
static size_t item_length(const char *list)
{
    size_t length = 0;
    for (int depth = 0; list[length] && (list[length] != ',' || depth > 0); length++)
        depth += (list[length] == '(') - (list[length] == ')');
    return length;
}

int plan_failed_parse(const struct cw_network *net, const char *list, struct plan_failed *out)
{
    struct parsing parsing = {.net = net};
    int error = cw_name_index_new(net, &parsing.names);
    for (bool more = true; !error && more;) {
        const size_t length = item_length(list);
        char *item = cw_copy_text(list, length);
        error = item ? add_item(&parsing, item) : CW_ENOMEM;
        free(item);
        more = list[length] == ',';
        list += length + 1;
    }
    cw_name_index_free(parsing.names);
    if (error)
        plan_failed_free(&parsing.failed);
    else
        *out = parsing.failed;
    return error;
}

void plan_failed_free(struct plan_failed *failed)
{
    free(failed->channels);
    *failed = (struct plan_failed){0};
}
