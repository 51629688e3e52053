/* crosswind-mpi move: moves carried out on the ranks of an MPI program, beside MPI's own function. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/estimate.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/verb.h"
#include "flow/moves/moves_change.h"
#include "flow/transport/transport_set.h"
#include "mpi/move/move.h"
#include "mpi/move/move_fit.h"
#include "mpi/together.h"
#include "report/rows.h"
#include "study/move/move_data.h"
#include "study/move/move_seats.h"
#include "topo/topology.h"

#define HOST_SIZE 256

enum follow { FOLLOW_AUTO, FOLLOW_PLAN, FOLLOW_DIRECT };

static const char *const follows[] = {"auto", "plan", "direct", NULL};

#define PATIENT 3.  /* MPI's function is given so many times the patience … */
#define SLOWER  50. /* … and of the time that the slowest took so far */

struct move_options {
    char *hosts;
    int follow, wait;
    int64_t repeat;
    bool alone;
    double timeout;
    char *network, *fit;
};

static const struct cw_option options[] = {
    {.name = "hosts",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct move_options, hosts),
     .help = "lines 'HOST ENDPOINT': where endpoints are that are not called as their hosts"},
    {.name = "follow",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct move_options, follow),
     .default_text = "auto",
     .choices = follows,
     .help = "send by the plan, or directly from source to destination; auto: directly where the plan is predicted to "
             "take longer"},
    {.name = "repeat",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct move_options, repeat),
     .value_name = "N",
     .default_text = "10",
     .min = 1,
     .max = 1e6,
     .help = "how often the data are moved, by the moves and by MPI's own function in turn"},
    {.name = "alone",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct move_options, alone),
     .help = "without MPI's own function"},
    {.name = "wait",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct move_options, wait),
     .default_text = "auto",
     .choices = wait_choices,
     .help = "what a rank does while it waits; auto: spin, but sleep where ranks share processors"},
    {.name = "timeout",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct move_options, timeout),
     .default_text = "10s",
     .min = 0.01,
     .max = 1e6,
     .help = "a rank that does not answer for so long is lost"},
    {.name = "fit",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct move_options, fit),
     .help =
         "measure what sending and relaying costs on two legs of the plan, and write it as a transport for crosswind "
         "plan --transport; needs --network"},
    {.name = "network",
     .type = CW_OPTION_INPUT,
     .names = &cw_topology_registry,
     .offset = offsetof(struct move_options, network),
     .value_name = "NETWORK",
     .help = "with --fit: the network that the plan was made for, with its capacities"},
    {.name = NULL},
};

static const struct cw_column columns[] = {
    {"method", CW_COLUMN_TEXT, NULL, "how the data were moved"},
    {"seconds", CW_COLUMN_REAL, "s", "median of all repetitions, each until the slowest rank has all its data"},
    {"low", CW_COLUMN_REAL, "s", "lower end of the 95 % confidence interval of the median"},
    {"high", CW_COLUMN_REAL, "s", "upper end"},
    {"rate", CW_COLUMN_REAL, "MB/s", "bytes of all demands by that time"},
    {"predicted_seconds", CW_COLUMN_REAL, "s",
     "what crosswind plan predicted: by its simulated transport, or by the model that it was told"},
};

/* The ways of which one is taken after the other. */
enum move_way { MOVE_BY_MOVES, MOVE_BY_MPI, MOVE_WAYS };

struct moving {
    struct invocation *invocation;
    const struct move_options *values;
    struct ranks *ranks;
    int n;                  /* ranks */
    struct cw_moves moves;  /* as read */
    struct cw_moves direct; /* instead, where `directly` */
    struct cw_moves split;  /* what is carried out */
    bool directly;
    enum cw_move_call call; /* of MPI, which moves the same */
    uint32_t *seats, ranks_each;
    char **wanted;
    struct cw_network *net; /* for --fit */
    double *times[MOVE_WAYS];
};

/* --- what to do --------------------------------------------------------------------------------------------------- */

