#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files/compressed.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/text.h"

static int read_all(struct cw_source *source, size_t limit, struct cw_text *text)
{
    char block[1 << 16];
    size_t n;
    cw_text_append(text, "", 0); /* so that an empty file has data, too */
    for (;;) {
        const int rc = cw_source_read(source, block, sizeof block, &n);
        if (rc || n == 0) return rc ? rc : cw_text_check(text);
        if (n > limit - text->length)
            return cw_fail(CW_ELIMIT, "%s: more than %zu MiB, expected a file that fits into memory",
                           cw_source_name(source), limit >> 20);
        cw_text_append(text, block, n);
        if (text->failed) return cw_text_check(text);
    }
}

int cw_file_read_at_most(const char *path, size_t limit, struct cw_text *text)
{
    struct cw_source *source;
    struct cw_text content = {0};
    int rc = cw_source_open(path, &source);
    if (rc) return rc;
    rc = read_all(source, limit, &content);
    cw_source_close(source);
    if (rc)
        cw_text_free(&content);
    else
        *text = content;
    return rc;
}

int cw_file_read(const char *path, struct cw_text *text)
{
    const uint64_t half = cw_memory_available() / 2;
    return cw_file_read_at_most(path, half < CW_FILE_LIMIT ? (size_t)half : CW_FILE_LIMIT, text);
}

static int fail_write(const char *path)
{
    return path ? cw_fail(CW_EIO, "cannot write %s: %s", path, strerror(errno))
                : cw_fail(CW_EIO, "standard output cannot be written: %s", strerror(errno));
}

struct target {
    const char *path; /* for messages; NULL: standard output */
    int descriptor;
};

static int write_bytes(void *context, const char **bytes, size_t *length) /* a cw_compressed_move */
{
    const struct target *target = context;
    for (size_t done = 0; done < *length;) {
        const ssize_t n = write(target->descriptor, *bytes + done, *length - done);
        if (n == 0) errno = EIO;
        if (n == 0 || (n < 0 && errno != EINTR)) return fail_write(target->path);
        if (n > 0) done += (size_t)n;
    }
    return 0;
}

/* --- files that take their names when they are whole -----------------------------------------------------------------
 */

static bool muted;

void cw_files_mute(void)
{
    muted = true;
}

bool cw_files_muted(void)
{
    return muted;
}

/* PATH without its last part, in a buffer of PATH_MAX bytes. */
static const char *folder_of(const char *path, char *buffer)
{
    snprintf(buffer, PATH_MAX, "%s", path);
    return dirname(buffer);
}

