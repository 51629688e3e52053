#include "study/move/move_seats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "study/host_map.h"

/* --- the file ----------------------------------------------------------------------------------------------------- */

struct reading {
    const struct cw_moves *moves;
    char **hosts;
};

/* Endpoints of no part in the moves are passed over. */
static int set_host(void *context, const struct cw_lines *lines, const char *host, const char *endpoint)
{
    const struct reading *reading = context;
    for (uint32_t r = 0; r < reading->moves->n_ranks; r++)
        if (strcmp(reading->moves->names[r], endpoint) == 0) return cw_host_map_set(lines, host, &reading->hosts[r]);
    return 0;
}

int cw_move_hosts_read(const struct cw_moves *moves, const char *file, const char *data, size_t length, char ***out)
{
    struct reading reading = {moves, cw_new_array(moves->n_ranks, sizeof(char *), "hosts of ranks")};
    char **hosts = reading.hosts;
    int rc = hosts ? cw_host_map_parse(file, data, length, set_host, &reading) : CW_ENOMEM;
    for (uint32_t r = 0; r < moves->n_ranks && !rc; r++) {
        if (!hosts[r]) hosts[r] = cw_copy_text(moves->names[r], strlen(moves->names[r]));
        if (!hosts[r]) rc = CW_ENOMEM;
    }
    if (rc)
        cw_move_hosts_free(hosts, moves->n_ranks);
    else
        *out = hosts;
    return rc;
}

void cw_move_hosts_free(char **hosts, uint32_t n)
{
    for (uint32_t r = 0; hosts && r < n; r++) free(hosts[r]);
    free(hosts);
}

/* --- seats -------------------------------------------------------------------------------------------------------- */

static bool is_same_host(const char *a, const char *b)
{
    const size_t length = strcspn(a, ".");
    return length == strcspn(b, ".") && strncasecmp(a, b, length) == 0;
}

/* A host that ranks of moves need. */
struct place {
    const char *host;
    uint32_t wanted, there; /* ranks of moves, ranks of the program */
};

struct seating {
    const struct cw_moves *moves;
    const char *const *hosts;
    uint32_t n, n_places;
    struct place *places; /* [moves->n_ranks], n_places of them */
    uint32_t *place_of;   /* [moves->n_ranks] */
    uint32_t *rank_place; /* [n] or CW_NONE */
};

static uint32_t find_place(const struct seating *seating, const char *host)
{
    for (uint32_t p = 0; p < seating->n_places; p++)
        if (is_same_host(seating->places[p].host, host)) return p;
    return CW_NONE;
}

static void find_places(struct seating *seating, char *const *wanted)
{
    for (uint32_t r = 0; r < seating->moves->n_ranks; r++) {
        const char *host = wanted ? wanted[r] : seating->moves->names[r];
        uint32_t p = find_place(seating, host);
        if (p == CW_NONE) {
            p = seating->n_places++;
            seating->places[p] = (struct place){.host = host};
        }
        seating->places[p].wanted++;
        seating->place_of[r] = p;
    }
    for (uint32_t i = 0; i < seating->n; i++) {
        seating->rank_place[i] = find_place(seating, seating->hosts[i]);
        if (seating->rank_place[i] != CW_NONE) seating->places[seating->rank_place[i]].there++;
    }
}

static int check_places(const struct seating *seating, uint32_t *ranks_each)
{
    const struct place *first = &seating->places[0];
    for (uint32_t p = 0; p < seating->n_places; p++) {
        const struct place *place = &seating->places[p];
        if (place->there == 0)
            return cw_fail(CW_EUSAGE,
                           "no rank runs on %s, which has a part in these moves (%u endpoints); rank 0 of %u runs on "
                           "%s; --hosts FILE says which host is which endpoint",
                           place->host, seating->moves->n_ranks, seating->n, seating->hosts[0]);
        if (place->there % place->wanted != 0)
            return cw_fail(CW_EUSAGE, "%u ranks on %s for %u endpoints of these moves; expected %u, or a multiple",
                           place->there, place->host, place->wanted, place->wanted);
        if (place->there / place->wanted != first->there / first->wanted)
            return cw_fail(CW_EUSAGE, "%u ranks for an endpoint on %s, and %u on %s; expected equally many for each",
                           place->there / place->wanted, place->host, first->there / first->wanted, first->host);
    }
    *ranks_each = first->there / first->wanted;
    return 0;
}

/* Gives the ranks of every place to those that want them, in their order. */
static void seat(struct seating *seating, uint32_t ranks_each, uint32_t *seats)
{
    for (uint32_t r = 0; r < seating->moves->n_ranks; r++) {
        uint32_t taken = 0;
        for (uint32_t i = 0; i < seating->n && taken < ranks_each; i++) {
            if (seating->rank_place[i] != seating->place_of[r]) continue;
            seating->rank_place[i] = CW_NONE;
            seats[(size_t)r * ranks_each + taken++] = i;
        }
    }
}

int cw_move_seats(const struct cw_moves *moves, char *const *wanted, const char *const *hosts, uint32_t n,
                  uint32_t **seats, uint32_t *ranks_each)
{
    struct seating seating = {.moves = moves, .hosts = hosts, .n = n};
    uint32_t *made = NULL, each = 0;
    seating.places = cw_new_array(moves->n_ranks, sizeof *seating.places, "hosts of ranks");
    seating.place_of = cw_new_array(moves->n_ranks, sizeof *seating.place_of, "hosts of ranks");
    seating.rank_place = cw_new_array(n, sizeof *seating.rank_place, "hosts of ranks");
    int rc = seating.places && seating.place_of && seating.rank_place ? 0 : CW_ENOMEM;
    if (!rc) {
        find_places(&seating, wanted);
        rc = check_places(&seating, &each);
    }
    if (!rc) made = cw_new_array((size_t)moves->n_ranks * each, sizeof *made, "ranks of moves");
    if (!rc && !made) rc = CW_ENOMEM;
    if (!rc) {
        seat(&seating, each, made);
        *seats = made;
        *ranks_each = each;
    }
    free(seating.places);
    free(seating.place_of);
    free(seating.rank_place);
    return rc;
}
