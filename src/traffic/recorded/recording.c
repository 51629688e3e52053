#include "traffic/recorded/recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "traffic/recorded/otf2_file.h"
#include "traffic/recorded/recording_internal.h"

#define NONE          CW_RECORDING_NONE
#define MAGIC         "crosswind-recording "
#define SHORTEST_RANK 40                         /* bytes of a first block */
#define MOST_TIME     UINT64_C(1000000000000000) /* ns, 11 days */
#define MOST_BYTES    UINT64_C(1000000000000000000)
#define SHOWN         60 /* bytes of a word in messages */

static const char what[] = "a recording";

/* --- words -------------------------------------------------------------------------------------------------------- */

struct word {
    const char *at;
    size_t length;
};

struct reading {
    struct cw_recording *recording;
    struct cw_lines lines;
    const char *at, *end;          /* what is left of the line */
    struct cw_recorded_rank *rank; /* whose block it is; NULL before the first one */
    size_t file_length;
};

static struct word take(struct reading *reading)
{
    while (reading->at < reading->end && *reading->at == ' ') reading->at++;
    const char *from = reading->at;
    while (reading->at < reading->end && *reading->at != ' ') reading->at++;
    return (struct word){from, (size_t)(reading->at - from)};
}

static bool is(struct word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.at, text, word.length) == 0;
}

static int fail_word(const struct reading *reading, struct word word, const char *expected)
{
    if (word.length == 0)
        return cw_fail_at(reading->lines.file, reading->lines.number, "the line ends too early; expected %s", expected);
    return cw_fail_at(reading->lines.file, reading->lines.number, "'%.*s' is not understood; expected %s",
                      word.length < SHOWN ? (int)word.length : SHOWN, word.at, expected);
}

/* All of WORD is a number of at most MOST < 2^60. */
static int read_number(const struct reading *reading, struct word word, const char *expected, uint64_t most,
                       uint64_t *out)
{
    uint64_t number = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (word.at[i] < '0' || word.at[i] > '9') return fail_word(reading, word, expected);
        if (number <= most) number = 10 * number + (uint64_t)(word.at[i] - '0');
    }
    if (word.length == 0 || number > most) return fail_word(reading, word, expected);
    *out = number;
    return 0;
}

static int next_number(struct reading *reading, const char *expected, uint64_t most, uint64_t *out)
{
    return read_number(reading, take(reading), expected, most, out);
}

static int next_rank(struct reading *reading, uint32_t *out)
{
    uint64_t rank = 0;
    const int rc = next_number(reading, "a rank of the recording", reading->recording->n_ranks - 1, &rank);
    *out = (uint32_t)rank;
    return rc;
}

/* --- communicators ------------------------------------------------------------------------------------------------ */

static int add_member(struct reading *reading, struct cw_recorded_members *members, size_t *room, uint64_t rank)
{
    if (rank >= reading->recording->n_ranks || members->n >= reading->recording->n_ranks)
        return cw_fail_at(reading->lines.file, reading->lines.number,
                          "a communicator with rank %" PRIu64 "; expected each of %u ranks once at most", rank,
                          reading->recording->n_ranks);
    const int rc = cw_grow_array((void **)&members->world, room, (size_t)members->n + 1, sizeof *members->world, what);
    if (!rc) members->world[members->n++] = (uint32_t)rank;
    return rc;
}

/* "0-7,9"; '?' is a rank of another world, and an intercommunicator has a '|': neither has collectives here. */
static int read_members(struct reading *reading, struct word word, struct cw_recorded_members *members)
{
    const char *at = word.at, *end = word.at + word.length;
    size_t room = 0;
    int rc = 0;
    if (memchr(word.at, '|', word.length) || memchr(word.at, '?', word.length)) return 0;
    while (!rc && at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
        const char *dash = memchr(at, '-', (size_t)(stop - at));
        uint64_t first = 0, last = 0;
        rc = read_number(reading, (struct word){at, (size_t)((dash ? dash : stop) - at)}, "ranks such as 0-7,9",
                         UINT32_MAX, &first);
        last = first;
        if (!rc && dash)
            rc = read_number(reading, (struct word){dash + 1, (size_t)(stop - dash - 1)}, "ranks such as 0-7,9",
                             UINT32_MAX, &last);
        for (uint64_t rank = first; !rc && rank <= last; rank++) rc = add_member(reading, members, &room, rank);
        at = comma ? comma + 1 : end;
    }
    return rc;
}

