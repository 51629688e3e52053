#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files/compressed.h"
#include "base/interrupt.h"
#include "base/memory.h"

static _Thread_local struct cw_inputs *record;

void cw_sha256_end(struct sha256_ctx *hash, char sha256[CW_SHA256_SIZE])
{
    static const char hex[] = "0123456789abcdef";
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(hash, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        sha256[2 * i] = hex[digest[i] >> 4];
        sha256[2 * i + 1] = hex[digest[i] & 15];
    }
    sha256[CW_SHA256_SIZE - 1] = '\0';
}

void cw_sha256(const char *bytes, size_t length, char sha256[CW_SHA256_SIZE])
{
    struct sha256_ctx hash;
    sha256_init(&hash);
    sha256_update(&hash, length, (const uint8_t *)bytes);
    cw_sha256_end(&hash, sha256);
}

struct cw_inputs *cw_inputs_record(struct cw_inputs *inputs)
{
    struct cw_inputs *before = record;
    record = inputs;
    return before;
}

void cw_inputs_begin_part(struct cw_inputs *part)
{
    part->whole = record;
    record = part;
}

void cw_inputs_end_part(struct cw_inputs *part)
{
    record = part->whole;
    part->whole = NULL;
}

/* Enters a file into INPUTS alone. */
static int add(struct cw_inputs *inputs, const char *path, const char sha256[CW_SHA256_SIZE])
{
    for (size_t i = 0; i < inputs->n; i++)
        if (strcmp(inputs->items[i].path, path) == 0 && strcmp(inputs->items[i].sha256, sha256) == 0) return 0;
    void *items = inputs->items;
    const int rc = cw_grow_array(&items, &inputs->capacity, inputs->n + 1, sizeof *inputs->items, "names of inputs");
    if (rc) return rc;
    inputs->items = items;
    struct cw_input input = {.path = cw_copy_text(path, strlen(path))};
    if (!input.path) return CW_ENOMEM;
    memcpy(input.sha256, sha256, sizeof input.sha256);
    inputs->items[inputs->n++] = input;
    return 0;
}

int cw_inputs_add(struct cw_inputs *inputs, const char *path, const char sha256[CW_SHA256_SIZE])
{
    int rc = 0;
    for (; inputs && !rc; inputs = inputs->whole) rc = add(inputs, path, sha256);
    return rc;
}

int cw_inputs_add_all(struct cw_inputs *inputs, const struct cw_inputs *from)
{
    int rc = 0;
    for (size_t i = 0; i < from->n && !rc; i++) rc = cw_inputs_add(inputs, from->items[i].path, from->items[i].sha256);
    return rc;
}

void cw_inputs_free(struct cw_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++) free(inputs->items[i].path);
    for (size_t i = 0; i < inputs->n_outputs; i++) {
        free(inputs->outputs[i].path);
        free(inputs->outputs[i].what);
    }
    free(inputs->items);
    free(inputs->outputs);
    cw_text_free(&inputs->remarks);
    *inputs = (struct cw_inputs){0};
}

static const struct cw_output *find_output(const char *path)
{
    for (const struct cw_inputs *inputs = record; inputs; inputs = inputs->whole)
        for (size_t i = 0; i < inputs->n_outputs; i++)
            if (cw_file_same(inputs->outputs[i].path, path)) return &inputs->outputs[i];
    return NULL;
}

int cw_inputs_check_read(const char *path)
{
    const struct cw_output *output = find_output(path);
    return output ? cw_fail(CW_EUSAGE, "%s is read, and %s would write it; expected another file to write", path,
                            output->what)
                  : 0;
}

int cw_inputs_check_write(const char *path)
{
    for (const struct cw_inputs *inputs = record; inputs; inputs = inputs->whole)
        for (size_t i = 0; i < inputs->n; i++)
            if (cw_file_same(inputs->items[i].path, path))
                return cw_fail(CW_EUSAGE, "%s was read, and is not written over; expected another file to write", path);
    return 0;
}

