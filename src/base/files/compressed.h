/*
 * Compressed files, by libarchive. It is loaded when the first one is met and not before: it brings a dozen libraries
 * along, which would make the program start half as fast again, and be in every rank that libcrosswind-nbc is loaded
 * into. Where it is missing, compressed files are refused with a message that says so. Not installed.
 */
#ifndef CW_BASE_COMPRESSED_H
#define CW_BASE_COMPRESSED_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

#define CW_COMPRESSED_MAGIC 6 /* bytes that tell every kind */

/* Which kind a file is of that begins with DATA: gzip, bzip2, xz, zstd, lz4, compress. NULL: it is not compressed.
 * Static. */
const char *cw_compressed_kind(const char *data, size_t length);

/* Which kind a file is to be of by its name, which ends in .gz, .bz2, .xz or .zst. NULL: none. Static. *LENGTH
 * (may be NULL) is that of the name without that ending, or the whole. */
const char *cw_compressed_name(const char *path, size_t *length);

/* Moves N bytes: *BYTES are those that were read, 0 of them at the end, or those to be written. 0, or a code after
 * cw_fail. */
typedef int cw_compressed_move(void *context, const char **bytes, size_t *n);

/* What a file of KIND holds. NAME is what messages call it, borrowed. Decoding takes memory for the format's window
 * (1 GiB at most), never for the file. */
struct cw_decoder;

int cw_decoder_new(const char *name, const char *kind, cw_compressed_move *read, void *context,
                   struct cw_decoder **out); /* 0, CW_EPARSE or CW_ENOMEM */
/* The next *N bytes are at *BYTES, until the next call; 0 of them at the end. LINE is where damage is, for the message.
 * 0, CW_EPARSE, CW_ENOMEM or what READ has failed with. */
int cw_decoder_read(struct cw_decoder *decoder, unsigned long line, const char **bytes, size_t *n);
void cw_decoder_free(struct cw_decoder *decoder);

/* What becomes a file of KIND through WRITE: the same bytes for the same data. NAME is what messages call it; both are
 * borrowed. */
struct cw_encoder;

int cw_encoder_new(const char *name, const char *kind, cw_compressed_move *write, void *context,
                   struct cw_encoder **out); /* 0, CW_EIO, CW_ENOMEM or what WRITE has failed with */
int cw_encoder_write(struct cw_encoder *encoder, const char *data, size_t length); /* the same */
/* Nothing follows: writes what is left, the same. */
int cw_encoder_end(struct cw_encoder *encoder);
void cw_encoder_free(struct cw_encoder *encoder);

CW_END_DECLS

#endif
