/* The tables of messages and channels of one explicit case. */
#ifndef CW_CLI_NOISE_TRACE_H
#define CW_CLI_NOISE_TRACE_H

#include "base/result.h"
#include "net/network.h"
#include "sim/noise_case.h"

/* Adds both to RESULT unless nothing is sent, or says that there are too many messages for them. */
int noise_add_trace(struct cw_result *result, const struct cw_network *net, const struct cw_noise_case *noise_case,
                    const struct cw_trace *trace);

#endif