int cw_inputs_add_output(const char *path, const char *what)
{
    if (!record) return 0;
    const struct cw_output *other = find_output(path);
    if (other)
        return cw_fail(CW_EUSAGE, "%s: %s and %s would write the same file; expected another", path, other->what, what);
    void *outputs = record->outputs;
    int rc = cw_grow_array(&outputs, &record->capacity_outputs, record->n_outputs + 1, sizeof *record->outputs,
                           "names of outputs");
    if (rc) return rc;
    record->outputs = outputs;
    const struct cw_output output = {cw_copy_text(path, strlen(path)), cw_copy_text(what, strlen(what))};
    record->outputs[record->n_outputs++] = output;
    return output.path && output.what ? 0 : CW_ENOMEM;
}

void cw_inputs_remark(const char *file, unsigned long line, const char *format, ...)
{
    char text[512];
    struct cw_text remark = {0};
    va_list arguments;
    if (!record) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (line > 0)
        cw_text_printf(&remark, "%s:%lu: %s\n", file, line, text);
    else
        cw_text_printf(&remark, "%s: %s\n", file, text);
    for (struct cw_inputs *inputs = record; inputs; inputs = inputs->whole) {
        const char *known = inputs->remarks.data;
        if (cw_text_check(&remark) || !known || !strstr(known, remark.data))
            cw_text_append(&inputs->remarks, remark.data, remark.length);
        inputs->remarks.failed |= remark.failed;
    }
    cw_text_free(&remark);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

#define PIECE (1u << 16) /* bytes that are read at a time where nobody else has room for them */
#define LOOK  512u       /* bytes that tell what a file is */

struct cw_source {
    const char *path;
    int descriptor;
    unsigned long lines;        /* read so far */
    bool begun, text;           /* its first bytes were looked at; its first text was */
    bool over, entered;         /* its end was seen; it is in the record */
    struct cw_decoder *decoder; /* NULL: it is not compressed */
    const char *at;             /* decoded and not yet asked for … */
    size_t left;                /* … so many */
    char *piece;                /* [PIECE] of the file as it is … */
    size_t taken, held;         /* … from where to where it is still wanted */
    struct cw_inputs *record;   /* NULL: not hashed */
    struct sha256_ctx hash;     /* of the file as it is, compressed or not */
};

static bool is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *cw_source_name(const struct cw_source *source)
{
    return is_standard(source->path) ? "standard input" : source->path;
}

int cw_source_open(const char *path, struct cw_source **out)
{
    const int rc = cw_inputs_check_read(path);
    struct cw_source *source = rc ? NULL : cw_new_array(1, sizeof *source, "a file");
    if (!source) return rc ? rc : CW_ENOMEM;
    source->path = path;
    source->piece = cw_new_array(PIECE, 1, "a file");
    source->descriptor = !source->piece ? -1 : is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (source->descriptor < 0) {
        const int failed = source->piece ? cw_fail(CW_EIO, "cannot open %s: %s", path, strerror(errno)) : CW_ENOMEM;
        free(source->piece);
        free(source);
        return failed;
    }
    source->record = record;
    sha256_init(&source->hash);
    *out = source;
    return 0;
}

void cw_source_close(struct cw_source *source)
{
    if (!source) return;
    cw_decoder_free(source->decoder);
    if (!is_standard(source->path)) close(source->descriptor);
    free(source->piece);
    free(source);
}

/* The next bytes of the file as it is, up to ROOM of them, 0 at the end. */
static int read_raw(struct cw_source *source, char *to, size_t room, size_t *n)
{
    ssize_t got = 0;
    while (!source->over) {
        const int interrupted = cw_interrupt_check();
        if (interrupted) return interrupted;
        got = read(source->descriptor, to, room);
        if (got >= 0 || errno != EINTR) break;
    }
    if (got < 0) return cw_fail(CW_EIO, "cannot read %s: %s", cw_source_name(source), strerror(errno));
    *n = (size_t)got;
    source->over |= got == 0; /* a terminal would be asked for more */
    if (source->record) sha256_update(&source->hash, *n, (const uint8_t *)to);
    return 0;
}

/* The same for the decoder, first what begin_source has looked at. */
static int next_piece(void *context, const char **bytes, size_t *n)
{
    struct cw_source *source = context;
    int rc = 0;
    if (source->taken == source->held) {
        source->taken = 0;
        rc = read_raw(source, source->piece, PIECE, &source->held);
    }
    *bytes = source->piece + source->taken;
    *n = source->held - source->taken;
    source->taken = source->held;
    return rc;
}

static int begin_source(struct cw_source *source)
{
    size_t n = 1;
    while (source->held < LOOK && n > 0) {
        const int rc = read_raw(source, source->piece + source->held, PIECE - source->held, &n);
        if (rc) return rc;
        source->held += n;
    }
    source->begun = true;
    const char *kind = cw_compressed_kind(source->piece, source->held);
    return kind ? cw_decoder_new(cw_source_name(source), kind, next_piece, source, &source->decoder) : 0;
}

static int refuse_encoded(const struct cw_source *source, const char *data, size_t length)
{
    if (length >= 4 && memcmp(data, "PK\3\4", 4) == 0)
        return cw_fail_at(cw_source_name(source), 0,
                          "compressed by zip, expected text; unpack it, as in <(unzip -p FILE)");
    if (length >= 262 && memcmp(data + 257, "ustar", 5) == 0 && memchr(data, '\0', 257)) /* a header is padded */
        return cw_fail_at(cw_source_name(source), 0, "an archive, expected text; unpack it, as in <(tar -xOf FILE)");
    if (length >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0))
        return cw_fail_at(cw_source_name(source), 0,
                          "text in UTF-16, expected UTF-8; convert it, as in <(iconv -f UTF-16 -t UTF-8 FILE)");
    return 0;
}