static uint64_t hash_of(struct word word)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < word.length; i++) hash = (hash ^ (unsigned char)word.at[i]) * UINT64_C(1099511628211);
    return hash;
}

/* Which members WORD means, by their text. */
static int find_members(struct reading *reading, struct word word, uint32_t *out)
{
    struct cw_recording *recording = reading->recording;
    const uint64_t hash = hash_of(word);
    for (size_t i = recording->n_members; i-- > 0;) {
        *out = (uint32_t)i;
        if (recording->members[i].hash == hash && is(word, recording->members[i].text)) return 0;
    }
    struct cw_recorded_members made = {.hash = hash};
    int rc = cw_grow_array((void **)&recording->members, &recording->members_room, recording->n_members + 1,
                           sizeof made, what);
    if (!rc) rc = read_members(reading, word, &made);
    if (!rc && !(made.text = cw_copy_text(word.at, word.length))) rc = CW_ENOMEM;
    if (rc) {
        free(made.world);
        return rc;
    }
    *out = (uint32_t)recording->n_members;
    recording->members[recording->n_members++] = made;
    return 0;
}

/* The rank itself is one of them, if they are known. */
static int check_member(const struct reading *reading, struct word word, const struct cw_recorded_members *members)
{
    const uint32_t rank = (uint32_t)(reading->rank - reading->recording->ranks);
    uint32_t i = 0;
    while (i < members->n && members->world[i] != rank) i++;
    return i < members->n || !members->world ? 0 : fail_word(reading, word, "ranks with the rank itself");
}

/* "cNUMBER MEMBERS": all ranks make communicators of the same members in the same order. */
static int read_comm(struct reading *reading, struct word number)
{
    struct cw_recording *recording = reading->recording;
    struct cw_recorded_rank *rank = reading->rank;
    uint64_t id = 0;
    uint32_t members = 0, ordinal = 0, found = 0;
    int rc = read_number(reading, number, "a communicator", UINT32_MAX, &id);
    if (rc) return rc;
    if (id != rank->n_comms)
        return cw_fail_at(reading->lines.file, reading->lines.number,
                          "communicator %" PRIu64 " of a rank; expected number %zu next", id, rank->n_comms);
    const struct word word = take(reading);
    if (word.length == 0) return fail_word(reading, word, "the ranks of a communicator");
    rc = find_members(reading, word, &members);
    if (!rc) rc = check_member(reading, word, &recording->members[members]);
    for (size_t i = 0; !rc && i < rank->n_comms; i++) ordinal += recording->comms[rank->comms[i]].members == members;
    while (!rc && found < recording->n_comms &&
           (recording->comms[found].members != members || recording->comms[found].ordinal != ordinal))
        found++;
    if (!rc && found == recording->n_comms) {
        rc = cw_grow_array((void **)&recording->comms, &recording->comms_room, recording->n_comms + 1,
                           sizeof *recording->comms, what);
        if (!rc) recording->comms[recording->n_comms++] = (struct cw_recorded_comm){members, ordinal};
    }
    if (!rc) rc = cw_grow_array((void **)&rank->comms, &rank->comms_room, rank->n_comms + 1, sizeof *rank->comms, what);
    if (!rc) rank->comms[rank->n_comms++] = found;
    return rc;
}

