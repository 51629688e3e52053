/*
 * Which of the InfiniBand formats is it? Private to net/.
 */
#ifndef CW_NET_IB_RECOGNISE_H
#define CW_NET_IB_RECOGNISE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"
#include "base/text.h"
#include "net/files/ib_scan.h"

CW_BEGIN_DECLS

enum cw_ib_format {
    CW_IB_NONE,
    CW_IB_TOPOLOGY, /* ibnetdiscover */
    CW_IB_LISTING,  /* ibnetdiscover -p */
    CW_IB_NET       /* ibsim */
};

/* ibsim's net files and ibnetdiscover's topology files have the same lines. A file is ibnetdiscover's if its first
 * comments say "Topology file" or if its first node is called by its GUID ("S-0008f10500200b50"); other names are
 * ibsim's. */
enum cw_ib_format cw_ib_recognise(const char *data, size_t length);

/* "vendid" and the like begin this line. */
bool cw_ib_is_known_key(const struct cw_lines *lines);

/* "S-0008f10500200b50": S, H or R and 16 hexadecimal digits. */
bool cw_ib_is_guid_id(struct cw_ib_span id);

CW_END_DECLS

#endif
