#include "nbc/nbc_kept.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/text.h"

int cw_nbc_kept_path(const char *name, struct cw_text *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/')
        cw_text_add(path, cache);
    else if (home && *home == '/')
        cw_text_printf(path, "%s/.cache", home);
    else
        return cw_fail(CW_EIO, "there is no folder for what is kept: XDG_CACHE_HOME and HOME are not set");
    cw_text_printf(path, "/crosswind/%s.txt", name);
    return cw_text_check(path);
}

const char *cw_nbc_kept_word(const char *line, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(line, name, length) != 0) return NULL;
    return line[length] == ' ' ? line + length + 1 : line[length] == '\0' ? line + length : NULL;
}

/* The folders above PATH, as far as they are not there; what fails is seen when the file is written. */
static void make_folders(const char *path)
{
    struct cw_text folder = {0};
    if (!*path) return;
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        cw_text_append(&folder, path + folder.length, (size_t)(slash - path) - folder.length);
        if (!folder.failed) mkdir(folder.data, 0777);
    }
    cw_text_free(&folder);
}

int cw_nbc_kept_write(const char *path, struct cw_text *text)
{
    make_folders(path);
    int rc = cw_text_check(text);
    if (!rc) rc = cw_file_update(path, text);
    cw_text_free(text);
    return rc;
}
