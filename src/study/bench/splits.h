/*
 * Who computes and who perturbs: the ranks of a run divided at random into the application and the perturbation of one
 * noise measurement, and where perturbing ranks can exchange without a cable that the application uses.
 *
 * Split NUMBER at a perturbation ratio is drawn with (seed, CW_STREAM_SPLIT, ratio and number) alone: every rank
 * computes it for itself, and it is the same whatever else is measured.
 */
#ifndef CW_STUDY_BENCH_SPLITS_H
#define CW_STUDY_BENCH_SPLITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* Where ranks are. Hosts and leaves are numbers from 0, all less than n_hosts. */
struct cw_rank_places {
    uint32_t n_ranks, n_hosts;
    const uint32_t *host_of; /* [n_ranks] */
    const uint32_t *leaf_of; /* [n_hosts] which hosts are on one leaf switch; NULL: not known */
};

/* Numbers the hosts of ranks, which HOSTS[n_ranks] names, in the order of their lowest ranks: HOST_OF[n_ranks], and
 * NAMES, which has room for n_ranks and borrows. Returns how many there are. O(n_ranks · hosts), and O(n_ranks) where
 * ranks of a host follow each other and hosts are few. */
uint32_t cw_rank_places_number(const char *const *hosts, uint32_t n_ranks, uint32_t *host_of, const char **names);

/* LEAF_OF[n_hosts] of the hosts called NAMES by the file PATH: a line for each leaf switch, with the names of its hosts
 * or lists of them (net/host_list.h), blanks or commas between. Hosts that are not among NAMES are passed over. A leaf
 * has the number of its first host. CW_EIO, CW_ENOMEM; CW_EPARSE for a host on two leaves or on none. */
int cw_rank_places_read_leaves(const char *path, const char *const *names, uint32_t n_hosts, uint32_t *leaf_of);

/* The same where ranks are on ENDPOINTS[n_ranks] of NET, each with one switch. 0 or CW_ENOMEM. */
int cw_rank_places_find_leaves(const struct cw_rank_places *places, const struct cw_network *net,
                               const uint32_t *endpoints, uint32_t *leaf_of);

struct cw_split_rule {
    bool by_node;  /* ranks of a host stay together */
    uint32_t idle; /* ranks, or hosts where by_node, that do neither */
    uint64_t seed;
};

/* Each side needs so many ranks: one alone has nobody to talk to. */
#define CW_SPLIT_LEAST 2

/* Draws split NUMBER at RATIO = perturbing / (perturbing + application) into ROLES[n_ranks] (enum cw_bench_role). The
 * number of perturbing ranks is the nearest that the ratio asks for, by node the nearest that whole hosts give in the
 * order in which they were drawn. CW_EUSAGE if a side would have fewer than CW_SPLIT_LEAST ranks; the message says
 * which ratios can be had. O(n_ranks). */
int cw_split_draw(const struct cw_rank_places *places, const struct cw_split_rule *rule, double ratio, uint32_t number,
                  uint8_t *roles);

/* Where the perturbing ranks of the control exchange. */
enum cw_control {
    CW_CONTROL_NODE, /* with others on the same host: over no cable */
    CW_CONTROL_LEAF  /* with others on the same leaf switch, between hosts without application ranks: their cables are
                      * used by nobody else; those that share a host with the application as CW_CONTROL_NODE */
};

/* GROUPS[n_ranks] gets, for each perturbing rank of the split ROLES, the lowest rank of the group within which it
 * exchanges; CW_NONE for those without a partner and for all other ranks. *EXCHANGING is the number of ranks that
 * have one: 0 if this split has no control of that kind. 0 or CW_ENOMEM. O(n_ranks). */
int cw_split_control(const struct cw_rank_places *places, const uint8_t *roles, enum cw_control control,
                     uint32_t *groups, uint32_t *exchanging);

/* Why a split has no control of that kind: a clause. */
const char *cw_split_no_control(enum cw_control control);

CW_END_DECLS

#endif
