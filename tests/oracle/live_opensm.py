"""Fabrics that the real subnet manager routes, under ibsim: each table format it and its tools write is read without
anything left over, congestions agree channel by channel with those found by hand, and OpenSM loads the tables that
Crosswind writes."""
import collections
import csv
import pathlib
import random
import subprocess
import sys
import tempfile

from congestion_by_hand import Fabric
from crosswind import ROOT, Failed, run, sampled, skip, tables

FORMATS = ("opensm-lfts.dump", "opensm.fdbs", "dump_fts.txt", "ibroute.txt")
SAMPLE = ROOT / "examples/sample/fabric.ibnetdiscover"
CASES = [  # network, OpenSM's routing engine
    ("xgft:2:4,4:1,2:radix=8", "ftree"),
    ("xgft:2:4,4:1,2:radix=8", "updn"),
    ("xgft(2,12,6)", "ftree"),
    ("xgft:3:3,4,3:1,3,2:1,1,2", "minhop"),
    ("torus:4x4x4", "dor"),
    ("torus:3x5", "minhop"),
    ("torus:4x4", "lash"),
    ("mesh:4x3", "minhop"),
    ("hypercube:5", "dor"),
    ("dragonfly:2,4,2", "minhop"),
    (SAMPLE, "updn"),
    (SAMPLE, "minhop"),
]


def expect(condition, what):
    if not condition:
        raise Failed(what)


def subnet(net, directory, engine, *arguments):
    """tools/subnet on a file; the directory with what it wrote."""
    command = [ROOT / "tools/subnet", net, directory, "-e", engine, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 77:
        skip(done.stderr.strip())
    expect(done.returncode == 0, done.stderr)
    return directory


def check_formats(fabric, directory):
    """All formats hold the same routes, which connect everything on shortest paths."""
    seen = []
    for name in FORMATS:
        result = tables("route", fabric, "--lft", directory / name)
        notes = result.pop("notes")
        result.pop("context")
        (routes,) = result["routes"]
        expect(routes["minimal"] == routes["reached"] == routes["pairs"] > 0, f"{name}: {routes}")
        expect(routes["holes"] == routes["loops"] == 0, f"{name}: {routes}")
        expect(not any("Not matched" in note for note in notes), f"{name}: {notes}")
        seen.append(result)
    expect(all(result == seen[0] for result in seen), f"{FORMATS} differ")


def patterns(random, n, matrix):
    """Specifications of patterns of n ranks, each with its rounds of (source, destination). Writes the file MATRIX."""
    by = random.randrange(1, n)
    pairs = [tuple(random.sample(range(n), 2)) for _ in range(3 * n)]
    matrix.write_text("".join(f"{src} {dst} 8\n" for src, dst in pairs))
    yield f"matrix:{matrix}", [pairs]
    yield f"shift:{by}", [[(i, (i + by) % n) for i in range(n)]]
    yield "bitcomp", [[(i, n - 1 - i) for i in range(n) if i != n - 1 - i]]
    if n <= 64:
        yield "alltoall", [[(i, (i + by) % n) for i in range(n)] for by in range(1, n)]


def check_congestion(random, hand, directory, *network):
    """`crosswind congestion` on random placements of some of the hosts, against loads and congestions found by hand."""
    for i in range(2):
        hosts = random.sample(sorted(hand.hosts), len(hand.hosts))
        n = len(hosts) - i * random.randrange(len(hosts) // 2)
        (directory / "hosts").write_text("\n".join(hosts))
        for pattern, rounds in patterns(random, n, directory / "matrix"):
            result = tables("congestion", *network, "--traffic", pattern, "--ranks", n, "--placement",
                            f"file:{directory / 'hosts'}", "--channels", directory / "channels.csv")
            placed = [[(hosts[src], hosts[dst]) for src, dst in pairs] for pairs in rounds]
            by_round = [hand.loads(pairs) for pairs in placed]
            every = [c for pairs in placed for c in hand.congestions(pairs)]
            (summary,) = result["congestion"]
            expect(summary["messages"] == len(every), f"{pattern}: {summary}")
            expect(summary["max_congestion"] == max(every), f"{pattern}: {summary}")
            expect(abs(summary["congestion_mean"] - sum(every) / len(every)) < 1e-6, f"{pattern}: {summary}")
            total = sum(by_round, collections.Counter())
            rows = list(csv.DictReader(open(directory / "channels.csv")))
            expect(len(rows) == sum(map(len, hand.cables.values())), f"{len(rows)} channels")
            for row in rows:
                channel = (row["tail"], int(row["tail_port"]), row["head"], int(row["head_port"]))
                mine = (max(load[channel] for load in by_round), total[channel])
                expect((int(row["congestion"]), int(row["messages"])) == mine, f"{pattern}: {row}, by hand {mine}")


def blocks(file):
    """The tables of an opensm-lfts.dump in the order of their headings."""
    return sorted(file.read_text().split("Unicast lids"))


def check_written(net, fabric, directory):
    """Crosswind's copy of OpenSM's tables comes back from OpenSM as it was, and as OpenSM had it in the first place."""
    before, written = directory / FORMATS[0], directory / "written"
    run("route", fabric, "--lft", before, "--write", written)
    after = subnet(net, directory / "back", "file", "--", "-U", written) / FORMATS[0]
    expect(blocks(written) == blocks(after), "OpenSM dumps other tables than it loaded")
    expect(blocks(before) == blocks(after), "tables have changed")


def check_own(random, net, directory):
    """Routes of Crosswind's own engine are the same in its formula and, walked by hand, in OpenSM's switches."""
    run("route", net, "--write", directory / "own")
    back = subnet(net, directory / "back", "file", "--", "-U", directory / "own")
    check_congestion(random, Fabric(back / "fabric.ibnetdiscover", back / FORMATS[0]), directory, net)


def check(random, network, engine, directory):
    net = network
    if network != SAMPLE:
        net = directory / "fabric.net"
        run("topo", network, "--write", net)
    subnet(net, directory, engine, "-b")
    fabric = directory / "fabric.ibnetdiscover"
    check_formats(fabric, directory)
    check_congestion(random, Fabric(fabric, directory / FORMATS[0]), directory, fabric, "--lft", directory / FORMATS[0])
    check_written(net, fabric, directory)
    if network != SAMPLE:
        check_own(random, net, directory)


def main():
    source, failed = random.Random(1), 0
    for network, engine in sampled(CASES, 2):
        with tempfile.TemporaryDirectory() as directory:
            try:
                check(source, network, engine, pathlib.Path(directory))
                print("ok    ", engine, network)
            except Failed as failure:
                print("FAILED", engine, network, failure, sep="\n  ")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
