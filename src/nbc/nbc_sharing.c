#include "nbc/nbc_sharing.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/option.h"
#include "base/units.h"

static int parse_count(const char *what, const char *text, const char *of, int64_t least, int64_t most, unsigned *out)
{
    int64_t value;
    int rc = cw_parse_int(what, text, &value);
    if (!rc && (value < least || value > most))
        rc = cw_fail(CW_EUSAGE, "%s: the number of %s, %s, is not between %d and %d", what, of, text, (int)least,
                     (int)most);
    if (!rc) *out = (unsigned)value;
    return rc;
}

static int parse_fraction(const char *what, const char *text, double *out)
{
    int rc = cw_parse_real(what, text, out);
    if (rc || (*out >= 0 && *out <= 1)) return rc;
    return cw_fail(CW_EUSAGE, "%s: the fraction %s is not between 0 and 1", what, text);
}

int cw_nbc_sharing_parse(const char *what, const char *text, struct cw_nbc_sharing *out)
{
    char name[CW_SPEC_NAME_SIZE];
    const char *parameter = cw_spec_split(text, name, sizeof name);
    struct cw_nbc_sharing sharing = {.schedule = CW_NBC_SPLIT_TREE, .radix = 2};
    int rc = 0;
    if (strcmp(name, "auto") == 0 && !parameter)
        sharing.schedule = CW_NBC_AUTO;
    else if (strcmp(name, "slices") == 0 && parameter) {
        sharing.schedule = CW_NBC_SLICES;
        rc = parse_fraction(what, parameter, &sharing.fraction);
    } else if (strcmp(name, "k-nomial") == 0 && parameter)
        rc = parse_count(what, parameter, "ranks", 2, 1024, &sharing.radix);
    else if (strcmp(name, "split-tree") == 0 && parameter)
        rc = parse_count(what, parameter, "levels", 0, 31, &sharing.steps);
    else if (strcmp(name, "binomial") != 0 || parameter)
        rc = cw_fail(CW_EUSAGE,
                     "%s: '%s' is not a schedule; expected auto, slices:F, binomial, k-nomial:K or split-tree:S", what,
                     text);
    if (!rc) *out = sharing;
    return rc;
}

const char *cw_nbc_sharing_format(const struct cw_nbc_sharing *sharing, char text[CW_NBC_SHARING_SIZE])
{
    if (sharing->schedule == CW_NBC_SLICES)
        snprintf(text, CW_NBC_SHARING_SIZE, "slices:%.6g", sharing->fraction);
    else if (sharing->schedule == CW_NBC_SPLIT_TREE && sharing->radix > 2)
        snprintf(text, CW_NBC_SHARING_SIZE, "k-nomial:%u", sharing->radix);
    else if (sharing->schedule == CW_NBC_SPLIT_TREE)
        snprintf(text, CW_NBC_SHARING_SIZE, "split-tree:%u", sharing->steps);
    else
        snprintf(text, CW_NBC_SHARING_SIZE, "auto");
    return text;
}
