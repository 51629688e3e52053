#include "nbc/nbc_tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "base/version.h"

/* --- files that are kept ------------------------------------------------------------------------------------------ */

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

/* --- what was measured -------------------------------------------------------------------------------------------- */

struct cw_nbc_site cw_nbc_site_of(const char *mpi)
{
    struct cw_nbc_site site = {.processors = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    const time_t now = time(NULL);
    struct tm parts;
    snprintf(site.version, sizeof site.version, "%s", cw_version());
    if (gmtime_r(&now, &parts)) strftime(site.time, sizeof site.time, "%Y-%m-%dT%H:%M:%SZ", &parts);
    if (!mpi) return site;
    char version[CW_NBC_SITE_TEXT];
    if (sscanf(mpi, "MPICH Version: %63s", version) == 1)
        snprintf(site.mpi, sizeof site.mpi, "MPICH %.63s", version);
    else
        snprintf(site.mpi, sizeof site.mpi, "%.*s", (int)strcspn(mpi, ",\n"), mpi); /* without how it was built */
    return site;
}

const char *cw_nbc_mpi_name(const char *library)
{
    return strncmp(library, "Open MPI", strlen("Open MPI")) == 0 ? "openmpi" : "mpich";
}

int cw_nbc_tuning_path(const char *mpi, struct cw_text *path)
{
    char host[256] = "", name[300];
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "overlap-%s-%s", host, mpi);
    return cw_nbc_kept_path(name, path);
}

int cw_nbc_tuning_check(const struct cw_nbc_tuning *tuning, const struct cw_nbc_site *site)
{
    const struct cw_nbc_site *then = &tuning->site;
    if (then->processors != site->processors)
        return cw_fail(CW_EUSAGE, "measured with %u processors; this machine has %u", then->processors,
                       site->processors);
    if (strcmp(then->version, site->version) != 0)
        return cw_fail(CW_EUSAGE, "measured by Crosswind %s; this is %s", then->version, site->version);
    if (*site->mpi && strcmp(then->mpi, site->mpi) != 0)
        return cw_fail(CW_EUSAGE, "measured with %s; this is %s", then->mpi, site->mpi);
    return 0;
}

/* --- choices ------------------------------------------------------------------------------------------------------ */

