/*
 * Parts of switches and endpoints that can be exchanged: what chooses, how inputs queue, whose a buffer is, who marks
 * congestion and who reacts to it. Each kind is a small registry of modules, each in a file of its own under
 * sim/flit/plain; a setup names one by a specification, "NAME" or "NAME:parameters".
 *
 * The first module of a kind is the default, which the tuned implementation has, too. A module without `tuned` needs
 * the plain one.
 */
#ifndef CW_SIM_FLIT_FLIT_MODULE_H
#define CW_SIM_FLIT_FLIT_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"
#include "base/option.h"
#include "base/registry.h"
#include "sim/flit/flit.h"

CW_BEGIN_DECLS

enum cw_flit_module_kind {
    CW_FLIT_ALLOCATOR,   /* which input queue each output of a switch serves */
    CW_FLIT_QUEUES,      /* how the flits of a lane wait in an input buffer */
    CW_FLIT_BUFFERS,     /* which lanes share the space of an input buffer */
    CW_FLIT_MARKING,     /* which messages a switch marks: congestion */
    CW_FLIT_RATE_CONTROL /* how a source reacts to marks */
};
#define CW_FLIT_MODULE_KINDS 5

struct cw_flit_module {
    const char *name, *help;
    const struct cw_option *options; /* NULL: none */
    size_t size;                     /* of its values */
    bool tuned;                      /* the tuned implementation can do it */
    const void *operations;          /* what the plain one calls: plain/plain.h has a structure for each kind */
};

extern const struct cw_registry cw_flit_module_registries[CW_FLIT_MODULE_KINDS]; /* of struct cw_flit_module */

/* The specification that HARDWARE has for KIND; NULL: the default. */
const char *cw_flit_module_spec(const struct cw_flit_hardware *hardware, enum cw_flit_module_kind kind);

/* A module with its parameters. */
struct cw_flit_chosen {
    const struct cw_flit_module *module;
    void *values; /* owned */
};

/* Finds and parses SPEC (NULL: the default). CW_EUSAGE for what there is not, with the nearest name. */
int cw_flit_module_choose(enum cw_flit_module_kind kind, const char *spec, struct cw_flit_chosen *out);
/* Sets what CHOSEN, a rate control, leaves to the network. */
void cw_flit_module_scale(struct cw_flit_chosen *chosen, const struct cw_flit_hardware *hardware);

/* The longest time constant [cycles] of HARDWARE's rate control: what is measured for less than that shows how it
 * begins, not what it settles to. 0: rates are not controlled. CW_EUSAGE for what there is not. */
int cw_flit_control_lasts(const struct cw_flit_hardware *hardware, double *cycles);

void cw_flit_chosen_free(struct cw_flit_chosen *chosen);

CW_END_DECLS

#endif
