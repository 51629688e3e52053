/*
 * Recordings: what the ranks of a program called of MPI, and when, as libcrosswind-record wrote it down
 * (doc/formats/recording.md); and the program that this is (traffic/rank_program.h).
 *
 * Of each call there are the time since the last one, which the rank computed, the time that it took, and what it did.
 * In the program each rank computes for as long as it did, sends and receives the same messages, from whom they came
 * then where it took any, and waits for what it waited for. How long it waits is for the simulation to say. Collectives
 * become schedules by a rule. Messages and collectives of which an end is missing are left out: of a job that was
 * killed not all ranks got equally far.
 */
#ifndef CW_TRAFFIC_RECORDING_H
#define CW_TRAFFIC_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "traffic/rank_program.h"

CW_BEGIN_DECLS

struct cw_recording;

/* Whether a file that begins with DATA [LENGTH] is one. */
CW_API bool cw_recording_is(const char *data, size_t length);

/* The recording of DATA [LENGTH bytes], called FILE in messages. CW_EPARSE with file and line for what is malformed. Of
 * a rank of which a block is missing, what comes after it is passed over. Memory: 1.5 times the text, and 40 bytes a
 * call. */
CW_API int cw_recording_parse(const char *file, const char *data, size_t length, struct cw_recording **out);

/* The text of file PATH ("-": standard input), appended to TEXT, as cw_file_read gives it; but of a compressed
 * recording that is cut off, what comes before, and the result has a remark then. Of an OTF2 archive, whose anchor PATH
 * is (traces.otf2), the recording that it is; CW_EPARSE for one that is damaged, or where the library is missing. */
CW_API int cw_recording_text(const char *path, struct cw_text *text);

/* The recording of that text. */
CW_API int cw_recording_read(const char *path, struct cw_recording **out);
CW_API void cw_recording_free(struct cw_recording *recording);

/* How many ranks were recorded. */
CW_API uint32_t cw_recording_ranks(const struct cw_recording *recording);

/* What RANK has computed, and has been in MPI, from the end of MPI_Init to the beginning of MPI_Finalize [s]. */
CW_API double cw_recording_computed(const struct cw_recording *recording, uint32_t rank);
CW_API double cw_recording_in_mpi(const struct cw_recording *recording, uint32_t rank);
/* Of the rank for which both together are longest. */
CW_API double cw_recording_seconds(const struct cw_recording *recording);
/* Ranks whose recording does not reach MPI_Finalize. */
CW_API uint32_t cw_recording_cut(const struct cw_recording *recording);

/* Whether some machine had fewer processors for its RANKS than these are: PROCESSORS; if several had, of the one that
 * had fewest for each. False also where that was not recorded. */
CW_API bool cw_recording_crowded(const struct cw_recording *recording, uint32_t *ranks, uint32_t *processors);
/* The share of their time, computing and in MPI, in which ranks could have run and had no processor; NaN: of some rank
 * that was not recorded. */
CW_API double cw_recording_waited(const struct cw_recording *recording);

/* All calls of one function of MPI. */
struct cw_recorded_calls {
    const char *name; /* "Isend", the recording's */
    uint64_t n;
    uint64_t bytes; /* that they were given to send, or as the size of a collective */
    double seconds; /* of all ranks together */
};

/* Which functions were called, *N of them, in the order of the file. */
CW_API const struct cw_recorded_calls *cw_recording_calls(const struct cw_recording *recording, size_t *n);

/* A call. */
struct cw_recorded_event {
    const char *name;    /* of the function */
    double begin;        /* since MPI_Init [s] */
    double computed;     /* before it, since the last one [s] */
    double seconds;      /* in it */
    const char *words;   /* what it did, as the file has it … */
    size_t words_length; /* … so many bytes */
};

/* The calls of RANK: how many, and number I. */
CW_API size_t cw_recording_events(const struct cw_recording *recording, uint32_t rank);
CW_API void cw_recording_event(const struct cw_recording *recording, uint32_t rank, size_t i,
                               struct cw_recorded_event *out);

/* The program. RULE says which schedules collectives become: "KIND=SCHEDULE" or "KIND>SIZE=SCHEDULE", for those of more
 * than SIZE bytes, with ';' between two; of several for a collective the last one counts. NULL, and what RULE says
 * nothing of: the usual schedule of its kind (traffic/collectives.h). Those whose parts have different sizes go
 * straight from rank to rank; scans go from rank to rank in a row. *LEFT_OUT are the ends of messages, and calls of
 * collectives, whose other ends are missing. CW_EUSAGE for a rule that is malformed or a schedule that is not defined
 * for so many ranks, and for ranks that differ in what collective comes next. O(n log n) for n messages. */
CW_API int cw_recording_program(const struct cw_recording *recording, const char *rule, struct cw_program **out,
                                uint64_t *left_out);

CW_END_DECLS

#endif
