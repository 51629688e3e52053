/*
 * The relay of this host (nbc/nbc_relay.h): what its first worker does besides, where a job spans hosts. Begins what
 * ranks have posted, goes on with everything that is under way whenever it is asked, and waits for nobody.
 */
#ifndef CW_MPI_NBC_RELAY_THREAD_H
#define CW_MPI_NBC_RELAY_THREAD_H

#include "nbc/nbc_fabric.h"
#include "nbc/nbc_worker.h"

struct nbc_relays;

/* Of NODE; LEADER: the rank of MPI_COMM_WORLD by which this host is known; PLACES: of hosts, by leader, or NULL
 * (nbc/nbc_hosts.h). TREES and PLACES are borrowed. CW_ENOMEM. */
int nbc_relays_new(struct cw_nbc_node *node, int leader, const struct cw_nbc_between *asked,
                   const struct cw_nbc_trees *trees, const int *places, struct nbc_relays **out);
void nbc_relays_free(struct nbc_relays *relays);

/* One step of everything. A cw_nbc_aside of STATE, a struct nbc_relays. */
enum cw_nbc_beside nbc_relays_step(void *state);

#endif
