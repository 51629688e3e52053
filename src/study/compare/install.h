/*
 * What an administrator of an InfiniBand fabric does to have routes: what goes into opensm.conf, or which file OpenSM
 * is to load.
 */
#ifndef CW_STUDY_COMPARE_INSTALL_H
#define CW_STUDY_COMPARE_INSTALL_H

#include <stdbool.h>

#include "base/decls.h"
#include "base/text.h"
#include "route/routes.h"

CW_BEGIN_DECLS

struct cw_install {
    struct cw_text words; /* "routing_engine updn", "opensm -R file -U FILE", or "no: " and why; owned */
    bool is_done;         /* it can be done, and packets cannot wait for one another in a circle then */
    bool by_file;         /* OpenSM loads tables that crosswind route writes … */
    bool by_levels;       /* … and somebody else must set service levels */
    bool by_roots;        /* OpenSM needs a file that crosswind route writes, of roots or of hosts */
};

/* How to have ROUTES, which cw_engine_route made of SPEC; VERDICT is cw_deadlock_verdict of them. Sets OUT, whose words
 * the caller frees; CW_ENOMEM. Time: what finding roots takes. */
int cw_install_find(const struct cw_routes *routes, const char *spec, const char *verdict, struct cw_install *out);

CW_END_DECLS

#endif
