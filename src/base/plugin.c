#include "base/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"

#define ENTRY "cw_plugin_enter"
#define MOST  256 /* plug-ins */

/* Calls the entry of OBJECT, which was loaded from FILE. */
static int enter(const char *file, void *object)
{
    int (*entry)(void);
    void *found = dlsym(object, ENTRY);
    if (!found)
        return cw_fail(CW_EUSAGE,
                       "%s is no plug-in: it has no function " ENTRY " (CW_PLUGIN of crosswind/base/plugin.h)", file);
    memcpy(&entry, &found, sizeof entry); /* C has no other way from an object to a function */
    const int rc = entry();
    return rc ? cw_fail(rc, "plug-in %s: %s", file, cw_error_message()) : 0;
}

/* PATH is what FILE is called in full, so that it is never searched for among the system's libraries. */
static int load(const char *file, const char *path)
{
    static void *entered[MOST]; /* those whose entry succeeded: an object that is opened again is the same */
    size_t n = 0;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) return cw_fail(CW_EIO, "plug-in %s cannot be loaded: %s", file, dlerror());
    while (n < MOST && entered[n] && entered[n] != object) n++;
    if (n == MOST) return cw_fail(CW_ELIMIT, "plug-in %s: there are %d others already", file, MOST);
    const int rc = entered[n] ? 0 : enter(file, object);
    if (!rc) entered[n] = object;
    return rc ? rc : cw_inputs_enter(file);
}

int cw_plugin_load(const char *file)
{
    char *path = realpath(file, NULL);
    if (!path) return cw_fail(CW_EIO, "plug-in %s cannot be opened: %s", file, strerror(errno));
    const int rc = load(file, path);
    free(path);
    return rc;
}

int cw_plugins_load(const char *files)
{
    int rc = 0;
    while (!rc && files && *files) {
        const size_t length = strcspn(files, ":,");
        char *file = cw_copy_text(files, length);
        if (!file) return CW_ENOMEM;
        rc = length > 0 ? cw_plugin_load(file) : 0;
        free(file);
        files += length + (files[length] != '\0');
    }
    return rc;
}
