/*
 * Plug-ins: shared objects with topologies, routing engines, patterns, placements or schedules of a user's own.
 *
 * A plug-in has one entry, which registers what is in it:
 *
 *     static const struct cw_topology ladder = {.name = "ladder", …};
 *     CW_PLUGIN { return cw_topology_register(&ladder); }
 *
 *     cc -shared -fPIC $(pkg-config --cflags crosswind) ladder.c -o ladder.so
 *     crosswind topo --plugin ladder.so ladder:4
 *
 * It is not linked with libcrosswind: what it calls is found in whatever loads it, the program crosswind or one that
 * uses the library. Nothing that was loaded is ever unloaded.
 */
#ifndef CW_BASE_PLUGIN_H
#define CW_BASE_PLUGIN_H

#include "base/decls.h"
#include "base/registry.h"

/* Begins the definition of the entry, in C and C++: a function that returns 0, or the error of what it calls. */
#define CW_PLUGIN                                                                                                      \
    CW_BEGIN_DECLS                                                                                                     \
    CW_API int cw_plugin_enter(void);                                                                                  \
    CW_END_DECLS                                                                                                       \
    int cw_plugin_enter(void)

CW_BEGIN_DECLS

/* Loads the plug-in FILE and calls its entry, unless that was done before. 0; CW_EIO if it is no file that can be
 * loaded, CW_EUSAGE if it is no plug-in; what its entry returned. The message names the file. */
CW_API int cw_plugin_load(const char *file);

/* The same of all of FILES, with ':' or ',' between two; NULL or empty: none. */
CW_API int cw_plugins_load(const char *files);

CW_END_DECLS

#endif
