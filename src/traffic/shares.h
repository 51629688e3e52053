/*
 * Shares: of each sender, a list of receivers and how much of its traffic goes to each; a message's receiver is drawn
 * from it.
 */
#ifndef CW_TRAFFIC_SHARES_H
#define CW_TRAFFIC_SHARES_H

#include <stdint.h>

#include "base/decls.h"
#include "traffic/flows.h"

CW_BEGIN_DECLS

/* *STATE gets the shares among N ranks that FLOWS have by their bytes (each more than 0),
 * unless RC is an error. FLOWS are freed. CW_EUSAGE if all bytes of a sender are more than 64 bits. */
int cw_shares_prepare(int rc, uint32_t n, struct cw_flows *flows, void **state);
void cw_shares_free(void *state);

/* O(log receivers); RANK if it has none. */
uint32_t cw_shares_destination(const void *state, uint32_t rank, uint64_t random);

/* Appends RANK's; a share of 1 is 2^32 bytes. */
int cw_shares_flows(const void *state, uint32_t rank, struct cw_flows *flows);

CW_END_DECLS

#endif
