#include "study/testbed/testbed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "study/testbed/testbed_script.h"

#define ALL_TESTBEDS "/run/crosswind-testbed"

/* Ends the processes in the namespaces of process $1 and removes them; then the folder, by which they are found. */
static const char take_down[] = "set -e\n"
                                "PATH=$PATH:/usr/sbin:/sbin\n"
                                "for n in /run/netns/crosswind-$1-*; do\n"
                                "    [ -e \"$n\" ] || continue\n"
                                "    n=${n##*/}\n"
                                "    for p in $(ip netns pids \"$n\" || :); do kill -9 \"$p\" 2>/dev/null || :; done\n"
                                "    ip netns del \"$n\"\n"
                                "done\n"
                                "rm -rf " ALL_TESTBEDS "/\"$1\"\n";

struct running {
    int lock; /* the folder, open and locked */
    char id[16], folder[64], prefix[32];
    sigset_t caught, before; /* signals that are waited for, and what was blocked before them */
    pid_t children[CW_TESTBED_HOSTS];
    int statuses[CW_TESTBED_HOSTS]; /* as of waitpid */
    uint32_t n, left;
};

/* --- processes ---------------------------------------------------------------------------------------------------- */

/* Starts ARGV[0] with the signals MASK blocked. */
static int start(char *const *argv, const sigset_t *mask, pid_t *child)
{
    posix_spawnattr_t attributes;
    int rc = posix_spawnattr_init(&attributes);
    if (rc) return cw_fail(CW_EIO, "cannot start %s: %s", argv[0], strerror(rc));
    rc = posix_spawnattr_setsigmask(&attributes, mask);
    if (!rc) rc = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    if (!rc) rc = posix_spawnp(child, argv[0], NULL, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    return rc ? cw_fail(CW_EIO, "cannot start %s: %s", argv[0], strerror(rc)) : 0;
}

/* Runs a script to its end. Signals stay blocked in it: a testbed half taken down is what must not be. It keeps LOCK
 * open, so that what it does is nobody's leftover while it does it, even if this process is killed. */
static int run_script(char *const *argv, int lock, const char *what)
{
    pid_t child;
    int status;
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);
    if (!rc) {
        rc = posix_spawn_file_actions_adddup2(&actions, lock, lock);
        if (!rc) rc = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (rc) return cw_fail(CW_EIO, "cannot start %s: %s", argv[0], strerror(rc));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return cw_fail(CW_EIO, "cannot wait for %s: %s", argv[0], strerror(errno));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : cw_fail(CW_EIO, "the testbed cannot be %s", what);
}

static int remove_testbed(char *id, int lock)
{
    char shell[] = "sh", option[] = "-c", script[sizeof take_down];
    memcpy(script, take_down, sizeof take_down);
    char *argv[] = {shell, option, script, shell, id, NULL};
    return run_script(argv, lock, "taken down");
}

/* --- the place ---------------------------------------------------------------------------------------------------- */

/* A folder's lock, or negative where another process has it. */
static int lock_folder(const char *path, int how)
{
    const int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0 || flock(descriptor, how) == 0) return descriptor;
    close(descriptor);
    return -1;
}

/* Takes down the testbeds whose processes are no more. */
static int remove_leftovers(void)
{
    DIR *folder = opendir(ALL_TESTBEDS);
    if (!folder) return cw_fail(CW_EIO, "cannot read " ALL_TESTBEDS ": %s", strerror(errno));
    int rc = 0;
    for (struct dirent *entry; !rc && (entry = readdir(folder));) {
        char path[sizeof ALL_TESTBEDS + sizeof entry->d_name];
        if (!entry->d_name[0] || strspn(entry->d_name, "0123456789") != strlen(entry->d_name)) continue;
        snprintf(path, sizeof path, ALL_TESTBEDS "/%s", entry->d_name);
        const int lock = lock_folder(path, LOCK_EX | LOCK_NB);
        if (lock < 0) continue;
        rc = remove_testbed(entry->d_name, lock);
        close(lock);
    }
    closedir(folder);
    return rc;
}

/* Makes and locks the folder of this process. The lock of the folder of all keeps others from taking it for a leftover
 * in between. */
static int make_place(struct running *running)
{
    if (mkdir(ALL_TESTBEDS, 0755) != 0 && errno != EEXIST)
        return cw_fail(CW_EIO, "cannot make " ALL_TESTBEDS ": %s", strerror(errno));
    const int all = lock_folder(ALL_TESTBEDS, LOCK_EX);
    if (all < 0) return cw_fail(CW_EIO, "cannot lock " ALL_TESTBEDS ": %s", strerror(errno));
    int rc = remove_leftovers();
    if (!rc && mkdir(running->folder, 0755) != 0)
        rc = cw_fail(CW_EIO, "cannot make %s: %s", running->folder, strerror(errno));
    if (!rc && (running->lock = lock_folder(running->folder, LOCK_EX | LOCK_NB)) < 0)
        rc = cw_fail(CW_EIO, "cannot lock %s: %s", running->folder, strerror(errno));
    close(all);
    return rc;
}

/* Writes TEXT, which it frees. */
static int write_file(const struct running *running, const char *name, struct cw_text *text)
{
    char path[sizeof running->folder + 16];
    snprintf(path, sizeof path, "%s/%s", running->folder, name);
    int rc = cw_text_check(text);
    if (!rc) rc = cw_file_write(path, text);
    if (!rc && chmod(path, 0755) != 0) rc = cw_fail(CW_EIO, "cannot write %s: %s", path, strerror(errno));
    cw_text_free(text);
    return rc;
}

/* The library of src/preload is known to the testbed by a link: LD_PRELOAD has no way to name a path with a space, and
 * no shell shall see where the user keeps it. */
