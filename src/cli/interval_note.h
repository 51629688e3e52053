/* Words on the confidence intervals that a result has or lacks. */
#ifndef CW_CLI_INTERVAL_NOTE_H
#define CW_CLI_INTERVAL_NOTE_H

#include <stddef.h>

#include "base/result.h"
#include "base/statistics.h"

/* Says why, if a mean in one of RESULT's tables has no confidence interval. */
void note_missing_intervals(struct cw_result *result);

/* " (95 % confidence 1.48 to 1.51)" for SUMMARY's mean times SCALE with PLACES decimal places; empty where there is no
 * interval. Writes at most SIZE bytes with the 0 and returns BUFFER. */
const char *confidence_words(const struct cw_summary *summary, double scale, int places, char *buffer, size_t size);

#endif