static int order(const struct cw_nbc_choice *a, const struct cw_nbc_choice *b)
{
    if (a->collective != b->collective) return a->collective < b->collective ? -1 : 1;
    if (a->ranks != b->ranks) return a->ranks < b->ranks ? -1 : 1;
    if (a->cores != b->cores) return a->cores < b->cores ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

int cw_nbc_tuning_put(struct cw_nbc_tuning *tuning, const struct cw_nbc_choice *choice)
{
    uint32_t at = 0;
    while (at < tuning->n && order(&tuning->items[at], choice) < 0) at++;
    const bool there = at < tuning->n && order(&tuning->items[at], choice) == 0;
    if (!there && tuning->n == CW_NBC_CHOICES)
        return cw_fail(CW_ELIMIT, "expected %d measurements at most", CW_NBC_CHOICES);
    if (!there) {
        memmove(&tuning->items[at + 1], &tuning->items[at], (tuning->n - at) * sizeof *choice);
        tuning->n++;
    }
    tuning->items[at] = *choice;
    return 0;
}

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

void cw_nbc_tuning_keep(struct cw_nbc_tuning *tuning, uint32_t cores)
{
    uint32_t nearest = 0, kept = 0;
    for (uint32_t i = 0; i < tuning->n; i++)
        if (i == 0 || apart(tuning->items[i].cores, cores) < apart(nearest, cores)) nearest = tuning->items[i].cores;
    for (uint32_t i = 0; i < tuning->n; i++)
        if (tuning->items[i].cores == nearest) tuning->items[kept++] = tuning->items[i];
    tuning->n = kept;
}

const struct cw_nbc_choice *cw_nbc_tuning_find(const struct cw_nbc_tuning *tuning, enum cw_collective_kind collective,
                                               uint32_t ranks, uint64_t bytes)
{
    const struct cw_nbc_choice *found = NULL;
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < tuning->n; i++) { /* of a number of ranks, sizes rise */
        const struct cw_nbc_choice *choice = &tuning->items[i];
        if (choice->collective != collective || apart(choice->ranks, ranks) > least) continue;
        if (apart(choice->ranks, ranks) < least) found = NULL;
        least = apart(choice->ranks, ranks);
        if (choice->bytes <= bytes) found = choice;
    }
    return found;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

#define TITLE  "# Measured by crosswind-mpi overlap --tuning: doc/formats/tuning.md"
#define HEADER "collective,ranks,cores,bytes,choice,native_total,total,blocking,workers,start"

static bool read_site(const char *line, struct cw_nbc_site *site)
{
    const char *value;
    if ((value = cw_nbc_kept_word(line, "version")))
        snprintf(site->version, sizeof site->version, "%s", value);
    else if ((value = cw_nbc_kept_word(line, "mpi")))
        snprintf(site->mpi, sizeof site->mpi, "%s", value);
    else if ((value = cw_nbc_kept_word(line, "time")))
        snprintf(site->time, sizeof site->time, "%s", value);
    else if ((value = cw_nbc_kept_word(line, "processors")))
        site->processors = (uint32_t)strtoul(value, NULL, 10);
    return value;
}

static bool read_choice(const char *line, struct cw_nbc_choice *choice)
{
    char collective[16], way[CW_NBC_SHARING_SIZE];
    unsigned long long bytes;
    int end = 0;
    *choice = (struct cw_nbc_choice){0};
    if (sscanf(line, "%15[a-z],%u,%u,%llu,%31[a-z0-9.:-],%lf,%lf,%lf,%lf,%lf%n", collective, &choice->ranks,
               &choice->cores, &bytes, way, &choice->native_total, &choice->total, &choice->blocking, &choice->workers,
               &choice->start, &end) != 10 ||
        line[end])
        return false;
    if (choice->ranks < 2 || choice->cores < 1 ||
        !(choice->native_total > 0 && choice->total > 0 && choice->blocking > 0 && choice->workers > 0 &&
          choice->start >= 0))
        return false;
    choice->bytes = bytes;
    const struct cw_collective_traits *traits = cw_registry_find(&cw_collective_registry, collective);
    if (!traits || !traits->carried) return false;
    choice->collective = cw_collective_kind_of(traits);
    choice->native = strcmp(way, "native") == 0;
    return choice->native || cw_nbc_sharing_parse("choice", way, &choice->sharing) == 0;
}

static int read_line(const struct cw_lines *lines, const char *line, struct cw_nbc_tuning *tuning)
{
    struct cw_nbc_choice choice;
    if (strcmp(line, HEADER) == 0 || read_site(line, &tuning->site)) return 0;
    if (read_choice(line, &choice)) return cw_nbc_tuning_put(tuning, &choice);
    return cw_fail_at(lines->file, lines->number, "'%s' is not a line of measurements; expected %s", line, HEADER);
}

int cw_nbc_tuning_read(const char *path, struct cw_nbc_tuning *out)
{
    struct cw_text text = {0};
    int rc = cw_file_read(path, &text);
    struct cw_lines lines = cw_lines_of(path, text.data, text.length);
    *out = (struct cw_nbc_tuning){.n = 0};
    while (!rc && cw_lines_next(&lines)) {
        char *line = cw_line_content(&lines);
        rc = !line ? CW_ENOMEM : *line ? read_line(&lines, line, out) : 0;
        free(line);
    }
    cw_text_free(&text);
    return rc;
}

static void add_choice(const struct cw_nbc_choice *choice, struct cw_text *text)
{
    char way[CW_NBC_SHARING_SIZE] = "native";
    if (!choice->native) cw_nbc_sharing_format(&choice->sharing, way);
    cw_text_printf(text, "%s,%u,%u,%llu,%s,%.4g,%.4g,%.4g,%.4g,%.4g\n", cw_collectives[choice->collective].name,
                   choice->ranks, choice->cores, (unsigned long long)choice->bytes, way, choice->native_total,
                   choice->total, choice->blocking, choice->workers, choice->start);
}

void cw_nbc_tuning_print(const struct cw_nbc_tuning *tuning, struct cw_text *text)
{
    cw_text_printf(text, "%s\nversion %s\nmpi %s\nprocessors %u\ntime %s\n%s\n", TITLE, tuning->site.version,
                   tuning->site.mpi, tuning->site.processors, tuning->site.time, HEADER);
    for (uint32_t i = 0; i < tuning->n; i++) add_choice(&tuning->items[i], text);
}

int cw_nbc_tuning_write(const char *path, const struct cw_nbc_tuning *tuning)
{
    struct cw_text text = {0};
    cw_nbc_tuning_print(tuning, &text);
    return cw_nbc_kept_write(path, &text);
}