/* A compiler adds up many bytes at once where the sum of a few fits into a byte. */
static unsigned long count_lines(const char *data, size_t length)
{
    unsigned long lines = 0;
    for (size_t i = 0; i < length;) {
        const size_t stop = length - i < UINT8_MAX ? length : i + UINT8_MAX;
        uint8_t few = 0;
        for (; i < stop; i++) few = (uint8_t)(few + (data[i] == '\n'));
        lines += few;
    }
    return lines;
}

/* Only at its end is it known what the file was. What a decoder leaves behind what it knows is of the file, too. */
static int enter(struct cw_source *source)
{
    char sha256[CW_SHA256_SIZE];
    if (source->entered || !source->record) return 0;
    for (size_t n = 1; n > 0;) {
        const int rc = read_raw(source, source->piece, PIECE, &n);
        if (rc) return rc;
    }
    source->entered = true;
    cw_sha256_end(&source->hash, sha256);
    return cw_inputs_add(source->record, source->path, sha256);
}

/* The next bytes of the text, whatever they are. */
static int read_text(struct cw_source *source, char *to, size_t room, size_t *n)
{
    if (source->decoder && source->left == 0) {
        const int rc = cw_decoder_read(source->decoder, source->lines + 1, &source->at, &source->left);
        if (rc) return rc;
    }
    if (!source->decoder && source->taken == source->held) return read_raw(source, to, room, n);
    const size_t left = source->decoder ? source->left : source->held - source->taken;
    *n = left < room ? left : room;
    if (*n == 0) return 0;
    memcpy(to, source->decoder ? source->at : source->piece + source->taken, *n);
    if (source->decoder) {
        source->at += *n;
        source->left -= *n;
    } else {
        source->taken += *n;
    }
    return 0;
}

int cw_source_read(struct cw_source *source, char *to, size_t room, size_t *n)
{
    int rc = source->begun ? 0 : begin_source(source);
    if (!rc) rc = read_text(source, to, room, n);
    if (rc) return rc;
    if (*n == 0) return enter(source);
    rc = source->text ? 0 : refuse_encoded(source, to, *n);
    if (rc) return rc;
    source->text = true;
    const char *zero = memchr(to, 0, *n);
    if (zero)
        return cw_fail_at(cw_source_name(source), source->lines + count_lines(to, (size_t)(zero - to)) + 1,
                          "a byte 0, expected text");
    source->lines += count_lines(to, *n);
    return 0;
}

/* Whatever is in it: a plug-in is no text. */
int cw_inputs_enter(const char *path)
{
    struct cw_source *source;
    if (!record) return 0;
    int rc = cw_source_open(path, &source);
    if (rc) return rc;
    rc = enter(source);
    cw_source_close(source);
    return rc;
}
