"""ftree gives the tables of OpenSM's engine ftree, entry by entry, and refuses what that refuses: trees that the
program makes, whole and with failed cables, the tables in ../shared where there are any, and random trees. Files are
compared line by line, entries to switches included, but for ../shared, whose maps have no LIDs.

    live_ftree.py                   a sample of the cases
    live_ftree.py --all
    live_ftree.py FIRST LAST        with other random trees: those of the seeds FIRST … LAST-1
"""
import itertools
import lzma
import os
import pathlib
import random
import re
import subprocess
import sys

import random_trees
from crosswind import PROGRAM, ROOT, Failed, run, sampled, skip
from live_engines import nameless, verdicts

FABRICS = ROOT.parent / "shared/fabrics"
STORED = ("ft16", "xgft_2_24_12")  # NAME/NAME.net and NAME/ftree.lfts.xz
NETWORKS = [  # what the program makes, and what fails of it
    ("xgft(2,12,6)",), ("xgft:3:3,4,3:1,3,2:1,1,2",), ("xgft:4:2,3,2,2:1,2,2,2",), ("torus:4x3",), ("dragonfly:2,4,2",),
    ("xgft(2,12,6)", "--failed", "2%"), ("xgft:3:3,4,3:1,3,2:1,1,2", "--failed", "1%"),
]
FAILED = [("xgft(2,12,6)", 1), ("xgft:2:4,8:1,4:1,2", 2), ("xgft(2,24,12)", 3)]  # with its roots, and a seed
SEEDS = (*range(1, 17), 1060)  # 1060: a switch that is cabled to hosts only
REVERSE = (2, 4, 10, 16, 24, 36, 44, 53, 65, 86, 164, 190)
JOINED = (5, 16, 92, 291)  # with roots, and cables within ranks
ROOTED = (21, 23, 28, 29, 45, 47, 52, 61, 66, 75, 76, 120, 128, 301, 378)  # with roots at any rank


def entries(text):
    """By switch and port GUID: the port towards each port of an adapter."""
    found = {}
    for line in text.split("\n"):
        if line.startswith("Unicast"):
            table = found.setdefault(re.search(r"guid (0x[0-9a-f]+)", line)[1], {})
        elif "# Channel Adapter" in line and line.split()[1] != "255":
            table[re.search(r"portguid (0x[0-9a-f]+)", line)[1]] = int(line.split()[1])
    return found


def opensm(net, folder, options):
    """Its tables, or None where it refuses."""
    command = [ROOT / "tools/subnet", net, folder / "opensm", "-e", "ftree", "--", *options]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "SUBNET_TIMEOUT": "60"})
    if done.returncode == 77:
        skip(done.stderr.strip())
    if done.returncode == 0:
        return (folder / "opensm/opensm-lfts.dump").read_text()
    if "No routing engine able" in done.stderr:
        return None
    raise Failed(done.stderr)


def ours(net, folder, parameters):
    """The same of Crosswind, or None and why. With the map that OpenSM left, if it did: that has LIDs."""
    written, map_ = folder / "ours.lfts", folder / "opensm/fabric.ibnetdiscover"
    net = map_ if map_.exists() else net
    command = [PROGRAM, "route", net, "--routing", f"ftree{parameters}", "--write", written]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if written.exists():
        return written.read_text(), ""
    if "ftree refuses" not in done.stderr:
        raise Failed(done.stderr)
    return None, done.stderr


def compare(theirs, mine, why, by_entry=False):
    if theirs is None or mine is None:
        if theirs is not mine:
            raise Failed(f"OpenSM {'refuses' if theirs is None else 'accepts'} this; Crosswind: {why or 'accepts'}")
        return "refused"
    if by_entry:
        theirs, mine = entries(theirs), entries(mine)
        wrong = [(switch, to, port, mine[switch].get(to)) for switch, table in theirs.items()
                 for to, port in table.items() if mine.get(switch, {}).get(to) != port]
    else:
        wrong = [pair for pair in itertools.zip_longest(nameless(theirs), nameless(mine)) if pair[0] != pair[1]]
    if wrong:
        raise Failed(f"{len(wrong)} entries differ; the first: {wrong[0]}")
    return "identical"


def levels(net, start):
    """The switches of NET by their distance from those of START, or from hosts: {GUID: distance}; and what is cabled to
    each: {GUID: [GUID, or "" for a host]}."""
    blocks = [block for block in re.split(r"\n\n", net) if block]
    guids = {re.search(r'"(\S+)" #', block)[1]: re.search(r"guid=0x(\w+)", block)[1] for block in blocks}
    ends = {re.search(r'"(\S+)" #', block)[1]: re.findall(r'^\[\d+\] "(\S+?)"', block, re.M) for block in blocks}
    near = {guids[v]: [guids[w] if w[0] == "S" else "" for w in ends[v]] for v in ends if v[0] == "S"}
    distance = dict.fromkeys(start or [v for v in near if "" in near[v]], 0)
    queue = list(distance)
    for v in queue:
        for w in near[v]:
            if w and w not in distance:
                distance[w] = distance[v] + 1
                queue.append(w)
    return distance, near


def compare_steady(net, folder, options, parameters, roots=()):
    """"unsteady" where OpenSM's tables depend on addresses in its memory: where a switch with several hosts is cabled to
    one that is no nearer to the roots, it sorts these hosts by them, and then forgets some or takes them in any
    order."""
    try:
        return compare(opensm(net, folder, options), *ours(net, folder, parameters))
    except Failed:
        text = net.read_text()
        distance, _ = levels(text, roots)
        far = [v for v in distance if distance[v] == max(distance.values())]
        rank, near = levels(text, roots or far)
        if any(near[v].count("") > 1 and any(w and rank[w] >= rank[v] for w in near[v]) for v in rank):
            return "unsteady"
        raise


