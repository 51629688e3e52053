/*
 * Lists of hosts as resource managers write and read them: names separated by commas, in which brackets stand for
 * numbers.
 *
 *     node[001-064]          node001 to node064: as many digits as the lower number is written with, if that begins
 *                            with a 0
 *     node[1-4,7],login1     node1 node2 node3 node4 node7 login1
 *     rack[1-2]n[01-16]      rack1n01 to rack1n16, then rack2n01 to rack2n16
 *     node[01-16] HCA-1      a name goes on behind its brackets, and may have blanks
 *
 * Commas within brackets or parentheses, "s(0,1)", separate nothing. Brackets at the beginning of a name or after a
 * blank are part of the name: "MT25408 ConnectX [0002c90300048208]" is one name, as readers of maps make them.
 */
#ifndef CW_NET_HOST_LIST_H
#define CW_NET_HOST_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/decls.h"

CW_BEGIN_DECLS

#define CW_HOST_LIST_LIMIT 1000000u /* names */

/* The length of the first item of LIST, up to a comma that separates or to the end. */
CW_API size_t cw_host_list_item(const char *list);

/* Takes what is called NAME, a text that is there until it returns. 0, an error that ends it all, or CW_HOST_UNKNOWN if
 * nothing is called so. LAST: nothing else is tried then, so that this is either fine or an error. */
typedef int cw_host_list_take(void *context, const char *name, bool last);
#define CW_HOST_UNKNOWN 1

/* Gives TAKE what LIST means, in this order: LIST as it stands; if that is unknown, its items, without the blanks
 * around them; and where an item is unknown, the names that it stands for. So what is called "node[1-2]" is found.
 * CW_EUSAGE: an item is empty or its brackets have a fault, or they stand for more than CW_HOST_LIST_LIMIT names.
 * CW_ENOMEM, or what TAKE returns. */
CW_API int cw_host_list_each(const char *list, cw_host_list_take *take, void *context);

/* Appends the list that stands for the N NAMES in their order: names that follow each other and differ in the number at
 * their end share brackets. Read again, it gives the same names, if no comma and no bracket is in them. */
CW_API void cw_host_list_write(const char *const *names, size_t n, struct cw_text *list);

CW_END_DECLS

#endif
