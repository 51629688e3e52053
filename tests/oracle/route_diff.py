"""`crosswind diff` on two dumps of the sample fabric: random cables and hosts are missing in each, blocks are shuffled,
hosts have other LIDs, and some entries are spoilt. What changed is found here by reading maps and tables again: by GUID,
every route hop by hop."""
import collections
import pathlib
import random
import re
import sys
import tempfile

from crosswind import ROOT, run, tables

SAMPLE = ROOT / "examples/sample/fabric.ibnetdiscover"
SWITCH_LINE = re.compile(r'\[(\d+)\]\t"([SH])-([0-9a-f]+)"\[(\d+)\](?:\(([0-9a-f]+)\))?')
HOST_LINE = re.compile(r'\[(\d+)\]\(([0-9a-f]+)\) \t"S-([0-9a-f]+)"\[(\d+)\]')
TABLE = re.compile(r"Unicast lids .* guid (0x[0-9a-f]+) ")
NEVER = "switches came", "switches went", "cables changed"
ENTRY = re.compile(r"(0x[0-9a-f]+) (\d+) # Channel Adapter portguid (0x[0-9a-f]+):")


def read_map(text):
    """Cables as {(switch, port), (switch or host's port GUID, port)}, with every line they stand in."""
    cables, at = collections.defaultdict(list), None
    for number, line in enumerate(text.splitlines()):
        if line.startswith("Switch"):
            at = int(re.search(r"S-([0-9a-f]+)", line)[1], 16)
        elif line.startswith("Ca"):
            at = None
        elif at is not None and (found := SWITCH_LINE.match(line)):
            port, kind, node, other, guid = found.groups()
            cables[frozenset({(at, int(port)), (int(node if kind == "S" else guid, 16), int(other))})].append(number)
        elif found := HOST_LINE.match(line):
            port, guid, switch, other = found.groups()
            cables[frozenset({(int(switch, 16), int(other)), (int(guid, 16), int(port))})].append(number)
    return cables


def dump(rng, cables, hosts):
    """Text of the sample without so many cables between switches and cables of hosts, shuffled, with other LIDs."""
    text = SAMPLE.read_text()
    found = read_map(text)
    is_host = {cable: any(guid >= 0x400000 for guid, port in cable) for cable in found}
    ordered = sorted(found, key=sorted)
    gone = rng.sample([c for c in ordered if not is_host[c]], cables)
    gone += rng.sample([c for c in ordered if is_host[c]], hosts)
    drop = {number for cable in gone for number in found[cable]}
    lids = list(range(1, 200))
    rng.shuffle(lids)
    text = "\n".join(line for number, line in enumerate(text.splitlines()) if number not in drop)
    text = re.sub(r"\blid (\d+)", lambda lid: f"lid {lids[int(lid[1])]}", text)
    head, *blocks = text.split("\n\n")
    rng.shuffle(blocks)
    # without its one cable, a host is not found
    return "\n\n".join([head, *(b for b in blocks if not (b.find("\nCa") >= 0 and not HOST_LINE.search(b)))]) + "\n"


def spoil(rng, path):
    """Some entries that lead to hosts are missing, or name another port."""
    lines = []
    for line in path.read_text().splitlines():
        if ENTRY.match(line):
            draw = rng.randrange(150)
            if draw == 0:
                continue
            if draw == 1:
                line = re.sub(r" \d+ ", f" {rng.randrange(1, 37):03} ", line, count=1)
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")


class Side:
    def __init__(self, map_path, lft_path):
        self.cables = set(read_map(map_path.read_text()))
        self.far = {}
        for one, other in map(tuple, self.cables):
            self.far[one], self.far[other] = other, one
        self.hosts = {guid for guid, port in self.far if guid >= 0x400000}
        self.switches = {guid for guid, port in self.far if guid < 0x400000}
        self.entry = {}
        for line in lft_path.read_text().splitlines():
            if found := TABLE.match(line):
                at = int(found[1], 16)
            elif found := ENTRY.match(line):
                to, port = int(found[3], 16), int(found[2])
                if to in self.hosts and (at, port) in self.far:
                    self.entry[at, to] = port
        self.load = collections.Counter()

    def route(self, src, dst):
        """The ports that are left, or None; those of switches are counted if it arrives."""
        path, at = [(src, 1)], self.far[src, 1][0]
        while at != dst:
            port = self.entry.get((at, dst))
            if port is None or at in self.hosts or len(path) > 50:
                return None
            path.append((at, port))
            at = self.far[at, port][0]
        for hop in path[1:-1]:
            self.load[hop] += 1
        return path


