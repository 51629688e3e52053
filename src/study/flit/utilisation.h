/*
 * How much of what channels can move they moved in a measurement: by class, and which are the hottest.
 */
#ifndef CW_STUDY_UTILISATION_H
#define CW_STUDY_UTILISATION_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "study/flit/flit_case.h"

CW_BEGIN_DECLS

enum cw_channel_class {
    CW_CHANNEL_INJECTION, /* from an endpoint */
    CW_CHANNEL_EJECTION,  /* to an endpoint */
    CW_CHANNEL_LOCAL,     /* between switches, of one group where there are groups */
    CW_CHANNEL_GLOBAL,    /* between groups */
    CW_CHANNEL_CLASSES
};

/* "injection", …: by class. */
extern const char *const cw_channel_classes[];

enum cw_channel_class cw_channel_class_of(const struct cw_network *net, uint32_t channel);

/* What CHANNEL moved in RUN, as a share of what it can move. */
double cw_utilisation_of(const struct cw_network *net, const struct cw_flit_measurement *run, uint32_t channel);

struct cw_utilisation {
    double mean[CW_CHANNEL_CLASSES]; /* of the channels of each class; NaN if it has none */
    double busiest;                  /* greatest of a channel between switches; 0 if there is none */
};

void cw_utilisation_by_class(const struct cw_network *net, const struct cw_flit_measurement *run,
                             struct cw_utilisation *out);

/* A channel between switches and what it moved. */
struct cw_hot_channel {
    double utilisation;
    uint32_t channel;
};

/* Channels between switches, the hottest first, of equal ones the one of lowest id: *OUT [*N], owned by the caller.
 * O(channels · log channels). */
int cw_utilisation_hottest(const struct cw_network *net, const struct cw_flit_measurement *run, size_t *n,
                           struct cw_hot_channel **out);

CW_END_DECLS

#endif
