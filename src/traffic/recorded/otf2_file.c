#include "traffic/recorded/otf2_file.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input.h"
#include "base/memory.h"
#include "traffic/recorded/otf2_internal.h"

#define NONE     CW_OTF2_NONE
#define MAGIC    "BOTF2" /* behind one byte, which tells the order of bytes */
#define MPI_NAME "MPI_"

static const char what[] = "an OTF2 archive";
/* --- the library -------------------------------------------------------------------------------------------------- */

static const char *const libraries[] = {"libotf2.so.10", "libopen-trace-format2.so.10"}; /* as it is, and Debian's */

/* False if it is not there. It stays loaded: who loads it again finds it there. */
static bool load(struct cw_otf2 *otf2)
{
#define ENTRY(NAME) {#NAME, &otf2->NAME},
    const struct {
        const char *name;
        void *to;
    } entries[] = {CW_OTF2_FUNCTIONS(ENTRY)};
    void *object = NULL;
    for (size_t i = 0; !object && i < sizeof libraries / sizeof *libraries; i++)
        object = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; object && i < sizeof entries / sizeof *entries; i++) {
        void *found = dlsym(object, entries[i].name);
        if (!found) return false;
        memcpy(entries[i].to, &found, sizeof found); /* C has no other way from an object to a function */
    }
    return object != NULL;
}
/* --- definitions -------------------------------------------------------------------------------------------------- */

/* A new item at the end of LIST, of SIZE bytes; NULL: no memory. */
void *cw_otf2_append(struct cw_otf2_reading *reading, struct cw_otf2_list *list, size_t size)
{
    const int rc = cw_grow_array(&list->items, &list->room, list->n + 1, size, what);
    if (rc) reading->rc = rc;
    return rc ? NULL : (char *)list->items + list->n++ * size;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void *cw_otf2_find(const struct cw_otf2_list *list, uint64_t ref, size_t size)
{
    return list->n > 0 ? bsearch(&ref, list->items, list->n, size, compare) : NULL;
}

static OTF2_CallbackCode result(const struct cw_otf2_reading *reading)
{
    return reading->rc ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock(void *context, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t date)
{
    struct cw_otf2_reading *reading = context;
    (void)offset, (void)length, (void)date;
    reading->resolution = resolution;
    return OTF2_CALLBACK_SUCCESS;
}

/* A name of MPI becomes a word that means nothing else in a recording. */
static OTF2_CallbackCode on_string(void *context, OTF2_StringRef ref, const char *text)
{
    struct cw_otf2_reading *reading = context;
    if (!text || strncmp(text, MPI_NAME, strlen(MPI_NAME)) != 0) return OTF2_CALLBACK_SUCCESS;
    const char *name = text + strlen(MPI_NAME);
    if (!*name || strcmp(name, "end") == 0 || strcmp(name, "communicator") == 0 || strcmp(name, "processors") == 0)
        name = text;
    struct cw_otf2_string *string = cw_otf2_append(reading, &reading->strings, sizeof *string);
    if (!string) return OTF2_CALLBACK_INTERRUPT;
    *string = (struct cw_otf2_string){ref, cw_copy_text(name, strlen(name))};
    if (!string->text) reading->rc = CW_ENOMEM;
    for (char *at = string->text; at && *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *at)) *at = '_';
    return result(reading);
}

static OTF2_CallbackCode on_region(void *context, OTF2_RegionRef ref, OTF2_StringRef name, OTF2_StringRef canonical,
                                   OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t first, uint32_t last)
{
    struct cw_otf2_reading *reading = context;
    struct cw_otf2_region *region = cw_otf2_append(reading, &reading->regions, sizeof *region);
    (void)canonical, (void)description, (void)role, (void)paradigm, (void)flags, (void)file, (void)first, (void)last;
    if (region) *region = (struct cw_otf2_region){ref, name};
    return result(reading);
}

static OTF2_CallbackCode on_group(void *context, OTF2_GroupRef ref, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
    struct cw_otf2_reading *reading = context;
    (void)name;
    if (paradigm != OTF2_PARADIGM_MPI || type < OTF2_GROUP_TYPE_COMM_LOCATIONS) return OTF2_CALLBACK_SUCCESS;
    struct cw_otf2_group *group = cw_otf2_append(reading, &reading->groups, sizeof *group);
    if (!group) return OTF2_CALLBACK_INTERRUPT;
    *group = (struct cw_otf2_group){.ref = ref, .type = type, .world = flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS, .n = n};
    group->members = cw_new_array((size_t)n + 1, sizeof *members, what);
    if (!group->members)
        reading->rc = CW_ENOMEM;
    else if (n > 0)
        memcpy(group->members, members, n * sizeof *members);
    return result(reading);
}

static void add_comm(struct cw_otf2_reading *reading, uint64_t ref, uint64_t a, uint64_t b)
{
    struct cw_otf2_comm *comm = cw_otf2_append(reading, &reading->comms, sizeof *comm);
    if (comm) *comm = (struct cw_otf2_comm){.ref = ref, .groups = {a, b}};
}

static OTF2_CallbackCode on_comm(void *context, OTF2_CommRef ref, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)name, (void)parent, (void)flags;
    add_comm(context, ref, group, NONE);
    return result(context);
}