def roles(source, net, folder):
    """Sometimes files of compute nodes and I/O nodes: OpenSM's arguments, and Crosswind's."""
    adapters = re.findall(r"caguid=0x(\w+)\nHca (\d+)", net)
    ports = [int(guid, 16) + port + 1 for guid, n in adapters for port in range(int(n))]
    options, parameters = [], []
    for flag, name, share in ("-u", "compute", 0.8), ("-G", "io", 0.2):
        chosen = [f"0x{port:x}" for port in ports if source.random() < share]
        if chosen and source.random() < 0.25:
            (folder / name).write_text("\n".join(chosen) + "\n")
            options += [flag, folder / name]
            parameters.append(f"{name}={folder / name}")
    return options, ":" + ",".join(parameters) if parameters else ""


def check_network(network, folder):
    net = folder / "fabric.net"
    run("topo", *network, "--write", net)
    return compare(opensm(net, folder, []), *ours(net, folder, ""))


def check_failed(case, folder):
    """A tree of two levels without some cables is routed where the roots are given."""
    network, seed = case
    net = folder / "fabric.net"
    run("topo", network, "--failed", "6%", "--seed", seed, "--write", net)
    blocks = net.read_text().split("switchguid=")[1:]
    roots = [block.split()[0] for block in blocks if not re.search(r'^\[\d+\]\t"h', block.split("caguid")[0], re.M)]
    (folder / "roots").write_text("\n".join(roots) + "\n")
    options = ["-a", folder / "roots"]
    return compare(opensm(net, folder, options), *ours(net, folder, f":roots={folder / 'roots'}"))


def check_random(seed, folder):
    net, source = folder / "fabric.net", random.Random(seed)
    text = random_trees.fabric(source)
    if not text:
        return "left out"
    net.write_text(text)
    options, parameters = roles(source, text, folder)
    return compare_steady(net, folder, options, parameters)


def check_joined(seed, folder):
    return check_roots(seed, folder, 6)


def check_roots(seed, folder, joined=0):
    """Some of the switches at any one distance from hosts are the roots, now and then twice, or with another one. Cables
    within a rank count."""
    net, source = folder / "fabric.net", random.Random(seed)
    text = random_trees.fabric(source, joined)
    if not text:
        return "left out"
    net.write_text(text)
    distance, _ = levels(text, None)
    level = source.choice(sorted(set(distance.values())))
    some = [guid for guid in distance if distance[guid] == level]
    roots = source.choices(some, k=source.randint(1, len(some))) if source.random() < 0.5 else some
    roots += source.sample(sorted(distance), 1) * (source.random() < 0.1)
    (folder / "roots").write_text("".join(f"0x{guid}\n" for guid in roots))
    options, parameters = roles(source, text, folder)
    options += ["-a", folder / "roots"]
    parameters = f"{parameters or ':'}{',' if parameters else ''}roots={folder / 'roots'}"
    return compare_steady(net, folder, options, parameters, roots)


def check_reverse(seed, folder):
    """Some hosts are I/O nodes, to which ways may turn down and climb again (-H); the switches farthest from hosts are
    the roots."""
    net, source = folder / "fabric.net", random.Random(seed)
    text = random_trees.fabric(source)
    if not text:
        return "left out"
    net.write_text(text)
    distance, _ = levels(text, None)
    roots = [guid for guid in distance if distance[guid] == max(distance.values())]
    (folder / "roots").write_text("".join(f"0x{guid}\n" for guid in roots))
    hosts = [int(guid, 16) + 1 for guid in re.findall(r"caguid=0x(\w+)\nHca.*\n\[1\]", text)]
    if not hosts:
        return "left out"
    (folder / "io").write_text("".join(f"0x{guid:x}\n" for guid in source.sample(hosts, (len(hosts) + 3) // 4)))
    hops = source.choice((1, 2, 3)) if len(distance) <= 6 else 1  # OpenSM's time grows fast
    options = ["-a", folder / "roots", "-G", folder / "io", "-H", str(hops)]
    parameters = f":roots={folder / 'roots'},io={folder / 'io'},max_reverse_hops={hops}"
    return compare_steady(net, folder, options, parameters, roots)


def check_stored(name, folder):
    theirs = lzma.open(FABRICS / name / "ftree.lfts.xz", "rt").read()
    return compare(theirs, *ours(FABRICS / name / f"{name}.net", folder, ""), by_entry=True)


def main():
    given = len(sys.argv) > 2
    seeds = range(*map(int, sys.argv[1:3])) if given else SEEDS
    cases = [(check_network, network) for network in NETWORKS] + [(check_random, seed) for seed in seeds]
    for function, usual in (check_roots, ROOTED), (check_joined, JOINED), (check_reverse, REVERSE):
        cases += [(function, seed) for seed in (seeds if given else usual)]
    cases += [(check_failed, case) for case in FAILED]
    cases += [(check_stored, name) for name in STORED if (FABRICS / name).exists()]
    cases = cases if given else sampled(cases, 12)
    counts = verdicts(cases)
    if counts.get("identical", 0) < len(cases) // 4 or (len(cases) > 40 and not counts.get("refused")):
        print("FAILED too few fabrics were compared")
        return 1
    return 1 if "FAILED" in counts else 0


if __name__ == "__main__":
    sys.exit(main())