static int next_comm(struct reading *reading, uint32_t *out)
{
    uint64_t id = 0;
    const struct word word = take(reading);
    int rc = read_number(reading, word, "a communicator", UINT32_MAX, &id);
    if (!rc && id >= reading->rank->n_comms) rc = fail_word(reading, word, "a communicator that was made");
    if (!rc) *out = reading->rank->comms[id];
    return rc;
}

/* --- what a call does --------------------------------------------------------------------------------------------- */

static int add_op(struct reading *reading, struct cw_recorded_op op)
{
    struct cw_recorded_rank *rank = reading->rank;
    const int rc = cw_grow_array((void **)&rank->ops, &rank->ops_room, rank->n_ops + 1, sizeof op, what);
    if (!rc) rank->ops[rank->n_ops++] = op;
    return rc;
}

/* The request that WORD begins behind its mark; none if there is nothing. */
static int begin_request(struct reading *reading, struct word number, uint32_t *out)
{
    struct cw_recorded_rank *rank = reading->rank;
    uint64_t id = 0;
    *out = NONE;
    if (number.length == 0) return 0;
    int rc = read_number(reading, number, "a request", NONE - 1, &id);
    if (rc) return rc;
    if (id != rank->n_requests) return fail_word(reading, number, "the next request of the rank");
    rc = cw_grow_array((void **)&rank->requests, &rank->requests_room, rank->n_requests + 1, sizeof *rank->requests,
                       what);
    if (rc) return rc;
    rank->requests[rank->n_requests++] = rank->n_ops;
    *out = (uint32_t)id;
    return 0;
}

static int read_message(struct reading *reading, struct word number, bool send)
{
    struct cw_recorded_op op = {.kind = send ? CW_RECORDED_SEND : CW_RECORDED_RECEIVE, .peer = NONE};
    uint64_t tag = 0;
    int rc = begin_request(reading, number, &op.request);
    if (!rc) rc = next_comm(reading, &op.comm);
    if (rc || (!send && op.request != NONE)) return rc ? rc : add_op(reading, op);
    rc = next_rank(reading, &op.peer);
    if (!rc) rc = next_number(reading, "a tag", UINT32_MAX, &tag);
    op.tag = (uint32_t)tag;
    if (!rc && send) rc = next_number(reading, "bytes", MOST_BYTES, &op.bytes);
    return rc ? rc : add_op(reading, op);
}

static int read_collective(struct reading *reading, struct word number)
{
    struct cw_recorded_op op = {.kind = CW_RECORDED_COLLECTIVE};
    int rc = begin_request(reading, number, &op.request);
    if (!rc) rc = next_comm(reading, &op.comm);
    if (rc) return rc;
    const struct word name = take(reading);
    size_t kind = 0;
    while (kind < CW_COLLECTIVES && !is(name, cw_collectives[kind].name)) kind++;
    if (is(name, "scan") || is(name, "exscan"))
        op.kind = CW_RECORDED_SCAN;
    else if (kind == CW_COLLECTIVES)
        return fail_word(reading, name, "a collective");
    else
        op.collective = (enum cw_collective_kind)kind;
    const struct cw_recorded_members *members =
        &reading->recording->members[reading->recording->comms[op.comm].members];
    uint64_t root = 0;
    const struct word word = take(reading);
    rc = read_number(reading, word, "a root", UINT32_MAX, &root);
    if (!rc && root >= members->n) rc = fail_word(reading, word, "a root that is in the communicator");
    if (!rc) rc = next_number(reading, "bytes", MOST_BYTES, &op.bytes);
    op.peer = (uint32_t)root;
    return rc ? rc : add_op(reading, op);
}

