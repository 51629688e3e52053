/*
 * Words of the JSON format of networks (doc/formats/network-json.md), common to its reader and its writer. Private to
 * net/.
 */
#ifndef CW_NET_NETWORK_JSON_H
#define CW_NET_NETWORK_JSON_H

#include "base/decls.h"

CW_BEGIN_DECLS

#define CW_JSON_FORMAT  "crosswind-network"
#define CW_JSON_VERSION 1

CW_END_DECLS

#endif