static int read_moves(struct moving *moving)
{
    const char *file = moving->invocation->positional[0];
    struct cw_text text = {0};
    int rc = cw_file_read(file, &text);
    if (!rc && strstr(text.data, "\"crosswind-plan\""))
        rc = cw_fail(CW_EPARSE,
                     "%s is a plan, expected moves: crosswind plan NETWORK --check %s --moves FILE makes them of it",
                     file, file);
    if (!rc) rc = cw_moves_parse(file, text.data, text.length, &moving->moves);
    cw_text_free(&text);
    if (!rc && moving->values->fit) rc = cw_network_open(moving->values->network, &moving->net);
    if (!rc && moving->values->fit) rc = cw_moves_check_network(&moving->moves, moving->net);
    if (rc || !moving->values->hosts) return rc;
    rc = cw_file_read(moving->values->hosts, &text);
    if (!rc) rc = cw_move_hosts_read(&moving->moves, moving->values->hosts, text.data, text.length, &moving->wanted);
    cw_text_free(&text);
    return rc;
}

/* Who is where; collective. */
static int find_seats(struct moving *moving)
{
    char own[HOST_SIZE] = "";
    char *all = cw_new_array((size_t)moving->n, HOST_SIZE, "hosts of ranks");
    const char **hosts = cw_new_array((size_t)moving->n, sizeof *hosts, "hosts of ranks");
    int rc = ranks_agree(moving->ranks, all && hosts ? 0 : CW_ENOMEM);
    if (!rc) {
        gethostname(own, sizeof own - 1);
        MPI_Allgather(own, HOST_SIZE, MPI_CHAR, all, HOST_SIZE, MPI_CHAR, moving->ranks->comm);
        for (int i = 0; i < moving->n; i++) hosts[i] = all + (size_t)i * HOST_SIZE;
        rc = cw_move_seats(&moving->moves, moving->wanted, hosts, (uint32_t)moving->n, &moving->seats,
                           &moving->ranks_each);
    }
    free(all);
    free(hosts);
    return rc;
}

/* MPI sends by one route to a host, the first. */
static int check_routes(const struct moving *moving)
{
    const struct cw_moves *moves = &moving->moves;
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i++)
            if (moves->steps[i].way != CW_NONE && moves->steps[i].way > 0)
                return cw_fail(CW_EUSAGE,
                               "%s: %s sends to %s by another route than the first (\"way\": %u), which MPI cannot "
                               "choose; expected moves of a plan by one route, or --follow direct",
                               moving->invocation->positional[0], moves->names[r], moves->names[moves->steps[i].to],
                               moves->steps[i].way);
    return 0;
}

/* What is carried out: the moves or direct sends, by as many ranks as there are for each of theirs. */
static int choose_moves(struct moving *moving)
{
    const struct cw_moves *moves = &moving->moves;
    const int follow = moving->values->follow;
    moving->directly = follow == FOLLOW_DIRECT || (follow == FOLLOW_AUTO && moves->seconds >= moves->default_seconds);
    int rc = moving->directly ? cw_moves_direct(moves, &moving->direct) : check_routes(moving);
    if (!rc) rc = cw_moves_split(moving->directly ? &moving->direct : moves, moving->ranks_each, &moving->split);
    return rc ? rc : cw_move_call_of(&moving->split, (uint32_t)moving->n, &moving->call);
}

static int check_options(const struct invocation *invocation)
{
    if (invocation_has(invocation, "fit") == invocation_has(invocation, "network")) return 0;
    return cw_fail(CW_EUSAGE,
                   "--fit needs --network, which says what the network's channels can carry, and nothing else "
                   "does");
}

static int prepare(struct moving *moving)
{
    int rc = check_options(moving->invocation);
    if (!rc) rc = read_moves(moving);
    rc = ranks_agree(moving->ranks, rc);
    if (!rc) rc = find_seats(moving);
    if (!rc) rc = choose_moves(moving);
    for (size_t way = 0; way < MOVE_WAYS && !rc; way++) {
        moving->times[way] = cw_new_array((size_t)moving->values->repeat, sizeof **moving->times, "times");
        if (!moving->times[way]) rc = CW_ENOMEM;
    }
    return ranks_agree(moving->ranks, rc);
}

/* --- again and again ---------------------------------------------------------------------------------------------- */

/* By moves and by MPI's own function in turn, each time other data, of which every byte is looked at. */
struct move_trials {
    struct meeting *meeting;      /* of all ranks */
    const struct cw_moves *moves; /* as they are carried out */
    const uint32_t *seats;        /* [moves->n_ranks] whose they are */
    size_t n;                     /* repetitions, of each way */
    bool alone;                   /* without MPI's function */
    uint64_t seed;                /* of data and order */
    enum cw_move_call call;       /* of MPI */
};

