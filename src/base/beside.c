#include "base/beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *cw_find_beside_program(const char *const *places)
{
    char program[4096], path[2 * sizeof program];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return NULL;
    program[length] = 0;
    char *slash = strrchr(program, '/');
    if (slash) *slash = 0;
    for (size_t i = 0; places[i]; i++) {
        snprintf(path, sizeof path, "%s/%s", program, places[i]);
        if (access(path, R_OK) == 0) return realpath(path, NULL);
    }
    return NULL;
}
