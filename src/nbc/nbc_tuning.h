/*
 * What was measured of a machine and an MPI by `crosswind-mpi overlap --tuning`, and kept in a file of the user's:
 * which schedule takes least, for each collective, number of ranks and size, or that MPI's own takes less. The library
 * reads it when it begins, `crosswind cores` when it plans. The file: doc/formats/tuning.md.
 */
#ifndef CW_NBC_TUNING_H
#define CW_NBC_TUNING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/text.h"
#include "nbc/nbc_collective.h"
#include "nbc/nbc_sharing.h"

CW_BEGIN_DECLS

#define CW_NBC_CHOICES   512 /* at most */
#define CW_NBC_SITE_TEXT 96

/* Where it was measured. */
struct cw_nbc_site {
    char version[CW_NBC_SITE_TEXT]; /* of Crosswind */
    char mpi[CW_NBC_SITE_TEXT];     /* "Open MPI v4.1.4", "MPICH 4.0.2"; empty: any */
    char time[CW_NBC_SITE_TEXT];    /* of day; of no consequence */
    uint32_t processors;            /* of the machine */
};

/* One collective of one size, whose ranks computed, or slept, meanwhile for as long as the blocking one takes. Lower
 * quartiles [s]. */
struct cw_nbc_choice {
    enum cw_collective_kind collective;
    uint32_t ranks, cores;         /* of a host; cores: for communication */
    uint64_t bytes;                /* of a rank's message */
    bool native;                   /* no way of ours takes less in total than MPI's nonblocking collective; else: */
    struct cw_nbc_sharing sharing; /* the one that takes least */
    double native_total, total;
    double blocking; /* MPI's blocking collective alone */
    double workers;  /* the collective alone, by communication cores alone */
    double start;    /* the call that starts it: posting, and waking who sleeps */
};

struct cw_nbc_tuning {
    struct cw_nbc_site site;
    uint32_t n;
    struct cw_nbc_choice items[CW_NBC_CHOICES]; /* sorted by collective, ranks, cores, bytes; each once */
};

/* Of this machine and this program, with MPI as its library names itself (MPI_Get_library_version; NULL: any). */
struct cw_nbc_site cw_nbc_site_of(const char *mpi);

/* The file of this machine and the MPI "openmpi" or "mpich": $XDG_CACHE_HOME/crosswind/overlap-HOST-MPI.txt, in
 * ~/.cache without that variable. CW_EIO if there is no such folder; CW_ENOMEM. The caller frees PATH. */
int cw_nbc_tuning_path(const char *mpi, struct cw_text *path);
const char *cw_nbc_mpi_name(const char *library); /* of the two, of which LIBRARY is */

/* CW_EIO, CW_EPARSE, CW_ENOMEM. */
int cw_nbc_tuning_read(const char *path, struct cw_nbc_tuning *out);
int cw_nbc_tuning_write(const char *path, const struct cw_nbc_tuning *tuning);      /* makes the folder, too */
void cw_nbc_tuning_print(const struct cw_nbc_tuning *tuning, struct cw_text *text); /* appends what is written */

/* 0, or CW_EUSAGE with what differs between where TUNING was measured and SITE. */
int cw_nbc_tuning_check(const struct cw_nbc_tuning *tuning, const struct cw_nbc_site *site);

/* Puts CHOICE into its place, instead of one of the same collective, ranks, cores and bytes. CW_ELIMIT. */
int cw_nbc_tuning_put(struct cw_nbc_tuning *tuning, const struct cw_nbc_choice *choice);

/* Keeps what was measured with that number of communication cores which is nearest to CORES. */
void cw_nbc_tuning_keep(struct cw_nbc_tuning *tuning, uint32_t cores);

/* The one for so many ranks and bytes: with the nearest number of ranks, the largest size that is not larger than
 * BYTES. NULL: nothing so short was measured. O(n). */
const struct cw_nbc_choice *cw_nbc_tuning_find(const struct cw_nbc_tuning *tuning, enum cw_collective_kind collective,
                                               uint32_t ranks, uint64_t bytes);

/* --- files that are kept ------------------------------------------------------------------------------------------ */

/*
 * Files that are kept for the user between programs, in one folder: text of lines "NAME VALUE" and of tables.
 */

/* $XDG_CACHE_HOME/crosswind/NAME.txt, in ~/.cache without that variable. CW_EIO if there is no such folder; CW_ENOMEM.
 * The caller frees PATH. */
int cw_nbc_kept_path(const char *name, struct cw_text *path);

/* What is behind NAME and a blank in LINE, maybe nothing; NULL: it begins otherwise. */
const char *cw_nbc_kept_word(const char *line, const char *name);

/* Writes TEXT, which it frees, and makes the folder. CW_EIO, CW_ENOMEM. */
int cw_nbc_kept_write(const char *path, struct cw_text *text);

CW_END_DECLS

#endif
