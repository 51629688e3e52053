"""Testbeds made real: packets between all hosts take the hops of the routes, on the very cables; rates hold; and
whatever ends a testbed, nothing of it stays, and nothing else is touched. Needs root and network namespaces."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from crosswind import PROGRAM, Failed, run, skip, tables
from plan_tables import expect

WORKER = pathlib.Path(__file__).resolve().with_name("testbed_worker.py")
NAMESPACES = pathlib.Path("/run/netns")
FOREIGN = "crosswind-0-foreign"
FAT_TREE = "xgft:2:4,2:1,2"
TWO_CABLES = "xgft:2:2,2:2,2"  # a host
GPUS = ("xgft:1:2:1", "--nodes", "dgx-a100:gpus=2,hcas=1")


def check_possible():
    if os.geteuid() != 0:
        skip("testbeds need root")
    if not (shutil.which("ip") and shutil.which("tc")):
        skip("testbeds need iproute2")
    name = f"crosswind-probe-{os.getpid()}"
    probe = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if probe.returncode:
        skip("network namespaces cannot be made here: " + probe.stderr.strip())
    subprocess.run(["ip", "netns", "del", name], check=True)


def worker(mode, *arguments):
    return ["--", sys.executable, "-B", WORKER, mode, *arguments]


def host_name(vertex):
    """s1.0 is s1-0, and h0 gpu1 is h0-gpu1."""
    return vertex.replace(".", "-").replace(" ", "-")


def walk(network, a, b):
    """The route as (from, port, to) of each hop, with host names."""
    hops = tables("route", *network, "--from", a, "--to", b)["route"]
    return [(host_name(hop["from"]), hop["port"], host_name(hop["to"])) for hop in hops]


def check_hops(network, names, folder):
    """Packets with a growing time to live, from all to all: whoever reports the end of one is the next hop."""
    run("testbed", *network, "--quiet", "--all", *worker("hops", folder))
    for a in names:
        seen = json.loads((folder / f"{host_name(a)}.json").read_text())
        for b in names:
            if a != b:
                wanted = [to for _, _, to in walk(network, a, b)]
                by = seen[host_name(b)]
                expect(by == wanted, f"{network}: {a} to {b} by {by}, expected {wanted}")


def check_counters(network, names):
    """Packets to each host are counted by the devices of the route's ports, and by no others."""
    nodes = sorted({vertex for a in names for b in names if a != b
                    for tail, _, head in walk(network, a, b) for vertex in (tail, head)})
    for b in names[1:]:
        route = walk(network, names[0], b)
        wanted = sorted(tail if at == 0 else f"{tail}/p{port}" for at, (tail, port, _) in enumerate(route))
        seen = json.loads(run("testbed", *network, "--quiet", *worker("counters", b, *nodes)))
        # which eth a host's cable is depends on which are used; its switch tells the cable apart
        seen = sorted(device.split("/")[0] if "/eth" in device else device for device in seen)
        expect(seen == wanted, f"{network}: to {b} on {seen}, expected {wanted}")


def check_rate():
    """Two flows to the hosts of one spine share the way up: twice the time of a flow alone, which has the rate."""
    size, rate = 2_000_000, 40e6
    for flows in (1, 2):
        pairs = [f"{a}:{b}" for a, b in [("h0", "h4"), ("h1", "h6")][:flows]]
        text = run("testbed", FAT_TREE, "--quiet", "--rate", "40Mbit/s", *worker("transfer", str(size), *pairs))
        least = flows * size * 8 / rate
        expect(0.9 * least <= float(text) < 100 * least, f"{flows} flows took {text} s, expected {least} s or more")


def namespaces(pid=None):
    names = os.listdir(NAMESPACES) if NAMESPACES.exists() else []
    return [name for name in names if name.startswith(f"crosswind-{pid}-")]


def left(pid):
    return namespaces(pid) + [str(path) for path in [pathlib.Path("/run/crosswind-testbed", str(pid))] if path.exists()]


def ended(pid, patience=30):
    """Whether a process ends within so many seconds: it is gone, or nobody has asked how it ended."""
    stat, deadline = pathlib.Path("/proc", pid, "stat"), time.monotonic() + patience
    while True:
        try:
            if stat.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)


