#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
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

/* 0 or an errno. */
static int write_all(int descriptor, const struct cw_text *text)
{
    for (size_t done = 0; done < text->length;) {
        const ssize_t n = write(descriptor, text->data + done, text->length - done);
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) done += (size_t)n;
    }
    return 0;
}

/* A pipe or a device cannot be replaced by a rename: it is written in place. */
static int write_in_place(const char *path, const struct cw_text *text)
{
    const int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return cw_fail(CW_EIO, "cannot open %s: %s", path, strerror(errno));
    int problem = write_all(descriptor, text);
    if (close(descriptor) && !problem) problem = errno;
    return problem ? cw_fail(CW_EIO, "cannot write %s: %s", path, strerror(problem)) : 0;
}

/* Creates a new file beside PATH, whose name goes to NAME. The descriptor, or -1 with errno. mkstemp would be
 * shorter, but hides the file from everybody else; here the user's umask decides, as for any new file. */
static int create_beside(const char *path, mode_t mode, char name[PATH_MAX])
{
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        const int length = snprintf(name, PATH_MAX, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        if (length < 0 || length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

static int replace_file(const char *path, mode_t mode, const struct cw_text *text)
{
    char name[PATH_MAX];
    const int descriptor = create_beside(path, mode, name);
    if (descriptor < 0) return cw_fail(CW_EIO, "cannot create a file beside %s: %s", path, strerror(errno));
    int problem = write_all(descriptor, text);
    if (!problem && fsync(descriptor)) problem = errno;
    if (close(descriptor) && !problem) problem = errno;
    if (!problem && rename(name, path)) problem = errno;
    if (!problem) return 0;
    unlink(name);
    return cw_fail(CW_EIO, "cannot write %s: %s", path, strerror(problem));
}

static bool muted;

void cw_files_mute(void)
{
    muted = true;
}

bool cw_files_muted(void)
{
    return muted;
}

int cw_file_write(const char *path, const struct cw_text *text)
{
    const int rc = cw_text_check(text);
    if (rc || muted) return rc;
    struct stat status;
    if (stat(path, &status)) return replace_file(path, 0666, text);
    if (!S_ISREG(status.st_mode)) return write_in_place(path, text);
    char *target = realpath(path, NULL); /* a symbolic link stays one */
    if (!target) return cw_fail(CW_EIO, "cannot write %s: %s", path, strerror(errno));
    const int result = replace_file(target, status.st_mode & 0777, text);
    free(target);
    return result;
}

int cw_file_check_output(const char *path)
{
    if (muted) return 0;
    if (access(path, F_OK) == 0)
        return access(path, W_OK) == 0 ? 0 : cw_fail(CW_EIO, "cannot write %s: %s", path, strerror(errno));
    char *copy = cw_copy_text(path, strlen(path));
    if (!copy) return CW_ENOMEM;
    const int problem = access(dirname(copy), W_OK | X_OK) == 0 ? 0 : errno;
    free(copy);
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
