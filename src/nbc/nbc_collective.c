#include "nbc/nbc_collective.h"

#include <stdio.h>

#include "base/error.h"
#include "nbc/nbc_combine.h"

cw_nbc_basic cw_nbc_basic_of(enum cw_nbc_kind kind, uint64_t bytes)
{
    unsigned power = 0;
    while (power < 7 && 1u << power < bytes) power++;
    return (cw_nbc_basic)(kind << 3 | power);
}

enum cw_nbc_kind cw_nbc_basic_kind(cw_nbc_basic basic)
{
    return (enum cw_nbc_kind)(basic >> 3);
}

uint64_t cw_nbc_basic_bytes(cw_nbc_basic basic)
{
    return 1u << (basic & 7);
}

static bool agree(cw_nbc_basic a, cw_nbc_basic b)
{
    return a == b || cw_nbc_basic_kind(a) == CW_NBC_ANY || cw_nbc_basic_kind(b) == CW_NBC_ANY;
}

/* A negative count, or no datatype. */
static bool has_no_length(const struct cw_nbc_asked *asked)
{
    return asked->bytes[0] == UINT64_MAX || asked->bytes[1] == UINT64_MAX;
}

/* What each gives is what the other takes. */
enum cw_nbc_clash cw_nbc_asked_compare(const struct cw_nbc_asked *a, const struct cw_nbc_asked *b)
{
    if (a->collective != b->collective) return CW_NBC_OTHER_COLLECTIVE;
    if (a->root != b->root) return CW_NBC_OTHER_ROOT;
    if ((a->refused && has_no_length(a)) || (b->refused && has_no_length(b))) return CW_NBC_OTHER_SIDE;
    for (int i = 0; i < 4; i++)
        if (a->bytes[i / 2] != b->bytes[i % 2]) return CW_NBC_OTHER_BYTES;
    for (int i = 0; i < 4 && a->bytes[0] > 0; i++)
        if (!agree(a->basic[i / 2], b->basic[i % 2])) return CW_NBC_OTHER_TYPE;
    const bool unsaid = a->op == CW_NBC_OP_UNSAID || b->op == CW_NBC_OP_UNSAID;
    if (cw_collectives[a->collective].reduces && a->op != b->op && !unsaid) return CW_NBC_OTHER_OP;
    return a->refused || b->refused ? CW_NBC_OTHER_SIDE : CW_NBC_AGREE;
}

#define BLOCK_SIZE 64

/* "800 bytes (int32)" */
static const char *format_bytes(const struct cw_nbc_asked *asked, int i, char text[BLOCK_SIZE])
{
    static const char *const names[] = {"any type", "mixed types", "bytes",   "int",       "unsigned",
                                        "float",    "complex",     "logical", "characters"};
    const enum cw_nbc_kind kind = cw_nbc_basic_kind(asked->basic[i]);
    const bool sized = kind >= CW_NBC_SIGNED && kind <= CW_NBC_LOGICAL;
    const unsigned long long bytes = asked->bytes[i], bits = 8 * cw_nbc_basic_bytes(asked->basic[i]);
    if (asked->bytes[i] == UINT64_MAX)
        snprintf(text, BLOCK_SIZE, "no valid length");
    else if (sized)
        snprintf(text, BLOCK_SIZE, "%llu bytes (%s%llu)", bytes, names[kind], bits);
    else if (kind == CW_NBC_BYTES || kind == CW_NBC_ANY)
        snprintf(text, BLOCK_SIZE, "%llu bytes", bytes);
    else
        snprintf(text, BLOCK_SIZE, "%llu bytes (%s)", bytes, names[kind]);
    return text;
}

static const char *op_name(uint8_t op)
{
    static const char *const names[CW_NBC_OPS] = {"MPI_SUM", "MPI_PROD", "MPI_MIN",  "MPI_MAX", "MPI_LAND",
                                                  "MPI_LOR", "MPI_LXOR", "MPI_BAND", "MPI_BOR", "MPI_BXOR"};
    return op < CW_NBC_OPS ? names[op] : "another operation";
}

