#include "mpi/overlap/overlap_places.h"

#include <stdlib.h>

#include "nbc/nbc_settings.h"

void overlap_places_find(struct overlap_places *places)
{
    CPU_ZERO(&places->all);
    sched_getaffinity(0, sizeof places->all, &places->all);
    places->own = places->all;
}

void overlap_places_take(const struct overlap_places *places, bool all)
{
    sched_setaffinity(0, sizeof places->all, all ? &places->all : &places->own);
}

void overlap_places_reset(struct overlap_places *places)
{
    places->own = places->all;
    overlap_places_take(places, true);
}

void overlap_places_avoid(struct overlap_places *places, const cpu_set_t *cores)
{
    cpu_set_t both, left;
    CPU_AND(&both, &places->own, cores);
    CPU_XOR(&left, &places->own, &both);
    if (CPU_COUNT(&left) == 0) return;
    places->own = left;
    overlap_places_take(places, false);
}

int overlap_places_avoid_given(struct overlap_places *places)
{
    cpu_set_t given;
    const char *cores = getenv("CROSSWIND_NBC_CORES");
    if (!cores || !*cores) return 0;
    int rc = cw_nbc_cores_parse("CROSSWIND_NBC_CORES", cores, &given);
    if (!rc) overlap_places_avoid(places, &given);
    return rc;
}
