#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "report/plot.h"
#include "report/plot_draw.h"

/* The bytes of the UTF-8 character at BYTES (not 0) and its code point, or 0 if there is none. */
static size_t decode(const unsigned char *bytes, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char lead = bytes[0];
    const size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (length == 0) return 0;
    uint32_t value = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (bytes[i] >> 6 != 2) return 0; /* the 0 at the end, too */
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 0;
    *code = value;
    return length;
}

static void add_escaped(struct cw_text *script, const char *string)
{
    const unsigned char *at = (const unsigned char *)string;
    while (*at) {
        uint32_t code = 0;
        const size_t length = decode(at, &code);
        if (length == 0 || code == 0xfffe || code == 0xffff)
            cw_text_add(script, "?");
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
            cw_text_add(script, " ");
        else if (code == '\'')
            cw_text_add(script, "''");
        else
            cw_text_append(script, (const char *)at, length);
        at += length > 0 ? length : 1;
    }
}

void cw_plot_quote(struct cw_text *script, const char *label, const char *unit)
{
    cw_text_add(script, "'");
    add_escaped(script, label);
    if (unit) {
        cw_text_add(script, *label ? " [" : "[");
        add_escaped(script, unit);
        cw_text_add(script, "]");
    }
    cw_text_add(script, "'");
}

#define LETTER 0.6 /* width of a letter on average, in points of its font */

void cw_plot_title(struct cw_text *script, const char *title, double font, size_t width)
{
    const double letters = (double)strlen(title), most = (double)width / (LETTER * letters);
    cw_text_add(script, "title ");
    cw_plot_quote(script, title, NULL);
    cw_text_printf(script, " font ',%.3g'\n", letters > 0 && most < font ? most : font);
}

#define TERMINAL "set terminal "

void cw_plot_begin(struct cw_text *script, size_t width, size_t height, unsigned font)
{
    cw_text_printf(script,
                   "# Draws the figure: gnuplot THIS_FILE > FIGURE.svg\n"
                   "set encoding utf8\n" TERMINAL
                   "svg noenhanced size %zu,%zu font 'sans-serif,%u' background rgb 'white'\n",
                   width, height, font);
}

extern char **environ;

/* Reads STREAM from its beginning. */
static int read_stream(FILE *stream, const char *name, struct cw_text *text)
{
    char block[1 << 14];
    rewind(stream);
    cw_text_append(text, "", 0);
    for (size_t n; (n = fread(block, 1, sizeof block, stream)) > 0;) cw_text_append(text, block, n);
    return ferror(stream) ? cw_fail(CW_EIO, "cannot read %s: %s", name, strerror(errno)) : cw_text_check(text);
}

/* --- the script --------------------------------------------------------------------------------------------------- */

/* The line in front of a script, by which it is known whether anybody has changed what follows. */
static void add_seal(struct cw_text *text, const char *script, size_t length)
{
    char sha256[CW_SHA256_SIZE];
    cw_sha256(script, length, sha256);
    cw_text_printf(text, "# Made by crosswind, and replaced with its figure unless it was edited (SHA-256 %s).\n",
                   sha256);
}

/* *EDITED: there is a file PATH, and it is not as it was written here. */
static int check_edited(const char *path, bool *edited)
{
    struct cw_text text = {0}, seal = {0};
    FILE *stream = fopen(path, "re");
    *edited = false;
    if (!stream && errno == ENOENT) return 0;
    if (!stream) return cw_fail(CW_EIO, "cannot open %s: %s", path, strerror(errno));
    int rc = read_stream(stream, path, &text);
    fclose(stream);
    const char *end = rc ? NULL : memchr(text.data, '\n', text.length);
    if (end) {
        add_seal(&seal, end + 1, text.length - (size_t)(end + 1 - text.data));
        rc = cw_text_check(&seal);
    }
    *edited = !rc && !(end && seal.length <= text.length && memcmp(seal.data, text.data, seal.length) == 0);
    cw_text_free(&text);
    cw_text_free(&seal);
    return rc;
}

