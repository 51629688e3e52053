/*
 * OTF2 archives, which Score-P and others write of MPI programs, as the text of a recording (doc/formats/recording.md).
 *
 * An archive is named by its anchor, traces.otf2; what belongs to it is beside that. The library that reads it is
 * loaded when the first one is met. Of each MPI rank the location is read that MPI_COMM_WORLD names: what other threads
 * of the rank have called is not seen. A call is an MPI region, or, outside of regions, a record by itself; the time
 * between calls is computed. Sizes of collectives are understood as Score-P counts them, summed up over the other
 * ranks; where each part has its own size, an archive has the sum alone, and equal parts are made of it. Not installed.
 */
#ifndef CW_TRAFFIC_OTF2_FILE_H
#define CW_TRAFFIC_OTF2_FILE_H

#include <stdbool.h>

#include "base/buffer.h"

/* Whether the file PATH begins as an anchor does; false for what cannot be opened, and for pipes, which are left alone.
 */
bool cw_otf2_is(const char *path);

/* Appends the recording that archive PATH is to TEXT. CW_EPARSE for an archive that is damaged, of which a part is
 * missing, or that has no MPI ranks, and where the library is missing; CW_EIO or CW_ENOMEM. Reads all events twice: an
 * archive says what a request was for when it is done. Memory: the text, and 40 bytes a collective or receive. */
int cw_otf2_text(const char *path, struct cw_text *text);

#endif
