/*
 * What is read of an OTF2 archive: otf2_file.c opens it and reads its definitions, otf2_events.c makes a recording of
 * its events.
 */
#ifndef CW_TRAFFIC_OTF2_INTERNAL_H
#define CW_TRAFFIC_OTF2_INTERNAL_H

#include <otf2/otf2.h>

#include "base/error.h"
#include "traffic/recorded/otf2_file.h"

#define CW_OTF2_NONE UINT32_MAX

/* What is used of the library. */
#define CW_OTF2_FUNCTIONS(X)                                                                                           \
    X(OTF2_Error_RegisterCallback)                                                                                     \
    X(OTF2_Error_GetDescription)                                                                                       \
    X(OTF2_Reader_Open)                                                                                                \
    X(OTF2_Reader_Close)                                                                                               \
    X(OTF2_Reader_SetSerialCollectiveCallbacks)                                                                        \
    X(OTF2_Reader_GetGlobalDefReader)                                                                                  \
    X(OTF2_Reader_RegisterGlobalDefCallbacks)                                                                          \
    X(OTF2_Reader_ReadAllGlobalDefinitions)                                                                            \
    X(OTF2_Reader_CloseGlobalDefReader)                                                                                \
    X(OTF2_Reader_SelectLocation)                                                                                      \
    X(OTF2_Reader_OpenDefFiles)                                                                                        \
    X(OTF2_Reader_CloseDefFiles)                                                                                       \
    X(OTF2_Reader_GetDefReader)                                                                                        \
    X(OTF2_Reader_ReadAllLocalDefinitions)                                                                             \
    X(OTF2_Reader_CloseDefReader)                                                                                      \
    X(OTF2_Reader_OpenEvtFiles)                                                                                        \
    X(OTF2_Reader_CloseEvtFiles)                                                                                       \
    X(OTF2_Reader_GetEvtReader)                                                                                        \
    X(OTF2_Reader_RegisterEvtCallbacks)                                                                                \
    X(OTF2_Reader_ReadAllLocalEvents)                                                                                  \
    X(OTF2_Reader_CloseEvtReader)                                                                                      \
    X(OTF2_GlobalDefReaderCallbacks_New)                                                                               \
    X(OTF2_GlobalDefReaderCallbacks_Delete)                                                                            \
    X(OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback)                                                        \
    X(OTF2_GlobalDefReaderCallbacks_SetStringCallback)                                                                 \
    X(OTF2_GlobalDefReaderCallbacks_SetRegionCallback)                                                                 \
    X(OTF2_GlobalDefReaderCallbacks_SetGroupCallback)                                                                  \
    X(OTF2_GlobalDefReaderCallbacks_SetCommCallback)                                                                   \
    X(OTF2_GlobalDefReaderCallbacks_SetInterCommCallback)                                                              \
    X(OTF2_EvtReaderCallbacks_New)                                                                                     \
    X(OTF2_EvtReaderCallbacks_Delete)                                                                                  \
    X(OTF2_EvtReaderCallbacks_SetEnterCallback)                                                                        \
    X(OTF2_EvtReaderCallbacks_SetLeaveCallback)                                                                        \
    X(OTF2_EvtReaderCallbacks_SetMpiSendCallback)                                                                      \
    X(OTF2_EvtReaderCallbacks_SetMpiIsendCallback)                                                                     \
    X(OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback)                                                             \
    X(OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback)                                                              \
    X(OTF2_EvtReaderCallbacks_SetMpiRecvCallback)                                                                      \
    X(OTF2_EvtReaderCallbacks_SetMpiIrecvCallback)                                                                     \
    X(OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback)                                                          \
    X(OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback)                                                           \
    X(OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback)                                                             \
    X(OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback)                                                 \
    X(OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback)

#define CW_OTF2_FIELD(NAME) __typeof__(NAME) *NAME;
struct cw_otf2 {
    CW_OTF2_FUNCTIONS(CW_OTF2_FIELD)
};

/* Definitions begin with their number in the archive, by which they are sorted and found. */
struct cw_otf2_string {
    uint64_t ref;
    char *text; /* without MPI_ */
};

struct cw_otf2_region {
    uint64_t ref, name;
};

struct cw_otf2_group {
    uint64_t ref;
    OTF2_GroupType type;
    bool world; /* ranks in events are those of the world */
    uint32_t n;
    uint64_t *members; /* [n] locations, or ranks of the world */
};

/* One collective, of all its ranks the most [byte]. */
struct cw_otf2_turn {
    uint64_t sent, received;
};

struct cw_otf2_comm {
    uint64_t ref, groups[2]; /* the second one of an intercommunicator, or CW_OTF2_NONE */
    const struct cw_otf2_group *of[2];
    struct cw_otf2_turn *turns;
    size_t n_turns, room;
};

struct cw_otf2_list {
    void *items;
    size_t n, room;
};

/* What an operation turns out to be when it is done: a receive, or a collective. */
struct cw_otf2_late {
    uint32_t comm; /* in comms; CW_OTF2_NONE: it never was done */
    uint32_t op;   /* OTF2_CollectiveOp; CW_OTF2_NONE: a receive */
    uint32_t root;
    uint64_t sent, received;
};

struct cw_otf2_request {
    uint64_t id;     /* the archive's */
    uint32_t number; /* the recording's; CW_OTF2_NONE: it was not written */
    size_t late;
};

struct cw_otf2_reading {
    const char *path;
    struct cw_otf2 otf2;
    struct cw_text *out;
    bool writing; /* the second time */
    int rc;
    OTF2_ErrorCode problem; /* the library's first */
    uint64_t resolution;    /* ticks a second */
    struct cw_otf2_list strings, regions, groups, comms;
    const struct cw_otf2_group *world;
    struct cw_otf2_list *late; /* [world->n] */
    uint32_t *numbers;         /* [comms.n] the rank's own; CW_OTF2_NONE: it is no member */
    size_t *counts;            /* [comms.n] collectives of the rank so far */
    /* of the rank at hand */
    uint32_t rank;
    bool begun, ended, bare; /* BARE: a collective outside of regions */
    uint64_t first, now;     /* ticks */
    uint64_t last, begin;    /* ns since the first: the last call ended, this one began */
    uint32_t depth;          /* of MPI regions */
    const char *name;
    struct cw_text words;
    size_t mark; /* where in out its calls begin */
    struct cw_otf2_list requests;
    uint32_t n_requests;
    size_t next_late;
};

/* A new item at the end of LIST, of SIZE bytes; NULL: no memory. */
void *cw_otf2_append(struct cw_otf2_reading *reading, struct cw_otf2_list *list, size_t size);
/* The one of LIST, which is sorted, whose number is REF; NULL: none. */
void *cw_otf2_find(const struct cw_otf2_list *list, uint64_t ref, size_t size);

void cw_otf2_set_events(const struct cw_otf2 *otf2, OTF2_EvtReaderCallbacks *to);
/* The events of RANK follow, and are at their end. */
void cw_otf2_begin_rank(struct cw_otf2_reading *reading, uint32_t rank);
void cw_otf2_end_rank(struct cw_otf2_reading *reading);

#define cw_otf2_fail(reading, ...) ((reading)->rc = cw_fail_at((reading)->path, 0, __VA_ARGS__))

#endif