/* The name of the script of PICTURE: NAME.gp, or after scripts that were edited NAME.new.gp, NAME.new2.gp, … */
static int name_script(const char *picture, struct cw_text *name, bool *edited)
{
    const int length = (int)strlen(picture) - 4;
    int rc = 0;
    bool taken = true;
    for (int i = 0; taken && !rc; i++) {
        name->length = 0;
        cw_text_printf(name, "%.*s%s", length, picture, i > 0 ? ".new" : "");
        if (i > 1) cw_text_printf(name, "%d", i);
        cw_text_add(name, ".gp");
        rc = cw_text_check(name);
        if (!rc) rc = check_edited(name->data, &taken);
        *edited = i > 0;
    }
    return rc;
}

/* Writes the script and sets NAME to its file's. */
static int write_script(const char *picture, const struct cw_text *script, struct cw_text *name)
{
    struct cw_text sealed = {0};
    bool edited;
    int rc = name_script(picture, name, &edited);
    if (rc) return rc;
    add_seal(&sealed, script->data, script->length);
    cw_text_append(&sealed, script->data, script->length);
    rc = cw_text_check(&sealed);
    if (!rc) rc = cw_file_write(name->data, &sealed);
    cw_text_free(&sealed);
    if (!rc && edited)
        cw_inputs_remark(picture, 0, "the script beside it was edited, and is kept; this is drawn by %s", name->data);
    return rc;
}

/* --- forms of pictures ---------------------------------------------------------------------------------------------
 */

/* What gnuplot draws, by the ending of the file's name. */
static const struct form {
    const char *ending, *terminal;
    const char *last; /* of a whole picture */
    double scale;     /* its unit in pixels; 1: it counts pixels */
} forms[] = {{".svg", "svg", "</svg>\n", 1},
             {".png", "pngcairo", "IEND\xae\x42\x60\x82", 1},
             {".pdf", "pdfcairo", "%%EOF\n", 72}};

static const struct form *form_of(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (length > 4 && strcmp(path + length - 4, forms[i].ending) == 0) return &forms[i];
    return NULL;
}

/* Sets OUT to SCRIPT, which draws SVG, in FORM. */
static int convert(const struct cw_text *script, const struct form *form, struct cw_text *out)
{
    static const char usage[] = "FIGURE.svg";
    const char *comment = strstr(script->data, usage), *terminal = strstr(script->data, TERMINAL "svg ");
    double width, height;
    int length = 0;
    if (!comment || !terminal || comment > terminal ||
        sscanf(terminal, TERMINAL "svg noenhanced size %lf,%lf%n", &width, &height, &length) != 2)
        return cw_fail(CW_EINTERNAL, "a script for gnuplot that does not begin as scripts do");
    const char *rest = terminal + length;
    cw_text_append(out, script->data, (size_t)(comment - script->data));
    cw_text_printf(out, "FIGURE%s", form->ending);
    comment += sizeof usage - 1;
    cw_text_append(out, comment, (size_t)(terminal - comment));
    cw_text_printf(out, TERMINAL "%s noenhanced ", form->terminal);
    if (form->scale > 1)
        cw_text_printf(out, "size %.4gin,%.4gin fontscale 1", width / form->scale, height / form->scale);
    else
        cw_text_printf(out, "size %.0f,%.0f", width, height);
    cw_text_append(out, rest, script->length - (size_t)(rest - script->data));
    return cw_text_check(out);
}

/* --- gnuplot ------------------------------------------------------------------------------------------------------ */

/* Starts gnuplot on the SCRIPT with what it prints in PICTURE and its complaints in COMPLAINTS. 0 or an errno. */
static int start(const char *script, int picture, int complaints, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc) return rc;
    char name[] = "gnuplot";
    char defaults[] = "-d"; /* not the settings in the user's own .gnuplot */
    char *file = strdup(script);
    char *argv[] = {name, defaults, file, NULL};
    rc = file ? posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) : ENOMEM;
    if (!rc) rc = posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
    if (!rc) rc = posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
    if (!rc) rc = posix_spawnp(child, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(file);
    return rc;
}

