#include "nbc/nbc_between.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/option.h"
#include "base/units.h"

int cw_nbc_between_parse(const char *what, const char *text, struct cw_nbc_between *out)
{
    static const struct {
        const char *name;
        struct cw_nbc_between means;
    } names[] = {{"auto", {CW_NBC_SHAPE_AUTO, 0}},
                 {"chain", {CW_NBC_CHAIN, 0}},
                 {"binomial", {CW_NBC_KNOMIAL, 2}},
                 {"ring", {CW_NBC_HOST_RING, 0}},
                 {"native", {CW_NBC_NATIVE, 0}}};
    char name[CW_SPEC_NAME_SIZE];
    const char *parameter = cw_spec_split(text, name, sizeof name);
    for (size_t i = 0; i < sizeof names / sizeof *names && !parameter; i++)
        if (strcmp(name, names[i].name) == 0) {
            *out = names[i].means;
            return 0;
        }
    if (strcmp(name, "k-nomial") != 0 || !parameter)
        return cw_fail(CW_EUSAGE,
                       "%s: '%s' is no tree of hosts; expected auto, chain, binomial, k-nomial:K, ring or native", what,
                       text);
    int64_t radix;
    int rc = cw_parse_int(what, parameter, &radix);
    if (rc) return rc;
    if (radix < 2 || radix > 1024) return cw_fail(CW_EUSAGE, "%s: %s is not within 2 and 1024", what, parameter);
    *out = (struct cw_nbc_between){CW_NBC_KNOMIAL, (unsigned)radix};
    return 0;
}
