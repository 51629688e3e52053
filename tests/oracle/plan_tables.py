"""Plans of legs on the forwarding tables of real fabrics, walked from the files alone: every leg of every path, from
one host to the next, follows the entries for one LID of the host where it ends; between source and destination there
are no more relays than allowed. Vertices and channels are numbered here anew from ibnetdiscover's output, and the
fingerprint of the plan file says that they are the same. A plan with one hop altered must be refused."""
import collections
import copy
import hashlib
import json
import lzma
import os
import pathlib
import random
import re
import struct
import sys
import tempfile

from congestion_by_hand import Fabric
from crosswind import ROOT, Failed, run, sampled

SHARED = pathlib.Path(os.environ.get("CW_SHARED", ROOT.parent / "shared")) / "fabrics"
SAMPLE = ROOT / "examples/sample"
FABRICS = [  # ibnetdiscover's output, OpenSM's tables
    (SAMPLE / "fabric.ibnetdiscover", SAMPLE / "opensm-lfts.dump"),
    (SHARED / "psmn_X5/psmn_X5.ibnetdiscover", SHARED / "psmn_X5/minhop.lfts.xz"),
    (SHARED / "psmn_X5/psmn_X5.ibnetdiscover", SHARED / "psmn_X5/dfsssp.lfts.xz"),
    (SHARED / "nvidia_superpod/nvidia_topograph_example.ibnetdiscover", SHARED / "nvidia_superpod/updn.lfts.xz"),
]
METHODS = ("default", "heuristic", "greedy", "lp", "optimum", "approx", "auto")
LARGE = 200  # hosts


def expect(condition, what):
    if not condition:
        raise Failed(what)


def natural(name):
    """Runs of digits by their value, all else by bytes: n2 comes before n10."""
    return [(ord("0"), int(run_of)) if run_of.isdigit() else (ord(run_of), 0)
            for run_of in re.findall(r"\d+|.", name)], name


class Walker:
    """A fabric whose vertices and channels have the numbers of plan files, and what a path must be."""

    def __init__(self, map_file, lfts):
        self.fabric = fabric = Fabric(map_file, lfts)
        shared = {name for name, n in collections.Counter(fabric.names.values()).items() if n > 1}
        name = {at: f"{name} [{at[2:]}]" if name in shared else name for at, name in fabric.names.items()}
        cabled = [at for at in fabric.names if fabric.cables[at] or at.startswith("S")]
        self.ids = sorted(cabled, key=lambda at: (at.startswith("S"), natural(fabric.names[at]), at))
        self.names = [name[at] for at in self.ids]
        self.hosts = sum(at.startswith("H") for at in self.ids)
        number = {at: v for v, at in enumerate(self.ids)}
        # (tail, its port, head, its port), in the order of their numbers
        self.ends = [(at, port, *fabric.cables[at][port]) for at in self.ids for port in sorted(fabric.cables[at])]
        numbers = [self.hosts, len(self.ids)]
        for tail, port, head, _ in self.ends:
            numbers += [number[tail], port, number[head]]
        self.fingerprint = hashlib.sha256(struct.pack(f"<{len(numbers)}I", *numbers)).hexdigest()

    def ways(self, a, b):
        """The channels to each LID of host B, as lists of their ends."""
        for lid in range(2 ** self.fabric.lmc[b]):
            yield list(self.fabric.way(a, b, lid))

    def check_leg(self, where, ends):
        a, b = ends[0][0], ends[-1][2]
        expect(ends in self.ways(a, b), f"{where}: the leg from {a} to {b} does not follow the tables")

    def check_path(self, where, demand, path, max_relays):
        vertices, ends = path["vertices"], [self.ends[c] for c in path["channels"]]
        expect((vertices[0], vertices[-1]) == (demand["src"], demand["dst"]), f"{where}: other ends than the demand's")
        expect([self.ids[v] for v in vertices] == [ends[0][0]] + [end[2] for end in ends],
               f"{where}: channels are not those from vertex to vertex")
        stops = [i for i, v in enumerate(vertices) if v < self.hosts]
        expect(len(stops) - 2 <= max_relays, f"{where}: {len(stops) - 2} relays, at most {max_relays} may be")
        expect(len({vertices[i] for i in stops}) == len(stops), f"{where}: a host is on it twice")
        for begin, end in zip(stops, stops[1:]):
            self.check_leg(where, ends[begin:end])
        return len(stops) - 1

    def check(self, plan, max_relays):
        """The number of legs of a plan, none of them off the tables."""
        expect(plan["network"]["fingerprint"] == self.fingerprint, "the plan's network is another one")
        legs = 0
        for d, demand in enumerate(plan["demands"]):
            for end in ("src", "dst"):
                expect(demand[f"{end}_name"] == self.names[demand[end]], f"demands[{d}]: {end} has another name")
            expect(sum(path["bytes"] for path in demand["paths"]) == demand["bytes"], f"demands[{d}]: bytes are missing")
            for p, path in enumerate(demand["paths"]):
                legs += self.check_path(f"demands[{d}].paths[{p}]", demand, path, max_relays)
        return legs

    def detour(self, plan):
        """A copy of PLAN in which one leg goes past another switch, over cables that are there but by no table."""
        between = collections.defaultdict(list)
        for c, (tail, _, head, _) in enumerate(self.ends):
            between[tail, head].append(c)
        for d, demand in enumerate(plan["demands"]):
            for p, path in enumerate(demand["paths"]):
                for i, v in enumerate(path["vertices"][1:-1]):
                    a, at, b = (self.ids[u] for u in path["vertices"][i:i + 3])
                    if v < self.hosts or not (a.startswith("S") and b.startswith("S")):
                        continue
                    for w, other in enumerate(self.ids):
                        if other != at and w >= self.hosts and between[a, other] and between[other, b]:
                            altered = copy.deepcopy(plan)
                            path = altered["demands"][d]["paths"][p]
                            path["vertices"][i + 1] = w
                            path["channels"][i:i + 2] = between[a, other][0], between[other, b][0]
                            return altered
        raise Failed("there is no hop to alter")


