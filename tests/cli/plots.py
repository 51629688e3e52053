#!/usr/bin/env python3
"""Every verb and mode that takes --plot draws a picture, or refuses before it computes: exit status 2, nothing on standard
output, no file.

Commands are those of starve.py; for each verb a short one with every value of its options that have a few; and MODES, of
which only what files say tells what there is to draw. REFUSED are all that may refuse. A gnuplot of two lines draws."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from starve import COMMANDS, GOLDEN, PROGRAM

BASES = {
    "analyse": f"{GOLDEN}/bench/again.csv",
    "compare": "torus:3x3 --measure hops",
    "congestion": "torus:3x3",
    "ebb": "torus:3x3 --trials 2",
    "flit": "torus:3x3 --load 0.2 --cycles 200 --warmup 100 --unsteady",
    "jobs": "torus:3x3 --jobs 'bcast ranks=4 bytes=1KiB; uniform'",
    "model": "torus:3x3",
    "model split-tree": "--cores 4",
    "noise": "torus:3x3 --ratio 0.5 --trials 2",
    "plan": "torus:3x3 --traffic shift:1",
    "program": f"{GOLDEN}/recording/ring.rec",
    "route": "torus:3x3",
    "study": "study.yaml",
    "topo": "torus:3x3",
    "tree": "torus:3x3",
    "what-if": "torus:3x3 --fail 's(0,0)' --trials 2",
}
MODES = """
congestion torus:3x3 --traffic matrix:sizes.csv
congestion torus:3x3 --traffic matrix:sizes.csv --top 0
congestion torus:3x3 --top 0
compare torus:3x3 --measure deadlock-free
compare torus:3x3 --measure deadlock-free,lanes
jobs torus:3x3 --jobs 'bcast bytes=1KiB'
jobs torus:3x3 --jobs 'bcast bytes=1KiB' --top 0
jobs torus:3x3 --jobs one --longest-path 1 --top 0
jobs torus:3x3 --jobs moves:moves.txt
noise torus:3x3 --ratio 0.5 --case 1 written
noise --trial case.txt
plan torus:3x3 --check checked.json
plan torus:3x3 --traffic shift:1 --moves written
program ring.goal
program ring.goal --rank 0
study words.yaml
study many.yaml
route torus:3x3 --from h0 --to h1
route torus:3x3 --from h0
""".strip().splitlines()
REFUSED = {
    "congestion torus:3x3 --traffic matrix:sizes.csv --top 0",
    f"study {GOLDEN}/study/smallest.yaml --store figures.db --dry-run --format json",
    "study words.yaml",
    "study many.yaml",
    "compare torus:3x3 --measure deadlock-free",
    "jobs torus:3x3 --jobs 'bcast bytes=1KiB' --top 0",
    "jobs torus:3x3 --jobs one --longest-path 1 --top 0",
    "jobs torus:3x3 --jobs moves:moves.txt",
    "noise torus:3x3 --ratio 0.5 --case 1 written",
    "noise --trial case.txt",
    "program ring.goal --rank 0",
    "route torus:3x3 --from h0 --to h1",
    "route torus:3x3 --from h0",
}
PREPARED = [f"program {GOLDEN}/recording/ring.rec --write-goal ring.goal", "noise torus:3x3 --ratio 0.5 --case 1 case.txt",
            "plan torus:3x3 --traffic shift:1 --plan checked.json --moves moves.txt"]
FEW = 8  # values of an option that are modes
OUTSIDE = {"--format", "--help", "--input-format", "--endpoints"}  # options that say nothing of what is drawn


def run(command, folder, *more):
    environment = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}"}
    return subprocess.run([PROGRAM, *shlex.split(command), *more], cwd=folder, env=environment, capture_output=True, text=True,
                          check=False)


def draws(verb, folder):
    return "--plot FILE" in run(f"{verb} --help=all", folder).stdout


def verb_of(command):
    return max((verb for verb in BASES if command == verb or command.startswith(f"{verb} ")), key=len, default=command.split(" ")[0])


def values_of(verb, folder):
    """The options of VERB, each with the values that are completed."""
    for option in ("--placement", "--method", "--transport", "--relays"):
        answer = run(f"completion -- {verb} {option} ''", folder).stdout.splitlines()[2:]
        yield option, [line.split("\t")[0] for line in answer]
    page = run(f"man '{verb}'", folder).stdout.replace("\\-", "-")
    for option, values in re.findall(r"^\.TP\n\\fB(--[a-z-]+)\\fR ([a-z|-]+)$", page, re.M):
        yield option, values.split("|")


def modes_of(folder):
    """A command for each value of options that have a few."""
    for verb in BASES:
        for option, values in values_of(verb, folder):
            if len(values) <= FEW and option not in OUTSIDE:
                yield from (f"{verb} {BASES[verb]} {option} {value}" for value in values if not value.startswith("--"))


def fault_of(command, folder):
    """What is wrong with COMMAND, or None; and how it ended."""
    before = set(folder.iterdir())
    done = run(command, folder, "--plot", "drawn.svg", "--output", "result")
    left = set(folder.iterdir()) - before
    drawn = (folder / "drawn.svg").exists()
    for path in left:
        path.unlink()
    refused = done.returncode == 2 and done.stderr.startswith("crosswind: --plot")
    if refused != (command in REFUSED):
        return f"is{'' if refused else ' not'} refused: {done.stderr.strip() or 'it succeeds'}", None
    if refused and (done.stdout or left):
        return f"refuses after it has begun: {sorted(path.name for path in left)}", None
    if done.returncode == 2:  # options that do not go together
        return None, "refused" if refused else "no command"
    return (None, "drawn") if drawn else (f"draws nothing: {done.stderr.strip()}", None)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/gnuplot").write_text("#!/bin/sh\necho '<svg></svg>'\n")
        (folder / "bin/gnuplot").chmod(0o755)
        (folder / "sizes.csv").write_text("0,2,16\n1,0,8\n")
        (folder / "one").write_text("bcast bytes=1KiB\n")
        (folder / "study.yaml").write_text("network: torus:3x3\nmeasure: [hops, lanes]\n")
        (folder / "words.yaml").write_text("network: torus:3x3\nmeasure: deadlock-free\n")
        (folder / "many.yaml").write_text(f"network: torus:3x3\nseed: {list(range(1, 62))}\nmeasure: hops\n")
        for command in PREPARED:
            run(command, folder)
        verbs = re.findall(r"^  ([a-z]+(?:-[a-z]+)?(?: split-tree)?) ", run("help", folder).stdout.split("Verbs:\n")[1].split("\n\n")[0], re.M)
        missing = [verb for verb in verbs if draws(verb, folder) != (verb in BASES)]
        if missing:
            sys.exit(f"BASES is to have exactly the verbs with --plot; look at {', '.join(missing)}")
        ends, faults = {}, []
        others = [re.sub(r" --(plot|output|html) \S+", "", command) for command in COMMANDS if verb_of(command) in BASES]
        for command in dict.fromkeys([*(f"{verb} {base}" for verb, base in BASES.items()), *others, *modes_of(folder), *MODES]):
            fault, end = fault_of(command, folder)
            ends[end] = ends.get(end, 0) + 1
            if fault:
                faults.append(f"crosswind {command} --plot drawn.svg\n    {fault}")
    print("\n".join(faults))
    print(", ".join(f"{end}: {n}" for end, n in ends.items()))
    sys.exit(bool(faults) or ends.get("drawn", 0) < 100 or ends.get("refused", 0) != len(REFUSED))


if __name__ == "__main__":
    main()
