/* Datatypes, and operations on them. */
#include <complex.h>
#include <string.h>

#include "stress.h"

uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

unsigned below(uint64_t *state, unsigned n)
{
    return (unsigned)((draw(state) >> 32) * n >> 32);
}

uint64_t key(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t state = seed;
    state = draw(&state) ^ a;
    state = draw(&state) ^ b;
    state = draw(&state) ^ c;
    return draw(&state);
}

struct mixed {
    char c;
    double d;
    int i[3];
};
struct pair {
    double value;
    int index;
};

enum {
    CHARS,
    INTS,
    UNSIGNEDS,
    LONGS,
    FLOATS,
    DOUBLES,
    COMPLEXES,
    PAIRS,
    TRIPLES,
    VECTORS,
    INDEXED,
    MIXED,
    SPREAD,
    SHIFTED,
    TURNED,
    MATRICES
};

const struct sort sorts[] = {
    [CHARS] = {"CHAR", 1, 1, 1, 1, MPI_CHAR},
    [INTS] = {"INT", 4, 4, 4, 1, MPI_INT},
    [UNSIGNEDS] = {"UNSIGNED", 4, 4, 4, 1, MPI_UNSIGNED},
    [LONGS] = {"LONG_LONG", 8, 8, 8, 1, MPI_LONG_LONG},
    [FLOATS] = {"FLOAT", 4, 4, 4, 1, MPI_FLOAT},
    [DOUBLES] = {"DOUBLE", 8, 8, 8, 1, MPI_DOUBLE},
    [COMPLEXES] = {"C_DOUBLE_COMPLEX", 16, 16, 16, 1, MPI_C_DOUBLE_COMPLEX},
    [PAIRS] = {"DOUBLE_INT", 12, sizeof(struct pair), sizeof(struct pair), 0, MPI_DATATYPE_NULL},
    [TRIPLES] = {"contiguous 3 INT", 12, 12, 12, 3, MPI_INT},
    [VECTORS] = {"vector 3 of 2 in 5 SHORT", 12, 24, 24, 6, MPI_SHORT},
    [INDEXED] = {"indexed 1, 4, 2 INT", 28, 44, 44, 7, MPI_INT},
    [MIXED] = {"struct", 21, sizeof(struct mixed), sizeof(struct mixed), 0, MPI_DATATYPE_NULL},
    [SPREAD] = {"INT in 12 bytes", 4, 12, 12, 1, MPI_INT},
    [SHIFTED] = {"DOUBLE in 24 bytes from -8", 8, 24, 24, 1, MPI_DOUBLE},
    [TURNED] = {"indexed 2, 1 INT, the last first", 12, 12, 12, 3, MPI_INT}, /* no gaps, but another order */
    [MATRICES] = {"contiguous 4 UINT64", 32, 32, 32, 4, MPI_UINT64_T},
};
const int n_sorts = sizeof sorts / sizeof *sorts;

static MPI_Datatype make_struct(void)
{
    MPI_Datatype exact, type;
    const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    const MPI_Aint places[] = {offsetof(struct mixed, c), offsetof(struct mixed, d), offsetof(struct mixed, i)};
    MPI_Type_create_struct(3, (const int[]){1, 1, 3}, places, types, &exact);
    MPI_Type_create_resized(exact, 0, sizeof(struct mixed), &type);
    MPI_Type_free(&exact);
    return type;
}