struct runner {
    const struct move_trials *trials;
    struct cw_move *move;
    struct cw_move_data data;
    MPI_Datatype unit;
    MPI_Comm parts; /* of the ranks that take part, if the call shares */
    double slowest; /* s that any run took so far */
};

static uint32_t own_number(const struct move_trials *trials)
{
    for (uint32_t r = 0; r < trials->moves->n_ranks; r++)
        if (trials->seats[r] == trials->meeting->ranks->program.rank) return r;
    return CW_NONE;
}

static int begin(struct runner *runner)
{
    const struct move_trials *trials = runner->trials;
    const struct meeting *meeting = trials->meeting;
    const struct cw_move_setup setup = {.comm = meeting->ranks->comm,
                                        .moves = trials->moves,
                                        .ranks = trials->seats,
                                        .wait = meeting->wait,
                                        .patience = meeting->patience};
    const uint32_t own = own_number(trials);
    int rc = cw_move_new(&setup, &runner->move);
    if (!rc && cw_move_call_shares(trials->call))
        MPI_Comm_split(meeting->ranks->comm, own == CW_NONE ? MPI_UNDEFINED : 0, (int)meeting->ranks->program.rank,
                       &runner->parts);
    if (!rc)
        rc = cw_move_data_new(trials->moves, own, trials->seats, meeting->ranks->program.n, INT_MAX, &runner->data);
    if (rc) return rc;
    MPI_Type_contiguous((int)runner->data.unit, MPI_BYTE, &runner->unit);
    MPI_Type_commit(&runner->unit);
    return 0;
}

static int by_moves(struct runner *runner, double *seconds)
{
    const int rc = cw_move_run(runner->move, runner->data.demands, seconds);
    runner->trials->meeting->lost = rc != 0;
    runner->trials->meeting->found = rc && cw_move_found(runner->move);
    return rc;
}

static int call_mpi(struct runner *runner)
{
    const struct cw_move_side *sent = &runner->data.sent, *received = &runner->data.received;
    const struct cw_move_side *shared = &runner->data.shared;
    const MPI_Datatype unit = runner->unit;
    const MPI_Comm comm = runner->trials->meeting->ranks->comm;
    if (cw_move_call_shares(runner->trials->call) && runner->parts == MPI_COMM_NULL) return MPI_SUCCESS;
    switch (runner->trials->call) {
    case CW_MOVE_ALLTOALLV:
        return MPI_Alltoallv(sent->buffer, sent->counts, sent->places, unit, received->buffer, received->counts,
                             received->places, unit, comm);
    case CW_MOVE_ALLTOALL:
        return MPI_Alltoall(sent->buffer, sent->counts[0], unit, received->buffer, received->counts[0], unit, comm);
    case CW_MOVE_BCAST:
        return MPI_Bcast(shared->buffer, shared->counts[runner->data.root], unit, runner->data.root, runner->parts);
    case CW_MOVE_ALLGATHER:
        return MPI_Allgather(MPI_IN_PLACE, shared->counts[0], unit, shared->buffer, shared->counts[0], unit,
                             runner->parts);
    case CW_MOVE_REDUCE:
        /* MPICH 4.0 crashes if a root other than the first rank reduces in place */
        return MPI_Reduce(shared->buffer, runner->data.block, shared->counts[runner->data.root], MPI_UINT64_T, MPI_SUM,
                          runner->data.root, runner->parts);
    case CW_MOVE_REDUCE_SCATTER:
        return MPI_Reduce_scatter(shared->buffer, runner->data.block, shared->counts, MPI_UINT64_T, MPI_SUM,
                                  runner->parts);
    case CW_MOVE_REDUCE_SCATTER_BLOCK:
        return MPI_Reduce_scatter_block(shared->buffer, runner->data.block, shared->counts[0], MPI_UINT64_T, MPI_SUM,
                                        runner->parts);
    case CW_MOVE_ALLREDUCE:
        return MPI_Allreduce(MPI_IN_PLACE, shared->buffer, shared->counts[runner->data.root], MPI_UINT64_T, MPI_SUM,
                             runner->parts);
    case CW_MOVE_ALLGATHERV:
        return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, shared->buffer, shared->counts, shared->places, unit,
                              runner->parts);
    }
    return MPI_SUCCESS;
}

