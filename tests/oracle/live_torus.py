"""Tables and lanes of Crosswind's torus-2qos beside those of OpenSM's torus-2QoS: every entry to an endpoint and every
row of the ports' SL2VL maps must be the same, what OpenSM refuses must be refused, and routes must be free of deadlocks.

live_torus.py [--all]         a sample, or all, of some random tori and meshes, whole and with failures, routed by OpenSM under ibsim
live_torus.py --many N SEED   N of them, from this seed on"""
import concurrent.futures
import itertools
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from crosswind import PROGRAM, Failed, sampled
from live_engines import Random_fabric, entries, to_hosts
from live_opensm import subnet

CASES = 30
FAILURES = ["cable", "cables", "switch", "both", "column", "many"]
KINDS = ["whole", "parallel", "beside", "cable", "cables", "switch", "switch", "both", "column", "many"]


class Torus(Random_fabric):
    """A torus or mesh of two or three dimensions with hosts, some with parallel cables, wherever its ports are; its
    configuration; and, in KIND, what has failed."""

    def __init__(self, source, directory, kind):
        self.random, self.directory, self.kind = source, directory, kind
        least = 3 if kind in FAILURES and source.random() < 0.8 else 2
        self.size = [source.choice(range(least, 9)) for _ in range(3)]
        if source.random() < 0.5:
            self.size[source.randrange(3)] = 1
        while self.size[0] * self.size[1] * self.size[2] > 120:
            self.size[self.size.index(max(self.size))] -= 1
        self.mesh = [source.random() < (0.05 if kind in FAILURES else 0.2) for _ in range(3)]
        self.cells = list(itertools.product(*map(range, self.size)))
        self.number = {cell: i for i, cell in enumerate(source.sample(self.cells, len(self.cells)))}
        guids = source.sample(range(1 << 13, 1 << 40), 5 * len(self.cells))
        self.switches = [guid << 8 for guid in guids[:len(self.cells)]]
        self.hosts, self.cables, self.boxes = [], [], {}
        most = source.choice([1, 1, 2, 3])
        for cell in self.cells:
            for _ in range(source.randrange(1, most + 1)):
                self.cables.append((("S", self.number[cell]), ("H", len(self.hosts))))
                self.hosts.append(guids[-1 - len(self.hosts)] << 8)
        for cell, d in itertools.product(self.cells, range(3)):
            if (further := self.step(cell, d, 1)) is not None and not (self.size[d] == 2 and cell[d] == 1):
                ends = ("S", self.number[cell]), ("S", self.number[further])
                self.cables += [ends] * (source.choice([1, 2, 3]) if kind == "parallel" else 1)
        if kind == "beside":  # a switch that is no part of the torus, with a host
            self.switches.append(guids[len(self.cells)] << 8)
            self.cables.append((("S", len(self.cells)), ("S", source.randrange(len(self.cells)))))
            self.cables.append((("S", len(self.cells)), ("H", len(self.hosts))))
            self.hosts.append(guids[-1 - len(self.hosts)] << 8)
        self.fail()
        self.connect()

    def step(self, cell, d, by):
        """The neighbour, or None at an edge."""
        x = cell[d] + by
        if self.size[d] == 1 or (self.mesh[d] and not 0 <= x < self.size[d]):
            return None
        return cell[:d] + (x % self.size[d],) + cell[d + 1:]

    def fail(self):
        gone, between = set(), [cable for cable in self.cables if cable[1][0] == "S"]
        if self.kind in ("switch", "both"):
            gone = {("S", self.random.randrange(len(self.switches)))}
        if self.kind == "column":
            x, y, z = self.random.choice(self.cells)
            gone = {("S", self.number[x, y, (z + i) % self.size[2]]) for i in range(self.random.choice([1, 2, 2, 3]))}
        cut = {"cable": 1, "both": 1, "many": 6}.get(self.kind, 0)
        cut = set(self.random.sample(between, min(cut, len(between))))
        if self.kind == "cables":  # one in each of some rings
            rings = {}
            cell_of = {("S", i): cell for cell, i in self.number.items()}
            for cable in between:
                a, b = [cell_of[end] for end in cable]
                d = next(d for d in range(3) if a[d] != b[d])
                rings.setdefault((d, a[:d] + a[d + 1:]), []).append(cable)
            cut = {self.random.choice(rings[ring])
                   for ring in self.random.sample(sorted(rings), max(1, len(rings) // 8))}
        if self.kind == "many":
            gone = {("S", i) for i in self.random.sample(range(len(self.switches)), 2)}
        hosts = {end for cable in self.cables for end in cable if end[0] == "H" and cable[0] in gone}
        self.cables = [cable for cable in self.cables if cable not in cut and not gone & set(cable)]
        self.gone = gone | hosts

    def name(self, cell):
        return f"{self.switches[self.number[cell]]:#x}"

    def seed(self):
        """Lines of a seed, and one that has not failed if there is one."""
        cells = self.random.sample(self.cells, len(self.cells))
        for cell in cells if self.random.random() < 0.9 else cells[:1]:
            lines, there = [], ("S", self.number[cell]) not in self.gone
            for d, letter in enumerate("xyz"):
                steps = [by for by in (1, -1) if self.step(cell, d, by) is not None]
                if self.size[d] == 2 or (steps and self.size[d] != 4 and self.random.random() < 0.5):
                    steps = [self.random.choice(steps)]
                for by in steps:
                    to = self.step(cell, d, by)
                    there = there and ("S", self.number[to]) not in self.gone
                    lines.append(f"{letter}{'p' if by > 0 else 'm'}_link {self.name(cell)} {self.name(to)}")
                if cell[d] and not self.random.random() < 0.1:
                    lines.append(f"{letter}_dateline {-cell[d]}")
            if there:
                break
        return lines

    def config(self):
        pick = self.random
        words = ["mesh" if all(self.mesh) else "torus"] + [f"{k}{'m' * m}" for k, m in zip(self.size, self.mesh)]
        lines = [" ".join(words), "# a comment", ""]
        if pick.random() < 0.3:
            lines.append("port_order " + " ".join(map(str, pick.sample(range(1, pick.choice([4, 5, 7, 8])), 3))))
        if pick.random() < (0.5 if self.kind == "parallel" else 0.1):
            lines.append(f"portgroup_max_ports {pick.choice([2, 3, 4, 30])}")
        lines += self.seed()
        if pick.random() < 0.3:
            lines += ["next_seed", *self.seed()]
        return self.file("torus-2QoS.conf", lines)


def maps(file):
    """Lanes by GUID, port in and port out."""
    found = {}
    for line in file.read_text().splitlines():
        if head := re.match(r"(?:Switch|Channel Adapter) (0x\w+)", line):
            guid = int(head[1], 16)
        elif row := re.match(r"(\d+) +(\d+) +: ([\d ]+)", line):
            found[guid, int(row[1]), int(row[2])] = row[3].split()
    return found


def ours(net, config, directory):
    """Our entries and maps, or None with what we say instead."""
    written = [directory / name for name in ("ours", "ours.sl2vl", "ours.records")]
    done = subprocess.run([PROGRAM, "route", net, "--routing", f"torus-2qos:{config}", "--write", written[0],
                           "--write-sl2vl", written[1], "--write-path-records", written[2]], capture_output=True, text=True)
    if not written[1].exists():
        return None, None, done.stderr
    return to_hosts(entries(written[0].read_text())), maps(written[1]), done.stdout


def compare(torus):
    """"identical" or "refused", if both say so."""
    net, config = torus.net(), torus.config()
    try:
        found = subnet(net, torus.directory / "opensm", "torus-2QoS", "--", "-Q", "--torus_config", config)
        theirs = to_hosts(entries((found / "opensm-lfts.dump").read_text()))
    except Failed as failure:
        theirs, reason = None, str(failure)
    mine, rows, said = ours(net, config, torus.directory)
    if mine is None or theirs is None:
        if mine is None and theirs is None and "refuses" in said:
            return "refused"
        raise Failed(f"{'refused' if mine is None else 'routed'}, by OpenSM "
                     f"{reason if theirs is None else 'routed'}; {said if mine is None else ''}")
    if mine != theirs:
        wrong = [key for key in {**theirs, **mine} if theirs.get(key) != mine.get(key)]
        raise Failed(f"{len(wrong)} of {len(theirs)} entries differ, such as {wrong[:1]}")
    their_rows = maps(found / "opensm-sl2vl.dump")
    wrong = [key for key, row in rows.items() if their_rows.get(key) != row]
    if wrong:
        raise Failed(f"{len(wrong)} of {len(rows)} maps differ, such as {wrong[0]}: {rows[wrong[0]]}")
    if "\nDeadlock-free: " not in said:
        raise Failed(f"deadlocks: {said}")
    return "identical"


def case(seed):
    source = random.Random(seed)
    with tempfile.TemporaryDirectory() as directory:
        torus = Torus(source, pathlib.Path(directory), KINDS[seed % len(KINDS)])
        try:
            return torus.kind, compare(torus)
        except Failed as failure:
            raise Failed(f"{torus.kind} {torus.size} {torus.mesh}: {failure}")


def main():
    first, n = (int(sys.argv[3]), int(sys.argv[2])) if len(sys.argv) > 2 else (0, CASES)
    seeds = range(first, first + n) if len(sys.argv) > 2 else sampled(range(n), 8)
    seen, status = {}, 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for seed, work in [(seed, pool.submit(case, seed)) for seed in seeds]:
            try:
                found = work.result()
                seen[found] = seen.get(found, 0) + 1
            except Failed as failure:
                print("FAILED", seed, failure)
                status = 1
    for (kind, result), times in sorted(seen.items()):
        print(f"{kind}: {times} {result}")
    return status


if __name__ == "__main__":
    sys.exit(main())