static int link_library(const struct running *running, bool *linked)
{
    static const char *const libraries[] = {"libcrosswind-ranks.so", "../libexec/crosswind/libcrosswind-ranks.so",
                                            NULL};
    char path[sizeof running->folder + 32], *library = cw_find_beside_program(libraries);
    snprintf(path, sizeof path, "%s/libcrosswind-ranks.so", running->folder);
    const int rc =
        library && symlink(library, path) != 0 ? cw_fail(CW_EIO, "cannot make %s: %s", path, strerror(errno)) : 0;
    *linked = library;
    free(library);
    return rc;
}

static int make(const struct cw_testbed *testbed, uint64_t queue, uint32_t ranks, struct running *running)
{
    struct cw_testbed_place place = {running->prefix, running->folder, queue, ranks, false};
    const int rc = link_library(running, &place.preload);
    if (rc) return rc;
    struct cw_text script = {0}, hosts = {0}, slots = {0}, hydra = {0}, enter = {0}, agent = {0};
    cw_testbed_make_script(testbed, &place, testbed->net->title, &script);
    cw_testbed_hosts(testbed, &hosts);
    cw_testbed_slots(testbed, &place, " slots=", &slots);
    cw_testbed_slots(testbed, &place, ":", &hydra);
    cw_testbed_enter_script(testbed, &place, &enter);
    cw_testbed_agent_script(&place, &agent);
    const int written[] = {write_file(running, "make", &script), write_file(running, "hosts", &hosts),
                           write_file(running, "slots", &slots), write_file(running, "hydra", &hydra),
                           write_file(running, "enter", &enter), write_file(running, "agent", &agent)};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (written[i]) return written[i];
    char path[sizeof running->folder + 8], shell[] = "sh";
    snprintf(path, sizeof path, "%s/make", running->folder);
    char *argv[] = {shell, path, NULL};
    return run_script(argv, running->lock, "made");
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static int start_on(const struct cw_testbed *testbed, uint32_t host, char *const *command, struct running *running)
{
    size_t n = 0;
    while (command[n]) n++;
    char path[sizeof running->folder + 8];
    snprintf(path, sizeof path, "%s/enter", running->folder);
    char **argv = cw_new_array(n + 3, sizeof *argv, "a command");
    if (!argv) return CW_ENOMEM;
    argv[0] = path;
    argv[1] = testbed->nodes[host].name;
    for (size_t i = 0; i < n; i++) argv[i + 2] = command[i];
    const int rc = start(argv, &running->before, &running->children[host]);
    free(argv);
    if (!rc) running->left = ++running->n;
    return rc;
}

static void collect(struct running *running)
{
    for (uint32_t i = 0; i < running->n; i++)
        if (running->children[i] > 0 && waitpid(running->children[i], &running->statuses[i], WNOHANG) > 0) {
            running->children[i] = 0;
            running->left--;
        }
}

/* Until all commands have ended. What a terminal sends they have had themselves. */
static void wait_for_all(struct running *running)
{
    bool asked = false;
    for (collect(running); running->left > 0; collect(running)) {
        siginfo_t info;
        const int number = sigwaitinfo(&running->caught, &info);
        if (number < 0 || number == SIGCHLD || info.si_code == SI_KERNEL) continue;
        for (uint32_t i = 0; i < running->n; i++)
            if (running->children[i] > 0) kill(running->children[i], asked ? SIGKILL : number);
        asked = true;
    }
}

static int exit_status(const struct running *running)
{
    for (uint32_t i = 0; i < running->n; i++) {
        const int status = running->statuses[i];
        const int is = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (is) return is;
    }
    return 0;
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

/* Signals are waited for, not handled, so that none comes between. One that is ignored stays so. */
static void block_signals(struct running *running)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(&running->caught);
    sigaddset(&running->caught, SIGCHLD);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&running->caught, numbers[i]);
    }
    sigprocmask(SIG_BLOCK, &running->caught, &running->before);
}

/* Takes the signals that wait; true if one asks the program to stop. */
static bool take_signals(const struct running *running)
{
    static const struct timespec at_once = {0};
    bool stop = false;
    for (int number; (number = sigtimedwait(&running->caught, NULL, &at_once)) > 0;) stop |= number != SIGCHLD;
    return stop;
}

int cw_testbed_run(const struct cw_testbed *testbed, uint64_t queue, uint32_t ranks, char *const *command,
                   bool everywhere, int *status)
{
    struct running running = {.lock = -1};
    if (geteuid() != 0) return cw_fail(CW_EUSAGE, "only root can make a testbed; --print shows the script that would");
    snprintf(running.id, sizeof running.id, "%ld", (long)getpid());
    snprintf(running.folder, sizeof running.folder, ALL_TESTBEDS "/%s", running.id);
    snprintf(running.prefix, sizeof running.prefix, "crosswind-%s-", running.id);
    block_signals(&running);
    int rc = make_place(&running);
    if (!rc) rc = make(testbed, queue, ranks, &running);
    if (!rc && take_signals(&running)) rc = cw_fail(CW_EINTERRUPTED, "interrupted");
    const uint32_t n = everywhere ? testbed->n_hosts : 1;
    for (uint32_t i = 0; !rc && i < n; i++) rc = start_on(testbed, i, command, &running);
    if (!rc) wait_for_all(&running);
    if (running.lock >= 0) {
        const int removed = remove_testbed(running.id, running.lock);
        if (!rc) rc = removed;
        close(running.lock);
    }
    take_signals(&running);
    sigprocmask(SIG_SETMASK, &running.before, NULL);
    if (!rc) *status = exit_status(&running);
    return rc;
}
