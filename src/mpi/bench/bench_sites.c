#include "mpi/bench/bench_sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "mpi/wait_mode.h"
#include "net/host_list.h"

/* --- what ranks tell each other ----------------------------------------------------------------------------------- */

static void describe_rank(struct rank_facts *facts)
{
    int length;
    MPI_Get_processor_name(facts->host, &length);
    CPU_ZERO(&facts->cpus);
    sched_getaffinity(0, sizeof facts->cpus, &facts->cpus);
}

/* Hosts get numbers in the order of their lowest ranks. */
static void number_hosts(struct bench_sites *sites)
{
    const uint32_t n = sites->places.n_ranks;
    uint32_t n_hosts = 0;
    for (uint32_t rank = 0; rank < n; rank++) {
        uint32_t host = rank > 0 ? sites->host_of[rank - 1] : 0;
        sites->hosts[rank] = sites->facts[rank].host;
        if (rank == 0 || strcmp(sites->host_names[host], sites->hosts[rank]) != 0)
            for (host = 0; host < n_hosts && strcmp(sites->host_names[host], sites->hosts[rank]) != 0;) host++;
        if (host == n_hosts) sites->host_names[n_hosts++] = sites->facts[rank].host;
        sites->host_of[rank] = host;
    }
    sites->places.n_hosts = n_hosts;
    sites->places.host_of = sites->host_of;
}

/* --- leaves ------------------------------------------------------------------------------------------------------- */

/* While the file is read. */
struct leaf_file {
    const struct bench_sites *sites;
    struct cw_lines lines;
    unsigned long *line_of; /* [hosts] the line that names it, from 1 on */
};

/* Hosts that this run does not use are passed over. */
static int enter_host(void *context, const char *name, bool last)
{
    const struct leaf_file *file = context;
    bool found = false;
    for (uint32_t host = 0; host < file->sites->places.n_hosts; host++) {
        unsigned long *line = &file->line_of[host];
        if (strcmp(file->sites->host_names[host], name) != 0) continue;
        if (*line > 0)
            return cw_fail_at(file->lines.file, file->lines.number, "host %s is on the leaf of line %lu already", name,
                              *line);
        *line = file->lines.number;
        found = true;
    }
    return found || last ? 0 : CW_HOST_UNKNOWN;
}

/* Names and lists of names, with blanks or commas between them. */
static int enter_leaf(struct leaf_file *file)
{
    static const char blanks[] = " \t,";
    char *line = cw_line_content(&file->lines);
    int rc = line ? 0 : CW_ENOMEM;
    for (const char *c = line; !rc && *(c += strspn(c, blanks));) {
        const size_t word = strcspn(c, " \t"), item = cw_host_list_item(c), length = word < item ? word : item;
        char *names = cw_copy_text(c, length);
        rc = names ? cw_host_list_each(names, enter_host, file) : CW_ENOMEM;
        if (rc == CW_EUSAGE) rc = cw_fail_at(file->lines.file, file->lines.number, "%s", cw_error_message());
        free(names);
        c += length;
    }
    free(line);
    return rc;
}

/* The number of a leaf is that of its first host. */
static int number_leaves(const char *path, const unsigned long *line_of, struct bench_sites *sites)
{
    for (uint32_t host = 0; host < sites->places.n_hosts; host++) {
        if (line_of[host] == 0) return cw_fail_at(path, 0, "host %s is on none of the leaves", sites->host_names[host]);
        uint32_t first = 0;
        while (line_of[first] != line_of[host]) first++;
        sites->leaf_of[host] = first;
    }
    sites->places.leaf_of = sites->leaf_of;
    return 0;
}

static int read_leaves(const char *path, struct bench_sites *sites)
{
    struct cw_text text = {0};
    struct leaf_file file = {.sites = sites};
    file.line_of = cw_new_array(sites->places.n_hosts, sizeof *file.line_of, "leaves");
    sites->leaf_of = cw_new_array(sites->places.n_hosts, sizeof *sites->leaf_of, "leaves");
    int rc = file.line_of && sites->leaf_of ? cw_file_read(path, &text) : CW_ENOMEM;
    file.lines = cw_lines_of(path, text.data, text.length);
    while (!rc && cw_lines_next(&file.lines)) rc = enter_leaf(&file);
    if (!rc) rc = number_leaves(path, file.line_of, sites);
    cw_text_free(&text);
    free(file.line_of);
    return rc;
}

int bench_sites_find(struct ranks *ranks, const char *leaves, struct bench_sites *out)
{
    const uint32_t n = ranks->program.n;
    struct bench_sites sites = {.places.n_ranks = n};
    struct rank_facts *mine = cw_new_array(1, sizeof *mine, "facts of a rank");
    sites.facts = cw_new_array(n, sizeof *sites.facts, "facts of ranks");
    sites.hosts = cw_new_array(n, sizeof *sites.hosts, "hosts of ranks");
    sites.host_names = cw_new_array(n, sizeof *sites.host_names, "hosts");
    sites.host_of = cw_new_array(n, sizeof *sites.host_of, "hosts of ranks");
    int rc = mine && sites.facts && sites.hosts && sites.host_names && sites.host_of ? 0 : CW_ENOMEM;
    rc = ranks_agree(ranks, rc);
    if (!rc) {
        describe_rank(mine);
        MPI_Allgather(mine, (int)sizeof *mine, MPI_BYTE, sites.facts, (int)sizeof *mine, MPI_BYTE, ranks->comm);
        number_hosts(&sites);
        sites.oversubscribed = cw_wait_choose(ranks->comm) == CW_WAIT_SLEEP;
        rc = ranks_agree(ranks, leaves ? read_leaves(leaves, &sites) : 0);
    }
    free(mine);
    if (rc)
        bench_sites_free(&sites);
    else
        *out = sites;
    return rc;
}

void bench_sites_free(struct bench_sites *sites)
{
    free(sites->facts);
    free(sites->hosts);
    free(sites->host_names);
    free(sites->host_of);
    free(sites->leaf_of);
    *sites = (struct bench_sites){0};
}
