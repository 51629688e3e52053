/* Who is who in moves, and the data that are moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "study/move/move_data.h"
#include "study/move/move_seats.h"

/* h0 sends 100 bytes to h1, and 200 to h2, over h1 and h3. */
static struct cw_moves read_file(const char *file)
{
    struct cw_moves moves;
    struct cw_text text = {0};
    assert_int_equal(cw_file_read(file, &text), 0);
    assert_int_equal(cw_moves_parse(file, text.data, text.length, &moves), 0);
    cw_text_free(&text);
    return moves;
}

static struct cw_moves read_moves(void)
{
    return read_file(CW_TEST_DATA "/golden/moves/two-demands.json");
}

/* --- seats -------------------------------------------------------------------------------------------------------- */

#define HOSTS(...) (const char *const[]){__VA_ARGS__}, sizeof(const char *[]){__VA_ARGS__} / sizeof(char *)

static void assert_seats(const char *file, const char *const *hosts, uint32_t n, uint32_t lanes, const uint32_t *seats)
{
    struct cw_moves moves = read_moves();
    char **wanted = NULL;
    uint32_t *found, each;
    if (file) assert_int_equal(cw_move_hosts_read(&moves, "hosts", file, strlen(file), &wanted), 0);
    assert_int_equal(cw_move_seats(&moves, wanted, hosts, n, &found, &each), 0);
    assert_int_equal(each, lanes);
    assert_memory_equal(found, seats, 4 * lanes * sizeof *seats);
    free(found);
    cw_move_hosts_free(wanted, moves.n_ranks);
    cw_moves_free(&moves);
}

static void assert_no_seats(const char *file, const char *const *hosts, uint32_t n, const char *message)
{
    struct cw_moves moves = read_moves();
    char **wanted = NULL;
    uint32_t *found, each;
    int rc = file ? cw_move_hosts_read(&moves, "hosts", file, strlen(file), &wanted) : 0;
    if (!rc) rc = cw_move_seats(&moves, wanted, hosts, n, &found, &each);
    assert_true(rc == CW_EUSAGE || rc == CW_EPARSE);
    assert_string_equal(cw_error_message(), message);
    cw_move_hosts_free(wanted, moves.n_ranks);
    cw_moves_free(&moves);
}

static void ranks_sit_on_their_hosts(void **state)
{
    (void)state;
    assert_seats(NULL, HOSTS("h3.cluster", "H2", "x", "h1", "h0"), 1, (const uint32_t[]){4, 3, 1, 0});
    assert_seats(NULL, HOSTS("h0", "h1", "h2", "h3", "h3", "h2", "h1", "h0"), 2,
                 (const uint32_t[]){0, 7, 1, 6, 2, 5, 3, 4});
    assert_seats("# host endpoint\na h0 # comment\n a\th1\nb h2\nb h9 HCA-1\nb h3\n", HOSTS("b", "a", "a", "b"), 1,
                 (const uint32_t[]){1, 2, 0, 3});
    assert_seats("a h0\na h1\nb h2\nb h3\n", HOSTS("b", "a", "a", "b", "a", "b", "b", "a"), 2,
                 (const uint32_t[]){1, 2, 4, 7, 0, 3, 5, 6});
    assert_seats("a h3\n", HOSTS("a", "h0", "h1", "h2"), 1, (const uint32_t[]){1, 2, 3, 0});
}

static void says_who_has_no_seat(void **state)
{
    (void)state;
    assert_no_seats(NULL, HOSTS("vm", "vm", "vm", "vm"),
                    "no rank runs on h0, which has a part in these moves (4 endpoints); rank 0 of 4 runs on vm; "
                    "--hosts FILE says which host is which endpoint");
    assert_no_seats(NULL, HOSTS("h0", "h0", "h1", "h2", "h3"),
                    "1 ranks for an endpoint on h1, and 2 on h0; expected equally many for each");
    assert_no_seats(NULL, HOSTS("h0", "h1", "h1", "h2", "h3"),
                    "2 ranks for an endpoint on h1, and 1 on h0; expected equally many for each");
    assert_no_seats("a h0\na h1\na h2\na h3\n", HOSTS("a", "a", "a"),
                    "3 ranks on a for 4 endpoints of these moves; expected 4, or a multiple");
    assert_no_seats("a h0\na h1\na h2\na h3\n", HOSTS("a", "a", "a", "a", "a"),
                    "5 ranks on a for 4 endpoints of these moves; expected 4, or a multiple");
    assert_no_seats("a h0\nb h1\nb h2\nb h3\n", HOSTS("b", "b", "b", "a", "b"),
                    "4 ranks on b for 3 endpoints of these moves; expected 3, or a multiple");
    assert_no_seats("a h0\na h0\n", HOSTS("a"), "hosts:2: the endpoint of 'a' is that of host 'a' already");
    assert_no_seats("a\n", HOSTS("a"), "hosts:1: 'a' alone, expected a host and an endpoint");
}