static int read_parts(struct reading *reading, struct word number)
{
    struct cw_recorded_op op = {.kind = CW_RECORDED_PARTS};
    int rc = begin_request(reading, number, &op.request);
    if (!rc) rc = next_comm(reading, &op.comm);
    if (!rc) rc = add_op(reading, op);
    if (rc) return rc;
    const uint32_t n = reading->recording->members[reading->recording->comms[op.comm].members].n;
    for (struct word word; !rc && (word = take(reading)).length > 0;) {
        const char *colon = memchr(word.at, ':', word.length);
        struct cw_recorded_op part = {.kind = CW_RECORDED_PART, .request = op.request, .comm = op.comm};
        uint64_t peer = 0;
        if (!colon || n == 0) return fail_word(reading, word, "RANK:BYTES");
        rc = read_number(reading, (struct word){word.at, (size_t)(colon - word.at)}, "a rank of the communicator",
                         n - 1, &peer);
        part.peer = (uint32_t)peer;
        if (!rc)
            rc = read_number(reading, (struct word){colon + 1, word.length - (size_t)(colon + 1 - word.at)}, "bytes",
                             MOST_BYTES, &part.bytes);
        if (!rc) rc = add_op(reading, part);
    }
    return rc;
}

/* A request is done; of a receive it is known now whose message it took. */
static int read_done(struct reading *reading, char mark, struct word number)
{
    struct cw_recorded_rank *rank = reading->rank;
    uint64_t id = 0, tag = 0;
    int rc = read_number(reading, number, "a request", UINT32_MAX, &id);
    if (!rc && id >= rank->n_requests) rc = fail_word(reading, number, "a request that was begun");
    if (rc) return rc;
    struct cw_recorded_op *began = &rank->ops[rank->requests[id]];
    if (mark == 'x') {
        if (began->kind == CW_RECORDED_SEND || began->kind == CW_RECORDED_RECEIVE) began->kind = CW_RECORDED_DROPPED;
        return 0;
    }
    if (mark == '~') {
        if (began->kind != CW_RECORDED_RECEIVE || began->peer != NONE)
            return fail_word(reading, number, "a receive that is not done yet");
        rc = next_rank(reading, &began->peer);
        if (!rc) rc = next_number(reading, "a tag", UINT32_MAX, &tag);
        began->tag = (uint32_t)tag;
    }
    return rc ? rc : add_op(reading, (struct cw_recorded_op){.kind = CW_RECORDED_DONE, .request = (uint32_t)id});
}

/* "pMACHINE FIRST:LAST …": a rank of this machine, and the processors that it may use. */
static int read_processors(struct reading *reading, struct word number)
{
    struct cw_recording *recording = reading->recording;
    uint64_t name = 0, first = 0, last = 0;
    size_t m = 0;
    int rc = read_number(reading, number, "a machine", UINT32_MAX, &name);
    while (m < recording->n_machines && recording->machines[m].name != name) m++;
    if (!rc && m == recording->n_machines) {
        rc = cw_grow_array((void **)&recording->machines, &recording->machines_room, m + 1, sizeof *recording->machines,
                           what);
        if (!rc) recording->machines[recording->n_machines++] = (struct cw_recorded_machine){.name = (uint32_t)name};
    }
    if (!rc) recording->machines[m].ranks++;
    for (struct word word; !rc && (word = take(reading)).length > 0;) {
        const char *colon = memchr(word.at, ':', word.length);
        if (!colon) return fail_word(reading, word, "FIRST:LAST");
        rc = read_number(reading, (struct word){word.at, (size_t)(colon - word.at)}, "a processor",
                         CW_RECORDING_PROCESSORS - 1, &first);
        if (!rc)
            rc = read_number(reading, (struct word){colon + 1, word.length - (size_t)(colon + 1 - word.at)},
                             "a processor", CW_RECORDING_PROCESSORS - 1, &last);
        for (uint64_t p = first; !rc && p <= last; p++) recording->machines[m].processors[p / 64] |= 1ull << p % 64;
    }
    return rc;
}

static int read_waited(struct reading *reading, struct word number)
{
    uint64_t waited = 0;
    const int rc = read_number(reading, number, "ns", MOST_TIME, &waited);
    if (!rc) reading->rank->waited = (int64_t)waited;
    return rc;
}