MPI_Datatype sort_make(int sort)
{
    MPI_Datatype type = sorts[sort].part;
    if (sort == PAIRS) return MPI_DOUBLE_INT;
    if (sort < PAIRS) return type;
    if (sort == TRIPLES) MPI_Type_contiguous(3, MPI_INT, &type);
    if (sort == VECTORS) MPI_Type_vector(3, 2, 5, MPI_SHORT, &type);
    if (sort == INDEXED) MPI_Type_indexed(3, (const int[]){1, 4, 2}, (const int[]){0, 3, 9}, MPI_INT, &type);
    if (sort == MIXED) type = make_struct();
    if (sort == SPREAD) MPI_Type_create_resized(MPI_INT, 0, 12, &type);
    if (sort == SHIFTED) MPI_Type_create_resized(MPI_DOUBLE, -8, 24, &type);
    if (sort == TURNED) MPI_Type_indexed(2, (const int[]){2, 1}, (const int[]){1, 0}, MPI_INT, &type);
    if (sort == MATRICES) MPI_Type_contiguous(4, MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    return type;
}

void sort_free(int sort, MPI_Datatype *type)
{
    if (sort > PAIRS) MPI_Type_free(type);
}

void fill_raw(uint64_t *state, void *data, size_t bytes)
{
    unsigned char *at = data;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        const uint64_t word = draw(state);
        memcpy(at, &word, 8);
    }
    const uint64_t word = draw(state);
    memcpy(at, &word, bytes);
}

/* Small whole numbers, of which any sum is exact. */
static void fill_ints(uint64_t *state, void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(int); i++) ((int *)data)[i] = (int)below(state, 100000);
}

static void fill_floats(uint64_t *state, void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(float); i++) ((float *)data)[i] = (float)below(state, 1000);
}

static void fill_doubles(uint64_t *state, void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(double); i++) ((double *)data)[i] = (double)below(state, 100000);
}

static void fill_pairs(uint64_t *state, void *data, size_t bytes)
{
    struct pair *pairs = data;
    memset(data, 0, bytes);
    for (size_t i = 0; i < bytes / sizeof *pairs; i++)
        pairs[i] = (struct pair){below(state, 4), (int)below(state, 1000)};
}

/* Commutative, on VECTORS. */
static void add_vectors(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        for (int j = 0; j < 6; j++) {
            const int at = 12 * i + 5 * (j / 2) + j % 2;
            unsigned short *sum = (unsigned short *)inout + at;
            *sum = (unsigned short)(*sum + ((unsigned short *)in)[at]);
        }
}

/* Not commutative, on MATRICES of 2 × 2, modulo a prime: in · inout. */
static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const uint64_t prime = 2147483647, *a = in;
    uint64_t *b = inout;
    (void)type;
    for (int i = 0; i < *count; i++, a += 4, b += 4) {
        uint64_t c[4];
        for (int k = 0; k < 4; k++)
            c[k] =
                ((a[k & 2] % prime) * (b[k & 1] % prime) + (a[(k & 2) + 1] % prime) * (b[2 + (k & 1)] % prime)) % prime;
        memcpy(b, c, sizeof c);
    }
}

const struct reduction reductions[] = {
    {"INT sum", INTS, fill_ints, false},
    {"DOUBLE sum", DOUBLES, fill_doubles, false},
    {"DOUBLE min", DOUBLES, fill_doubles, false},
    {"LONG_LONG max", LONGS, fill_raw, false},
    {"UNSIGNED bxor", UNSIGNEDS, fill_raw, false},
    {"UNSIGNED prod", UNSIGNEDS, fill_raw, false},
    {"FLOAT sum", FLOATS, fill_floats, false},
    {"DOUBLE_INT maxloc", PAIRS, fill_pairs, true},
    {"complex sum", COMPLEXES, fill_doubles, false},
    {"own, of vectors", VECTORS, fill_raw, false},
    {"own, in order", MATRICES, fill_raw, false},
};
const int n_reductions = sizeof reductions / sizeof *reductions;

MPI_Op reduction_make(int reduction)
{
    const MPI_Op predefined[] = {MPI_SUM, MPI_SUM, MPI_MIN, MPI_MAX, MPI_BXOR, MPI_PROD, MPI_SUM, MPI_MAXLOC, MPI_SUM};
    if (reduction < (int)(sizeof predefined / sizeof *predefined)) return predefined[reduction];
    MPI_Op op;
    const bool vectors = reductions[reduction].sort == VECTORS;
    MPI_Op_create(vectors ? add_vectors : multiply, vectors, &op);
    return op;
}

void reduction_free(int reduction, MPI_Op *op)
{
    const int sort = reductions[reduction].sort;
    if (sort == VECTORS || sort == MATRICES) MPI_Op_free(op);
}
