"""Forwarding tables of Crosswind's minhop, updn, dnup, dor-ports and sssp beside those of OpenSM's minhop, updn, dnup, dor
and sssp: every entry must be the same, to all LIDs of endpoints and to switches, OpenSM must load the tables and dump them as they
are, and what OpenSM refuses must be refused.

live_engines.py [FIRST LAST]  random fabrics, trees with something wrong (those of the seeds FIRST … LAST-1), and regular
                           networks, whole and with failures, routed by OpenSM under ibsim; a sample of them without
                           seeds
live_engines.py --all      all of them
live_engines.py --stored   networks whose tables by OpenSM are known by their hash (tests/golden/opensm-tables.csv), but
                           for those of more than 300,000 entries
live_engines.py --large    a sample of these; with --all behind it, all
live_engines.py --record   adds the hashes that are missing: runs OpenSM (without the file, for twenty minutes)
live_engines.py --shared   maps of real fabrics and their tables, where there are any beside the project"""
import concurrent.futures
import csv
import hashlib
import lzma
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import random_trees
from crosswind import PROGRAM, ROOT, Failed, run, sampled, skip
from live_opensm import subnet

ENGINES = {"minhop": "minhop", "updn": "updn:found", "dnup": "dnup", "dor": "dor-ports",  # OpenSM's, ours
           "sssp": "sssp"}  # dfsssp has the same tables: live_levels.py
RANDOM = 10  # fabrics, each with every engine
TREES = range(4)  # seeds
REGULAR = [  # network, what fails
    ("xgft(2,12,6)", "10%"),
    ("xgft:3:3,4,3:1,3,2:1,1,2", None),
    ("xgft:3:3,4,3:1,3,2:1,1,2", "20%"),
    ("torus:3x5", None),
    ("torus:4x4x4", "5%"),
    ("mesh:5x4", None),
    ("hypercube:5", None),
    ("dragonfly:2,4,2", None),
    ("jellyfish:40,6,3", None),
    ("crossbar:12", None),
]
STORED = ROOT / "tests/golden/opensm-tables.csv"
RECORDED = [  # network, what fails
    ("ft16", None),
    ("psmn_X5", None),
    ("nvidia_superpod", None),
    ("xgft(2,12,6)", None),
    ("xgft(2,12,6)", "5%"),
    ("xgft(2,24,12)", None),
    ("xgft(2,24,12)", "5%"),
    ("torus:8x6x7", None),
    ("torus:16x16", None),
    ("torus:16x16", "3%"),
    ("slimfly:5", None),
    ("dragonfly:4,8,4", None),
    ("dragonfly:4,8,4", "3%"),
    ("xgft(3,12,8,12,4)", None),
    ("xgft(3,12,8,12,4)", "2%"),
    ("xgft(3,12,24,12,12)", None),
    ("xgft(3,12,24,12,12)", "1%"),
    ("ft16", "10%"),
    ("psmn_X5", "5%"),
    ("nvidia_superpod", "5%"),
    ("xgft(2,24,12)", "s2.6"),
    ("xgft(3,12,8,12,4)", "s2.4"),
    ("torus:8x6x7", "2%"),
    ("slimfly:5", "5%"),
]
SLOW = ["xgft(3,12,24,12,12)"]  # for OpenSM's nue
MAPS = {"ft16": "ft16.net", "psmn_X5": "psmn_X5.ibnetdiscover",
        "nvidia_superpod": "nvidia_topograph_example.ibnetdiscover"}  # in SHARED/NAME; also routed with LMC 2
TORI = [  # network, what fails; by torus-2QoS, entries to hosts
    ("torus:8x6x7", ""),
    ("torus:4x16x5", ""),
    ("mesh:9x5x6", ""),
    ("torus:18x15", ""),
    ("torus:8x6x7", "1%"),
]
LARGE = 300000  # entries
ENTRY = re.compile(r"^0x\w+ (\d+) # (?:Switch|Channel Adapter|Router) portguid (0x\w+)", re.M)
SHARED = pathlib.Path(os.environ.get("CW_SHARED", ROOT.parent / "shared")) / "fabrics"