/* A name is in its folder for good only when the folder is on the disk. Some file systems cannot say so: EINVAL. */
static int sync_folder(const char *path)
{
    char buffer[PATH_MAX];
    const int descriptor = open(folder_of(path, buffer), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno == EACCES ? 0 : errno; /* a folder that can be written, not read */
    const int problem = fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
    close(descriptor);
    return problem;
}

/* A draft has no name as long as the file system can do without: what ends the program leaves nothing behind. A pipe or
 * a device cannot be replaced; its draft is in memory. */
struct cw_draft {
    struct target target;  /* its descriptor is the draft's */
    char *path, *replaced; /* what the user calls it, and the file that is, or NULL: it is written in place */
    mode_t mode;
    struct cw_encoder *encoder; /* NULL: it is not compressed */
    bool named;                 /* there is a file of that name: */
    char beside[PATH_MAX];
    char found[64]; /* the descriptor's name */
};

/* Makes a new file beside PATH, whose name goes to NAME: another one for what is FOUND under its descriptor, or, if
 * that is NULL, an empty one. The descriptor, 0 for what was found, or -1 with errno. mkstemp would be shorter, but
 * hides the file from everybody else; here the user's umask decides, as for any new file. */
static int create_beside(const char *path, mode_t mode, const char *found, char name[PATH_MAX])
{
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        const int length = snprintf(name, PATH_MAX, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        if (length < 0 || length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int made = found ? linkat(AT_FDCWD, found, AT_FDCWD, name, AT_SYMLINK_FOLLOW)
                               : open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (made >= 0 || errno != EEXIST) return made;
    }
    return -1;
}

/* Whether DRAFT can be read by its descriptor. */
static bool find_draft(struct cw_draft *draft)
{
    snprintf(draft->found, sizeof draft->found, "/proc/self/fd/%d", draft->target.descriptor);
    return draft->target.descriptor >= 0 && access(draft->found, F_OK) == 0;
}

static int open_draft(struct cw_draft *draft)
{
    char folder[PATH_MAX];
    int *descriptor = &draft->target.descriptor;
    *descriptor = draft->replaced
                      ? open(folder_of(draft->replaced, folder), O_TMPFILE | O_RDWR | O_CLOEXEC, draft->mode)
                      : memfd_create("draft", MFD_CLOEXEC);
    if (!find_draft(draft) && draft->replaced) {
        if (*descriptor >= 0) close(*descriptor);
        *descriptor = create_beside(draft->replaced, draft->mode, NULL, draft->beside);
        draft->named = *descriptor >= 0;
    }
    if (*descriptor < 0)
        return cw_fail(CW_EIO, "cannot create a file beside %s: %s", draft->replaced ? draft->replaced : draft->path,
                       strerror(errno));
    const char *kind = cw_compressed_name(draft->path, NULL);
    return kind ? cw_encoder_new(draft->path, kind, write_bytes, &draft->target, &draft->encoder) : 0;
}

/* FOLLOW: a symbolic link stays one. */
static int begin_draft(const char *path, bool follow, struct cw_draft **out)
{
    struct stat status;
    struct cw_draft *draft = cw_new_array(1, sizeof *draft, "a file");
    if (!draft) return CW_ENOMEM;
    draft->target = (struct target){NULL, -1};
    draft->mode = 0666;
    draft->path = cw_copy_text(path, strlen(path));
    int rc = draft->path ? 0 : CW_ENOMEM;
    const bool exists = follow && stat(path, &status) == 0, in_place = muted || (exists && !S_ISREG(status.st_mode));
    if (!rc && !in_place) {
        draft->replaced = exists ? realpath(path, NULL) : cw_copy_text(path, strlen(path));
        if (!draft->replaced) rc = exists ? fail_write(path) : CW_ENOMEM;
        if (exists) draft->mode = status.st_mode & 0777;
    }
    draft->target.path = draft->path;
    if (!rc) rc = open_draft(draft);
    if (rc)
        cw_draft_free(draft);
    else
        *out = draft;
    return rc;
}

int cw_draft_begin(const char *path, struct cw_draft **out)
{
    const int rc = muted ? 0 : cw_inputs_check_write(path);
    return rc ? rc : begin_draft(path, true, out);
}

int cw_draft_append(struct cw_draft *draft, const struct cw_text *text)
{
    const char *data = text->data;
    size_t length = text->length;
    const int rc = cw_text_check(text);
    if (rc) return rc;
    return draft->encoder ? cw_encoder_write(draft->encoder, data, length)
                          : write_bytes(&draft->target, &data, &length);
}

int cw_draft_end(struct cw_draft *draft, const char **name)
{
    const int rc = draft->encoder ? cw_encoder_end(draft->encoder) : 0;
    if (!rc && name) *name = draft->named ? draft->beside : draft->found;
    return rc;
}

static int copy_in_place(const struct cw_draft *draft)
{
    char block[1 << 16];
    struct target target = {draft->path, open(draft->path, O_WRONLY | O_CLOEXEC)};
    off_t at = 0;
    int rc = 0;
    if (target.descriptor < 0) return cw_fail(CW_EIO, "cannot open %s: %s", draft->path, strerror(errno));
    for (ssize_t n = 1; n > 0 && !rc; at += n) {
        const char *bytes = block;
        n = pread(draft->target.descriptor, block, sizeof block, at);
        size_t length = n > 0 ? (size_t)n : 0;
        rc = n < 0 ? fail_write(draft->path) : write_bytes(&target, &bytes, &length);
    }
    if (close(target.descriptor) && !rc) rc = fail_write(draft->path);
    return rc;
}

int cw_draft_commit(struct cw_draft *draft)
{
    if (muted) return 0;
    if (!draft->replaced) return copy_in_place(draft);
    if (fsync(draft->target.descriptor)) return fail_write(draft->path);
    if (!draft->named) draft->named = create_beside(draft->replaced, 0, draft->found, draft->beside) == 0;
    if (!draft->named || rename(draft->beside, draft->replaced)) return fail_write(draft->path);
    draft->named = false;
    const int problem = sync_folder(draft->replaced);
    return !problem ? 0 : cw_fail(CW_EIO, "cannot write %s: %s", draft->path, strerror(problem));
}

void cw_draft_free(struct cw_draft *draft)
{
    if (!draft) return;
    cw_encoder_free(draft->encoder); /* which may write what is left */
    if (draft->target.descriptor >= 0) close(draft->target.descriptor);
    if (draft->named) unlink(draft->beside);
    free(draft->path);
    free(draft->replaced);
    free(draft);
}

/* --- whole texts -------------------------------------------------------------------------------------------------- */

static int write_text(const char *path, bool follow, const struct cw_text *text)
{
    struct cw_draft *draft = NULL;
    int rc = cw_text_check(text);
    if (rc || muted) return rc;
    rc = begin_draft(path, follow, &draft);
    if (!rc) rc = cw_draft_append(draft, text);
    if (!rc) rc = cw_draft_end(draft, NULL);
    if (!rc) rc = cw_draft_commit(draft);
    cw_draft_free(draft);
    return rc;
}

int cw_file_write(const char *path, const struct cw_text *text)
{
    const int rc = muted ? 0 : cw_inputs_check_write(path);
    return rc ? rc : cw_file_update(path, text);
}

int cw_file_update(const char *path, const struct cw_text *text)
{
    return write_text(path, true, text);
}

int cw_file_write_beside(const char *path, const struct cw_text *text)
{
    int rc = cw_text_check(text);
    if (!rc && !muted) rc = cw_inputs_check_write(path);
    return rc ? rc : write_text(path, false, text);
}

int cw_file_begin(const char *path, bool beside, int *descriptor)
{
    const char *kind = cw_compressed_name(path, NULL);
    const int rc = cw_inputs_check_write(path);
    if (rc) return rc;
    if (kind)
        return cw_fail(CW_EUSAGE, "%s grows row by row and so is not compressed by %s; expected another name", path,
                       kind);
    if (beside) unlink(path);
    const int opened = open(path, O_WRONLY | O_CREAT | (beside ? O_EXCL : O_TRUNC) | O_CLOEXEC, 0666);
    if (opened < 0) return cw_fail(CW_EIO, "cannot open %s: %s", path, strerror(errno));
    *descriptor = opened;
    return 0;
}

int cw_file_append(int descriptor, const char *path, const struct cw_text *text)
{
    struct target target = {path, descriptor};
    const char *data = text->data;
    size_t length = text->length;
    const int rc = cw_text_check(text);
    return rc ? rc : write_bytes(&target, &data, &length);
}

bool cw_file_same(const char *a, const char *b)
{
    struct stat first, second;
    const bool exists = stat(a, &first) == 0;
    if (exists != (stat(b, &second) == 0)) return false;
    if (exists && !S_ISREG(first.st_mode)) return false;
    char buffers[2][PATH_MAX];
    if (!exists) { /* neither does: they are the same if they have the same name in the same folder */
        snprintf(buffers[0], PATH_MAX, "%s", a);
        snprintf(buffers[1], PATH_MAX, "%s", b);
        if (strcmp(basename(buffers[0]), basename(buffers[1])) != 0) return false;
        if (stat(folder_of(a, buffers[0]), &first) || stat(folder_of(b, buffers[1]), &second)) return false;
    }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

int cw_file_check_output(const char *path)
{
    struct stat status;
    char buffer[PATH_MAX];
    if (muted) return 0;
    const bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) return cw_fail(CW_EIO, "cannot write %s: it is a folder", path);
    if (exists && access(path, W_OK) != 0) return cw_fail(CW_EIO, "cannot write %s: %s", path, strerror(errno));
    if (exists && !S_ISREG(status.st_mode)) return 0;
    char *target = exists ? realpath(path, NULL) : NULL; /* what is replaced */
    const bool can = access(folder_of(target ? target : path, buffer), W_OK | X_OK) == 0;
    const int problem = can ? 0 : errno;
    free(target);
    return problem ? cw_fail(CW_EIO, "cannot create a file beside %s: %s", path, strerror(problem)) : 0;
}

struct cw_lines cw_lines_of(const char *file, const char *data, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t skip = length >= 3 && memcmp(data, mark, 3) == 0 ? 3 : 0;
    if (length == 0) return (struct cw_lines){.file = file, .next = data, .end = data};
    return (struct cw_lines){.file = file, .next = data + skip, .end = data + length};
}

bool cw_lines_next(struct cw_lines *lines)
{
    if (lines->next == lines->end) return false;
    const char *end = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));
    lines->line = lines->next;
    lines->length = (size_t)((end ? end : lines->end) - lines->next);
    lines->next = end ? end + 1 : lines->end;
    lines->number++;
    while (end && lines->length > 0 && lines->line[lines->length - 1] == '\r') lines->length--;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

char *cw_line_content(const struct cw_lines *lines)
{
    const char *begin = lines->line, *end = lines->line + lines->length;
    for (const char *p = begin; p < end; p++)
        if (*p == '#' && (p == begin || is_blank(p[-1]))) end = p;
    while (begin < end && is_blank(*begin)) begin++;
    while (begin < end && is_blank(end[-1])) end--;
    return cw_copy_text(begin, (size_t)(end - begin));
}
