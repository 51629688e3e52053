#include "study/machine_cores.h"

#include <errno.h>
#include <hwloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

/* The two numbers of a file that says how much time in which period, "max 100000"; INFINITY where there is no limit. */
static double read_quota(const char *folder, const char *file, const char *period_file)
{
    char path[4096], text[64] = "", period_text[64] = "";
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, file) >= sizeof path) return INFINITY;
    FILE *stream = fopen(path, "r");
    if (!stream) return INFINITY;
    if (!fgets(text, sizeof text, stream)) *text = '\0';
    fclose(stream);
    char *end;
    const double quota = strtod(text, &end);
    if (period_file) {
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, period_file) >= sizeof path) return INFINITY;
        stream = fopen(path, "r");
        if (!stream) return INFINITY;
        if (!fgets(period_text, sizeof period_text, stream)) *period_text = '\0';
        fclose(stream);
        end = period_text;
    }
    const double period = strtod(end, NULL);
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

/* The least limit from the group PATH up to the root of the tree. */
static double least_quota(const char *root, const char *path, const char *file, const char *period_file)
{
    char folder[4096];
    const size_t fixed = (size_t)snprintf(folder, sizeof folder, "%s%s", root, path);
    double least = INFINITY;
    if (fixed >= sizeof folder) return least;
    for (;;) {
        least = fmin(least, read_quota(folder, file, period_file));
        char *last = strrchr(folder, '/');
        if (!last || (size_t)(last - folder) < strlen(root)) return least;
        *last = '\0';
    }
}

double cw_machine_quota(const char *root, const char *membership)
{
    double least = INFINITY;
    char old_root[4096];
    while (*membership) { /* "0::/path" is version 2, "4:cpu,cpuacct:/path" version 1 */
        char line[4096];
        const size_t length = strcspn(membership, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, membership);
        membership += length + (membership[length] == '\n');
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = '\0';
        if (strcmp(controllers, ":") == 0) least = fmin(least, least_quota(root, path, "cpu.max", NULL));
        if (strcmp(controllers, ":cpu") != 0 && strncmp(controllers, ":cpu,", 5) != 0) continue;
        snprintf(old_root, sizeof old_root, "%s/cpu", root);
        least = fmin(least, least_quota(old_root, path, "cpu.cfs_quota_us", "cpu.cfs_period_us"));
    }
    return least;
}

static double own_quota(void)
{
    char membership[8192];
    FILE *stream = fopen("/proc/self/cgroup", "r");
    if (!stream) return INFINITY;
    membership[fread(membership, 1, sizeof membership - 1, stream)] = '\0';
    fclose(stream);
    return cw_machine_quota("/sys/fs/cgroup", membership);
}

static uint32_t number_of(hwloc_topology_t topology, hwloc_obj_t core, hwloc_obj_type_t type)
{
    for (hwloc_obj_t object = NULL; (object = hwloc_get_next_obj_by_type(topology, type, object));)
        if (hwloc_bitmap_intersects(object->cpuset, core->cpuset)) return object->logical_index;
    return 0;
}

static int list_cores(hwloc_topology_t topology, struct cw_machine_cores *out)
{
    const hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(topology);
    const int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    out->items = cw_new_array(n > 0 ? (size_t)n : 1, sizeof *out->items, "cores");
    if (!out->items) return CW_ENOMEM;
    out->all = n > 0 ? (size_t)n : 0;
    hwloc_bitmap_t usable = hwloc_bitmap_alloc();
    if (!usable) return cw_fail(CW_ENOMEM, "no memory for a set of processors");
    for (hwloc_obj_t core = NULL; (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core));) {
        hwloc_bitmap_and(usable, core->cpuset, allowed);
        if (hwloc_bitmap_iszero(usable)) continue;
        out->items[out->n++] = (struct cw_machine_core){.cpu = (uint32_t)hwloc_bitmap_first(usable),
                                                        .package = number_of(topology, core, HWLOC_OBJ_PACKAGE),
                                                        .node = number_of(topology, core, HWLOC_OBJ_NUMANODE)};
    }
    hwloc_bitmap_free(usable);
    return 0;
}

static int ask_hwloc(const char *synthetic, struct cw_machine_cores *cores)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0) return cw_fail(CW_ENOMEM, "hwloc cannot be started");
    int rc = 0;
    if (synthetic && hwloc_topology_set_synthetic(topology, synthetic) != 0)
        rc = cw_fail(CW_EUSAGE, "'%s' describes no machine; expected hwloc's words, as in 'pack:2 core:24 pu:1'",
                     synthetic);
    if (!rc) {
        /* Cores that this process may not use are of the machine, too. */
        hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
        if (hwloc_topology_load(topology) != 0) rc = cw_fail(CW_EIO, "hwloc cannot tell the cores of this machine");
    }
    if (!rc) rc = list_cores(topology, cores);
    hwloc_topology_destroy(topology);
    return rc;
}

/* What the child says: this, and then the cores, or why there are none. */
struct answer {
    int rc;
    size_t n, all;
    char message[512];
};

/* Of the child: ends it. */
static void answer(const char *synthetic, FILE *to)
{
    struct cw_machine_cores cores = {0};
    struct answer answer = {.rc = ask_hwloc(synthetic, &cores), .n = cores.n, .all = cores.all};
    if (answer.rc) snprintf(answer.message, sizeof answer.message, "%s", cw_error_message());
    fwrite(&answer, sizeof answer, 1, to);
    if (!answer.rc) fwrite(cores.items, sizeof *cores.items, cores.n, to);
    _exit(fflush(to) == 0 ? 0 : 1);
}

static int read_answer(FILE *from, struct cw_machine_cores *cores)
{
    struct answer answer;
    if (fread(&answer, sizeof answer, 1, from) != 1) return cw_fail(CW_EIO, "hwloc ended while it looked for cores");
    if (answer.rc) return cw_fail(answer.rc, "%s", answer.message);
    cores->items = cw_new_array(answer.n, sizeof *cores->items, "cores");
    if (!cores->items) return CW_ENOMEM;
    cores->n = answer.n;
    cores->all = answer.all;
    return fread(cores->items, sizeof *cores->items, cores->n, from) == cores->n
               ? 0
               : cw_fail(CW_EIO, "hwloc ended before it had named the cores");
}

/* hwloc 2.9 does not look whether it gets the memory that it asks for, and would end the program: a child asks it. */
int cw_machine_cores_read(const char *synthetic, struct cw_machine_cores *out)
{
    struct cw_machine_cores cores = {.quota = synthetic ? INFINITY : own_quota()};
    int ends[2];
    if (pipe(ends) != 0) return cw_fail(CW_EIO, "no pipe for the cores of this machine: %s", strerror(errno));
    FILE *from = fdopen(ends[0], "r"), *to = fdopen(ends[1], "w");
    const pid_t child = from && to ? fork() : -1;
    if (child == 0) answer(synthetic, to);
    int rc = child > 0 ? 0 : cw_fail(CW_ENOMEM, "no process or memory to look for cores: %s", strerror(errno));
    if (to)
        fclose(to);
    else
        close(ends[1]);
    if (!rc) rc = read_answer(from, &cores);
    if (from)
        fclose(from);
    else
        close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    if (rc)
        cw_machine_cores_free(&cores);
    else
        *out = cores;
    return rc;
}

void cw_machine_cores_free(struct cw_machine_cores *cores)
{
    free(cores->items);
    *cores = (struct cw_machine_cores){0};
}