/* --- data --------------------------------------------------------------------------------------------------------- */

static const uint32_t seats[] = {2, 3, 0, 1};

/* Moves all by copying what MPI_Alltoallv would. */
static void exchange(struct cw_move_data *data)
{
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t q = 0; q < 4; q++) {
            const struct cw_move_side *sent = &data[r].sent, *received = &data[q].received;
            assert_int_equal(sent->counts[seats[q]], received->counts[seats[r]]);
            memcpy(received->buffer + (size_t)received->places[seats[r]] * data[q].unit,
                   sent->buffer + (size_t)sent->places[seats[q]] * data[r].unit,
                   (size_t)sent->counts[seats[q]] * data[r].unit);
        }
}

static void data_of_all(const struct cw_moves *moves, int limit, struct cw_move_data *data)
{
    for (uint32_t r = 0; r < 4; r++) {
        assert_int_equal(cw_move_data_new(moves, r, seats, 4, limit, &data[r]), 0);
        cw_move_data_fill(&data[r], 99);
    }
}

static void every_byte_counts(void **state)
{
    (void)state;
    struct cw_moves moves = read_moves();
    struct cw_move_data data[4];
    data_of_all(&moves, INT_MAX, data);
    assert_int_equal(data[0].unit, 1);
    assert_int_equal(data[0].sent.places[4], 300);
    exchange(data);
    for (uint32_t r = 0; r < 4; r++) assert_int_equal(cw_move_data_check(&data[r], 99), 0);
    assert_int_equal(cw_move_data_check(&data[2], 98), CW_EIO); /* what was there before does not pass */
    for (size_t i = 0; i < 300; i++) {
        const size_t d = i < 100 ? 0 : 1, at = i < 100 ? i : i - 100;
        const struct cw_move_data *there = &data[1 + d];
        unsigned char *byte = (unsigned char *)there->demands[d] + at;
        char message[64];
        *byte ^= 1;
        snprintf(message, sizeof message, "byte %zu of demand %zu, h0 to h%zu, did not arrive", at, d, 1 + d);
        assert_int_equal(cw_move_data_check(there, 99), CW_EIO);
        assert_string_equal(cw_error_message(), message);
        *byte ^= 1;
    }
    for (uint32_t r = 0; r < 4; r++) cw_move_data_free(&data[r]);
    cw_moves_free(&moves);
}

/* As with more bytes than an int counts. */
static void counts_fit_an_int(void **state)
{
    (void)state;
    struct cw_moves moves = read_moves();
    for (int limit = 299; limit > 2; limit /= 3) {
        struct cw_move_data data[4];
        data_of_all(&moves, limit, data);
        for (uint32_t r = 0; r < 4; r++) {
            assert_int_equal(data[r].unit, data[0].unit);
            assert_true(data[r].sent.places[4] <= limit && data[r].received.places[4] <= limit);
        }
        assert_true(data[0].unit > 1 && (300 + data[0].unit / 2 - 1) / (data[0].unit / 2) + 1 > (unsigned)limit);
        exchange(data);
        for (uint32_t r = 0; r < 4; r++) {
            assert_int_equal(cw_move_data_check(&data[r], 99), 0);
            cw_move_data_free(&data[r]);
        }
    }
    cw_moves_free(&moves);
}

