/*
 * Which cores this rank may use: those that the launcher gave, or those of them that are not for communication.
 */
#ifndef CW_MPI_OVERLAP_PLACES_H
#define CW_MPI_OVERLAP_PLACES_H

#include <sched.h>
#include <stdbool.h>

struct overlap_places {
    cpu_set_t all, own;
};

/* As the launcher has it: both are the same. */
void overlap_places_find(struct overlap_places *places);

/* Back to what the launcher gave, for another choice of communication cores. */
void overlap_places_reset(struct overlap_places *places);

/* Takes CORES from the rank's own, unless that would leave none, and moves it there. */
void overlap_places_avoid(struct overlap_places *places, const cpu_set_t *cores);

/* The same with those of CROSSWIND_NBC_CORES, if it is set, before threads start on them. CW_EUSAGE. */
int overlap_places_avoid_given(struct overlap_places *places);

/* The calling thread moves to its own cores, or to ALL. */
void overlap_places_take(const struct overlap_places *places, bool all);

#endif