def expect_refused(walker, plan, max_relays, why):
    try:
        walker.check(plan, max_relays)
    except Failed as failure:
        expect(why in str(failure), str(failure))
        return
    raise Failed(f"nothing was found that {why}")


def traffics(random, walker, matrix):
    """What is moved: a permutation, everything to four hosts, a random list in a file and, where that is quick, a
    shift."""
    n = walker.hosts
    rows = {tuple(random.sample(range(n), 2)): random.randrange(1, 64) for _ in range(n)}
    matrix.write_text("".join(f"{src},{dst},{size}MiB\n" for (src, dst), size in rows.items()))
    yield "permutation"
    yield "incast:4"
    yield f"matrix:{matrix}"
    if n < LARGE:
        yield f"shift:{random.randrange(2, n - 1)}"


def unpacked(file, folder):
    if file.suffix != ".xz":
        return file
    plain = folder / file.stem
    plain.write_bytes(lzma.decompress(file.read_bytes()))
    return plain


def check_fabric(random, fabric, lfts, folder):
    lfts = unpacked(lfts, folder)
    walker, file = Walker(fabric, lfts), folder / "plan.json"
    network, legs, plans = (fabric, "--lft", lfts, "--endpoints", "all"), 0, 0
    for traffic in traffics(random, walker, folder / "matrix.csv"):
        for method in METHODS:
            for relays in (1, 3) if method == "optimum" and walker.hosts < LARGE else (1,):
                run("plan", *network, "--traffic", traffic, "--method", method, "--max-relays", relays, "--plan", file)
                plan = json.loads(file.read_text())
                try:
                    legs += walker.check(plan, relays)
                except Failed as failure:
                    raise Failed(f"{traffic}, {method}: {failure}")
                plans += 1
                if (traffic, method) == ("permutation", "greedy"):
                    relayed = plan
    altered = walker.detour(relayed)
    expect_refused(walker, altered, 8, "does not follow the tables")
    expect_refused(walker, relayed, 0, "relays, at most 0")
    file.write_text(json.dumps(altered))
    run("plan", *network, "--check", file, good=(1,))
    return f"{legs} legs of {plans} plans"


def main():
    source, failed = random.Random(1), 0
    missing = [str(file) for files in FABRICS for file in files if not file.exists()]
    for fabric, lfts in FABRICS[:1] + sampled(FABRICS[1:], 1):
        if not (fabric.exists() and lfts.exists()):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                print("ok    ", fabric.name, lfts.name, check_fabric(source, fabric, lfts, pathlib.Path(folder)))
            except Failed as failure:
                print("FAILED", fabric.name, lfts.name, failure, sep="\n  ")
                failed = 1
    if missing and not failed:
        print("SKIPPED: the real fabrics:", missing[0], "is missing; CW_SHARED names the folder that has fabrics/")
        return 77
    return failed


if __name__ == "__main__":
    sys.exit(main())
