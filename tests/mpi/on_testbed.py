"""Ranks on the hosts of a testbed: started, bounded in time, and looked for afterwards. Scripts here get the MPI and the
folder of its small programs."""
import contextlib
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import uuid

PROGRAM = os.environ["CROSSWIND"]
PROGRAM_MPI = os.environ["CROSSWIND_MPI"]
MPI = sys.argv[1]
FOLDER = pathlib.Path(sys.argv[2])
LAUNCHER = f"mpirun.{MPI}"
MARK = "CROSSWIND_TEST_MARK"


class Failed(Exception):
    pass


class Disturbed(Failed):
    """A figure is not what it should be, which may be the doing of whatever else runs on this machine."""


def expect(holds, what):
    if not holds:
        raise Failed(what)


def expect_figure(holds, what):
    """For what is measured; within attempts."""
    if not holds:
        raise Disturbed(what)


def attempts(n, check, *arguments):
    """N times at most until a check is not disturbed. Anything else that is wrong in any of them is a failure."""
    for attempt in range(1, n + 1):
        try:
            return check(*arguments)
        except Disturbed as disturbed:
            if attempt == n:
                raise
            again(attempt, n, str(disturbed))


def again(attempt, n, why):
    """Says that attempt number ATTEMPT of N was not the last one. tools/test counts these lines."""
    print(f"AGAIN: attempt {attempt + 1} of {n}:", why.partition("\n")[0], flush=True)


def joint(chances):
    """Fisher's method: how likely runs of these p together are where nothing is to be found."""
    half = -sum(math.log(max(p, 1e-12)) for p in chances)
    return math.exp(-half) * sum(half**i / math.factorial(i) for i in range(len(chances)))


def skip(why):
    print("SKIPPED:", why)
    sys.exit(77)


def check_possible():
    if os.geteuid() != 0:
        skip("testbeds need root")
    for tool in ("ip", "tc", LAUNCHER):
        if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            skip(f"{tool} is not installed")
    probe = subprocess.run(["ip", "netns", "add", f"crosswind-probe-{os.getpid()}"], capture_output=True, text=True)
    if probe.returncode:
        skip("network namespaces cannot be made here: " + probe.stderr.strip())
    subprocess.run(["ip", "netns", "del", f"crosswind-probe-{os.getpid()}"], check=True)


def namespaces(pid):
    folder = pathlib.Path("/run/netns")
    return [path.name for path in folder.glob(f"crosswind-{pid}-*")]


def marked(mark):
    """The processes with this mark in their environment, as (pid, command)."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"{MARK}={mark}".encode() in (path / "environ").read_bytes().split(b"\0"):
                found.append((int(path.name), (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()))
    return found


class Testbed:
    """A testbed and its command while they run: pid and mark of the testbed. Patience is for a machine that is busy: only
    what hangs takes longer."""

    def __init__(self, network, command, options=(), patience=240, environment=()):
        self.mark = uuid.uuid4().hex
        self.patience = patience
        # timeout ends the testbed even if this script is killed; the shell tells the testbed's number
        words = ["timeout", "-k", "5", str(patience + 5), "sh", "-c", "echo $$; exec \"$@\"", "sh",
                 PROGRAM, "testbed", *network.split(), "--quiet", *options, "--", *command]
        self.process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=os.environ | {MARK: self.mark} | dict(environment))
        self.pid = int(self.process.stdout.readline())
        self.out = self.err = ""

    def ranks(self, program, n, patience=60):
        """Waits until there are N processes of a program, and gives their numbers."""
        deadline = time.monotonic() + patience
        while True:
            found = [pid for pid, command in marked(self.mark) if command.startswith(f"{program} ")]
            if len(found) == n:
                return found
            expect(time.monotonic() < deadline, f"{len(found)} processes of {program}, expected {n}")
            time.sleep(0.05)

    def finish(self):
        """Waits for the end. The exit status; Failed where it does not come in time."""
        try:
            self.out, self.err = self.process.communicate(timeout=self.patience)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.out, self.err = self.process.communicate()
            raise Failed(f"no end within {self.patience} s\n{self.out}{self.err}") from None
        return self.process.returncode

    def sweep(self, patience=20):
        """What the testbed has left: processes and namespaces, which are removed."""
        deadline = time.monotonic() + patience
        while marked(self.mark) and time.monotonic() < deadline:
            time.sleep(0.05)
        left = [f"{pid} {command}" for pid, command in marked(self.mark)] + namespaces(self.pid)
        for pid, _ in marked(self.mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if namespaces(self.pid):
            subprocess.run([PROGRAM, "testbed", "crossbar:2", "--quiet", "--", "true"], check=True)
        return left


@contextlib.contextmanager
def testbed(*arguments, **options):
    """A testbed that must have left nothing, whatever happens meanwhile."""
    bed = Testbed(*arguments, **options)
    try:
        yield bed
    finally:
        if bed.process.poll() is None:
            bed.process.terminate()
            bed.process.communicate()
        left = bed.sweep()
    expect(not left, f"left by a testbed: {left}")


def finish_on_testbed(network, command, attempt=1, **options):
    """A testbed whose command on the first host has ended; Failed where its exit status is not 0. The launcher of MPICH
    itself dies of SIGPIPE once in some hundred jobs, and then has other chances."""
    with testbed(network, command, **options) as bed:
        status = bed.finish()
    if MPI == "mpich" and status == 128 + signal.SIGPIPE and attempt < 3:
        again(attempt, 3, f"{LAUNCHER} died of SIGPIPE")
        return finish_on_testbed(network, command, attempt=attempt + 1, **options)
    expect(status == 0, f"{' '.join(map(str, command))} on {network}: exit status {status}\n{bed.out}{bed.err}")
    return bed


def run_on_testbed(network, command, **options):
    """The output of such a command."""
    return finish_on_testbed(network, command, **options).out


def run_ranks(network, program, *arguments, **options):
    """The same for ranks of a program, on all hosts."""
    return run_on_testbed(network, [LAUNCHER, program, *arguments], **options)


def script(main):
    """Runs MAIN; what it expects in vain is one line, and a failure."""
    check_possible()
    try:
        main()
    except Failed as failed:
        sys.exit(f"FAILED: {MPI}: {failed}")
