/* The library's version. */
#ifndef CW_BASE_VERSION_H
#define CW_BASE_VERSION_H

#include "base/decls.h"

CW_BEGIN_DECLS

/* "MAJOR.MINOR.PATCH", as in the project() line of CMakeLists.txt; static. */
CW_API const char *cw_version(void);

CW_END_DECLS

#endif
