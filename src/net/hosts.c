#include "net/hosts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/host_list.h"
#include "net/name_index.h"
#include "net/network_internal.h"

static const char what[] = "hosts of a network";

struct cw_hosts {
    struct cw_name_table *given, *legal; /* a name's number is its host */
    uint32_t *host;                      /* [n_endpoints] or CW_NONE */
};

void cw_hosts_free(struct cw_hosts *hosts)
{
    if (!hosts) return;
    cw_name_table_free(hosts->given);
    cw_name_table_free(hosts->legal);
    free(hosts->host);
    free(hosts);
}

static void make_legal(const char *name, size_t length, struct cw_text *legal)
{
    bool gap = false;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)name[i];
        const bool is_legal = c < 0x80 && (isalnum(c) || c == '.' || c == '-' || c == '_');
        if (is_legal && gap) cw_text_add(legal, "_");
        if (is_legal) cw_text_append(legal, name + i, 1);
        gap = !is_legal;
    }
    if (legal->length == 0) cw_text_add(legal, "_");
}

int cw_hosts_add_legal(struct cw_name_table *table, const char *name, size_t length)
{
    struct cw_text legal = {0};
    const uint32_t wanted = cw_name_table_count(table);
    uint32_t id = CW_NONE;
    make_legal(name, length, &legal);
    const size_t plain = legal.length;
    int rc = cw_text_check(&legal);
    for (uint32_t number = 2; !rc && id != wanted; number++) {
        rc = cw_name_table_add(table, legal.data, legal.length, &id);
        legal.length = plain;
        cw_text_printf(&legal, "_%" PRIu32, number);
        if (!rc) rc = cw_text_check(&legal);
    }
    cw_text_free(&legal);
    return rc;
}

static int add_endpoint(struct cw_hosts *hosts, const struct cw_network *net, uint32_t v)
{
    char name[CW_NAME_SIZE];
    const uint32_t known = cw_name_table_count(hosts->given);
    cw_network_name(net, v, name, sizeof name);
    const size_t host = net->names ? cw_host_name_length(name) : 0, length = host > 0 ? host : strlen(name);
    int rc = cw_name_table_add(hosts->given, name, length, &hosts->host[v]);
    if (!rc && hosts->host[v] == known) rc = cw_hosts_add_legal(hosts->legal, name, length);
    return rc;
}

int cw_hosts_new(const struct cw_network *net, struct cw_hosts **out)
{
    struct cw_hosts *hosts = cw_new_array(1, sizeof *hosts, what);
    if (!hosts) return CW_ENOMEM;
    hosts->host = cw_new_array(net->n_endpoints, sizeof *hosts->host, what);
    int rc = hosts->host ? cw_name_table_new(&hosts->given) : CW_ENOMEM;
    if (!rc) rc = cw_name_table_new(&hosts->legal);
    for (uint32_t v = 0; !rc && v < net->n_endpoints; v++) {
        hosts->host[v] = CW_NONE;
        if (!net->identity || net->identity[v].kind == CW_KIND_HOST) rc = add_endpoint(hosts, net, v);
    }
    if (rc)
        cw_hosts_free(hosts);
    else
        *out = hosts;
    return rc;
}

uint32_t cw_hosts_count(const struct cw_hosts *hosts)
{
    return cw_name_table_count(hosts->legal);
}

uint32_t cw_hosts_of(const struct cw_hosts *hosts, uint32_t endpoint)
{
    return hosts->host[endpoint];
}

const char *cw_hosts_name(const struct cw_hosts *hosts, uint32_t host)
{
    return cw_name_table_name(hosts->legal, host);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

const char *const cw_hosts_forms[] = {"endpoints", "hostfile", "nodelist", "rankfile", NULL};

static int compare_names(const void *a, const void *b)
{
    return cw_natural_compare(*(const char *const *)a, *(const char *const *)b);
}

void cw_hosts_write_names(const char **names, size_t n, struct cw_text *text)
{
    size_t kept = 0;
    if (n > 0) qsort(names, n, sizeof *names, compare_names);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(names[i], names[kept - 1]) != 0) names[kept++] = names[i];
    cw_host_list_write(names, kept, text);
}

static int write_ranks(const struct cw_network *net, const struct cw_hosts *hosts, enum cw_hosts_form form,
                       const uint32_t *endpoints, uint32_t n, struct cw_text *text)
{
    const char **names = cw_new_array(n, sizeof *names, what);
    uint32_t *slots = cw_new_array(cw_hosts_count(hosts), sizeof *slots, what);
    int rc = names && slots ? 0 : CW_ENOMEM;
    for (uint32_t r = 0; !rc && r < n; r++) {
        char name[CW_NAME_SIZE];
        const uint32_t host = hosts->host[endpoints[r]];
        if (host == CW_NONE) {
            rc = cw_fail(CW_EUSAGE, "rank %" PRIu32 " would run on '%s', which is no host", r,
                         cw_network_name(net, endpoints[r], name, sizeof name));
            break;
        }
        names[r] = cw_hosts_name(hosts, host);
        if (form == CW_HOSTS_RANKFILE)
            cw_text_printf(text, "rank %" PRIu32 "=%s slot=%" PRIu32 "\n", r, names[r], slots[host]++);
        else if (form == CW_HOSTS_HOSTFILE)
            cw_text_printf(text, "%s\n", names[r]);
    }
    if (!rc && form == CW_HOSTS_NODELIST) {
        cw_hosts_write_names(names, n, text);
        cw_text_add(text, "\n");
    }
    free(names);
    free(slots);
    return rc ? rc : cw_text_check(text);
}

int cw_hosts_write(const struct cw_network *net, enum cw_hosts_form form, const uint32_t *endpoints, uint32_t n,
                   struct cw_text *text)
{
    char name[CW_NAME_SIZE];
    struct cw_hosts *hosts = NULL;
    for (uint32_t r = 0; form == CW_HOSTS_ENDPOINTS && r < n; r++)
        cw_text_printf(text, "%s\n", cw_network_name(net, endpoints[r], name, sizeof name));
    if (form == CW_HOSTS_ENDPOINTS) return cw_text_check(text);
    int rc = cw_hosts_new(net, &hosts);
    if (!rc) rc = write_ranks(net, hosts, form, endpoints, n, text);
    cw_hosts_free(hosts);
    return rc;
}