/* Bounded by a time that depends on what others took. */
static int by_mpi(struct runner *runner, double *seconds)
{
    const struct meeting *meeting = runner->trials->meeting;
    const char *name = cw_move_calls[runner->trials->call];
    const double begin = cw_stopwatch_now();
    ranks_watch(meeting->ranks, name, PATIENT * meeting->patience + SLOWER * runner->slowest);
    const int code = call_mpi(runner);
    ranks_watch(meeting->ranks, NULL, 0);
    *seconds = cw_stopwatch_now() - begin;
    cw_move_data_settle(&runner->data);
    return code == MPI_SUCCESS ? 0 : cw_fail(CW_EIO, "%s has failed", name);
}

/* *SECONDS: those of the slowest rank. */
static int run_once(struct runner *runner, enum move_way way, uint64_t key, double *seconds)
{
    struct meeting *meeting = runner->trials->meeting;
    cw_move_data_fill(&runner->data, key);
    int rc = ranks_meet(meeting, 0, NULL);
    if (!rc) rc = way == MOVE_BY_MOVES ? by_moves(runner, seconds) : by_mpi(runner, seconds);
    if (meeting->lost) return rc;
    if (!rc) rc = cw_move_data_check(&runner->data, key);
    rc = ranks_meet(meeting, rc, seconds);
    if (!rc && *seconds > runner->slowest) runner->slowest = *seconds;
    return rc;
}

static int repeat(struct runner *runner, double *const times[MOVE_WAYS])
{
    const struct move_trials *trials = runner->trials;
    int rc = 0;
    for (size_t i = 0; i < trials->n + 1 && !rc; i++) {
        struct cw_random random = cw_random_of(trials->seed, CW_STREAM_PATTERN, i);
        const uint32_t first = cw_random_below(&random, MOVE_WAYS);
        for (uint32_t k = 0; k < MOVE_WAYS && !rc; k++) {
            const enum move_way way = (enum move_way)((first + k) % MOVE_WAYS);
            double seconds;
            if (way == MOVE_BY_MPI && trials->alone) continue;
            rc = run_once(runner, way, cw_random_u64(&random), &seconds);
            if (!rc && i > 0) times[way][i - 1] = seconds;
        }
    }
    return rc;
}

/* TIMES[way], [n]: from the first rank's start until the last has all its data, in s, the same on all ranks. Before
 * them each way has one turn that is not counted; which goes first is drawn anew for each repetition. Collective; all
 * ranks get the same error, unless the meeting is lost. */
static int move_trials_run(const struct move_trials *trials, double *const times[MOVE_WAYS])
{
    struct runner runner = {.trials = trials, .unit = MPI_DATATYPE_NULL, .parts = MPI_COMM_NULL};
    int rc = ranks_meet(trials->meeting, begin(&runner), NULL);
    if (!rc) rc = repeat(&runner, times);
    if (trials->meeting->lost) return rc; /* what is still under way may write into the data */
    if (runner.unit != MPI_DATATYPE_NULL) MPI_Type_free(&runner.unit);
    if (runner.parts != MPI_COMM_NULL) MPI_Comm_free(&runner.parts);
    cw_move_free(runner.move);
    cw_move_data_free(&runner.data);
    return rc;
}

/* --- doing it ----------------------------------------------------------------------------------------------------- */

static int carry_out(struct moving *moving, struct meeting *meeting)
{
    const struct move_trials trials = {.meeting = meeting,
                                       .moves = &moving->split,
                                       .seats = moving->seats,
                                       .n = (size_t)moving->values->repeat,
                                       .alone = moving->values->alone,
                                       .seed = (uint64_t)moving->invocation->common.seed,
                                       .call = moving->call};
    const int rc = move_trials_run(&trials, moving->times);
    if (meeting->lost) ranks_give_up(meeting, rc);
    return rc;
}

