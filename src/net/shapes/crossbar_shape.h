/*
 * One switch: endpoint i on port i + 1.
 */
#ifndef CW_NET_CROSSBAR_SHAPE_H
#define CW_NET_CROSSBAR_SHAPE_H

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_crossbar {
    char none; /* it has no parameters: the network tells how many endpoints there are */
};

CW_END_DECLS

#endif
