#!/usr/bin/env python3
"""Memory and disks that end, for every verb: the same bytes, or an exit status that is not 0 and a message.

usage: starve.py PRELOAD [--all] [--runs N] [--seed S] [--only PART]

PRELOAD (preload_starve.c) fails the n-th allocation, or it and all that follow; the n-th operation on files, in several
ways; or all that makes a file larger than n bytes. Every verb of `crosswind help` must have a command below. Each is run
as it is first. A run that fails must say why, end by itself within a minute, and leave no temporary files and no output
but the old one, one that says it is incomplete, or rows of CSV that are finished. --all takes every allocation (of verbs
with many, every k-th) instead of N runs that are drawn at random.
"""
import argparse
import concurrent.futures
import errno
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

PROGRAM = os.environ["CROSSWIND"]
GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
FABRIC = f"{GOLDEN}/fabric/two-level.ibnetdiscover --lft {GOLDEN}/fabric/two-level.lfts"
BENCH = f"{GOLDEN}/bench"
MOST = 400  # allocations of one command that --all fails
COMMANDS = f"""
topo torus:4x4
rails rail:2,2,2 /dev/null
collective rail:2,2,2 allreduce --bytes 1KiB --goal out.goal
collective torus:4 alltoall --bytes 1KiB --model flits --moves out.json
topo xgft:2:4,2:1,2 --format csv --output out
topo {FABRIC.split()[0]} --format json --output out
topo dragonfly:2,4,2 --write net.json
topo {FABRIC.split()[0]} --write net.dot
topo {GOLDEN}/network/lldp.json
ebb torus:4x4 --trials 9 --store figures.db --output out
topo {GOLDEN}/network/boxes.graphml --write net.graphml
topo {GOLDEN}/network/ring.anynet --write net.anynet
topo {GOLDEN}/network/topology.conf
topo {GOLDEN}/network/small.db_csv
topo {GOLDEN}/network/shared.xml --write net.xml
route {FABRIC}
route xgft:2:4,2:1,2 --routing dmodk --write tables.lft --write-json tables.json
route torus:3x3 --routing nue:lanes=4,lmc=1,mend --format json
route torus:3x3 --routing nue-even:lanes=4 --format json
route torus:3x4 --routing torus-2qos
route torus:3x3 --routing lash:mesh
route xgft:2:4,2:1,2 --routing ftree
route {FABRIC} --format csv
diff {FABRIC.split()[0]} {FABRIC} --before-lft {GOLDEN}/fabric/two-level-updn.lfts
noise torus:4x4 --ratio 0.1,0.5 --trials 5
noise xgft:2:4,2:1,2 --ratio 0.5 --trials 3 --format json --output out --samples samples.csv
noise {FABRIC} --ratio 0.5 --trials 3 --format csv --output out
ebb torus:4x4 --trials 4
ebb xgft:2:4,2:1,2 --trials 4 --format csv
ebb xgft:2:4,2:1,2 --trials 4 --format csv --output out --html page.html
compare torus:4x4 xgft:2:4,2:1,2 --measure lanes,time:bcast,congestion:shift:1 --output out
what-if xgft:2:4,2:1,2 --degraded s1.0-s2.1=8Gbit/s --trials 2 --output out
what-if torus:3x3 --fail 's(0,0);s(0,1),s(1,1)' --measure ebb,noise,alltoall --trials 2 --format csv
map xgft:2:4,2:1,2 map.svg --failed s2.1 --degraded s1.0-s2.0=8Gbit/s --output out
map dragonfly:1,2,1 map.json --traffic permutation --trials 2 --format csv
map jellyfish:6,3,1 map.svg --format json
map torus:3x3 map.json
map torus:3x3 map.html --failed 's(0,0)' --against whole --output out
map xgft:2:4,2:1,2 map.html --failed s2.1 --output out
map torus:3x3 map.svg --traffic permutation --trials 2 --html page.html
what-if xgft:2:4,2:1,2 --failed s1.0-s2.1 --add missing --trials 2 --output out
what-if torus:3x3 --fail cables --pairs 3 --sample 2 --trials 2 --format json
compare xgft:2:4,2:1,2 --routing minhop,dmodk --measure ebb,alltoall,saturation --format csv --plot bars.svg
study {GOLDEN}/study/engines.yaml --format csv --output out
study {GOLDEN}/study/smallest.yaml --store figures.db --output out
study {GOLDEN}/study/flits.yaml --output out
study {GOLDEN}/study/smallest.yaml --store figures.db --dry-run --format json
results {GOLDEN}/study/figures.db measure=hops
congestion torus:4x4 --traffic alltoall --channels channels.csv --output out
congestion torus:3x3 --traffic shift:2 --plot loads.svg
congestion torus:3x3 --traffic shift:2 --html page.html
route torus:3x3 --routing updn --plot routes.svg --format json
jobs torus:3x3 --jobs 'ring-allreduce ranks=4 bytes=1KiB; shift:1 ranks=2 bytes=1KiB; uniform' --top 2 --output out
jobs xgft:2:2,2:1,2 --routing spray --jobs 'alltoall bytes=1KiB' --check 1 --format csv
jobs torus:3x3 --jobs 'shift:1 ranks=4 bytes=1KiB' --advise placement --trials 2 --hosts hosts --format json
jobs torus:3x3 --jobs 'shift:1 ranks=4 bytes=1KiB; uniform ranks=2; bcast ranks=3 bytes=1KiB' --advise all --trials 2 --plot map.svg
jobs xgft:2:2,2:1,2 --jobs recorded:{GOLDEN}/recording/ring.rec --top 1
program {GOLDEN}/recording/ring.rec --write-goal ring.goal --write-matrix ring.csv --plot ring.svg --output out
program {GOLDEN}/recording/communicators.rec --rank 1 --format json
noise torus:4x4 --model flows --ratio 0.5 --trials 2
noise torus:4x4 --ratio 0.5 --trials 10 --plot noise.svg
flit torus:4x4 --load 0.1,0.3 --cycles 200 --warmup 100 --plot loads.svg
flit xgft:2:2,2:1,2 --load 0.2 --cycles 200 --format csv --output out --series series.csv
flit dragonfly:1,2,1 --load 0.2 --routing minimal,ugal-l --cycles 100 --format json
jobs xgft:2:2,2:1,2 --model flits --jobs 'ring-allreduce bytes=4KiB' --check 1
jobs torus:3x3 --model counts --jobs 'bcast ranks=4 bytes=1KiB; uniform'
model dragonfly:2,4,2
model torus:4x4 --traffic bitcomp --format json --output out
model split-tree --cores 8
model split-tree --cores 4 --plot tree.svg --output out
cores --machine 'pack:2 core:4 pu:1'
cores --compute 2 --machine 'pack:1 core:4 pu:1' --format json
tree xgft:2:4,2:1,2 --format csv
tree torus:3x3 --save trees
plan torus:4x4 --traffic 3 --method default,heuristic,lp --plan plan.json --output out
plan torus:3x3 --traffic alltoall --method greedy,approx,optimum --format json --moves moves.txt
plan torus:3x3 --anycast {GOLDEN}/anycast/io.txt --method optimum --transport none --output out
testbed xgft:2:2,2:1,2 --print
analyse {BENCH}/noise.csv
analyse {BENCH}/again.csv --compare {BENCH}/faster.csv --plot noise.svg --format json --output out
report {GOLDEN}/page/figures.json {GOLDEN}/page/figures.json page.html
report {GOLDEN}/study/figures.db page.html
reproduce split-tree --figures 3 --directory figures
help
help topologies
help noise
help torus
man
man plan
completion
completion -- compare x --routing dfsssp:lanes=4,l
--version
""".strip().splitlines()