/* Of three demands each: who has how much for whom (CW_NONE: for all), and what of MPI moves it among N ranks. */
static void mpi_has_a_function(void **state)
{
    (void)state;
    static const struct {
        uint32_t n;
        size_t n_demands;
        struct cw_moves_demand demands[6];
        enum cw_move_call call;
    } cases[] = {
        {3, 3, {{0, CW_NONE, 5}, {2, CW_NONE, 5}, {1, CW_NONE, 5}}, CW_MOVE_ALLGATHER},
        {4, 3, {{0, CW_NONE, 5}, {2, CW_NONE, 5}, {1, CW_NONE, 5}}, CW_MOVE_ALLGATHER},
        {3, 3, {{0, CW_NONE, 5}, {2, CW_NONE, 5}, {1, CW_NONE, 4}}, CW_MOVE_ALLGATHERV},
        {3, 2, {{0, CW_NONE, 5}, {2, CW_NONE, 5}}, CW_MOVE_ALLGATHERV},
        {3, 2, {{2, CW_NONE, 5}, {2, CW_NONE, 4}}, CW_MOVE_BCAST},
        {3, 6, {{0, 1, 5}, {0, 2, 5}, {1, 2, 5}, {1, 0, 5}, {2, 0, 5}, {2, 1, 5}}, CW_MOVE_ALLTOALL},
        {4, 6, {{0, 1, 5}, {0, 2, 5}, {1, 2, 5}, {1, 0, 5}, {2, 0, 5}, {2, 1, 5}}, CW_MOVE_ALLTOALLV},
        {3, 6, {{0, 1, 5}, {0, 2, 5}, {1, 2, 5}, {1, 0, 5}, {2, 0, 5}, {2, 1, 4}}, CW_MOVE_ALLTOALLV},
        {3, 6, {{0, 1, 5}, {0, 1, 5}, {1, 2, 5}, {1, 0, 5}, {2, 0, 5}, {2, 1, 5}}, CW_MOVE_ALLTOALLV},
        {3, 2, {{CW_NONE, 1, 8}, {CW_NONE, 1, 16}}, CW_MOVE_REDUCE},
        {3, 1, {{CW_NONE, CW_NONE, 8}}, CW_MOVE_ALLREDUCE},
        {4, 3, {{CW_NONE, 2, 8}, {CW_NONE, 0, 8}, {CW_NONE, 1, 8}}, CW_MOVE_REDUCE_SCATTER_BLOCK},
        {3, 3, {{CW_NONE, 2, 8}, {CW_NONE, 0, 8}, {CW_NONE, 1, 16}}, CW_MOVE_REDUCE_SCATTER},
        {3, 2, {{CW_NONE, 2, 8}, {CW_NONE, 0, 8}}, CW_MOVE_REDUCE_SCATTER},
        {3, 2, {{0, 1, 5}, {1, 0, 5}}, CW_MOVE_ALLTOALLV},
    };
    enum cw_move_call call;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_moves_demand demands[6];
        memcpy(demands, cases[i].demands, sizeof demands);
        const struct cw_moves moves = {.n_ranks = 3, .demands = demands, .n_demands = cases[i].n_demands};
        assert_int_equal(cw_move_call_of(&moves, cases[i].n, &call), 0);
        if (call != cases[i].call) fail_msg("case %zu: %s", i, cw_move_calls[call]);
        assert_int_equal(cw_move_call_shares(call), demands[0].dst == CW_NONE || demands[0].src == CW_NONE);
    }
    struct cw_moves_demand mixed[] = {{0, CW_NONE, 5}, {2, 1, 5}};
    assert_int_equal(cw_move_call_of(&(struct cw_moves){.n_ranks = 3, .demands = mixed, .n_demands = 2}, 3, &call),
                     CW_EUSAGE);
    assert_string_equal(cw_error_message(), "1 of 2 demands are for all other ranks: expected all of them, or none");
}

/* Of ranks 5 0 2 of 6 rank 2 has 3 bytes for all, rank 0 has 4: after what the others have, by the order of the
 * program. */