/* "payload gets 95.6 % of a channel's capacity, a chunk costs 31 us, …" */
static void note_transport(const struct moving *moving, const struct cw_transport *transport, const uint32_t way[3])
{
    char *const *names = moving->moves.names;
    char copy[64] = "does not copy it";
    if (transport->copy > 0) snprintf(copy, sizeof copy, "copies it at %.3g MB/s", 1e-6 * transport->copy);
    cw_result_note(moving->invocation->result,
                   "Measured from %s by way of %s to %s: payload gets %.3g %% of a channel's capacity, a chunk costs "
                   "%.3g us; a relay knows of a chunk after %.3g us and %s. Written to %s, for crosswind plan "
                   "--transport.",
                   names[way[0]], names[way[1]], names[way[2]], 100 * transport->efficiency,
                   1e6 * transport->chunk_overhead, 1e6 * transport->hop_latency, copy, moving->values->fit);
}

static int write_transport(const struct moving *moving, const struct cw_transport *transport, const uint32_t way[3])
{
    char *const *names = moving->moves.names;
    struct cw_text about = {0}, text = {0};
    cw_text_printf(&about, "%s, measured from %s by way of %s to %s", moving->values->network, names[way[0]],
                   names[way[1]], names[way[2]]);
    int rc = cw_text_check(&about);
    if (!rc) rc = cw_transport_write(transport, about.data, &text);
    if (!rc) rc = cw_file_write(moving->values->fit, &text);
    if (!rc) note_transport(moving, transport, way);
    cw_text_free(&about);
    cw_text_free(&text);
    return rc;
}

static int fit(struct moving *moving, struct meeting *meeting)
{
    const struct move_fit setup = {.meeting = meeting,
                                   .moves = &moving->moves,
                                   .seats = moving->seats,
                                   .ranks_each = moving->ranks_each,
                                   .net = moving->net};
    struct cw_transport transport;
    uint32_t way[3];
    int rc = move_fit_run(&setup, way, &transport);
    if (meeting->lost) ranks_give_up(meeting, rc);
    if (!rc && program_speaks(moving->invocation->ranks)) rc = write_transport(moving, &transport, way);
    return ranks_agree(moving->ranks, rc);
}

/* --- saying it ---------------------------------------------------------------------------------------------------- */

static double all_bytes(const struct cw_moves *moves)
{
    double bytes = 0;
    for (size_t d = 0; d < moves->n_demands; d++) bytes += (double)moves->demands[d].bytes;
    return bytes;
}

static void add_row(const struct moving *moving, struct cw_table *table, const char *method,
                    const struct cw_estimate *time, double predicted)
{
    cw_table_row(table, "%s %g %g %g %g %g", method, time->value, time->low, time->high,
                 1e-6 * all_bytes(&moving->moves) / time->value, predicted);
}

static const char *way_name(const struct moving *moving)
{
    return moving->directly ? "direct" : moving->moves.method;
}

static void note_gain(const struct moving *moving, const struct cw_estimate *own, const struct cw_estimate *other)
{
    const struct cw_moves *moves = &moving->moves;
    struct cw_result *result = moving->invocation->result;
    const double seconds = moving->directly ? moves->default_seconds : moves->seconds;
    struct cw_text text = {0};
    cw_text_printf(&text, "%s: %.3g times as fast as %s", way_name(moving), other->value / own->value,
                   cw_move_calls[moving->call]);
    if (isfinite(own->low) && isfinite(other->low))
        cw_text_printf(&text, " (%.3g to %.3g by the intervals)", other->low / own->high, other->high / own->low);
    if (isfinite(moves->default_seconds) && isfinite(seconds))
        cw_text_printf(&text, ", predicted %.3g times%s%s", moves->default_seconds / seconds,
                       moves->model[0] ? " by " : "", moves->model);
    cw_text_add(&text, ".");
    cw_result_note_text(result, &text);
}

static void note_choice(const struct moving *moving)
{
    const struct cw_moves *moves = &moving->moves;
    if (!moving->directly || moving->values->follow != FOLLOW_AUTO) return;
    if (moves->seconds > moves->default_seconds)
        cw_result_note(moving->invocation->result,
                       "The plan of %s is predicted to take longer than the default routes, so all data go directly.",
                       moves->method);
    else
        cw_result_note(moving->invocation->result,
                       "Nothing is predicted to be faster than the default routes, so all data go directly.");
}

