"""nue gives the tables of OpenSM's engine nue, entry by entry, to all LIDs and to switches, and its service levels pair by
pair, under ibsim, with any number of lanes: regular networks, random fabrics, whole and with failures, and real maps where
there are any beside the project.

    live_nue.py                   a sample of the cases
    live_nue.py --all
    live_nue.py FIRST LAST        other random fabrics: those of the seeds FIRST ... LAST-1
"""
import random
import sys

from crosswind import Failed, run, sampled
from live_engines import MAPS, SHARED, Random_fabric, nameless, verdicts
from live_levels import cycle_of_switches, differences, levels
from live_opensm import subnet

REGULAR = [  # network, what fails, lanes, LMC
    ("torus:5x5", None, 1, 0),
    ("torus:6x6", "8%", 3, 0),
    ("torus:4x4x3", None, 1, 2),
    ("torus:10x10", None, 2, 0),
    ("torus:8x8x8", "2%", 1, 0),
    ("mesh:5x4", None, 4, 0),
    ("hypercube:5", None, 1, 0),
    ("dragonfly:2,4,2", None, 1, 1),
    ("dragonfly:3,6,3", "2%", 8, 0),
    ("jellyfish:40,6,3", None, 1, 0),
    ("jellyfish:100,9,3", None, 2, 0),
    ("jellyfish:100,9,3", "5%", 5, 0),
    ("slimfly:5", "5%", 1, 0),
    ("xgft(2,12,6)", "10%", 4, 0),
    ("xgft:3:3,4,3:1,3,2:1,1,2", "20%", 1, 0),
    ("xgft:3:3,4,3:1,3,2:1,1,2", None, 3, 2),
    ("xgft(2,24,12)", None, 8, 0),
    ("crossbar:12", None, 2, 1),
]
REAL = [("ft16", 1), ("ft16", 4), ("psmn_X5", 1), ("psmn_X5", 4), ("nvidia_superpod", 1)]  # map, lanes
SEEDS = range(1, 25)


def compare(net, directory, lanes, lmc):
    """We route what OpenSM has given LIDs. With one lane OpenSM leaves service levels to others."""
    opensm = subnet(net, directory / "opensm", "nue", *["-p"] * (lanes > 1), "--", "-l", str(lmc), "-Q",
                    "--nue_max_num_vls", str(lanes))
    tables, records = directory / "ours.lfts", directory / "ours.records"
    run("route", opensm / "fabric.ibnetdiscover", "--routing", f"nue:lanes={lanes}", "--write", tables,
        "--write-path-records", records)
    theirs, mine = nameless((opensm / "opensm-lfts.dump").read_text()), nameless(tables.read_text())
    wrong = [pair for pair in zip(theirs, mine) if pair[0] != pair[1]]
    if wrong or len(theirs) != len(mine):
        raise Failed(f"{len(theirs)} and {len(mine)} lines, {len(wrong)} differ, such as {wrong[:1]}")
    if lanes == 1:
        return "identical on one lane"
    theirs, mine = (levels(file.read_text(), 2**lmc) for file in [opensm / "opensm-path-records.dump", records])
    differences(theirs, mine, "levels")
    return "identical on several lanes"


def regular(case, directory):
    network, failed, lanes, lmc = case
    net = directory / "fabric.net"
    run("topo", network, *(["--failed", failed] if failed else []), "--write", net)
    return compare(net, directory, lanes, lmc)


def map_of_cluster(case, directory):
    name, lanes = case
    return compare(SHARED / name / MAPS[name], directory, lanes, 0)


def random_fabric(seed, directory):
    source = random.Random(seed)
    net = Random_fabric(source, directory).net() if seed % 2 else cycle_of_switches(source, directory)
    return compare(net, directory, source.choice([1, 1, 2, 4, 8]), source.choice([0, 0, 1, 2]))


def main():
    cases = [(random_fabric, seed) for seed in (range(*map(int, sys.argv[1:3])) if len(sys.argv) > 2 else SEEDS)]
    if len(sys.argv) < 3:
        cases += [(regular, case) for case in REGULAR]
        cases += [(map_of_cluster, case) for case in REAL if (SHARED / case[0]).exists()]
    return 1 if "FAILED" in verdicts(sampled(cases, 6)) else 0


if __name__ == "__main__":
    sys.exit(main())