static void shared_data_are_in_order(void **state)
{
    (void)state;
    static const uint32_t places[] = {5, 0, 2};
    for (int limit = 7; limit >= 4; limit -= 3) {
        struct cw_moves_demand demands[] = {{2, CW_NONE, 3}, {0, CW_NONE, 4}};
        char a[] = "a", b[] = "b", c[] = "c", *names[] = {a, b, c};
        const struct cw_moves moves = {.n_ranks = 3, .demands = demands, .n_demands = 2, .names = names};
        struct cw_move_data data[3], idle;
        for (uint32_t r = 0; r < 3; r++) {
            assert_int_equal(cw_move_data_new(&moves, r, places, 6, limit, &data[r]), 0);
            cw_move_data_fill(&data[r], 7);
            const uint64_t unit = data[r].unit;
            assert_int_equal(unit, limit == 7 ? 1 : 2);
            const int *counts = data[r].shared.counts; /* of b, c, a */
            assert_true(counts[0] == 0 && (uint64_t)counts[1] == 3 / unit + 3 % unit &&
                        (uint64_t)counts[2] == 4 / unit);
            assert_true(data[r].demands[0] == data[r].shared.buffer);
            assert_true((unsigned char *)data[r].demands[1] == data[r].shared.buffer + (unit == 1 ? 3 : 4));
        }
        assert_int_equal(cw_move_data_check(&data[0], 7), CW_EIO);
        assert_string_equal(cw_error_message(), "byte 0 of demand 0, c to a, did not arrive");
        for (uint32_t r = 0; r < 3; r++)
            for (size_t d = 0; d < 2; d++)
                memmove(data[r].demands[d], data[demands[d].src].demands[d], (size_t)demands[d].bytes);
        for (uint32_t r = 0; r < 3; r++) {
            assert_int_equal(cw_move_data_check(&data[r], 7), 0);
            cw_move_data_free(&data[r]);
        }
        assert_int_equal(cw_move_data_new(&moves, CW_NONE, places, 6, limit, &idle), 0);
        assert_null(idle.shared.buffer);
        cw_move_data_fill(&idle, 7);
        assert_int_equal(cw_move_data_check(&idle, 7), 0);
        cw_move_data_free(&idle);
        demands[1].src = 2;
        assert_int_equal(cw_move_data_new(&moves, 0, places, 6, limit, &data[0]), 0);
        assert_true(data[0].call == CW_MOVE_BCAST && data[0].root == 1); /* the second of those that take part */
        cw_move_data_free(&data[0]);
    }
}

/* Ranks 5 0 2 of 6 add up 16 bytes for rank 2 of the moves, and 8 for rank 0: parts of the program's ranks 5 and 2. */
static void sums_are_checked(void **state)
{
    (void)state;
    static const uint32_t places[] = {5, 0, 2};
    struct cw_moves_demand demands[] = {{CW_NONE, 2, 16}, {CW_NONE, 0, 8}};
    char a[] = "a", b[] = "b", c[] = "c", *names[] = {a, b, c};
    const struct cw_moves moves = {.n_ranks = 3, .demands = demands, .n_demands = 2, .names = names};
    struct cw_move_data data[3], many;
    uint64_t sums[3] = {0}, words[3];
    for (uint32_t r = 0; r < 3; r++) {
        assert_int_equal(cw_move_data_new(&moves, r, places, 6, INT_MAX, &data[r]), 0);
        cw_move_data_fill(&data[r], 7);
        memcpy(words, data[r].shared.buffer, sizeof words); /* for rank 2 of the program, then for rank 5 */
        for (uint32_t i = 0; i < 3; i++) sums[i] += words[i];
        assert_true(words[0] != words[1] && words[0] != words[2]);
        assert_true(data[r].unit == 8 && data[r].shared.counts[1] == 2 && data[r].shared.counts[2] == 1);
    }
    assert_int_equal(cw_move_data_check(&data[2], 7), CW_EIO);
    assert_non_null(strstr(cw_error_message(), "of demand 0, the sum to c, did not arrive"));
    memcpy(data[2].block, sums, 16);
    memcpy(data[0].block, sums + 2, 8);
    for (uint32_t r = 0; r < 3; r++) {
        cw_move_data_settle(&data[r]);
        assert_int_equal(cw_move_data_check(&data[r], 7), 0);
        cw_move_data_free(&data[r]);
    }
    assert_int_equal(cw_move_data_new(&moves, 0, places, 6, 2, &many), CW_ELIMIT);
    demands[1].src = 1;
    assert_int_equal(cw_move_data_new(&moves, 0, places, 6, INT_MAX, &many), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "1 of 2 demands are sums: expected all of them, or none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_sit_on_their_hosts), cmocka_unit_test(says_who_has_no_seat),
        cmocka_unit_test(every_byte_counts),        cmocka_unit_test(counts_fit_an_int),
        cmocka_unit_test(mpi_has_a_function),       cmocka_unit_test(shared_data_are_in_order),
        cmocka_unit_test(sums_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
