"""lash and dfsssp give the tables and the service levels of OpenSM's engines, entry by entry and pair by pair, under ibsim,
and refuse what those refuse: regular networks, random fabrics, whole and with failures, and a real map where there is
one beside the project. OpenSM's dfsssp draws the levels of a lane that is spread over several, so that there the lanes
are compared.

    live_levels.py                   a sample of the cases
    live_levels.py --all
    live_levels.py FIRST LAST        other random fabrics: those of the seeds FIRST ... LAST-1
"""
import pathlib
import random
import re
import subprocess
import sys

from crosswind import PROGRAM, ROOT, Failed, run, sampled, skip
from live_engines import SHARED, Random_fabric, entries, to_hosts, verdicts

LASH = [  # network, what fails, options of ours and of OpenSM
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
DFSSSP = [
    ("torus:6", None, "", []),
    ("torus:5x5", None, "", []),
    ("torus:6x6", "8%", "", []),
    ("torus:4x4x3", None, "", []),
    ("torus:8x8", None, "", []),
    ("torus:12x12", None, "", []),
    ("mesh:5x4", None, "", []),
    ("hypercube:5", "5%", "", []),
    ("dragonfly:2,4,2", None, "", []),
    ("dragonfly:2,4,2", "10%", "lmc=1", ["-l", "1"]),
    ("jellyfish:40,6,3", None, "", []),
    ("xgft(2,12,6)", "10%", "", []),
    ("xgft:3:3,4,3:1,3,2:1,1,2", None, "", []),
    ("xgft:3:3,4,3:1,3,2:1,1,2", "20%", "lmc=2", ["-l", "2"]),
    ("torus:5x4", "5%", "lmc=1", ["-l", "1"]),
    ("xgft:2:3,3:1,2:1,2", None, "lmc=1", ["-l", "1"]),
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


def lanes_of_levels(log):
    """The lane of every level of dfsssp, by its log: a level that is left over goes to the lane with the most routes a
    level."""
    needed = int(re.search(r"Virtual Lanes needed: (\d+)", log)[1])
    before = log[log.index("Paths per VL (before"):]
    routes = [int(n) for n in re.findall(r"\. lane: (\d+)", before[:before.index("Approx.")])]
    levels = [1] * needed
    for _ in range(len(routes) - needed):
        levels[max(range(needed), key=lambda lane: routes[lane] / levels[lane])] += 1
    return [lane for lane in range(needed) for _ in range(levels[lane])]


def opensm(net, directory, engine, options):
    """Its tables, levels and, of dfsssp, lanes of levels; None where it refuses."""
    command = [ROOT / "tools/subnet", net, directory, "-e", engine, "-p", "--", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 77:
        skip(done.stderr.strip())
    if done.returncode == 0:
        return (entries((directory / "opensm-lfts.dump").read_text()),
                levels((directory / "opensm-path-records.dump").read_text(), lids_of(options)),
                lanes_of_levels((directory / "opensm.log").read_text()) if engine == "dfsssp" else None)
    if "No routing engine able" in done.stderr:
        return None
    raise Failed(done.stderr)


def ours(net, directory, engine, options, lids):
    """The same of Crosswind, or what it says instead."""
    tables, records = directory / "ours.lfts", directory / "ours.records"
    done = subprocess.run([PROGRAM, "route", net, "--routing", f"{engine}:{options}" if options else engine, "--write",
                           tables, "--write-path-records", records], capture_output=True, text=True)
    if done.returncode == 0:
        return entries(tables.read_text()), levels(records.read_text(), lids)
    if not re.search(r"needs? more than \d+ virtual lane", done.stderr):
        raise Failed(done.stderr)
    return done.stderr


def differences(theirs, mine, what):
    wrong = [key for key in {**theirs, **mine} if theirs.get(key) != mine.get(key)]
    if wrong:
        raise Failed(f"{len(wrong)} of {len(theirs)} {what} differ, such as {wrong[0]}: OpenSM's "
                     f"{theirs.get(wrong[0])}, ours {mine.get(wrong[0])}")


def compare(net, directory, engine, own, options):
    """We route what ibsim makes of the net file: other GUIDs, where it is a map."""
    theirs, found = opensm(net, directory / "opensm", engine, options), directory / "opensm/fabric.ibnetdiscover"
    mine = ours(found if found.exists() else net, directory, engine, own, lids_of(options))
    if theirs is None or isinstance(mine, str):
        if theirs is not None or not isinstance(mine, str):
            raise Failed(f"OpenSM {'accepts' if theirs else 'refuses'} this; ours: {mine[:200] if theirs else 'accepts'}")
        return f"{engine} refused"
    known = to_hosts if engine == "lash" else dict  # lash's entries to switches are its own
    differences(known(theirs[0]), known(mine[0]), "entries")
    lanes = theirs[2] or range(16)
    by_lane = [{pair: lanes[level] for pair, level in found.items()} for found in (theirs[1], mine[1])]
    differences(*by_lane, "lanes" if theirs[2] else "levels")
    used = len(set(by_lane[1].values()))
    return f"{engine} identical on {used} lane{'s' * (used != 1)}"


def regular(case, directory):
    engine, network, failed, own, options = case
    net = directory / "fabric.net"
    run("topo", network, *(["--failed", failed] if failed else []), "--write", net)
    return compare(net, directory, engine, own, options)


def map_of_cluster(engine, directory):
    return compare(MAP, directory, engine, "", [])


def random_fabric(case, directory):
    engine, seed = case
    source = random.Random(seed)
    net = Random_fabric(source, directory).net() if seed % 2 else cycle_of_switches(source, directory)
    if seed % 4 >= 2:
        return compare(net, directory, engine, "", [])
    if engine == "lash":
        return compare(net, directory, engine, "mesh", ["--do_mesh_analysis"])
    return compare(net, directory, engine, "lmc=1", ["-l", "1"])


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
    seeds = range(*map(int, sys.argv[1:3])) if len(sys.argv) > 2 else SEEDS
    cases = [(random_fabric, (engine, seed)) for seed in seeds for engine in ("lash", "dfsssp")]
    if len(sys.argv) < 3:
        cases += [(regular, ("lash", *case)) for case in LASH] + [(regular, ("dfsssp", *case)) for case in DFSSSP]
        cases += [(map_of_cluster, engine) for engine in ("lash", "dfsssp") if MAP.exists()]
    counts = verdicts(sampled(cases, 10))
    wanted = {"lash refused", "lash identical on 3 lanes", "lash identical on 8 lanes", "dfsssp refused",
              "dfsssp identical on 1 lane", "dfsssp identical on 4 lanes", "dfsssp identical on 8 lanes"}
    if "--all" in sys.argv and not counts.keys() >= wanted:
        print("FAILED too few fabrics were compared")
        return 1
    return 1 if "FAILED" in counts else 0


if __name__ == "__main__":
    sys.exit(main())
