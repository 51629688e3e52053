"""`--endpoints` chooses who takes part; the routes stay those of the whole network. Counted here by hand: messages on
every channel of xgft(2,12,6) by the definition of D-mod-k, and of a fabric with aggregation nodes by its tables."""
import collections
import csv
import pathlib
import random
import sys
import tempfile

from congestion_by_hand import Fabric
from crosswind import ROOT, run, tables

GOLDEN = ROOT / "tests/golden/fabric"


def channels(folder, pairs, hosts, *arguments):
    """Messages by (tail, its port, head, its port) as `congestion` counts them, if rank i runs on hosts[i]."""
    write(folder / "hosts", hosts)
    write(folder / "traffic", [f"{src} {dst} 1" for src, dst in pairs])
    run("congestion", *arguments, "--traffic", f"matrix:{folder}/traffic", "--placement", f"file:{folder}/hosts",
        "--channels", folder / "channels.csv")
    counted = {}
    for row in csv.DictReader(open(folder / "channels.csv")):
        if int(row["messages"]):
            key = row["tail"], int(row["tail_port"]), row["head"], int(row["head_port"])
            counted[key] = int(row["messages"])
    return counted


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))


def permutation(rng, n):
    to = list(range(n))
    rng.shuffle(to)
    return [(src, dst) for src, dst in enumerate(to) if src != dst]


def dmodk(src, dst):
    """The way in xgft(2,12,6): 12 hosts and 12 cables up at a leaf, two of them to each of 6 spines. Cable dst mod 12
    leads up; the spine's two cables to a leaf follow one another."""
    up, leaves = dst % 12, (src // 12, dst // 12)
    yield f"h{src}", 1, f"s1.{leaves[0]}", 1 + src % 12
    if leaves[0] != leaves[1]:
        spine, cable = up % 6, up // 6
        yield f"s1.{leaves[0]}", 13 + up, f"s2.{spine}", 1 + 2 * leaves[0] + cable
        yield f"s2.{spine}", 1 + 2 * leaves[1] + cable, f"s1.{leaves[1]}", 13 + up
    yield f"s1.{leaves[1]}", 1 + dst % 12, f"h{dst}", 1


def check_tree(folder, rng):
    """72 of 144 hosts: D-mod-k of the whole tree, and the routes nobody asked for stay out of sight."""
    ids = rng.sample(range(144), 72)
    pairs = permutation(rng, 72)
    write(folder / "selected", [f"h{i}" for i in ids])
    tree = "xgft(2,12,6)", "--endpoints", folder / "selected"
    expected = collections.Counter(channel for src, dst in pairs for channel in dmodk(ids[src], ids[dst]))
    found = channels(folder, pairs, [f"h{i}" for i in ids], *tree)
    noise = tables("noise", *tree, "--ratio", 0.25, "--trials", 2)["context"]
    route = tables("route", *tree)
    ((routes,), ebb) = route["routes"], tables("ebb", *tree, "--trials", 2)["context"]
    return {
        "messages on channels of the tree": found == dict(expected),
        "endpoints that take part": (noise["endpoints"], ebb["endpoints"]) == (72, 72),
        "pairs that route looks at": (routes["pairs"], routes["reached"], route["context"]["routes"])
        == (72 * 71, 72 * 71, "dmodk"),
        "the sentence": any("72 of 144 endpoints take part" in note for note in route["notes"]),
    }


def check_tables(folder, rng):
    """Two of the hosts are called aggregation nodes: they are left out, and OpenSM's tables for the rest are as before."""
    text = (GOLDEN / "two-level.ibnetdiscover").read_text()
    for name in "node-05", "node-12":
        text = text.replace(f'"{name}"', '"Mellanox Technologies Aggregation Node"')
    (folder / "fabric").write_text(text)
    lfts = GOLDEN / "two-level-updn.lfts"
    fabric = Fabric(folder / "fabric", lfts)
    hosts = sorted(name for name in fabric.hosts if name.startswith("node-"))
    rng.shuffle(hosts)
    pairs = permutation(rng, len(hosts))
    options = folder / "fabric", "--endpoints", "hca", "--lft", lfts
    found = channels(folder, pairs, hosts, *options)
    expected = fabric.loads([(hosts[src], hosts[dst]) for src, dst in pairs])
    (routes,) = tables("route", *options)["routes"]
    steps = tables("route", *options, "--from", hosts[0], "--to", hosts[1])["route"]
    walk = [(step["from"], step["port"], step["to"], step["to_port"]) for step in steps]
    return {
        "messages on channels by tables": found == dict(expected),
        "pairs of hosts": (len(hosts), routes["pairs"], routes["reached"]) == (14, 14 * 13, 14 * 13),
        "one route": walk == list(fabric.walk(hosts[0], hosts[1])),
    }


def main():
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        checks = check_tree(pathlib.Path(name), rng) | check_tables(pathlib.Path(name), rng)
    print("\n".join(what for what, good in checks.items() if not good) or "those that take part keep their routes")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
