#include "cli/output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

static unsigned terminal_width(void)
{
    struct winsize size;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* --- before ------------------------------------------------------------------------------------------------------- */

/* The regular file that standard output goes to, or NULL. */
static const char *redirection(char buffer[PATH_MAX])
{
    struct stat by_name, open_file;
    const ssize_t length = readlink("/proc/self/fd/1", buffer, PATH_MAX - 1);
    if (length < 0) return NULL;
    buffer[length] = '\0';
    if (stat(buffer, &by_name) != 0 || fstat(STDOUT_FILENO, &open_file) != 0) return NULL;
    return S_ISREG(by_name.st_mode) && by_name.st_dev == open_file.st_dev && by_name.st_ino == open_file.st_ino ? buffer
                                                                                                                : NULL;
}

static int write_rows(void *context, const struct cw_text *text)
{
    struct output *output = context;
    const bool beside = output->rows.length > 0;
    const char *path = beside ? output->rows.data : output->invocation->common.output;
    if (output->descriptor < 0) {
        output->descriptor = STDOUT_FILENO;
        const int rc = path ? cw_file_begin(path, beside, &output->descriptor) : 0;
        if (rc) output->descriptor = -1;
        if (rc) return rc;
    }
    return cw_file_append(output->descriptor, path, text);
}

void output_begin(struct output *output, struct invocation *invocation)
{
    char buffer[PATH_MAX];
    *output = (struct output){.invocation = invocation, .descriptor = -1};
    if (!program_speaks(invocation->ranks)) return;
    if (invocation->common.format != CW_FORMAT_CSV) {
        const char *path = invocation->common.output ? invocation->common.output : redirection(buffer);
        if (!path) return;
        cw_text_printf(&output->rows, "%s.unfinished.csv", path);
        if (cw_text_check(&output->rows)) return;
    }
    cw_result_stream(invocation->result, write_rows, output);
}

/* --- after -------------------------------------------------------------------------------------------------------- */

static int end_csv(struct output *output)
{
    const char *path = output->invocation->common.output;
    int rc = cw_result_end_stream(output->invocation->result);
    if (path && output->descriptor >= 0 && close(output->descriptor) != 0 && !rc)
        rc = cw_fail(CW_EIO, "cannot write %s: %s", path, strerror(errno));
    return !rc && path ? cw_result_save_metadata(output->invocation->result, path) : rc;
}

static int write_at_once(const struct output *output)
{
    const struct invocation *invocation = output->invocation;
    const char *path = invocation->common.output;
    struct cw_text text = {0};
    int rc = cw_result_write(invocation->result, (enum cw_format)invocation->common.format, path ? 0 : terminal_width(),
                             &text);
    if (!rc && path)
        rc = cw_file_write(path, &text);
    else if (!rc && fflush(stdout) == 0)
        rc = cw_file_append(STDOUT_FILENO, NULL, &text);
    cw_text_free(&text);
    if (output->descriptor < 0) return rc;
    close(output->descriptor);
    if (!rc) unlink(output->rows.data);
    if (!rc) return 0;
    char *message = cw_copy_text(cw_error_message(), strlen(cw_error_message()));
    if (message) cw_fail(rc, "%s; the rows are in %s", message, output->rows.data);
    free(message);
    return rc;
}

/* What readers remarked about files may be why the command fails. */
static void print_remarks(struct cw_result *result)
{
    const struct cw_text *remarks = &cw_result_inputs(result)->remarks;
    struct cw_lines lines = cw_lines_of("", remarks->data, remarks->length);
    while (cw_lines_next(&lines)) {
        struct cw_text text = {0};
        cw_text_add_visible(&text, lines.line, lines.length);
        if (cw_text_check(&text) == 0) fprintf(stderr, "%s: note: %s\n", program_name, text.data);
        cw_text_free(&text);
    }
}

static int end(struct output *output, int rc)
{
    struct invocation *invocation = output->invocation;
    struct cw_result *result = invocation->result;
    char *message = NULL;
    if (!rc) rc = cw_result_check(result);
    if (!program_speaks(invocation->ranks)) return rc;
    if (rc && cw_result_rows(result) == 0) {
        print_remarks(result);
        return rc;
    }
    if (rc) {
        const char *missing = cw_result_end_early(result, cw_error_message());
        message = cw_copy_text(missing, strlen(missing));
        invocation->failed = true;
    } else if (cw_result_tables(result) == 0) {
        return 0;
    }
    const int written = invocation->common.format == CW_FORMAT_CSV ? end_csv(output) : write_at_once(output);
    if (message) cw_fail(rc, "%s%s%s", message, written ? "; and " : "", written ? cw_error_message() : "");
    free(message);
    return rc ? rc : written;
}

int output_end(struct output *output, int rc)
{
    const int result = end(output, rc);
    cw_text_free(&output->rows);
    return result;
}
