#include "topo/galois.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

uint32_t cw_galois_characteristic(uint32_t q)
{
    uint32_t p = 2;
    if (q < 2) return 0;
    while (p * p <= q && q % p != 0) p++;
    if (q % p != 0) p = q;
    while (q % p == 0) q /= p;
    return q == 1 ? p : 0;
}

uint32_t cw_galois_add(const struct cw_galois *field, uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (uint32_t place = 1; place < field->q; place *= field->p, a /= field->p, b /= field->p)
        sum += (a % field->p + b % field->p) % field->p * place;
    return sum;
}

uint32_t cw_galois_subtract(const struct cw_galois *field, uint32_t a, uint32_t b)
{
    uint32_t difference = 0;
    for (uint32_t place = 1; place < field->q; place *= field->p, a /= field->p, b /= field->p)
        difference += (a % field->p + field->p - b % field->p) % field->p * place;
    return difference;
}

/* A·x, or for a prime A·ROOT, where x^m is REST. */
static uint32_t next_power(const struct cw_galois *field, uint32_t a, uint32_t root)
{
    if (field->q == field->p) return (uint32_t)((uint64_t)a * root % field->p);
    const uint32_t top = field->q / field->p, carry = a / top;
    uint32_t next = a % top * field->p;
    for (uint32_t i = 0; i < carry; i++) next = cw_galois_add(field, next, root);
    return next;
}

/* Fills the powers of the element that ROOT stands for: a residue, or what x^m is. True if all but 0 are among them. */
static bool fill_powers(struct cw_galois *field, uint32_t root)
{
    uint32_t a = 1;
    for (uint32_t i = 0; i + 1 < field->q; i++) {
        if (a == 0 || (i > 0 && a == 1)) return false;
        field->power[i] = a;
        field->logarithm[a] = i;
        a = next_power(field, a, root);
    }
    return a == 1;
}

int cw_galois_new(uint32_t q, struct cw_galois *out)
{
    struct cw_galois field = {.q = q, .p = cw_galois_characteristic(q)};
    field.power = cw_new_array(q, sizeof *field.power, "a finite field");
    field.logarithm = cw_new_array(q, sizeof *field.logarithm, "a finite field");
    if (!field.power || !field.logarithm) {
        cw_galois_free(&field);
        return CW_ENOMEM;
    }
    for (uint32_t root = 1; root < q && !fill_powers(&field, root); root++) continue;
    *out = field;
    return 0;
}

void cw_galois_free(struct cw_galois *field)
{
    free(field->power);
    free(field->logarithm);
}