static int read_op(struct reading *reading, struct word word)
{
    const struct word rest = {word.at + 1, word.length - 1};
    switch (word.at[0]) {
    case '>':
        return read_message(reading, rest, true);
    case '<':
        return read_message(reading, rest, false);
    case '*':
        return read_collective(reading, rest);
    case 'v':
        return read_parts(reading, rest);
    case '=':
    case '~':
    case 'x':
        return read_done(reading, word.at[0], rest);
    case 'c':
        return read_comm(reading, rest);
    case 'p':
        return read_processors(reading, rest);
    case 'w':
        return read_waited(reading, rest);
    default:
        return fail_word(reading, word, "one of > < * v = ~ x c p w # and what belongs to it");
    }
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* "crosswind-recording 1 rank R of N block K" */
static int begin_block(struct reading *reading)
{
    struct cw_recording *recording = reading->recording;
    static const char *const expected[] = {"1", "rank", "of", "block"};
    uint64_t numbers[4] = {0};
    int rc = 0;
    take(reading);
    for (int i = 0; !rc && i < 4; i++) {
        const struct word word = take(reading);
        if (!is(word, expected[i])) return fail_word(reading, word, i == 0 ? "version 1" : expected[i]);
        if (i > 0) rc = next_number(reading, "a number", UINT32_MAX, &numbers[i]);
    }
    const uint64_t rank = numbers[1], n = numbers[2];
    if (rc) return rc;
    if (!recording->ranks) {
        if (n == 0 || n > reading->file_length / SHORTEST_RANK + 1)
            return cw_fail_at(reading->lines.file, reading->lines.number,
                              "%" PRIu64 " ranks in a file of %zu bytes; expected a block of each", n,
                              reading->file_length);
        recording->ranks = cw_new_array(n, sizeof *recording->ranks, what);
        if (!recording->ranks) return CW_ENOMEM;
        recording->n_ranks = (uint32_t)n;
        for (uint64_t r = 0; r < n; r++) recording->ranks[r].waited = -1;
    }
    if (n != recording->n_ranks || rank >= n)
        return cw_fail_at(reading->lines.file, reading->lines.number,
                          "rank %" PRIu64 " of %" PRIu64 "; expected one of %u, of the same job", rank, n,
                          recording->n_ranks);
    reading->rank = &recording->ranks[rank];
    if (reading->rank->next_block != numbers[3]) reading->rank->lost = true;
    reading->rank->next_block = numbers[3] + 1;
    return 0;
}

static int find_call(struct reading *reading, struct word name, uint32_t *out)
{
    struct cw_recording *recording = reading->recording;
    for (size_t i = 0; i < recording->n_calls; i++) {
        *out = (uint32_t)i;
        if (is(name, recording->calls[i].name)) return 0;
    }
    int rc = cw_grow_array((void **)&recording->calls, &recording->calls_room, recording->n_calls + 1,
                           sizeof *recording->calls, what);
    char *copy = rc ? NULL : cw_copy_text(name.at, name.length);
    if (!copy) return CW_ENOMEM;
    *out = (uint32_t)recording->n_calls;
    recording->calls[recording->n_calls++] = (struct cw_recorded_calls){.name = copy};
    return 0;
}

/* "NAME GAP DURATION" and what was done. A new communicator is no call, nor are processors and the end. */
static int read_call(struct reading *reading)
{
    struct cw_recorded_rank *rank = reading->rank;
    struct cw_recorded_line line = {.call = NONE, .first_op = rank->n_ops};
    const struct word name = take(reading);
    const bool end = is(name, "end"), called = !end && !is(name, "communicator") && !is(name, "processors");
    uint64_t gap = 0, duration = 0, n = 1;
    if (rank->ended) return fail_word(reading, name, "nothing of this rank after its end");
    int rc = next_number(reading, "ns since the last call", MOST_TIME, &gap);
    if (!rc) rc = next_number(reading, "ns of the call", MOST_TIME, &duration);
    if (!rc && called) rc = find_call(reading, name, &line.call);
    if (rc) return rc;
    while (reading->at < reading->end && *reading->at == ' ') reading->at++;
    line.words = (size_t)(reading->at - reading->recording->text);
    line.words_length = (uint32_t)(reading->end - reading->at);
    for (struct word word; !rc && (word = take(reading)).length > 0;) {
        if (word.at[0] == '#')
            rc = read_number(reading, (struct word){word.at + 1, word.length - 1}, "a number of calls", MOST_TIME, &n);
        else
            rc = read_op(reading, word);
    }
    line.begin = rank->computed + rank->in_mpi + (int64_t)gap;
    line.gap = (int64_t)gap;
    line.duration = (int64_t)duration;
    if (rc || (!called && !end)) return rc;
    rc = cw_grow_array((void **)&rank->lines, &rank->lines_room, rank->n_lines + 1, sizeof line, what);
    if (rc) return rc;
    rank->lines[rank->n_lines++] = line;
    rank->computed += line.gap;
    rank->in_mpi += line.duration;
    rank->ended = end;
    if (end) return 0;
    struct cw_recorded_calls *calls = &reading->recording->calls[line.call];
    calls->n += n;
    calls->seconds += 1e-9 * (double)duration; /* in the order of the file */
    for (size_t i = line.first_op; i < rank->n_ops; i++) calls->bytes += rank->ops[i].bytes;
    return 0;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

bool cw_recording_is(const char *data, size_t length)
{
    return length >= strlen(MAGIC) && memcmp(data, MAGIC, strlen(MAGIC)) == 0;
}

static int read_lines(struct reading *reading)
{
    int rc = 0;
    while (!rc && cw_lines_next(&reading->lines)) {
        reading->at = reading->lines.line;
        reading->end = reading->at + reading->lines.length;
        if (cw_recording_is(reading->lines.line, reading->lines.length))
            rc = begin_block(reading);
        else if (!reading->rank)
            rc = fail_word(reading, take(reading), MAGIC "1 rank R of N block K");
        else if (!reading->rank->lost)
            rc = read_call(reading);
    }
    if (!rc && !reading->rank)
        rc = cw_fail_at(reading->lines.file, 0, "no recording; expected " MAGIC "1 rank R of N block K first");
    return rc;
}

int cw_recording_parse(const char *file, const char *data, size_t length, struct cw_recording **out)
{
    struct cw_recording *recording = cw_new_array(1, sizeof *recording, what);
    if (!recording) return CW_ENOMEM;
    recording->text = cw_copy_text(data, length);
    struct reading reading = {.recording = recording, .file_length = length};
    int rc = recording->text ? 0 : CW_ENOMEM;
    if (!rc) {
        reading.lines = cw_lines_of(file, recording->text, length);
        rc = read_lines(&reading);
    }
    if (rc)
        cw_recording_free(recording);
    else
        *out = recording;
    return rc;
}

int cw_recording_text(const char *path, struct cw_text *text)
{
    struct cw_source *source = NULL;
    char piece[1 << 15];
    size_t n = 1;
    if (cw_otf2_is(path)) return cw_otf2_text(path, text);
    int rc = cw_source_open(path, &source);
    while (!rc && n > 0) {
        rc = cw_source_read(source, piece, sizeof piece, &n);
        if (!rc) cw_text_append(text, piece, n);
    }
    if (rc == CW_EPARSE && text->length > 0 && cw_recording_is(text->data, text->length)) {
        cw_inputs_remark(path, 0, "the file is cut off or damaged; what comes before was read");
        while (text->length > 0 && text->data[text->length - 1] != '\n') text->length--;
        rc = 0;
    }
    cw_source_close(source);
    return rc ? rc : cw_text_check(text);
}

int cw_recording_read(const char *path, struct cw_recording **out)
{
    struct cw_text text = {0};
    int rc = cw_recording_text(path, &text);
    if (!rc) rc = cw_recording_parse(path, text.data ? text.data : "", text.length, out);
    cw_text_free(&text);
    return rc;
}

void cw_recording_free(struct cw_recording *recording)
{
    if (!recording) return;
    for (uint32_t r = 0; recording->ranks && r < recording->n_ranks; r++) {
        free(recording->ranks[r].lines);
        free(recording->ranks[r].ops);
        free(recording->ranks[r].requests);
        free(recording->ranks[r].comms);
    }
    for (size_t i = 0; i < recording->n_members; i++) {
        free(recording->members[i].world);
        free(recording->members[i].text);
    }
    for (size_t i = 0; i < recording->n_calls; i++) free((char *)recording->calls[i].name);
    free(recording->ranks);
    free(recording->members);
    free(recording->comms);
    free(recording->calls);
    free(recording->machines);
    free(recording->text);
    free(recording);
}

/* --- what it says ------------------------------------------------------------------------------------------------- */

uint32_t cw_recording_ranks(const struct cw_recording *recording)
{
    return recording->n_ranks;
}

double cw_recording_computed(const struct cw_recording *recording, uint32_t rank)
{
    return 1e-9 * (double)recording->ranks[rank].computed;
}

double cw_recording_in_mpi(const struct cw_recording *recording, uint32_t rank)
{
    return 1e-9 * (double)recording->ranks[rank].in_mpi;
}

double cw_recording_seconds(const struct cw_recording *recording)
{
    double longest = 0;
    for (uint32_t r = 0; r < recording->n_ranks; r++) {
        const double seconds = cw_recording_computed(recording, r) + cw_recording_in_mpi(recording, r);
        if (seconds > longest) longest = seconds;
    }
    return longest;
}

uint32_t cw_recording_cut(const struct cw_recording *recording)
{
    uint32_t cut = 0;
    for (uint32_t r = 0; r < recording->n_ranks; r++) cut += !recording->ranks[r].ended;
    return cut;
}

bool cw_recording_crowded(const struct cw_recording *recording, uint32_t *ranks, uint32_t *processors)
{
    bool found = false;
    for (size_t m = 0; m < recording->n_machines; m++) {
        const struct cw_recorded_machine *machine = &recording->machines[m];
        uint32_t n = 0;
        for (size_t i = 0; i < sizeof machine->processors / sizeof *machine->processors; i++)
            n += (uint32_t)__builtin_popcountll(machine->processors[i]);
        if (n == 0 || n >= machine->ranks || (found && (uint64_t)n * *ranks >= (uint64_t)*processors * machine->ranks))
            continue;
        found = true;
        *ranks = machine->ranks;
        *processors = n;
    }
    return found;
}

double cw_recording_waited(const struct cw_recording *recording)
{
    double waited = 0, time = 0;
    for (uint32_t r = 0; r < recording->n_ranks; r++) {
        const struct cw_recorded_rank *rank = &recording->ranks[r];
        if (rank->waited < 0) return (double)NAN;
        waited += (double)rank->waited;
        time += (double)(rank->computed + rank->in_mpi);
    }
    return time > 0 ? waited / time : (double)NAN;
}

const struct cw_recorded_calls *cw_recording_calls(const struct cw_recording *recording, size_t *n)
{
    *n = recording->n_calls;
    return recording->calls;
}

size_t cw_recording_events(const struct cw_recording *recording, uint32_t rank)
{
    return recording->ranks[rank].n_lines - recording->ranks[rank].ended;
}

void cw_recording_event(const struct cw_recording *recording, uint32_t rank, size_t i, struct cw_recorded_event *out)
{
    const struct cw_recorded_line *line = &recording->ranks[rank].lines[i];
    *out = (struct cw_recorded_event){.name = recording->calls[line->call].name,
                                      .begin = 1e-9 * (double)line->begin,
                                      .computed = 1e-9 * (double)line->gap,
                                      .seconds = 1e-9 * (double)line->duration,
                                      .words = recording->text + line->words,
                                      .words_length = line->words_length};
}