def environment(starve, count=None):
    result = {**os.environ, "LC_ALL": "C", "LD_PRELOAD": preload, "STARVE": starve,
              "CROSSWIND_CONFIG": f"{GOLDEN}/configuration/quiet.txt"}
    return {**result, "STARVE_COUNT": str(count)} if count else result


def run(command, starve, count=None):
    """Runs COMMAND in a new folder: its exit status, messages, and the files there with what they hold."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "out").write_text("old\n")
        with open(folder / "stdout", "wb") as out:
            try:
                done = subprocess.run([PROGRAM, *shlex.split(command)], stdout=out, timeout=60, check=False,
                                      stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder,
                                      env=environment(starve, count))
            except subprocess.TimeoutExpired:
                return None, "", {}
        files = {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
        return done.returncode, done.stderr.decode(errors="replace"), files


def is_allowed_after_failure(name, content, normal, command):
    """Whether a failed run may leave file NAME like this."""
    if normal.get(name, b"") is None or content == normal.get(name, b"old\n") or content == b"old\n" or not content:
        return True
    if b"INCOMPLETE" in content or b'"complete": false' in content:
        return True
    if name == "stdout":  # a pipe or a terminal would have got as much
        return True
    csv = name.endswith(".csv") or ("--format csv" in command and name == "out")
    if name.endswith((".db-wal", ".db-shm")):  # the database's own, by which the next one goes on
        return True
    return name.endswith((".unfinished.csv", "-metadata.json")) or csv and normal.get(name, b"").startswith(content)


def fault_of(command, starve, normal):
    status, messages, files = run(command, starve)
    if status is None:
        return "hangs"
    if status < 0 or status > 2 and status != normal[0]:
        return f"ends with status {status}: {messages[-300:]}"
    if status == normal[0]:
        different = [name for name in {**files, **normal[1]}
                     if normal[1].get(name, b"") is not None and files.get(name) != normal[1].get(name)]
        return f"exit status {status}, but other bytes in {', '.join(different)}" if different else None
    if not messages.strip() or "(null)" in messages:
        return f"exit status {status} with the message '{messages}'"
    wrong = [name for name, content in files.items() if ".tmp" in name
             or not is_allowed_after_failure(name, content, normal[1], command)]
    return f"exit status {status}, and leaves {', '.join(wrong)}" if wrong else None


def normal_of(command):
    """What COMMAND does when nothing fails, without files that tell times, and how often something could."""
    with tempfile.TemporaryDirectory() as name:
        count = pathlib.Path(name, "count")
        status, messages, files = run(command, "count", count)
        if status not in (0, 1):
            sys.exit(f"{command}: exit status {status}: {messages}")
        again = run(command, "count")[2]
        return (status, {n: c if again[n] == c else None for n, c in files.items()}), *map(
            int, count.read_text().split())


ERRORS = [errno.ENOSPC, errno.EIO, errno.EINTR, 0]


def all_cases(allocations, operations, files):
    for n in range(1, allocations + 1, max(1, allocations // MOST)):
        yield from (f"memory:{n}", f"memory:{n}+")
    for n in range(1, operations + 1, max(1, operations // 50)):
        yield from (f"files:{n}:{e}" for e in ERRORS)
        yield f"files:{n}+:{errno.ENOSPC}"
    sizes = {len(content) for content in files.values() if content}
    for size in sorted(sizes)[:8]:
        yield from (f"size:{n}" for n in sorted({0, 1, size // 3, size // 2, size - 1}))


def some_cases(allocations, operations, files, draw, n):
    cases = list(all_cases(0, operations, files))
    for _ in range(n):
        if draw.random() < 0.7 or not cases:
            yield f"memory:{draw.randint(1, allocations)}{draw.choice(['', '+'])}"
        else:
            yield draw.choice(cases)


def main():
    global preload
    parser = argparse.ArgumentParser()
    parser.add_argument("preload")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    preload = os.path.abspath(options.preload)
    listed = subprocess.run([PROGRAM, "help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    verbs = [line[2:19].strip() for line in listed.split("Verbs:\n")[1].split("\n\n")[0].splitlines()]
    missing = [verb for verb in verbs if not any(c == verb or c.startswith(verb + " ") for c in COMMANDS)]
    if missing:
        sys.exit(f"no command for {', '.join(missing)}; add one to COMMANDS")
    draw = random.Random(options.seed)
    commands = [c + ("" if c.startswith(("help", "man", "comp", "report", "--")) else " --threads 1 --quiet") for c in COMMANDS
                if options.only in c]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        normal = dict(zip(commands, pool.map(normal_of, commands)))
        tasks = []
        for command in commands:
            (status, files), allocations, operations = normal[command]
            cases = (all_cases(allocations, operations, files) if options.all else
                     some_cases(allocations, operations, files, draw, options.runs // len(commands)))
            tasks += [(command, case, (status, files)) for case in cases]
        faults = [f"STARVE={case} crosswind {command}\n    {fault}"
                  for (command, case, _), fault in zip(tasks, pool.map(lambda task: fault_of(*task), tasks)) if fault]
    print("\n".join(faults))
    print(f"{len(tasks)} runs of {len(commands)} commands, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
