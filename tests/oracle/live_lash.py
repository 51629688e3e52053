"""lash gives the tables and the service levels of OpenSM's engine lash, entry by entry and pair by pair, under ibsim, and
refuses what that refuses: regular networks, random fabrics, whole and with failures, and a real map where there is one
beside the project.

    live_lash.py                   a sample of the cases
    live_lash.py --all
    live_lash.py FIRST LAST        other random fabrics: those of the seeds FIRST ... LAST-1
"""
import pathlib
import random
import re
import subprocess
import sys

from crosswind import PROGRAM, ROOT, Failed, run, sampled, skip
from live_engines import SHARED, Random_fabric, entries, to_hosts, verdicts

REGULAR = [  # network, what fails, options of ours and of OpenSM
    ("torus:5x5", None, "", []),
    ("torus:6x6", None, "", []),
    ("torus:6x6", "8%", "start=1", ["--lash_start_vl", "1"]),
    ("torus:4x4x3", None, "", []),
    ("torus:10x10", None, "", []),
    ("torus:12x12", None, "", []),
    ("mesh:5x4", None, "", []),
    ("hypercube:5", None, "", []),
    ("dragonfly:2,4,2", None, "", []),
    ("jellyfish:40,6,3", None, "", []),
    ("xgft(2,12,6)", "10%", "", []),
    ("xgft:3:3,4,3:1,3,2:1,1,2", None, "start=3", ["--lash_start_vl", "3"]),
    ("torus:5x4", "5%", "", ["-l", "1"]),
    ("dragonfly:2,4,2", None, "", ["-l", "2"]),
    *[(network, failed, "mesh", ["--do_mesh_analysis"]) for network, failed in [
        ("torus:5x6", None), ("torus:7x7", "5%"), ("torus:4x3x4", "4%"), ("torus:3x3x3x2", None), ("mesh:3x6", None),
        ("mesh:4x3x3", "6%"), ("torus:8", None), ("mesh:6", None), ("hypercube:5", "5%"), ("jellyfish:40,6,3", None)]],
]
SEEDS = range(1, 13)
MAP = SHARED / "psmn_X5/psmn_X5.ibnetdiscover"


def levels(text, lids):
    """By source and destination, as GUIDs, and which of the destination's LIDs it is."""
    found, guid = {}, {}
    for line in text.splitlines():
        if head := re.match(r"Channel Adapter (0x\w+), base LID (\d+)", line):
            base = int(head[2]) // lids * lids  # heads of OpenSM's are those of all LIDs
            guid |= {base + i: (head[1], i) for i in range(lids)}
    for line in text.splitlines():
        if head := re.match(r"Channel Adapter (0x\w+)", line):
            source = head[1]
        elif record := re.match(r"(0x\w+) : (\d+) ", line):
            destination = guid.get(int(record[1], 16))
            if destination and destination[0] != source:
                found[source, *destination] = int(record[2])
    return found


def lids_of(options):
    return 2**int(options[options.index("-l") + 1]) if "-l" in options else 1


def opensm(net, directory, options):
    """Its tables, levels and log; None where it refuses."""
    command = [ROOT / "tools/subnet", net, directory, "-e", "lash", "-p", "--", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 77:
        skip(done.stderr.strip())
    if done.returncode == 0:
        return (to_hosts(entries((directory / "opensm-lfts.dump").read_text())),
                levels((directory / "opensm-path-records.dump").read_text(), lids_of(options)))
    if "No routing engine able" in done.stderr:
        return None
    raise Failed(done.stderr)


def ours(net, directory, options, lids):
    """The same of Crosswind, or what it says instead."""
    tables, records = directory / "ours.lfts", directory / "ours.records"
    done = subprocess.run([PROGRAM, "route", net, "--routing", f"lash:{options}" if options else "lash", "--write",
                           tables, "--write-path-records", records], capture_output=True, text=True)
    if done.returncode == 0:
        return to_hosts(entries(tables.read_text())), levels(records.read_text(), lids)
    if "lash needs more than" not in done.stderr:
        raise Failed(done.stderr)
    return done.stderr


def differences(theirs, mine, what):
    wrong = [key for key in {**theirs, **mine} if theirs.get(key) != mine.get(key)]
    if wrong:
        raise Failed(f"{len(wrong)} of {len(theirs)} {what} differ, such as {wrong[0]}: OpenSM's "
                     f"{theirs.get(wrong[0])}, ours {mine.get(wrong[0])}")


def compare(net, directory, own, options):
    """We route what ibsim makes of the net file: other GUIDs, where it is a map."""
    theirs, found = opensm(net, directory / "opensm", options), directory / "opensm/fabric.ibnetdiscover"
    mine = ours(found if found.exists() else net, directory, own, lids_of(options))
    if theirs is None or isinstance(mine, str):
        if theirs is not None or not isinstance(mine, str):
            raise Failed(f"OpenSM {'accepts' if theirs else 'refuses'} this; ours: {mine[:200] if theirs else 'accepts'}")
        return "refused"
    differences(theirs[0], mine[0], "entries")
    differences(theirs[1], mine[1], "levels")
    lanes = len(set(mine[1].values()))
    return f"identical on {lanes} lane{'s' * (lanes != 1)}"


def regular(case, directory):
    network, failed, own, options = case
    net = directory / "fabric.net"
    run("topo", network, *(["--failed", failed] if failed else []), "--write", net)
    return compare(net, directory, own, options)


def map_of_cluster(net, directory):
    return compare(net, directory, "", [])


def random_fabric(seed, directory):
    source = random.Random(seed)
    net = Random_fabric(source, directory).net() if seed % 2 else cycle_of_switches(source, directory)
    mesh = seed % 4 < 2
    return compare(net, directory, "mesh" if mesh else "", ["--do_mesh_analysis"] if mesh else [])


def cycle_of_switches(source, directory):
    """Switches on rings with some chords: several lanes."""
    net = directory / "fabric.net"
    n, chords = source.randrange(8, 24), source.randrange(12)
    edges = {(i, (i + 1) % n) for i in range(n)} | {tuple(source.sample(range(n), 2)) for _ in range(chords)}
    lines = [f"s{a} s{b}" for a, b in edges] + [f"h{i} s{i}" for i in range(n) if source.random() < 0.9]
    (directory / "edges").write_text("# crosswind edge list\n" + "\n".join(source.sample(lines, len(lines))) + "\n")
    run("topo", directory / "edges", "--write", net)
    return net


def main():
    cases = [(random_fabric, seed) for seed in (range(*map(int, sys.argv[1:3])) if len(sys.argv) > 2 else SEEDS)]
    if len(sys.argv) < 3:
        cases += [(regular, case) for case in REGULAR] + [(map_of_cluster, MAP)] * MAP.exists()
    counts = verdicts(sampled(cases, 12))
    if "--all" in sys.argv and not counts.keys() >= {"refused", "identical on 3 lanes", "identical on 8 lanes"}:
        print("FAILED too few fabrics were compared")
        return 1
    return 1 if "FAILED" in counts else 0


if __name__ == "__main__":
    sys.exit(main())
