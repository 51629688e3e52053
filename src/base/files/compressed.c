#include "base/files/compressed.h"

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define LIBRARY "libarchive.so.13"

static const struct kind {
    const char *name, *magic, *ending, *print; /* ENDING: of what is written, NULL: it is not; PRINT: what unpacks it */
} kinds[] = {
    {"gzip", "\x1f\x8b", ".gz", "zcat"},
    {"xz", "\xfd\x37zXZ", ".xz", "xzcat"},
    {"zstd", "\x28\xb5\x2f\xfd", ".zst", "zstdcat"},
    {"bzip2", "BZh", ".bz2", "bzcat"},
    {"lz4", "\x04\x22\x4d\x18", NULL, "lz4cat"},
    {"compress", "\x1f\x9d", NULL, "zcat"},
};

const char *cw_compressed_kind(const char *data, size_t length)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t n = strlen(kinds[i].magic);
        if (length >= n && memcmp(data, kinds[i].magic, n) == 0) return kinds[i].name;
    }
    return NULL;
}

const char *cw_compressed_name(const char *path, size_t *length)
{
    const size_t n = strlen(path);
    if (length) *length = n;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t ending = kinds[i].ending ? strlen(kinds[i].ending) : n;
        if (n <= ending || strcmp(path + n - ending, kinds[i].ending) != 0) continue;
        if (length) *length = n - ending;
        return kinds[i].name;
    }
    return NULL;
}

/* --- the library -------------------------------------------------------------------------------------------------- */

#define FUNCTIONS(X)                                                                                                   \
    X(archive_error_string)                                                                                            \
    X(archive_filter_code)                                                                                             \
    X(archive_read_new)                                                                                                \
    X(archive_read_free)                                                                                               \
    X(archive_read_support_filter_gzip)                                                                                \
    X(archive_read_support_filter_xz)                                                                                  \
    X(archive_read_support_filter_zstd)                                                                                \
    X(archive_read_support_filter_bzip2)                                                                               \
    X(archive_read_support_filter_lz4)                                                                                 \
    X(archive_read_support_filter_compress)                                                                            \
    X(archive_read_support_format_raw)                                                                                 \
    X(archive_read_support_format_empty)                                                                               \
    X(archive_read_open)                                                                                               \
    X(archive_read_next_header)                                                                                        \
    X(archive_read_data_block)                                                                                         \
    X(archive_write_new)                                                                                               \
    X(archive_write_free)                                                                                              \
    X(archive_write_close)                                                                                             \
    X(archive_write_set_format_raw)                                                                                    \
    X(archive_write_add_filter_by_name)                                                                                \
    X(archive_write_set_options)                                                                                       \
    X(archive_write_set_bytes_per_block)                                                                               \
    X(archive_write_open)                                                                                              \
    X(archive_write_header)                                                                                            \
    X(archive_write_data)                                                                                              \
    X(archive_entry_new)                                                                                               \
    X(archive_entry_free)                                                                                              \
    X(archive_entry_set_filetype)

#define FIELD(NAME) __typeof__(NAME) *NAME;
struct library {
    FUNCTIONS(FIELD)
};

/* False if it is not there. It stays loaded: who loads it again finds it there. */
static bool load(struct library *library)
{
#define ENTRY(NAME) {#NAME, &library->NAME},
    const struct {
        const char *name;
        void *to;
    } entries[] = {FUNCTIONS(ENTRY)};
    void *object = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; object && i < sizeof entries / sizeof *entries; i++) {
        void *found = dlsym(object, entries[i].name);
        if (!found) return false;
        memcpy(entries[i].to, &found, sizeof found); /* C has no other way from an object to a function */
    }
    return object != NULL;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

struct cw_decoder {
    const char *name, *kind;
    struct library library;
    struct archive *archive;
    cw_compressed_move *read;
    void *context;
    int problem; /* what READ has failed with */
    bool empty;
};

static la_ssize_t read_some(struct archive *archive, void *context, const void **buffer)
{
    struct cw_decoder *decoder = context;
    const char *bytes = NULL;
    size_t n = 0;
    (void)archive;
    decoder->problem = decoder->read(decoder->context, &bytes, &n);
    *buffer = bytes;
    return decoder->problem ? ARCHIVE_FATAL : (la_ssize_t)n;
}

static int fail_damaged(const struct cw_decoder *decoder, unsigned long line)
{
    const char *why = decoder->library.archive_error_string(decoder->archive);
    if (decoder->problem) return decoder->problem;
    return cw_fail_at(decoder->name, line, "what follows is cut off or damaged (%s), expected a whole file of %s",
                      why ? why : "its head is wrong", decoder->kind);
}

static int fail_unloaded(const char *name, const char *kind)
{
    const struct kind *known = kinds;
    while (strcmp(known->name, kind) != 0) known++;
    return cw_fail_at(name, 0, "compressed by %s, and " LIBRARY " is not installed; unpack it, as in <(%s FILE)", kind,
                      known->print);
}

static int open_archive(struct cw_decoder *decoder)
{
    const struct library *library = &decoder->library;
    struct archive *archive = decoder->archive = library->archive_read_new();
    struct archive_entry *entry;
    if (!archive) return cw_fail_memory(0, "a compressed file");
    library->archive_read_support_filter_gzip(archive);
    library->archive_read_support_filter_xz(archive);
    library->archive_read_support_filter_zstd(archive);
    library->archive_read_support_filter_bzip2(archive);
    library->archive_read_support_filter_lz4(archive);
    library->archive_read_support_filter_compress(archive);
    library->archive_read_support_format_raw(archive);
    library->archive_read_support_format_empty(archive);
    if (library->archive_read_open(archive, decoder, NULL, read_some, NULL) != ARCHIVE_OK)
        return fail_damaged(decoder, 1);
    const int status = library->archive_read_next_header(archive, &entry);
    const bool known = library->archive_filter_code(archive, 0) != ARCHIVE_FILTER_NONE; /* by more than the magic */
    decoder->empty = status == ARCHIVE_EOF;
    return known && (status == ARCHIVE_OK || decoder->empty) ? 0 : fail_damaged(decoder, 1);
}

