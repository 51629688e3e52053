/*
 * The lines that a rank records (doc/formats/recording.md), and the blocks of them that go to the file: each is
 * compressed and appended by one write, so that a rank which is killed loses its last block at most. All ranks append
 * to one file. What cannot be written ends the recording of this rank, with one sentence on stderr, and nothing else.
 */
#ifndef CW_MPI_RECORD_WRITER_H
#define CW_MPI_RECORD_WRITER_H

#include <stdbool.h>
#include <stdint.h>

/* Opens file PATH, which FIRST empties before. False: errno says why. */
bool record_open(const char *path, bool first);
void record_close(void); /* whatever was not written is not */
/* From now on blocks are written, those of rank RANK of N. The path is borrowed. */
void record_begin_blocks(const char *path, int rank, int n);
bool record_is_open(void);

/* Monotonic [ns]. */
int64_t record_now(void);

/* A line begins: function NAME was called GAP ns after the last call had ended, for DURATION ns. Then come its words,
 * and its end. */
void record_line(const char *name, int64_t gap, int64_t duration);
void record_word(const char *mark, int64_t number);       /* " MARKnumber" */
void record_text(const char *text);                       /* " TEXT" */
void record_pair(const char *mark, int64_t a, int64_t b); /* " MARKa:b" */
/* Ends the line. NOW tells whether the block has waited for long enough to be written. */
void record_end_line(int64_t now);

/* A line of the processors that the rank may use, and of which machine. Another one, later, of how long its first
 * thread was ready to run and had none of them since then; none where Linux does not say. */
void record_processors(void);
void record_waited(void);

/* Writes what there is, and ends for good if LAST. */
void record_flush(bool last);

#endif
