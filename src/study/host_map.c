#include "study/host_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/network_internal.h"

static int read_line(const struct cw_lines *lines, char *text, cw_host_map_line *line, void *context)
{
    char *end = text + strcspn(text, " \t"), *endpoint = end + strspn(end, " \t");
    if (!*endpoint) return cw_fail_at(lines->file, lines->number, "'%s' alone, expected a host and an endpoint", text);
    *end = '\0';
    return line(context, lines, text, endpoint);
}

int cw_host_map_parse(const char *file, const char *data, size_t length, cw_host_map_line *line, void *context)
{
    struct cw_lines lines = cw_lines_of(file, data, length);
    int rc = 0;
    while (!rc && cw_lines_next(&lines)) {
        char *content = cw_line_content(&lines);
        if (!content) rc = CW_ENOMEM;
        if (!rc && *content) rc = read_line(&lines, content, line, context);
        free(content);
    }
    return rc;
}

int cw_host_map_read(const char *path, cw_host_map_line *line, void *context)
{
    struct cw_text text = {0};
    int rc = cw_file_read(path, &text);
    if (!rc) rc = cw_host_map_parse(path, text.data, text.length, line, context);
    cw_text_free(&text);
    return rc;
}

int cw_host_map_find(const struct cw_lines *lines, const struct cw_network *net, const struct cw_name_index *names,
                     const char *name, uint32_t *endpoint)
{
    uint32_t e = cw_name_index_vertex(names, name);
    const int rc = e == CW_NONE ? cw_name_index_host_only(names, name, &e) : 0;
    if (rc) return rc == CW_EUSAGE ? cw_fail_at(lines->file, lines->number, "%s", cw_error_message()) : rc;
    if (e == CW_NONE || !cw_network_is_endpoint(net, e))
        return cw_fail_at(lines->file, lines->number,
                          "there is no endpoint '%s'; expected a name, a GUID (0x...) or an id below %u", name,
                          net->n_endpoints);
    *endpoint = e;
    return 0;
}

int cw_host_map_set(const struct cw_lines *lines, const char *host, char **name)
{
    if (*name)
        return cw_fail_at(lines->file, lines->number, "the endpoint of '%s' is that of host '%s' already", host, *name);
    *name = cw_copy_text(host, strlen(host));
    return *name ? 0 : CW_ENOMEM;
}

/* --- names of all ------------------------------------------------------------------------------------------------- */

struct naming {
    const struct cw_network *net;
    struct cw_name_index *names;
    uint32_t *index; /* [endpoints of the network] among those that are asked for, or CW_NONE */
    char **hosts;
};

static int name_endpoint(void *context, const struct cw_lines *lines, const char *host, const char *name)
{
    const struct naming *naming = context;
    uint32_t endpoint;
    const int rc = cw_host_map_find(lines, naming->net, naming->names, name, &endpoint);
    if (rc || naming->index[endpoint] == CW_NONE) return rc; /* a map may know more hosts than take part */
    return cw_host_map_set(lines, host, &naming->hosts[naming->index[endpoint]]);
}

static int read_names(const struct cw_network *net, const char *map, uint32_t n, const uint32_t *endpoints,
                      char **names)
{
    struct naming naming = {
        .net = net, .index = cw_new_array(net->n_endpoints, sizeof(uint32_t), "endpoints"), .hosts = names};
    int rc = naming.index ? cw_name_index_new(net, &naming.names) : CW_ENOMEM;
    for (uint32_t e = 0; !rc && e < net->n_endpoints; e++) naming.index[e] = CW_NONE;
    for (uint32_t i = 0; !rc && i < n; i++) naming.index[endpoints[i]] = i;
    if (!rc) rc = cw_host_map_read(map, name_endpoint, &naming);
    cw_name_index_free(naming.names);
    free(naming.index);
    return rc;
}

static int compare(const void *a, const void *b, void *context)
{
    char *const *names = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int order = strcmp(names[x], names[y]);
    return order != 0 ? order : (x > y) - (x < y);
}

/* Of those with one name the first keeps it. */
static int drop_rails(uint32_t n, char **names)
{
    uint32_t *sorted = cw_new_array(n, sizeof *sorted, "names of hosts");
    if (!sorted) return CW_ENOMEM;
    for (uint32_t i = 0; i < n; i++) sorted[i] = i;
    qsort_r(sorted, n, sizeof *sorted, compare, names);
    for (uint32_t i = 1, first = 0; i < n; i++) {
        char **name = &names[sorted[i]];
        if (strcmp(*name, names[sorted[first]]) != 0) {
            first = i;
            continue;
        }
        free(*name);
        *name = NULL;
    }
    free(sorted);
    return 0;
}

int cw_host_names(const struct cw_network *net, const char *map, uint32_t n, const uint32_t *endpoints, char **names)
{
    int rc = map ? read_names(net, map, n, endpoints, names) : 0;
    for (uint32_t i = 0; !rc && i < n; i++) {
        char name[CW_NAME_SIZE];
        if (names[i]) continue;
        cw_network_name(net, endpoints[i], name, sizeof name);
        names[i] = cw_copy_text(name, strcspn(name, " "));
        if (!names[i]) rc = CW_ENOMEM;
    }
    return rc ? rc : drop_rails(n, names);
}
