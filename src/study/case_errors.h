/* Cases that stand side by side, such as those of a study or the figures of a publication: what of one ends all. */
#ifndef CW_STUDY_CASE_ERRORS_H
#define CW_STUDY_CASE_ERRORS_H

#include <stdbool.h>

#include "base/error.h"

/* Whether RC is an error of one case only, which stops no other: neither the machine's, nor ours, nor the user's wish.
 */
static inline bool cw_ends_one_case(int rc)
{
    return rc && rc != CW_ENOMEM && rc != CW_EINTERNAL && rc != CW_EINTERRUPTED;
}

#endif
