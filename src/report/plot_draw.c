#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "report/plot.h"
#include "report/plot_draw.h"

extern char **environ;

/* The names of the files that belong to a picture. */
struct files {
    const char *picture;
    struct cw_text script, partial; /* partial: what gnuplot writes, until it is whole */
};

static int name_files(const char *path, struct files *out)
{
    const size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 4, ".svg") != 0)
        return cw_fail(CW_EUSAGE, "%s: a figure's file must be called NAME.svg", path);
    *out = (struct files){.picture = path};
    cw_text_append(&out->script, path, length - 4);
    cw_text_add(&out->script, ".gp");
    cw_text_printf(&out->partial, "%s.part", path);
    const int rc = cw_text_check(&out->script);
    return rc ? rc : cw_text_check(&out->partial);
}

static void free_files(struct files *files)
{
    cw_text_free(&files->script);
    cw_text_free(&files->partial);
}

/* Starts gnuplot on the script with its output in the partial file and its complaints in COMPLAINTS. 0 or an errno. */
static int start(const struct files *files, int complaints, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc) return rc;
    char name[] = "gnuplot";
    char defaults[] = "-d"; /* not the settings in the user's own .gnuplot */
    char *argv[] = {name, defaults, files->script.data, NULL};
    rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!rc)
        rc = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, files->partial.data,
                                              O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (!rc) rc = posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
    if (!rc) rc = posix_spawnp(child, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
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

static int run_gnuplot(const struct files *files, FILE *complaints)
{
    pid_t child;
    int status = 0;
    const int rc = start(files, fileno(complaints), &child);
    if (rc == ENOENT)
        return cw_fail(CW_EIO, "gnuplot is not installed, so there is no %s; the script is in %s", files->picture,
                       files->script.data);
    if (rc) return cw_fail(CW_EIO, "gnuplot could not be started for %s: %s", files->picture, strerror(rc));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return cw_fail(CW_EIO, "gnuplot was lost: %s", strerror(errno));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : fail_with(complaints, files->script.data);
}

static int draw(const struct files *files)
{
    FILE *complaints = tmpfile();
    if (!complaints) return cw_fail(CW_EIO, "no temporary file for gnuplot's messages: %s", strerror(errno));
    int rc = run_gnuplot(files, complaints);
    fclose(complaints);
    if (!rc && rename(files->partial.data, files->picture) != 0)
        rc = cw_fail(CW_EIO, "%s: %s", files->picture, strerror(errno));
    if (rc) unlink(files->partial.data);
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

int cw_plot_draw(const struct cw_text *script, const char *path)
{
    struct files files = {0};
    int rc = name_files(path, &files);
    if (!rc) rc = cw_file_write(files.script.data, script);
    if (!rc && !cw_files_muted()) rc = draw(&files);
    free_files(&files);
    return rc;
}