static void note_ranks(const struct moving *moving, enum cw_wait_mode wait)
{
    const uint32_t busy = moving->split.n_ranks, idle = (uint32_t)moving->n - busy;
    cw_result_note(moving->invocation->result,
                   "Every byte arrived right, each time. %u rank%s took part, %u for each endpoint, %u had none; "
                   "waiting ranks %s.",
                   busy, cw_plural(busy), moving->ranks_each, idle, cw_wait_names[wait]);
}

static int report(struct moving *moving, enum cw_wait_mode wait)
{
    const size_t n = (size_t)moving->values->repeat;
    const struct cw_moves *moves = &moving->moves;
    struct cw_estimate time[MOVE_WAYS];
    struct cw_table *table;
    int rc =
        cw_result_new_table(moving->invocation->result, "move", "Data moved by MPI ranks", CW_ITEMS(columns), &table);
    if (rc) return rc;
    for (size_t way = 0; way < MOVE_WAYS; way++) {
        cw_sort_reals(moving->times[way], n);
        time[way] = cw_quantile_estimate(moving->times[way], n, 0.5, 0.95);
    }
    add_row(moving, table, way_name(moving), &time[MOVE_BY_MOVES],
            moving->directly ? moves->default_seconds : moves->seconds);
    if (!moving->values->alone) {
        add_row(moving, table, cw_move_calls[moving->call], &time[MOVE_BY_MPI], moves->default_seconds);
        note_gain(moving, &time[MOVE_BY_MOVES], &time[MOVE_BY_MPI]);
    }
    note_choice(moving);
    note_ranks(moving, wait);
    return 0;
}

static int run(struct invocation *invocation)
{
    struct moving moving = {
        .invocation = invocation, .values = invocation->values, .ranks = ranks_of(invocation->ranks)};
    MPI_Comm_size(moving.ranks->comm, &moving.n);
    int rc = prepare(&moving);
    if (!rc) {
        struct meeting meeting = {.ranks = moving.ranks,
                                  .wait = wait_chosen(moving.values->wait, moving.ranks->comm),
                                  .patience = moving.values->timeout};
        rc = carry_out(&moving, &meeting);
        if (!rc) rc = report(&moving, meeting.wait);
        if (!rc && moving.values->fit) rc = fit(&moving, &meeting);
    }
    cw_move_hosts_free(moving.wanted, moving.moves.n_ranks);
    cw_moves_free(&moving.moves);
    cw_moves_free(&moving.direct);
    cw_moves_free(&moving.split);
    cw_network_free(moving.net);
    free(moving.seats);
    for (size_t way = 0; way < MOVE_WAYS; way++) free(moving.times[way]);
    return rc;
}

static const struct cw_option moves_argument[] = {
    {.name = "MOVES",
     .type = CW_OPTION_INPUT,
     .required = true,
     .help = "what ranks do: a file of crosswind plan --moves or crosswind collective --moves"},
    {.name = NULL},
};

const struct verb verb_move = {
    .name = "move",
    .help = "Moves data as a plan says, on MPI ranks, and measures MPI's own function beside it",
    .arguments = moves_argument,
    .description =
        "Each rank carries out the list that crosswind plan --moves has written for its endpoint: it sends, receives "
        "and "
        "relays chunks, of which a relay holds no more than the plan's credits. Every chunk is checked by a sum where "
        "it "
        "arrives, and in the end every byte. In turn, MPI's own function moves the same bytes between the same "
        "buffers: "
        "MPI_Bcast, MPI_Allgather or MPI_Allgatherv where all get the same, MPI_Alltoall where all pairs have as much, "
        "else MPI_Alltoallv. Data that are added up are whole numbers (uint64), and MPI's function is MPI_Reduce, "
        "MPI_Reduce_scatter_block, MPI_Reduce_scatter or MPI_Allreduce. A "
        "rank is the endpoint that is called as its host, or as --hosts says; with N ranks on each host the work is "
        "shared out among them. A rank that does not answer, or a corrupted chunk, is an error that names it, and ends "
        "all.",
    .examples =
        "  crosswind plan torus:4x2 --traffic matrix:moves.csv --relays all --method optimum --moves moves.json\n"
        "  mpirun -n 8 crosswind-mpi move moves.json\n",
    .options = options,
    .size = sizeof(struct move_options),
    .ranks = true,
    .computes = true,
    .run = run,
};