def expected(before, after):
    pairs, to = collections.Counter(), collections.defaultdict(collections.Counter)
    for dst in before.hosts | after.hosts:
        for src in before.hosts | after.hosts:
            if src == dst:
                continue
            was = before.route(src, dst) if {src, dst} <= before.hosts else None
            now = after.route(src, dst) if {src, dst} <= after.hosts else None
            if not {src, dst} <= before.hosts & after.hosts:
                continue
            pairs["before"] += was is not None
            pairs["after"] += now is not None
            change = "lost" if was and not now else "gained" if now and not was else "moved" if was != now else None
            pairs[change] += 1
            to[dst][change] += 1
    entries, at = collections.Counter(), collections.Counter()
    for key in before.entry.keys() | after.entry.keys():
        was, now = before.entry.get(key), after.entry.get(key)
        change = "came" if was is None else "went" if now is None else "changed" if was != now else None
        entries[change] += 1
        if change and key[0] in after.switches and key[1] in after.hosts:
            at[key[0]] += 1
            to[key[1]]["switches"] += 1
    return pairs, to, entries, at


def check(folder, rng, engines):
    paths = {}
    for day, engine in zip(("before", "after"), engines):
        paths[day] = folder / f"{day}.ibnetdiscover", folder / f"{day}.lfts"
        paths[day][0].write_text(dump(rng, rng.randrange(12), rng.randrange(4)))
        run("route", paths[day][0], "--routing", engine, "--write", paths[day][1])
        spoil(rng, paths[day][1])
    before, after = (Side(*paths[day]) for day in ("before", "after"))
    found = tables("diff", paths["before"][0], paths["after"][0], "--before-lft", paths["before"][1], "--lft",
                   paths["after"][1], good=(0, 1))
    pairs, to, entries, at = expected(before, after)
    changes = {row.pop("what"): row for row in found["changes"]}

    def counts(what, was, now):
        row = changes[what]
        assert row["before"] == len(was) and row["after"] == len(now), (what, row)
        assert row["came"] == len(now - was) and row["went"] == len(was - now), (what, row)

    counts("switches", before.switches, after.switches)
    counts("endpoints", before.hosts, after.hosts)
    counts("cables", before.cables, after.cables)
    assert changes["switches"]["changed"] == len(at) == len(found["switches"])
    row = changes["entries"]
    assert (row["before"], row["after"]) == (len(before.entry), len(after.entry)), row
    assert all(row[change] == entries[change] for change in ("came", "went", "changed")), (row, entries)
    row = changes["pairs"]
    assert [row[name] for name in ("before", "after", "came", "went", "changed")] == [
        pairs[name] for name in ("before", "after", "gained", "lost", "moved")], (row, pairs)
    names = {f"node{number:03}": 0x400001 + 16 * number for number in range(1, 145)}
    named = {row["destination"]: row for row in found["destinations"]}
    for name, guid in names.items():
        row = named.get(name, collections.Counter())
        for column in ("switches", "moved", "lost", "gained"):
            assert row[column] == to[guid][column], (name, row, to[guid])
    switches = {f"leaf{i:02}": 0x200000 + 16 * i for i in range(1, 10)}
    switches |= {f"spine{i}": 0x300000 + 16 * i for i in range(1, 5)}
    assert {switches[row["switch"]]: row["entries"] for row in found["switches"]} == at
    check_channels(found["channels"], switches, before, after)
    listed = [row["name"] for row in found["parts"] if row["part"] == "cable"]
    assert len(listed) == sum(all(guid < 0x400000 for guid, port in cable) for cable in before.cables ^ after.cables)
    return changes


def check_channels(rows, switches, before, after):
    """Every channel that carries more, the greatest difference first."""
    more = {}
    for row in rows:
        name, port = row["channel"].split(">")[0].split("/")
        more[switches[name], int(port)] = row["before"] or 0, row["after"]
        assert row["more"] == row["after"] - (row["before"] or 0) > 0
    assert [row["more"] for row in rows] == sorted((row["more"] for row in rows), reverse=True)
    there = {cable_end for cable in before.cables & after.cables for cable_end in cable}
    for hop, load in after.load.items():
        then = before.load[hop] if hop in there else 0
        assert more.pop(hop, None) == ((then, load) if load > then else None), hop
    assert not more


def main():
    rng = random.Random(15)
    total = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        for case in range(6):
            engines = rng.choice([("minhop", "minhop"), ("updn", "minhop"), ("minhop", "sssp")])
            changes = check(pathlib.Path(name), rng, engines)
            for what, row in changes.items():
                total.update({f"{what} {column}": row[column] for column in ("came", "went", "changed")})
    print("6 pairs of dumps:", ", ".join(f"{total[what]} {what}" for what in sorted(total)))
    missing = [what for what in total if not total[what] and what not in NEVER]
    return f"never happened: {missing}" if missing else 0


if __name__ == "__main__":
    sys.exit(main())
