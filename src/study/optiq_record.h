/*
 * What was measured on the machine, for the figures of `crosswind reproduce optiq`: from the public record of the
 * experiments of Bui et al. (study/optiq_points.h).
 */
#ifndef CW_STUDY_OPTIQ_RECORD_H
#define CW_STUDY_OPTIQ_RECORD_H

#include <stdint.h>

#include "base/decls.h"
#include "study/optiq_points.h"

CW_BEGIN_DECLS

/* Throughput in byte/s of METHOD with PATTERN, "0" to "90", on NODES nodes, 8 MiB a pair; NaN where none is on record.
 * That is of the default routes, the heuristic and the linear program: all patterns on 512 nodes, those of figure 4 on
 * 2,048, and on 8,192 as far as they were run. */
double cw_optiq_recorded(uint32_t nodes, const char *pattern, enum cw_optiq_method method);

/* What chunks of CHUNK bytes reached on 1,024 nodes as a share of what those of 64 KiB did, median over the patterns;
 * NaN where none is on record. */
double cw_optiq_recorded_share(uint64_t chunk);

CW_END_DECLS

#endif
