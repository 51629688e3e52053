/*
 * Programs: what ranks do, and in which order. Each rank has actions (it sends a message, receives one, computes),
 * and an action begins once all those of its rank that it waits for are done. Schedules, patterns, lists of moves
 * and recordings all become programs, so that one simulator runs them all. Patterns and schedules say what is to be
 * done; a program is one way of doing it among N ranks.
 *
 * A message is a send and the receive that takes it: of all between two ranks with the same tag the first send and the
 * first receive belong together, then the second ones, as MPI has it. Of both the order is that in which they were
 * added.
 *
 * A program is made by a builder, and immutable then. Actions have the numbers 0 … n_actions - 1, rank by rank,
 * those of a rank in the order in which they were added. Memory: about 30 bytes an action, 8 for each that another
 * one waits for.
 */
#ifndef CW_TRAFFIC_RANK_PROGRAM_H
#define CW_TRAFFIC_RANK_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "traffic/flows.h"
#include "traffic/schedule.h"

CW_BEGIN_DECLS

enum cw_action_kind {
    CW_ACTION_SEND,
    CW_ACTION_RECEIVE,
    CW_ACTION_COMPUTE /* the rank's processor is busy; for 0 s it only waits for what it depends on */
};

struct cw_action {
    enum cw_action_kind kind;
    uint32_t rank;
    uint32_t peer;    /* the message's other rank */
    uint32_t partner; /* the message's other action, at that rank */
    uint32_t waits;   /* for so many other actions */
    union {
        uint64_t bytes; /* of a message, the same at both ends */
        double seconds; /* of a computation */
    };
};

struct cw_program {
    uint32_t n_ranks;
    uint32_t n_actions;
    struct cw_action *actions; /* [n_actions] */
    uint32_t *first;           /* [n_ranks + 1]: actions of rank r are first[r] … first[r + 1] - 1 */
    size_t *first_next;        /* [n_actions + 1]: for action i wait … */
    uint32_t *next;            /* … next[first_next[i]] … next[first_next[i + 1] - 1], ascending */
};

CW_API void cw_program_free(struct cw_program *program);

/* --- making one --------------------------------------------------------------------------------------------------- */

/* Remembers its first error, which cw_program_finish reports. */
struct cw_program_builder;

/* Begins a program of N_RANKS ranks, without any action. 0 or CW_ENOMEM. */
CW_API int cw_program_begin(uint32_t n_ranks, struct cw_program_builder **out);

/* Each returns the action's number among all that are added, from 0; it is another one in the program. PEER may be
 * RANK itself. */
CW_API uint32_t cw_program_send(struct cw_program_builder *builder, uint32_t rank, uint32_t peer, uint32_t tag,
                                uint64_t bytes);
CW_API uint32_t cw_program_receive(struct cw_program_builder *builder, uint32_t rank, uint32_t peer, uint32_t tag,
                                   uint64_t bytes);
CW_API uint32_t cw_program_compute(struct cw_program_builder *builder, uint32_t rank, double seconds);
/* Operation LATER begins when EARLIER is done; both of one rank. */
CW_API void cw_program_wait(struct cw_program_builder *builder, uint32_t later, uint32_t earlier);

/* Frees BUILDER in any case. CW_EUSAGE for ranks that there are not, times that are negative, actions of different
 * ranks that wait for each other, messages that nobody sends or receives, or whose lengths differ at both ends;
 * CW_ELIMIT for 2^32 - 1 actions or more. O(n log n). That actions wait for each other in a circle is found when
 * the program is run. */
CW_API int cw_program_finish(struct cw_program_builder *builder, struct cw_program **out);
CW_API void cw_program_abandon(struct cw_program_builder *builder); /* frees it; NULL is accepted */

/* --- from what else there is ----------------------------------------------------------------------------------------
 */

/* A collective of BYTES (cw_schedule_total_bytes) among N ranks, with the dependences of a schedule: messages of a
 * round wait for all that their sender receives in rounds before. */
CW_API int cw_program_of_schedule(const struct cw_schedule *schedule, uint32_t n, uint64_t bytes,
                                  struct cw_program **out);

/* One message for each of FLOWS among N ranks; none waits for another. */
CW_API int cw_program_of_flows(const struct cw_flows *flows, uint32_t n, struct cw_program **out);

/* PROGRAM for TIMES times, at least once: each rank begins again when it has done all that it had to do, whatever the
 * others still do. CW_ELIMIT for 2^32 - 1 actions or more. Time and memory: those of so many programs. */
CW_API int cw_program_repeat(const struct cw_program *program, uint32_t times, struct cw_program **out);

/* --- what it moves --------------------------------------------------------------------------------------------------
 */

/* Appends who sends how much to whom, all messages of two ranks together, by their numbers. CW_ENOMEM. O(n log n). */
CW_API int cw_program_matrix(const struct cw_program *program, struct cw_flows *matrix);

CW_END_DECLS

#endif