class Random_fabric:
    """Switches joined at random, with parallel cables, empty ports, and hosts of one port or several; written as a net
    file, with the files that change its routing."""

    def __init__(self, source, directory):
        self.random, self.directory = source, directory
        guids = source.sample(range(1 << 13, 1 << 40), 60)
        self.switches = [guid << 8 for guid in guids[:source.randrange(2, 11)]]
        self.hosts, self.cables = [], []
        for i in range(1, len(self.switches)):
            self.cables += [(("S", i), ("S", source.randrange(i)))] * source.choice([1, 1, 1, 2, 3])
        for _ in range(source.randrange(2 * len(self.switches))):
            a, b = source.sample(range(len(self.switches)), 2)
            self.cables += [(("S", a), ("S", b))] * source.choice([1, 1, 2])
        for i in range(len(self.switches)):
            for _ in range(source.choice([0, 0, 1, 2, 3, 5]) or (i == 0)):
                host = ("H", len(self.hosts))
                self.hosts.append(guids[-1 - len(self.hosts)] << 8)
                self.cables.append((("S", i), host))
                if source.random() < 0.1:
                    self.cables.append((("S", source.randrange(len(self.switches))), host))
        self.connect()
        boxes = [guid << 8 for guid in source.sample(range(1 << 13, 1 << 40), 3)] if source.random() < 0.4 else []
        self.boxes = {("S", i): source.choice(boxes) for i in range(len(self.switches)) if boxes}

    def connect(self):
        ends = [end for cable in self.cables for end in cable]
        self.ports = {end: ends.count(end) + (end[0] == "S") * self.random.choice([0, 0, 2]) for end in ends}
        free = {end: self.random.sample(range(1, n + 1), n) for end, n in self.ports.items()}
        self.peer = {}
        for a, b in self.cables:
            x, y = (a, free[a].pop()), (b, free[b].pop())
            self.peer[x], self.peer[y] = y, x

    def guid(self, end):
        return (self.switches if end[0] == "S" else self.hosts)[end[1]]

    def file(self, name, lines):
        (self.directory / name).write_text("".join(line + "\n" for line in lines))
        return self.directory / name

    def net(self):
        lines = []
        for end in self.ports:
            guid = self.guid(end)
            lines += ["", f"sysimgguid={self.boxes.get(end, guid):#x}"] if self.boxes else [""]
            lines += [f"switchguid={guid:#x}({guid:x})" if end[0] == "S" else f"caguid={guid:#x}"]
            lines.append(f'{"Switch" if end[0] == "S" else "Hca"} {self.ports[end]} "{end[0]}-{guid:016x}"')
            for port in range(1, self.ports[end] + 1):
                if (end, port) in self.peer:
                    other, number = self.peer[end, port]
                    own = f"({guid + port:x})" if end[0] == "H" else ""
                    lines.append(f'[{port}]{own} "{other[0]}-{self.guid(other):016x}"[{number}]')
        return self.file("fabric.net", lines)

    def options(self, engine):
        """Options for OpenSM and the same for us."""
        pick, switches = self.random, [end for end in self.ports if end[0] == "S"]
        ends = [self.guid(end) + port for end, port in self.peer if end[0] == "H"]
        files = {}
        if engine == "updn" and pick.random() < 0.6:
            some = pick.sample(switches, pick.randrange(1, len(switches) // 2 + 1))
            files["-a", "roots"] = [f"{self.guid(end):#x}" for end in some]
        if engine == "updn" and pick.random() < 0.3:
            ids = pick.sample(range(1, 99), len(switches))
            files["-m", "ids"] = [f"{self.guid(end):#x} {id}" for end, id in zip(switches, ids)]
        if engine != "sssp" and pick.random() < 0.3:
            files["-X", "order"] = [f"{guid:#x}" for guid in pick.sample(ends, pick.randrange(1, len(ends) + 1))]
        if engine != "sssp" and pick.random() < 0.3:
            files["-O", "ports"] = [
                " ".join([f"{self.guid(end):#x}", *map(str, pick.sample(range(1, self.ports[end] + 1),
                                                                        pick.randrange(1, self.ports[end] + 1)))])
                for end in switches if pick.random() < 0.7]
        if engine in ("minhop", "dor") and pick.random() < 0.3:
            files["-w", "weights"] = [f"{self.guid(end):#x} {port} {pick.choice([1, 2, 3])}"
                                      for end, port in self.peer if end[0] == "S"]
        lmc = pick.choice([0, 0, 1, 2, 3])
        theirs, ours = ["-l", str(lmc)], [f"lmc={lmc}"]
        for (option, name), lines in files.items():
            path = self.file(f"{engine}-{name}", lines)
            theirs += [option, path]
            ours.append(f"{name}={path}")
        if engine == "updn" and ("-a", "roots") not in files:
            ours.append("roots=found")
        name = ENGINES[engine].split(":")[0]
        return theirs, f"{name}:{','.join(ours)}"


def by_switch(text):
    """Of each switch GUID the ports by the destination's port GUID, one for each of its LIDs, as text."""
    found = {}
    for block in text.split("Unicast lids ")[1:]:
        table = found.setdefault(re.search(r"guid (0x\w+)", block)[1], {})
        for port, guid in ENTRY.findall(block):
            table.setdefault(guid, []).append(port.lstrip("0") or "0")
    return found


def entries(text):
    """Ports by switch GUID and the destination's port GUID, one for each of its LIDs."""
    return {(switch, guid): [*map(int, ports)]
            for switch, table in by_switch(text).items() for guid, ports in table.items()}


def to_hosts(found):
    """Entries without those to switches."""
    switches = {switch for switch, _ in found}
    return {key: ports for key, ports in found.items() if key[1] not in switches}


def check(case):
    """What a function says of its argument in a folder of its own, or why it failed."""
    function, argument = case
    with tempfile.TemporaryDirectory() as directory:
        try:
            return function(argument, pathlib.Path(directory)), ""
        except Failed as failure:
            return "FAILED", f"{argument}: {failure}"


def verdicts(cases):
    """How often each of them comes of the cases, four at a time. Says which failed."""
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for verdict, why in pool.map(check, cases):
            counts[verdict] = counts.get(verdict, 0) + 1
            if why:
                print("FAILED", why)
    print(counts)
    return counts


def nameless(text):
    """A file of tables without the names of nodes, which OpenSM takes from other packets than ibnetdiscover."""
    return [re.sub(r" ?\('.*'\):$|: '.*'$", "", line) for line in text.splitlines()]


def ours(network, spec, directory):
    """Our tables, or None with what we say instead."""
    written = directory / "ours"
    done = subprocess.run([PROGRAM, "route", network, "--routing", spec, "--write", written], capture_output=True,
                          text=True)
    if not written.exists():
        return None, done.stderr
    result = written.read_text()
    written.unlink()
    return result, None


def compare(net, engine, spec, arguments, directory):
    """"identical" or "refused", if both say so. Files are compared line by line, entries to switches included."""
    try:
        subnet(net, directory, engine, *(["--", *arguments] if arguments else []))
        theirs = (directory / "opensm-lfts.dump").read_text()
        net = directory / "fabric.ibnetdiscover"  # with LIDs
    except Failed:
        theirs = None
    mine, why = ours(net, spec, directory)
    lines = nameless(theirs or ""), nameless(mine or "")
    if lines[0] != lines[1]:
        wrong = [pair for pair in zip(*lines) if pair[0] != pair[1]]
        raise Failed(f"{engine}, {spec}: {len(lines[0])} and {len(lines[1])} lines, {len(wrong)} differ, such as "
                     f"{wrong[:1]}; {why}")
    if mine is None and "finds no root" not in why:
        raise Failed(f"{engine}, {spec}: refused, but not for want of roots: {why}")
    return "refused" if mine is None else "identical"


def write_net(network, failed, path):
    run("topo", network, *(["--failed", failed] if failed else []), "--write", path)
    return path


def check_loads(net, spec, lmc, directory):
    """OpenSM loads what we write, and dumps the same."""
    mine, _ = ours(directory / "fabric.ibnetdiscover", spec, directory)
    (directory / "tables").write_text(mine)
    back = subnet(net, directory / "back", "file", "--", "-U", directory / "tables", *lmc)
    if nameless((back / "opensm-lfts.dump").read_text()) != nameless(mine):
        raise Failed(f"{spec}: OpenSM dumps other tables than it loaded")


def random_case(seed, engine):
    with tempfile.TemporaryDirectory() as directory:
        fabric = Random_fabric(random.Random(seed), pathlib.Path(directory))
        theirs, spec = fabric.options(engine)
        net = fabric.net()
        found = compare(net, engine, spec, theirs, fabric.directory)
        if found == "identical" and seed % 4 == 0:
            check_loads(net, spec, theirs[:2], fabric.directory)
        return found


def tree_case(seed, engine):
    """Fat trees with holes, hosts at the wrong rank, cables within a rank, parts that hang by nothing."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        text = random_trees.fabric(random.Random(seed))
        if not text:
            return "left out"
        net = directory / "fabric.net"
        net.write_text(text)
        return compare(net, engine, ENGINES[engine], [], directory)


def regular_case(network, failed, engine):
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        return compare(write_net(network, failed, directory / "fabric.net"), engine, ENGINES[engine], [], directory)


def live(trees=TREES):
    jobs = [(tree_case, (seed, engine)) for seed in trees for engine in ENGINES]
    jobs += [(random_case, (seed, engine)) for seed in range(RANDOM) for engine in ENGINES]
    jobs += [(regular_case, (*case, engine)) for case in REGULAR for engine in ENGINES]
    seen = {"identical": 0, "refused": 0, "left out": 0}
    status = 0
    jobs = sampled(jobs, 20) if trees == TREES else jobs
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for work, (function, arguments) in [(pool.submit(f, *a), (f, a)) for f, a in jobs]:
            try:
                seen[work.result()] += 1
            except Failed as failure:
                print("FAILED", function.__name__, *arguments, failure)
                status = 1
    print(f"{len(jobs)} routings: {seen['identical']} identical, {seen['refused']} refused by both")
    return status


def hash_of(tables):
    """Of the lines "switch destination ports" in order."""
    whole = hashlib.sha256()
    for switch in sorted(tables):
        table = tables[switch]
        whole.update("".join([f"{switch} {guid} {' '.join(table[guid])}\n" for guid in sorted(table)]).encode())
    return whole.hexdigest()


def entries_and_hash(row, text):
    """What STORED has of a dump. To switches, torus-2QoS has entries of its own, which are left out."""
    tables = by_switch(text)
    if row["engine"] == "torus-2QoS":
        tables = {switch: {guid: ports for guid, ports in table.items() if guid not in tables}
                  for switch, table in tables.items()}
    return sum(map(len, tables.values())), hash_of(tables) if tables else "refused"


def net_of(network, failed, directory):
    """The file of a network, or None for a map that is not there."""
    if network == "met-again":
        return ROOT / "tests/golden/met-again/fabric.net"
    if network in MAPS:
        network = SHARED / network / MAPS[network]
        if not failed or not network.exists():
            return network if network.exists() else None
        network = as_simulated(network, False, directory)
    return write_net(network, failed or None, directory / "fabric.net")


def torus_config(network, file):
    """A torus-2QoS.conf for a generated torus, whose GUIDs are by number: it begins at the first switch."""
    kind, sizes = network.split(":")
    sizes = [*map(int, sizes.split("x")), 1][:3]
    lines, step = [f"{kind} {' '.join(map(str, sizes))}"], 1
    for letter, size in zip("xyz", sizes):
        if size > 1:
            lines.append(f"{letter}p_link 0x200000 {0x200000 + step:#x}")
        if size == 4:
            lines.append(f"{letter}m_link 0x200000 {0x200000 + 3 * step:#x}")
        step *= size
    file.write_text("\n".join(lines))
    return file


def as_simulated(net, lids, directory):
    """A map with the port GUIDs that ibsim gives when it reads it, those of the node and the port's number, and without
    its LIDs unless they are wanted: with another LMC they would be others."""
    text = net.read_text()
    if net.suffix == ".ibnetdiscover":
        text = re.sub(r'("H-(\w{16})"\[(\d+)\])\(\w+\)', lambda m: f"{m[1]}({int(m[2], 16) + int(m[3]):x})", text)
        blocks = re.split(r"(?m)^(?=caguid|switchguid)", text)
        for i, block in enumerate(blocks):
            if guid := re.match(r"caguid=0x(\w+)", block):
                blocks[i] = re.sub(r"(?m)^(\[(\d+)\])\(\w+\)",
                                   lambda m: f"{m[1]}({int(guid[1], 16) + int(m[2]):x})", block)
            elif guid := re.match(r"switchguid=0x(\w+)\(\w+\)", block):
                blocks[i] = block.replace(guid[0], f"switchguid=0x{guid[1]}({guid[1]})", 1)
        text = "".join(blocks)
    if not lids:
        text = re.sub(r"\blid \d+", "lid 0", text)
    (directory / "map").write_text(text)
    return directory / "map"


def top_switches(net):
    """GUIDs of those farthest from hosts, the roots of a tree."""
    near, level = {}, {}
    for block in re.split(r"\n(?=switchguid|caguid)", net.read_text()):
        if name := re.search(r'^Switch\s+\d+\s+"([^"]*)"', block, re.M):
            guid = re.search(r"switchguid=(0x\w+)", block)[1]
            near[name[1]] = guid, re.findall(r'^\[\d+\]\s*"([^"]*)"', block, re.M)
    queue = [name for name, (_, ends) in near.items() if any(end not in near for end in ends)]
    level = dict.fromkeys(queue, 0)
    for name in queue:
        for end in near[name][1]:
            if end in near and end not in level:
                level[end] = level[name] + 1
                queue.append(end)
    return [near[name][0] for name in queue if level[name] == max(level.values())]


def how(row, net, directory):
    """OpenSM's options for a row of STORED, and our routing."""
    if row["engine"] == "torus-2QoS":
        config = torus_config(row["network"], directory / "torus-2QoS.conf")
        return ["-Q", "--torus_config", config], f"torus-2qos:{config}" if row["failed"] else "torus-2qos"
    theirs, spec = [], {**ENGINES, "ftree": "ftree", "nue": "nue"}[row["engine"]]
    if row["network"] == "met-again" or (row["engine"] == "ftree" and row["failed"]):
        roots = directory / "roots"
        roots.write_text("\n".join(top_switches(net)) + "\n")
        if row["network"] == "met-again":
            roots = net.parent / "roots"
        theirs, spec = ["-a", roots], f'{row["engine"]}:roots={roots}'
    if row["lmc"] != "0":
        theirs += ["-l", row["lmc"]]
        spec += f'{"," if ":" in spec else ":"}lmc={row["lmc"]}'
    return theirs, spec


def check_stored(row):
    """"ok", "missing" for a map that is not there, or what is wrong."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        net = net_of(row["network"], row["failed"], directory)
        if net is None:
            return "missing"
        spec = how(row, net, directory)[1]
        if row["engine"] == "torus-2QoS" and not row["failed"]:
            net = row["network"]  # whose shape is known
        else:
            net = as_simulated(net, row["lmc"] == "0", directory)
        mine, why = ours(net, spec, directory)
    number, hash = entries_and_hash(row, mine or "")
    return "ok" if (str(number), hash) == (row["entries"], row["sha256"]) else f"FAILED {row} {why or ''}"


def stored(wanted, n=sys.maxsize):
    rows = sampled(list(filter(wanted, csv.DictReader(open(STORED)))), n)
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        found = list(pool.map(check_stored, rows))
    bad = [said for said in found if said not in ("ok", "missing")]
    print("\n".join(bad) or f"{found.count('ok')} tables are those of OpenSM")
    if "missing" in found:
        print(f"{found.count('missing')} tables of real maps were left out: there are none in {SHARED}")
    return 1 if bad else 0


def is_large(row):
    return int(row["entries"]) > LARGE


def cases():
    """Rows of STORED without what OpenSM says."""
    for network, failed in RECORDED:
        for engine in (*ENGINES, "ftree", "nue"):
            if engine == "nue" and network in SLOW:
                continue
            for lmc in ("0", "2") if network in MAPS and not failed and engine in ENGINES else ("0",):
                yield {"network": network, "failed": failed or "", "engine": engine, "lmc": lmc}
    for network, failed in TORI:
        yield {"network": network, "failed": failed, "engine": "torus-2QoS", "lmc": "0"}
    yield {"network": "met-again", "failed": "", "engine": "updn", "lmc": "0"}


def record_row(row):
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        net = net_of(row["network"], row["failed"], directory)
        theirs, _ = how(row, net, directory)
        try:
            subnet(net, directory, row["engine"], *(["--", *theirs] if theirs else []))
        except Failed as failure:
            if "No routing engine able" not in str(failure):
                raise
            return {**row, "entries": 0, "sha256": "refused"}
        number, hash = entries_and_hash(row, (directory / "opensm-lfts.dump").read_text())
        return {**row, "entries": number, "sha256": hash}


def record():
    """Two at a time: the largest need 1 GB each. Rows that are stored already stay."""
    def key(row):
        return row["network"], row["failed"], row["engine"], row["lmc"]

    os.environ.setdefault("SUBNET_TIMEOUT", "3600")
    done = {key(row): row for row in csv.DictReader(open(STORED))} if STORED.exists() else {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        work = {pool.submit(record_row, row): row for row in cases() if key(row) not in done}
        for found in concurrent.futures.as_completed(work):
            print(found.result(), flush=True)
            done[key(work[found])] = found.result()
            with open(STORED, "w") as file:
                writer = csv.DictWriter(file, work[found] | found.result(), lineterminator="\n")
                writer.writeheader()
                writer.writerows(done[key(row)] for row in cases() if key(row) in done)
    return 0


def shared():
    maps = sorted(SHARED.glob("*/*ibnetdiscover*"))
    if not maps:
        skip(f"no maps with tables of OpenSM in {SHARED}")
    status = 0
    for fabric in maps:
        for engine, spec in {**ENGINES, "dfsssp": "dfsssp", "nue": "nue"}.items():
            tables = fabric.parent / f"{engine}.lfts.xz"
            if not tables.exists():
                continue
            theirs = entries(lzma.open(tables, "rt").read())
            with tempfile.TemporaryDirectory() as directory:
                mine, why = ours(as_simulated(fabric, True, pathlib.Path(directory)), spec, pathlib.Path(directory))
            mine = entries(mine) if mine else None
            if mine != theirs:
                print("FAILED", tables, why or "")
                status = 1
            else:
                print("ok    ", tables, len(mine))
    return status


def main():
    modes = {"--stored": lambda: stored(lambda row: not is_large(row)), "--large": lambda: stored(is_large, 8),
             "--record": record, "--shared": shared,
             "--all": live}
    if sys.argv[1:2] and sys.argv[1] in modes:
        return modes[sys.argv[1]]()
    return live(range(*map(int, sys.argv[1:3]))) if sys.argv[1:] else live()


if __name__ == "__main__":
    sys.exit(main())
