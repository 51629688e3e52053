/* Files that come with the program: where they are, seen from where it is. */
#ifndef CW_BASE_BESIDE_H
#define CW_BASE_BESIDE_H

#include "base/decls.h"

CW_BEGIN_DECLS

/* The first of PLACES (ended by NULL), paths from the folder of the running program such as "../share/crosswind", that
 * can be read: an absolute path, the caller's to free. NULL if there is none. */
char *cw_find_beside_program(const char *const *places);

CW_END_DECLS

#endif
