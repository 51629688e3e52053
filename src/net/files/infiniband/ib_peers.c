#include "net/files/infiniband/ib_peers.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"

#define LINE_MODE "what iblinkinfo -l prints"

/* What the rows say of one LID or GUID. */
struct party {
    uint64_t key;
    size_t row;      /* the first that has it as its own, or else as its peer's */
    uint32_t n_own;  /* rows that have it as their own */
    uint32_t n_peer; /* cables that lead to it */
    bool shared;     /* a LID of two nodes */
};

struct parties {
    const char *file;
    struct cw_ib_row *rows;
    size_t n_rows;
    struct party *items; /* by key */
    size_t n;
    bool has_switches, has_adapters; /* with rows of their own */
};

/* An end with its key, before they are gathered. */
struct mention {
    uint64_t key;
    size_t row;
    bool own;
};

static int compare_mentions(const void *a, const void *b)
{
    const struct mention *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->own != y->own) return x->own ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static bool same_node(const struct cw_ib_end *a, const struct cw_ib_end *b)
{
    return a->kind == b->kind && a->guid == b->guid;
}

/* One party for each key of the sorted mentions. */
static void gather(struct parties *parties, const struct mention *mentions, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct mention *m = &mentions[i];
        if (i == 0 || mentions[i - 1].key != m->key)
            parties->items[parties->n++] = (struct party){.key = m->key, .row = m->row};
        struct party *party = &parties->items[parties->n - 1];
        if (!m->own) {
            party->n_peer++;
            continue;
        }
        party->n_own++;
        party->shared |= !same_node(&parties->rows[m->row].own, &parties->rows[party->row].own);
    }
}

/* Own ends without a LID are nobody's peers. */
static int find_parties(struct parties *parties, uint64_t (*key_of)(const struct cw_ib_end *end))
{
    struct mention *mentions = cw_new_array(2 * parties->n_rows, sizeof *mentions, "the ports of a fabric");
    parties->items = cw_new_array(2 * parties->n_rows, sizeof *parties->items, "the ports of a fabric");
    if (!mentions || !parties->items) {
        free(mentions);
        return CW_ENOMEM;
    }
    size_t n = 0;
    for (size_t i = 0; i < parties->n_rows; i++) {
        const struct cw_ib_row *row = &parties->rows[i];
        if (key_of(&row->own)) mentions[n++] = (struct mention){key_of(&row->own), i, true};
        if (row->connected) mentions[n++] = (struct mention){key_of(&row->peer), i, false};
    }
    qsort(mentions, n, sizeof *mentions, compare_mentions);
    gather(parties, mentions, n);
    free(mentions);
    return 0;
}

static int compare_key(const void *key, const void *item)
{
    const uint64_t k = *(const uint64_t *)key, other = ((const struct party *)item)->key;
    return k < other ? -1 : k > other;
}

static const struct party *find_party(const struct parties *parties, uint64_t key)
{
    return bsearch(&key, parties->items, parties->n, sizeof *parties->items, compare_key);
}

/* ROW leads to PARTY, which has no rows of its own: 0 if it is a host all the same. */
static int check_absent(const struct parties *parties, const struct cw_ib_row *row, const struct party *party)
{
    const struct cw_ib_span d = row->peer.description;
    const int length = (int)(d.length < 80 ? d.length : 80);
    const char *text = d.length ? d.text : "";
    if (!parties->has_switches)
        return cw_fail_at(parties->file, row->line,
                          "'%.*s' is mentioned here, but no switch has lines of its own; expected what iblinkinfo "
                          "prints without --cas-only",
                          length, text);
    if (parties->has_adapters)
        return cw_fail_at(parties->file, row->line,
                          "'%.*s' is mentioned here but has no lines of its own; is the file truncated?", length, text);
    if (party->n_peer > 1)
        return cw_fail_at(parties->file, row->line,
                          "%u cables lead to '%.*s', a switch, which has no lines of its own; is the file truncated?",
                          party->n_peer, length, text);
    return 0;
}

/* --- by LID ------------------------------------------------------------------------------------------------------- */

static uint64_t lid_of(const struct cw_ib_end *end)
{
    return end->lid;
}

static int check_lid(const struct parties *parties, const struct cw_ib_row *row, const struct party *party)
{
    if (row->peer.lid == 0)
        return cw_fail_at(parties->file, row->line,
                          "the peer has no LID, so it cannot be identified; expected " LINE_MODE
                          ", or a map made while a subnet manager runs");
    if (party->shared)
        return cw_fail_at(parties->file, row->line,
                          "LID %u has several owners, one of them in line %lu, so it is not clear which of them "
                          "this is; expected " LINE_MODE,
                          row->peer.lid, parties->rows[party->row].line);
    return 0;
}

static int complete_by_lid(const struct parties *parties, struct cw_ib_row *row)
{
    const struct party *party = find_party(parties, row->peer.lid);
    int rc = check_lid(parties, row, party);
    if (rc) return rc;
    const struct cw_ib_end peer = row->peer;
    if (party->n_own == 0) {
        rc = check_absent(parties, row, party);
        row->peer.kind = CW_KIND_HOST;
        return rc;
    }
    row->peer = parties->rows[party->row].own;
    row->peer.number = peer.number;
    return 0;
}

static void note_kinds(struct parties *parties)
{
    for (size_t i = 0; i < parties->n_rows; i++)
        *(parties->rows[i].own.kind == CW_KIND_SWITCH ? &parties->has_switches : &parties->has_adapters) = true;
}

int cw_ib_peers_by_lid(const char *file, struct cw_ib_row *rows, size_t n)
{
    struct parties parties = {.file = file, .rows = rows, .n_rows = n};
    int rc = find_parties(&parties, lid_of);
    if (!rc) note_kinds(&parties);
    for (size_t i = 0; i < n && !rc; i++)
        if (rows[i].connected) rc = complete_by_lid(&parties, &rows[i]);
    if (!rc && !parties.has_adapters)
        cw_inputs_remark(file, 0,
                         "No adapter has lines of its own (--switches-only): what is no switch is taken for a host, "
                         "each cable's for one of its own, without GUIDs.");
    free(parties.items);
    return rc;
}

/* --- by GUID ------------------------------------------------------------------------------------------------------ */

static uint64_t guid_of(const struct cw_ib_end *end)
{
    return end->guid;
}

static uint8_t kind_of(const struct parties *parties, const struct cw_ib_end *end)
{
    return find_party(parties, end->guid)->n_own > 1 ? CW_KIND_SWITCH : CW_KIND_HOST;
}

int cw_ib_peers_by_guid(const char *file, struct cw_ib_row *rows, size_t n)
{
    struct parties parties = {.file = file, .rows = rows, .n_rows = n};
    int rc = find_parties(&parties, guid_of);
    for (size_t i = 0; i < n && !rc; i++) rows[i].own.kind = kind_of(&parties, &rows[i].own);
    if (!rc) note_kinds(&parties);
    for (size_t i = 0; i < n && !rc; i++) {
        struct cw_ib_row *row = &rows[i];
        if (!row->connected) continue;
        const struct party *party = find_party(&parties, row->peer.guid);
        row->peer.kind = kind_of(&parties, &row->peer);
        if (party->n_own == 0) rc = check_absent(&parties, row, party);
    }
    free(parties.items);
    return rc;
}