static OTF2_CallbackCode on_intercomm(void *context, OTF2_CommRef ref, OTF2_StringRef name, OTF2_GroupRef a,
                                      OTF2_GroupRef b, OTF2_CommRef common, OTF2_CommFlag flags)
{
    (void)name, (void)common, (void)flags;
    add_comm(context, ref, a, b);
    return result(context);
}

static void sort(struct cw_otf2_list *list, size_t size)
{
    if (list->n > 0) qsort(list->items, list->n, size, compare);
}

/* The ranks, and the groups of communicators; what is no group of MPI belongs to communicators that are none of MPI. */
static void resolve(struct cw_otf2_reading *reading)
{
    struct cw_otf2_group *groups = reading->groups.items;
    struct cw_otf2_comm *comms = reading->comms.items;
    sort(&reading->strings, sizeof(struct cw_otf2_string));
    sort(&reading->regions, sizeof(struct cw_otf2_region));
    sort(&reading->groups, sizeof *groups);
    sort(&reading->comms, sizeof *comms);
    for (size_t i = 0; i < reading->groups.n; i++)
        if (groups[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS) reading->world = &groups[i];
    if (!reading->world || reading->world->n == 0 || reading->resolution == 0) {
        cw_otf2_fail(reading, "the archive has no ranks of MPI, or no clock; expected one of a program that uses MPI");
        return;
    }
    for (size_t i = 0; i < reading->groups.n; i++)
        for (uint32_t k = 0; k < groups[i].n; k++)
            if (&groups[i] != reading->world && groups[i].members[k] >= reading->world->n)
                cw_otf2_fail(reading, "a group has rank %" PRIu64 "; expected one of %u", groups[i].members[k],
                             reading->world->n);
    for (size_t i = 0; i < reading->comms.n; i++)
        for (int side = 0; side < 2; side++)
            comms[i].of[side] = cw_otf2_find(&reading->groups, comms[i].groups[side], sizeof *groups);
    reading->late = cw_new_array(reading->world->n, sizeof *reading->late, what);
    reading->numbers = cw_new_array(reading->comms.n + 1, sizeof *reading->numbers, what);
    reading->counts = cw_new_array(reading->comms.n + 1, sizeof *reading->counts, what);
    if (!reading->late || !reading->numbers || !reading->counts) reading->rc = CW_ENOMEM;
}
/* --- the whole ---------------------------------------------------------------------------------------------------- */

/* The library would print what is wrong. */
static OTF2_ErrorCode on_error(void *context, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list values)
{
    struct cw_otf2_reading *reading = context;
    (void)file, (void)line, (void)function, (void)format, (void)values;
    if (reading->problem == OTF2_SUCCESS) reading->problem = code;
    return code;
}

static void check(struct cw_otf2_reading *reading, bool good)
{
    const struct cw_otf2 *otf2 = &reading->otf2;
    const char *why = reading->problem == OTF2_SUCCESS ? NULL : otf2->OTF2_Error_GetDescription(reading->problem);
    if (!reading->rc && !good)
        cw_otf2_fail(reading,
                     "the archive is damaged, or a part of it is missing (%s); expected what belongs to it beside it",
                     why ? why : "it ends too early");
}

static void read_definitions(struct cw_otf2_reading *reading, OTF2_Reader *reader)
{
    const struct cw_otf2 *otf2 = &reading->otf2;
    OTF2_GlobalDefReader *definitions = otf2->OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = otf2->OTF2_GlobalDefReaderCallbacks_New();
    uint64_t n;
    check(reading, definitions && callbacks);
    if (!reading->rc) {
        otf2->OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
        otf2->OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
        otf2->OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
        otf2->OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
        otf2->OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
        otf2->OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_intercomm);
        otf2->OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, reading);
        check(reading, otf2->OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n) == OTF2_SUCCESS);
    }
    if (callbacks) otf2->OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (definitions) otf2->OTF2_Reader_CloseGlobalDefReader(reader, definitions);
    if (!reading->rc) resolve(reading);
}

