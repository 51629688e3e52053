/* program_move MOVES: a program that moves data of its own, three times, by libcrosswind-mpi; rank i is rank i of
 * MOVES. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "mpi/move/move.h"

static unsigned char byte_of(int time, size_t demand, uint64_t i)
{
    return (unsigned char)(i * 7 + i / 251 + demand * 31 + (size_t)time);
}

/* Moves all demands, and looks at those that are for this rank. */
static int move_once(struct cw_move *move, const struct cw_moves *moves, uint32_t self, int time, void **data)
{
    double seconds;
    for (size_t d = 0; d < moves->n_demands; d++)
        for (uint64_t i = 0; moves->demands[d].src == self && i < moves->demands[d].bytes; i++)
            ((unsigned char *)data[d])[i] = byte_of(time, d, i);
    const int rc = cw_move_run(move, data, &seconds);
    if (rc) return rc;
    for (size_t d = 0; d < moves->n_demands; d++)
        for (uint64_t i = 0; moves->demands[d].dst == self && i < moves->demands[d].bytes; i++)
            if (((unsigned char *)data[d])[i] != byte_of(time, d, i)) return cw_fail(CW_EIO, "a byte is wrong");
    return 0;
}

static int run(const char *file, int rank)
{
    const uint32_t self = (uint32_t)rank;
    struct cw_text text = {0};
    struct cw_moves moves;
    struct cw_move *move = NULL;
    int rc = cw_file_read(file, &text);
    if (!rc) rc = cw_moves_parse(file, text.data, text.length, &moves);
    if (rc) return rc;
    const struct cw_move_setup setup = {
        .comm = MPI_COMM_WORLD, .moves = &moves, .wait = cw_wait_choose(MPI_COMM_WORLD)};
    void **data = calloc(moves.n_demands, sizeof *data);
    for (size_t d = 0; d < moves.n_demands; d++)
        if (moves.demands[d].src == self || moves.demands[d].dst == self)
            data[d] = calloc(1, (size_t)moves.demands[d].bytes);
    rc = cw_move_new(&setup, &move);
    for (int time = 0; time < 3 && !rc; time++) rc = move_once(move, &moves, self, time, data);
    if (!rc && rank == 0) printf("%zu demands moved 3 times\n", moves.n_demands);
    if (!rc) cw_move_free(move);
    for (size_t d = 0; d < moves.n_demands; d++) free(data[d]);
    free(data);
    cw_moves_free(&moves);
    cw_text_free(&text);
    return rc;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int rc = run(argc > 1 ? argv[1] : "", rank);
    if (rc && rank == 0) puts(cw_error_message());
    MPI_Finalize();
    return rc ? 1 : 0;
}
