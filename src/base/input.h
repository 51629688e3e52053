/*
 * Input: the files a program reads, and the record of what was in them.
 *
 * Every reader of the library takes its bytes from here (cw_file_read does, too). A program that wants to say what its
 * result was made from sets a record for its thread: each file that was read to its end is then entered with the
 * SHA-256 hash of the bytes that came, so that a pipe is hashed like any other file and is read only once. Without a
 * record nothing is hashed.
 *
 * All formats are text. What is compressed (base/files/compressed.h) is unpacked as it is read; its hash is that of the
 * file as it is, so that sha256sum prints the same. A byte 0, an archive and UTF-16 are refused here, for all readers.
 */
#ifndef CW_BASE_INPUT_H
#define CW_BASE_INPUT_H

#include <nettle/sha2.h>
#include <stddef.h>

#include "base/decls.h"
#include "base/text.h"

CW_BEGIN_DECLS

#define CW_SHA256_SIZE 65 /* hexadecimal, with the 0 */

/* What sha256_init and sha256_update of nettle have made of some bytes, as text; begins anew. */
void cw_sha256_end(struct sha256_ctx *hash, char sha256[CW_SHA256_SIZE]);
/* The hash of LENGTH bytes. */
void cw_sha256(const char *bytes, size_t length, char sha256[CW_SHA256_SIZE]);

struct cw_input {
    char *path; /* as it was given; "-": standard input */
    char sha256[CW_SHA256_SIZE];
};

/* Starts zeroed ({0}), in the order in which the files were read; freed with cw_inputs_free. */
struct cw_inputs {
    struct cw_input *items;
    size_t n, capacity;
    struct cw_text remarks; /* lines: what was read all the same, but must be known */
    struct cw_output {
        char *path, *what;
    } * outputs; /* that will be written */
    size_t n_outputs, capacity_outputs;
    struct cw_inputs *whole; /* which gets all that is entered here, and knows the outputs; NULL: this is no part */
};

/* From now on this thread enters what it reads into INPUTS, which is borrowed; NULL: no more. Where it did before. */
struct cw_inputs *cw_inputs_record(struct cw_inputs *inputs);
/* From now on into PART, zeroed or with entries of its own, and into what it entered into before; until
 * cw_inputs_end_part. */
void cw_inputs_begin_part(struct cw_inputs *part);
void cw_inputs_end_part(struct cw_inputs *part);
/* Enters a file, unless PATH is there already with the same hash. 0 or CW_ENOMEM. */
int cw_inputs_add(struct cw_inputs *inputs, const char *path, const char sha256[CW_SHA256_SIZE]);
/* Enters all files that FROM has. 0 or CW_ENOMEM. */
int cw_inputs_add_all(struct cw_inputs *inputs, const struct cw_inputs *from);
/* Enters the file PATH, whatever is in it, into this thread's record, if there is one. 0, CW_EIO or CW_ENOMEM. */
int cw_inputs_enter(const char *path);
void cw_inputs_free(struct cw_inputs *inputs);

/* Before long work: PATH will be written. CW_EUSAGE if a file that was entered so before is the same (by whatever
 * name), and from now on if anybody reads it. WHAT names it in messages ("--output"). */
int cw_inputs_add_output(const char *path, const char *what);
/* CW_EUSAGE if PATH is a file that this thread is to write, or for writing, one that it has read. */
int cw_inputs_check_read(const char *path);
int cw_inputs_check_write(const char *path);

/* Enters a remark about line LINE (0: the whole) of FILE, "FILE:LINE: …", into this thread's record, each but once. */
void cw_inputs_remark(const char *file, unsigned long line, const char *format, ...) CW_PRINTF(3, 4);

/* A file that is being read, for those that may be larger than memory. */
struct cw_source;

int cw_source_open(const char *path, struct cw_source **out); /* "-": standard input. 0, CW_EIO or CW_ENOMEM */
/* Up to ROOM > 0 bytes of the text go to TO, their number to *N: 0 at the end. What is refused by its first bytes is
 * told if ROOM is at least 512. 0, CW_EIO, CW_EPARSE (not text, or compressed and damaged), CW_EINTERRUPTED or
 * CW_ENOMEM. */
int cw_source_read(struct cw_source *source, char *to, size_t room, size_t *n);
const char *cw_source_name(const struct cw_source *source); /* for messages */
void cw_source_close(struct cw_source *source);

CW_END_DECLS

#endif