static void read_rank(struct cw_otf2_reading *reading, OTF2_Reader *reader, OTF2_EvtReaderCallbacks *callbacks,
                      uint32_t rank)
{
    const struct cw_otf2 *otf2 = &reading->otf2;
    const uint64_t location = reading->world->members[rank];
    uint64_t n;
    OTF2_DefReader *definitions = otf2->OTF2_Reader_GetDefReader(reader, location);
    check(reading, definitions && otf2->OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &n) == OTF2_SUCCESS);
    if (definitions) otf2->OTF2_Reader_CloseDefReader(reader, definitions);
    OTF2_EvtReader *events = reading->rc ? NULL : otf2->OTF2_Reader_GetEvtReader(reader, location);
    check(reading, events);
    if (reading->rc) return;
    cw_otf2_begin_rank(reading, rank);
    otf2->OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, reading);
    check(reading, otf2->OTF2_Reader_ReadAllLocalEvents(reader, events, &n) == OTF2_SUCCESS);
    otf2->OTF2_Reader_CloseEvtReader(reader, events);
    if (!reading->rc) cw_otf2_end_rank(reading);
}

/* All of it, for the first or the second time. */
static void read_archive(struct cw_otf2_reading *reading)
{
    const struct cw_otf2 *otf2 = &reading->otf2;
    OTF2_Reader *reader = otf2->OTF2_Reader_Open(reading->path);
    check(reading, reader);
    if (!reader) return;
    check(reading, otf2->OTF2_Reader_SetSerialCollectiveCallbacks(reader) == OTF2_SUCCESS);
    if (!reading->rc && !reading->writing) read_definitions(reading, reader);
    for (uint32_t r = 0; !reading->rc && r < reading->world->n; r++)
        check(reading, otf2->OTF2_Reader_SelectLocation(reader, reading->world->members[r]) == OTF2_SUCCESS);
    if (!reading->rc) check(reading, otf2->OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS);
    if (!reading->rc) check(reading, otf2->OTF2_Reader_OpenEvtFiles(reader) == OTF2_SUCCESS);
    OTF2_EvtReaderCallbacks *callbacks = reading->rc ? NULL : otf2->OTF2_EvtReaderCallbacks_New();
    check(reading, callbacks);
    if (callbacks) cw_otf2_set_events(otf2, callbacks);
    for (uint32_t r = 0; !reading->rc && r < reading->world->n; r++) read_rank(reading, reader, callbacks, r);
    if (callbacks) otf2->OTF2_EvtReaderCallbacks_Delete(callbacks);
    otf2->OTF2_Reader_CloseEvtFiles(reader);
    otf2->OTF2_Reader_CloseDefFiles(reader);
    otf2->OTF2_Reader_Close(reader);
}

static void free_reading(struct cw_otf2_reading *reading)
{
    const struct cw_otf2_string *strings = reading->strings.items;
    const struct cw_otf2_group *groups = reading->groups.items;
    const struct cw_otf2_comm *comms = reading->comms.items;
    for (size_t i = 0; i < reading->strings.n; i++) free(strings[i].text);
    for (size_t i = 0; i < reading->comms.n; i++) free(comms[i].turns);
    for (uint32_t r = 0; reading->late && r < reading->world->n; r++) free(reading->late[r].items);
    for (size_t i = 0; i < reading->groups.n; i++) free(groups[i].members);
    free(reading->strings.items);
    free(reading->regions.items);
    free(reading->groups.items);
    free(reading->comms.items);
    free(reading->late);
    free(reading->numbers);
    free(reading->counts);
    free(reading->requests.items);
    cw_text_free(&reading->words);
}

bool cw_otf2_is(const char *path)
{
    struct stat status;
    char begin[1 + sizeof MAGIC];
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rbe") : NULL;
    const size_t n = file ? fread(begin, 1, sizeof MAGIC, file) : 0;
    if (file) fclose(file);
    return n == sizeof MAGIC && memcmp(begin + 1, MAGIC, strlen(MAGIC)) == 0;
}

int cw_otf2_text(const char *path, struct cw_text *text)
{
    struct cw_otf2_reading reading = {.path = path, .out = text};
    reading.rc = cw_inputs_enter(path);
    if (reading.rc) return reading.rc;
    if (!load(&reading.otf2))
        return cw_fail_at(path, 0, "an OTF2 archive, and %s is not installed; it is Debian's libopen-trace-format2-10",
                          libraries[1]);
    OTF2_ErrorCallback before = reading.otf2.OTF2_Error_RegisterCallback(on_error, &reading);
    read_archive(&reading);
    reading.writing = true;
    if (!reading.rc) read_archive(&reading);
    reading.otf2.OTF2_Error_RegisterCallback(before, NULL);
    free_reading(&reading);
    return reading.rc ? reading.rc : cw_text_check(text);
}
