/*
 * Who of a program's ranks is who in moves: by the hosts that they run on.
 *
 * Each rank of moves has a host, which is called as its endpoint unless a file says otherwise. Where several have the
 * same one, its ranks are shared out among them in their order. Every rank of moves gets equally many, N: then the
 * moves are carried out by N ranks each (flow/moves/moves_change.h).
 */
#ifndef CW_STUDY_MOVE_MOVE_SEATS_H
#define CW_STUDY_MOVE_MOVE_SEATS_H

#include <stdint.h>

#include "base/decls.h"
#include "flow/moves/moves.h"

CW_BEGIN_DECLS

/* The host of each rank of MOVES, [n_ranks], by the map (study/host_map.h) of LENGTH bytes at DATA; FILE is for
 * messages. Endpoints of no part in the moves are passed over, and those that the map does not name are hosts
 * themselves. CW_EPARSE for a malformed line, or an endpoint named twice. Free it with cw_move_hosts_free. */
int cw_move_hosts_read(const struct cw_moves *moves, const char *file, const char *data, size_t length, char ***out);
void cw_move_hosts_free(char **hosts, uint32_t n);

/* HOSTS[r] of the program's N ranks, by number. WANTED[r], [n_ranks], as read; NULL: the endpoints' names. Names are
 * compared up to their first '.', in any case. *SEATS, [n_ranks · *ranks_each], are the program's ranks that stand for
 * each rank of MOVES. Those on other hosts have no seat. CW_EUSAGE if a host has no rank, or too few, or hosts differ
 * in how many ranks there are for each of the moves. */
int cw_move_seats(const struct cw_moves *moves, char *const *wanted, const char *const *hosts, uint32_t n,
                  uint32_t **seats, uint32_t *ranks_each);

CW_END_DECLS

#endif