int cw_decoder_new(const char *name, const char *kind, cw_compressed_move *read, void *context, struct cw_decoder **out)
{
    struct cw_decoder *decoder = cw_new_array(1, sizeof *decoder, "a compressed file");
    if (!decoder) return CW_ENOMEM;
    decoder->name = name;
    decoder->kind = kind;
    decoder->read = read;
    decoder->context = context;
    const int rc = load(&decoder->library) ? open_archive(decoder) : fail_unloaded(name, kind);
    if (rc)
        cw_decoder_free(decoder);
    else
        *out = decoder;
    return rc;
}

int cw_decoder_read(struct cw_decoder *decoder, unsigned long line, const char **bytes, size_t *n)
{
    const void *block = NULL;
    la_int64_t offset;
    *n = 0;
    if (decoder->empty) return 0;
    const int status = decoder->library.archive_read_data_block(decoder->archive, &block, n, &offset);
    if (status == ARCHIVE_EOF) *n = 0;
    *bytes = block;
    return status == ARCHIVE_OK || status == ARCHIVE_EOF ? 0 : fail_damaged(decoder, line);
}

void cw_decoder_free(struct cw_decoder *decoder)
{
    if (!decoder) return;
    if (decoder->archive) decoder->library.archive_read_free(decoder->archive);
    free(decoder);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

struct cw_encoder {
    const char *name, *kind;
    struct library library;
    struct archive *archive;
    cw_compressed_move *write;
    void *context;
    int problem; /* what WRITE has failed with */
};

static la_ssize_t write_some(struct archive *archive, void *context, const void *buffer, size_t n)
{
    struct cw_encoder *encoder = context;
    const char *bytes = buffer;
    (void)archive;
    encoder->problem = encoder->write(encoder->context, &bytes, &n);
    return encoder->problem ? ARCHIVE_FATAL : (la_ssize_t)n;
}

static int fail_encoder(const struct cw_encoder *encoder)
{
    const char *why = encoder->library.archive_error_string(encoder->archive);
    return encoder->problem
               ? encoder->problem
               : cw_fail(CW_EIO, "cannot compress %s by %s: %s", encoder->name, encoder->kind, why ? why : "no memory");
}

/* ARCHIVE_OK or less. The time of writing is left out of gzip's head. */
static int begin_archive(struct cw_encoder *encoder)
{
    const struct library *library = &encoder->library;
    struct archive *archive = encoder->archive;
    struct archive_entry *entry = library->archive_entry_new();
    int status = entry ? library->archive_write_set_format_raw(archive) : ARCHIVE_FATAL;
    if (status == ARCHIVE_OK) status = library->archive_write_add_filter_by_name(archive, encoder->kind);
    if (status == ARCHIVE_OK && strcmp(encoder->kind, "gzip") == 0)
        status = library->archive_write_set_options(archive, "gzip:!timestamp");
    if (status == ARCHIVE_OK) status = library->archive_write_set_bytes_per_block(archive, 0);
    if (status == ARCHIVE_OK) status = library->archive_write_open(archive, encoder, NULL, write_some, NULL);
    if (entry) library->archive_entry_set_filetype(entry, AE_IFREG);
    if (status == ARCHIVE_OK) status = library->archive_write_header(archive, entry);
    if (entry) library->archive_entry_free(entry);
    return status;
}

static int open_encoder(struct cw_encoder *encoder)
{
    if (!load(&encoder->library))
        return cw_fail(CW_EIO,
                       "%s is not written: it would be compressed by %s, and " LIBRARY
                       " is not installed; expected a name without that ending",
                       encoder->name, encoder->kind);
    encoder->archive = encoder->library.archive_write_new();
    if (!encoder->archive) return cw_fail_memory(0, "a compressed file");
    return begin_archive(encoder) == ARCHIVE_OK ? 0 : fail_encoder(encoder);
}

int cw_encoder_new(const char *name, const char *kind, cw_compressed_move *write, void *context,
                   struct cw_encoder **out)
{
    struct cw_encoder *encoder = cw_new_array(1, sizeof *encoder, "a compressed file");
    if (!encoder) return CW_ENOMEM;
    encoder->name = name;
    encoder->kind = kind;
    encoder->write = write;
    encoder->context = context;
    const int rc = open_encoder(encoder);
    if (rc)
        cw_encoder_free(encoder);
    else
        *out = encoder;
    return rc;
}

int cw_encoder_write(struct cw_encoder *encoder, const char *data, size_t length)
{
    for (size_t done = 0; done < length;) {
        const la_ssize_t n = encoder->library.archive_write_data(encoder->archive, data + done, length - done);
        if (n <= 0) return fail_encoder(encoder);
        done += (size_t)n;
    }
    return 0;
}

int cw_encoder_end(struct cw_encoder *encoder)
{
    return encoder->library.archive_write_close(encoder->archive) == ARCHIVE_OK ? 0 : fail_encoder(encoder);
}

void cw_encoder_free(struct cw_encoder *encoder)
{
    if (!encoder) return;
    if (encoder->archive) encoder->library.archive_write_free(encoder->archive);
    free(encoder);
}