/* A call that is only counted, or one that is not known. */
static const char *format_other(const struct cw_nbc_asked *asked, char text[CW_NBC_ASKED_SIZE])
{
#define NAME(CALL, N, COMM, SUFFIX) "MPI_" #CALL,
    static const char *const names[] = {CW_NBC_COUNTED(NAME, ) CW_NBC_COUNTED_BARRIERS(NAME)};
#undef NAME
    if (asked->collective >= CW_NBC_OTHERS)
        snprintf(text, CW_NBC_ASKED_SIZE, "rank %lu calls %s", (unsigned long)asked->rank,
                 names[asked->collective - CW_NBC_OTHERS]);
    else
        snprintf(text, CW_NBC_ASKED_SIZE, "rank %lu has gone on with other calls", (unsigned long)asked->rank);
    return text;
}

const char *cw_nbc_asked_format(const struct cw_nbc_asked *asked, char text[CW_NBC_ASKED_SIZE])
{
    char given[BLOCK_SIZE], taken[BLOCK_SIZE], root[32] = "", op[32] = "";
    if (asked->collective >= CW_COLLECTIVES) return format_other(asked, text);
    const struct cw_collective_traits *traits = &cw_collectives[asked->collective];
    const bool moves = traits->gives_blocks || traits->takes_blocks;
    const bool differ = moves && (asked->bytes[0] != asked->bytes[1] || asked->basic[0] != asked->basic[1]);
    if (traits->root_gives || traits->root_takes)
        snprintf(root, sizeof root, " %s rank %lu", traits->root_gives ? "from" : "to", (unsigned long)asked->root);
    if (traits->reduces && asked->op != CW_NBC_OP_UNSAID) snprintf(op, sizeof op, " by %s", op_name(asked->op));
    format_bytes(asked, 0, given);
    if (differ)
        snprintf(text, CW_NBC_ASKED_SIZE, "rank %lu calls %s%s that sends blocks of %s and receives blocks of %s",
                 (unsigned long)asked->rank, traits->name, root, given, format_bytes(asked, 1, taken));
    else
        snprintf(text, CW_NBC_ASKED_SIZE, "rank %lu calls %s of %s%s%s%s%s", (unsigned long)asked->rank, traits->name,
                 moves ? "blocks of " : "", given, root, op, asked->refused ? ", which MPI refuses" : "");
    return text;
}

int cw_nbc_fail_of_clash(const struct cw_nbc_clash_note *note)
{
    static const char *const fields[] = {[CW_NBC_OTHER_COLLECTIVE] = "different collectives",
                                         [CW_NBC_OTHER_ROOT] = "one collective with different roots",
                                         [CW_NBC_OTHER_BYTES] = "one collective with different lengths",
                                         [CW_NBC_OTHER_TYPE] = "one collective with different types",
                                         [CW_NBC_OTHER_OP] = "one collective with different operations",
                                         [CW_NBC_OTHER_SIDE] =
                                             "one collective in different ways, one of which only MPI knows"};
    char a[CW_NBC_ASKED_SIZE], b[CW_NBC_ASKED_SIZE];
    const char *what = fields[note->clash];
    if (note->clash == CW_NBC_OTHER_SIDE && (note->a.refused || note->b.refused))
        what = "one collective, but MPI refuses the call of one";
    if (note->a.rank > note->b.rank && !note->left) { /* the same words, whoever came first */
        const struct cw_nbc_clash_note turned = {note->clash, false, note->b, note->a};
        return cw_nbc_fail_of_clash(&turned);
    }
    if (note->a.rank == note->b.rank && !note->left) return cw_fail(CW_EUSAGE, "%s", cw_nbc_asked_format(&note->a, a));
    const bool known = note->b.collective != CW_NBC_UNKNOWN;
    return cw_fail(CW_EUSAGE, "ranks call %s: %s, %s%s", what, cw_nbc_asked_format(&note->a, a),
                   cw_nbc_asked_format(&note->b, b),
                   note->left && known && !note->b.refused ? ", which is left to MPI" : "");
}