/* gnuplot's first line that says something; it draws a caret under the place before. */
static int fail_with(FILE *complaints, const char *script)
{
    char line[256], *found = NULL;
    rewind(complaints);
    while (!found && fgets(line, sizeof line, complaints))
        if (strstr(line, "line ")) found = line;
    if (found) found[strcspn(found, "\n")] = 0;
    return cw_fail(CW_EIO, "gnuplot could not draw %s: %s", script, found ? found : "it did not say why");
}

static int run_gnuplot(const char *script, const char *picture, FILE *out, FILE *complaints)
{
    pid_t child;
    int status = 0;
    const int rc = start(script, fileno(out), fileno(complaints), &child);
    if (rc == ENOENT)
        return cw_fail(CW_EIO, "gnuplot is not installed, so there is no %s; the script is in %s", picture, script);
    if (rc) return cw_fail(CW_EIO, "gnuplot could not be started for %s: %s", picture, strerror(rc));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return cw_fail(CW_EIO, "gnuplot was lost: %s", strerror(errno));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : fail_with(complaints, script);
}

/* gnuplot does not look whether what it writes arrives. Of the line ends at the end of a picture, of which some may be
 * lost, one is kept. */
static bool is_whole(struct cw_text *picture, const char *last)
{
    const size_t length = strlen(last);
    while (picture->length > 1 && strchr("\r\n", picture->data[picture->length - 1]) &&
           strchr("\r\n", picture->data[picture->length - 2]))
        picture->length--;
    return picture->length >= length && memcmp(picture->data + picture->length - length, last, length) == 0;
}

/* gnuplot draws into a file without a name, so that the picture is written whole and as all files are. */
static int draw(const char *script, const char *picture)
{
    struct cw_text drawn = {0};
    FILE *out = tmpfile(), *complaints = tmpfile();
    int rc = out && complaints ? 0 : cw_fail(CW_EIO, "no temporary file for gnuplot: %s", strerror(errno));
    if (!rc) rc = run_gnuplot(script, picture, out, complaints);
    if (!rc) rc = read_stream(out, "what gnuplot drew", &drawn);
    if (!rc && !is_whole(&drawn, form_of(picture)->last))
        rc = cw_fail(CW_EIO, "gnuplot drew half of %s: is there no room for temporary files?", picture);
    if (!rc) rc = cw_file_write(picture, &drawn);
    if (out) fclose(out);
    if (complaints) fclose(complaints);
    cw_text_free(&drawn);
    return rc;
}

int cw_plot_check(void)
{
    char name[] = "gnuplot", version[] = "--version";
    char *argv[] = {name, version, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    if (cw_files_muted()) return 0;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc) return cw_fail(CW_EIO, "gnuplot could not be started: %s", strerror(rc));
    rc = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!rc) rc = posix_spawnp(&child, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (rc == ENOENT) return cw_fail(CW_EIO, "gnuplot is not installed; figures are drawn by it");
    if (rc) return cw_fail(CW_EIO, "gnuplot could not be started: %s", strerror(rc));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return cw_fail(CW_EIO, "gnuplot was lost: %s", strerror(errno));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : cw_fail(CW_EIO, "gnuplot --version fails");
}

int cw_plot_check_name(const char *path)
{
    return form_of(path)
               ? 0
               : cw_fail(CW_EUSAGE, "%s: a figure's file must be called NAME.svg, NAME.png or NAME.pdf", path);
}

int cw_plot_draw(const struct cw_text *script, const char *path)
{
    struct cw_text name = {0}, converted = {0};
    int rc = cw_plot_check_name(path);
    if (!rc) rc = cw_text_check(script);
    if (rc || cw_files_muted()) return rc;
    rc = convert(script, form_of(path), &converted);
    if (!rc) rc = write_script(path, &converted, &name);
    if (!rc) rc = draw(name.data, path);
    cw_text_free(&converted);
    cw_text_free(&name);
    return rc;
}
