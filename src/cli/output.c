#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

static unsigned terminal_width(void)
{
    struct winsize size;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* --- before ------------------------------------------------------------------------------------------------------- */

/* The place of streamed CSV; an old file goes when the first row of the new one is there. */
static int open_stream(struct output *output)
{
    const char *path = output->invocation->common.output;
    if (output->descriptor >= 0) return 0;
    output->descriptor = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : STDOUT_FILENO;
    return output->descriptor >= 0 ? 0 : cw_fail(CW_EIO, "cannot open %s: %s", path, strerror(errno));
}

static int write_rows(void *context, const struct cw_text *text)
{
    struct output *output = context;
    const char *path = output->invocation->common.output;
    const int rc = open_stream(output);
    if (rc) return rc;
    for (size_t done = 0; done < text->length;) {
        const ssize_t n = write(output->descriptor, text->data + done, text->length - done);
        if (n < 0 && errno != EINTR)
            return path ? cw_fail(CW_EIO, "cannot write %s: %s", path, strerror(errno))
                        : cw_fail(CW_EIO, "standard output cannot be written");
        if (n > 0) done += (size_t)n;
    }
    return 0;
}

void output_begin(struct output *output, struct invocation *invocation)
{
    *output = (struct output){.invocation = invocation, .descriptor = -1};
    if (!program_speaks(invocation->ranks)) return;
    if (invocation->common.format == CW_FORMAT_CSV) cw_result_stream(invocation->result, write_rows, output);
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

static int write_at_once(const struct invocation *invocation)
{
    const char *path = invocation->common.output;
    struct cw_text text = {0};
    int rc = cw_result_write(invocation->result, (enum cw_format)invocation->common.format, path ? 0 : terminal_width(),
                             &text);
    if (!rc && path)
        rc = cw_file_write(path, &text);
    else if (!rc)
        fwrite(text.data, 1, text.length, stdout);
    cw_text_free(&text);
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

int output_end(struct output *output, int rc)
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
    const int written = invocation->common.format == CW_FORMAT_CSV ? end_csv(output) : write_at_once(invocation);
    if (message) cw_fail(rc, "%s%s%s", message, written ? "; and " : "", written ? cw_error_message() : "");
    free(message);
    return rc ? rc : written;
}
