/*
 * Finite fields of q elements, q a prime power, by tables of powers of a primitive element. Not installed.
 *
 * Elements are numbers 0 … q-1 whose digits to the base p (q = p^m) are the coefficients of a polynomial, the lowest
 * first; for a prime, the residues. The primitive element is the least primitive root of a prime; else x, modulo the
 * first monic polynomial of degree m, in the order of its other digits as a number, of which x is primitive.
 */
#ifndef CW_TOPO_GALOIS_H
#define CW_TOPO_GALOIS_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_galois {
    uint32_t q, p;       /* elements, characteristic */
    uint32_t *power;     /* [q - 1] of the primitive element, owned */
    uint32_t *logarithm; /* [q], of 1 … q-1 */
};

/* p if Q is a power of a prime p, else 0. O(√Q). */
uint32_t cw_galois_characteristic(uint32_t q);

/* The field of Q elements, a prime power, at most 65536. 0 or CW_ENOMEM. Free with cw_galois_free. */
int cw_galois_new(uint32_t q, struct cw_galois *out);
void cw_galois_free(struct cw_galois *field);

uint32_t cw_galois_add(const struct cw_galois *field, uint32_t a, uint32_t b);
uint32_t cw_galois_subtract(const struct cw_galois *field, uint32_t a, uint32_t b);

static inline uint32_t cw_galois_multiply(const struct cw_galois *field, uint32_t a, uint32_t b)
{
    if (a == 0 || b == 0) return 0;
    return field->power[(field->logarithm[a] + field->logarithm[b]) % (field->q - 1)];
}

CW_END_DECLS

#endif