@contextlib.contextmanager
def running(*command):
    """A testbed whose command has said a line, and what it said."""
    with subprocess.Popen([PROGRAM, "testbed", FAT_TREE, "--quiet", "--", *command], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        yield process, process.stdout.readline().strip()


def check_killed():
    """The namespaces and processes of a killed testbed stay, until the next one; those of one that lives stay longer."""
    with running("sh", "-c", "echo ready; read line; exec \"$CROSSWIND_TESTBED_AGENT\" h7 'hostname; exit 9'") as (lives, _):
        with running("sh", "-c", "echo $$; exec sleep 1000") as (killed, sleeper):
            killed.kill()
            killed.wait()
            expect(len(namespaces(killed.pid)) == 12, "a killed testbed left nothing to remove")
            expect(not ended(sleeper, 0), "the command of a killed testbed ended by itself")
            run("testbed", "crossbar:2", "--quiet", "--", "true")
            expect(not left(killed.pid), f"left by a killed testbed: {left(killed.pid)}")
            expect(ended(sleeper), "the command of a killed testbed still runs")
        out, _ = lives.communicate("\n")
        expect((out, lives.returncode) == ("h7\n", 9), f"beside a killed testbed: {out}, {lives.returncode}")
        expect(not left(lives.pid), f"left after the end: {left(lives.pid)}")


def check_signals():
    """A signal ends the command and the testbed, with what the command has left running; also while it is made."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        with running("sh", "-c", "setsid sleep 1000 & echo $!; exec sleep 1000") as (process, sleeper):
            process.send_signal(number)
            process.wait()
            expect(process.returncode == 128 + number, f"exit status {process.returncode} after signal {number}")
            expect(not left(process.pid), f"left after signal {number}: {left(process.pid)}")
            expect(ended(sleeper), f"running after signal {number}")
    command = [PROGRAM, "testbed", FAT_TREE, "--", "sleep", "1000"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not namespaces(process.pid):
            time.sleep(0.005)
        process.terminate()
        process.wait()
        expect(process.returncode in (1, 143), f"exit status {process.returncode} of one that was not made")
        expect(not left(process.pid), f"left half made: {left(process.pid)}")


def check_killed_early():
    """What is still being made for a killed testbed is no leftover before that has ended."""
    for _ in range(10):  # on a busy machine it may have ended before it is killed
        with subprocess.Popen([PROGRAM, "testbed", FAT_TREE, "--quiet", "--", "sleep", "1"]) as process:
            while process.poll() is None and not namespaces(process.pid):
                time.sleep(0.002)
            process.kill()
            process.wait()
        if left(process.pid):
            break
    else:
        raise Failed("nothing was left to remove")
    deadline = time.monotonic() + 60
    while left(process.pid) and time.monotonic() < deadline:
        run("testbed", "crossbar:2", "--quiet", "--", "true")
    time.sleep(0.5)
    expect(not left(process.pid), f"left by one that was killed early: {left(process.pid)}")


def check_failure(folder):
    """A testbed that cannot be made is an error, and is removed."""
    bad = folder / "tc"
    bad.write_text("#!/bin/sh\necho no traffic control >&2\nexit 1\n")
    bad.chmod(0o755)
    environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}
    with subprocess.Popen([PROGRAM, "testbed", FAT_TREE, "--", "true"], env=environment, stderr=subprocess.PIPE,
                          text=True) as process:
        said = process.communicate()[1]
    expect(process.returncode == 1 and "no traffic control" in said and "cannot be made" in said, said)
    expect(not left(process.pid), f"left by a failure: {left(process.pid)}")


def check_place(folder):
    """A program may be kept, and used, below a path with spaces and with what shells would run."""
    place = folder / "a b;$(touch pwned) `touch pwned` 'c\" *"
    place.mkdir()
    library = pathlib.Path(PROGRAM).with_name("libcrosswind-ranks.so")
    loads = library.exists()  # it is not built with sanitizers
    for file in (PROGRAM, library)[:1 + loads]:
        shutil.copy(file, place)
    command = "grep -c libcrosswind-ranks /proc/self/maps; pwd; $CROSSWIND_TESTBED_AGENT h1 'hostname; pwd'"
    done = subprocess.run([place / "crosswind", "testbed", "crossbar:2", "--quiet", "--", "sh", "-c", command, "sh", place],
                          cwd=place, capture_output=True, text=True, check=False)
    loaded, *rest = done.stdout.splitlines() or ["0"]
    expect(rest == [str(place), "h1", str(place)] and not done.stderr, f"below {place}: {done}")
    expect((int(loaded) > 0) == loads, f"below {place}: {loaded} lines of the library that ranks load")
    expect(not list(folder.rglob("pwned")), f"below {place}: a part of the path was run")


def main():
    check_possible()
    subprocess.run(["ip", "netns", "add", FOREIGN], check=True)
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            check_hops((FAT_TREE,), [f"h{i}" for i in range(8)], folder)
            (folder / "gpus").mkdir()
            check_hops(GPUS, ["h0 gpu0", "h0 gpu1", "h1 gpu0", "h1 gpu1"], folder / "gpus")
            check_counters((FAT_TREE, "--routing", "minhop"), ["h0", "h1", "h4", "h7"])
            check_counters((TWO_CABLES,), ["h0", "h1", "h2", "h3"])
            check_failure(folder)
            check_place(folder)
        check_rate()
        check_killed()
        check_killed_early()
        check_signals()
        expect(FOREIGN in os.listdir(NAMESPACES), "a namespace that is no testbed's was removed")
    finally:
        subprocess.run(["ip", "netns", "del", FOREIGN], check=False)


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(f"FAILED: {failed}")
