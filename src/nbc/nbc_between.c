#include "nbc/nbc_between.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/option.h"
#include "base/units.h"

/* Of two that mean the same shape, the first is its name. */
static const struct {
    const char *name;
    struct cw_nbc_between means;
} names[] = {{"auto", {.shape = CW_NBC_SHAPE_AUTO}}, {"fabric", {.shape = CW_NBC_SHAPE_AUTO, .by_fabric = true}},
             {"chain", {.shape = CW_NBC_CHAIN}},     {"binomial", {.shape = CW_NBC_KNOMIAL, .radix = 2}},
             {"ring", {.shape = CW_NBC_HOST_RING}},  {"native", {.shape = CW_NBC_NATIVE}}};
#define NAMES (sizeof names / sizeof *names)

int cw_nbc_between_parse(const char *what, const char *text, struct cw_nbc_between *out)
{
    char name[CW_SPEC_NAME_SIZE];
    const char *parameter = cw_spec_split(text, name, sizeof name);
    for (size_t i = 0; i < NAMES && !parameter; i++)
        if (strcmp(name, names[i].name) == 0) {
            *out = names[i].means;
            return 0;
        }
    if (strcmp(name, "k-nomial") != 0 || !parameter)
        return cw_fail(
            CW_EUSAGE,
            "%s: '%s' is not a tree of hosts; expected auto, fabric, chain, binomial, k-nomial:K, ring or native", what,
            text);
    int64_t radix;
    int rc = cw_parse_int(what, parameter, &radix);
    if (rc) return rc;
    if (radix < 2 || radix > 1024) return cw_fail(CW_EUSAGE, "%s: %s is not between 2 and 1024", what, parameter);
    *out = (struct cw_nbc_between){.shape = CW_NBC_KNOMIAL, .radix = (unsigned)radix};
    return 0;
}

const char *cw_nbc_between_format(const struct cw_nbc_between *between, char *text)
{
    snprintf(text, CW_NBC_BETWEEN_SIZE, "k-nomial:%u", between->radix);
    for (size_t i = NAMES; i-- > 0;)
        if (between->shape == names[i].means.shape && between->radix == names[i].means.radix)
            snprintf(text, CW_NBC_BETWEEN_SIZE, "%s", names[i].name);
    return text;
}
