/*
 * The hosts of a network as resource managers and launchers know them: which endpoints are whose, names that Slurm and
 * MPI take, and files that say which rank runs where.
 *
 * A host is what endpoints that name it have in common (net/name_index.h), else an endpoint of its own. Aggregation
 * nodes and routers are no hosts. A host's name has letters, digits, '.', '_' and '-' only: others become one
 * '_' together, and nothing at its end. Where two would be called the same, the later one is "NAME_2", "NAME_3", ...
 */
#ifndef CW_NET_HOSTS_H
#define CW_NET_HOSTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "net/name_table.h"
#include "net/network.h"

CW_BEGIN_DECLS

struct cw_hosts;

/* The hosts of NET, which is borrowed, in the order of their first endpoints. *OUT is the caller's. O(endpoints). */
int cw_hosts_new(const struct cw_network *net, struct cw_hosts **out);
void cw_hosts_free(struct cw_hosts *hosts);

uint32_t cw_hosts_count(const struct cw_hosts *hosts);
/* The host, < count, that ENDPOINT belongs to; CW_NONE if that is none. */
uint32_t cw_hosts_of(const struct cw_hosts *hosts, uint32_t endpoint);
const char *cw_hosts_name(const struct cw_hosts *hosts, uint32_t host);

/* TABLE gets NAME, made legal and unlike all that it has, as names of hosts are. */
int cw_hosts_add_legal(struct cw_name_table *table, const char *name, size_t length);

/* Appends the list of the N NAMES in the order of people, each once (net/host_list.h). NAMES is sorted. */
void cw_hosts_write_names(const char **names, size_t n, struct cw_text *text);

/* Files that say where ranks run. */
enum cw_hosts_form {
    CW_HOSTS_ENDPOINTS, /* the names of endpoints, a line a rank: placement=file:FILE */
    CW_HOSTS_HOSTFILE,  /* hosts, a line a rank: SLURM_HOSTFILE of srun --distribution=arbitrary; mpirun --hostfile */
    CW_HOSTS_NODELIST,  /* each host once, as a list: srun --nodelist */
    CW_HOSTS_RANKFILE,  /* "rank 0=node001 slot=0": mpirun --rankfile; ranks of a host have slots 0, 1, ... */
};
extern const char *const cw_hosts_forms[]; /* by enum cw_hosts_form, ended by NULL */

/* Appends in FORM where N ranks run, rank r on ENDPOINTS[r]. Hosts are those of NET. CW_EUSAGE if an endpoint that is
 * needed belongs to none. */
int cw_hosts_write(const struct cw_network *net, enum cw_hosts_form form, const uint32_t *endpoints, uint32_t n,
                   struct cw_text *text);

CW_END_DECLS

#endif
