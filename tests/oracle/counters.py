"""Counters that are planted: perfquery's and ibqueryerrors' output is made of what jobs with known numbers of runs send over
each cable of a map, and of one cable more that carries what is no job's. `crosswind jobs --counters` finds the runs, and that
cable; so it does with counters of 32 bits that have begun anew, and by the map alone which port is which.

    counters.py                                    checks
    counters.py --plant BEFORE AFTER JOBS RUNS NOISE NETWORK...
        writes such readings: of the jobs in the file JOBS, one a line, with RUNS "900,5000", and NOISE "leaf03/20=4e10" """
import collections
import pathlib
import random
import re
import sys
import tempfile

from crosswind import ROOT, Failed, tables

MAP = ROOT / "tests/golden/fabric/two-level.ibnetdiscover"
NETWORK = [MAP, "--routing", "minhop"]
JOBS = ["alltoall bytes=3000B", "ring-allreduce bytes=20000B", "shift:1 bytes=700kB"]
RUNS = [1200, 310, 47]
NOISE, SECONDS = 9 * 10**8, 20
HEADS = {32: "# Port counters: Lid {lid} port {port} (CapMask: 0x1300)",
         64: "# Port extended counters: Lid {lid} port {port} (CapMask: 0x1300 CapMask2: 0x0000000)"}


def expect(condition, what):
    if not condition:
        raise Failed(what)


class Map:
    """Of each node its name, GUID, LIDs and cables by port."""

    def __init__(self, path):
        self.guid, self.lid, self.ports, ids = {}, {}, collections.defaultdict(dict), {}
        for line in path.read_text().splitlines():
            if head := re.match(r'(Switch|Ca)\s+\d+ "([SH])-([0-9a-f]+)"\s*# "([^"]*)"(.*)', line):
                name, guid = head[4], int(head[3], 16)
                ids[head[2] + head[3]] = name
                self.guid[name] = guid
                if lid := re.search(r"\blid (\d+)", head[5]):
                    self.lid[name] = int(lid[1])
            elif cable := re.match(r'\[(\d+)\](?:\([0-9a-f]+\))?\s+"([SH])-([0-9a-f]+)"\[(\d+)\]', line):
                self.ports[name][int(cable[1])] = (cable[2] + cable[3], int(cable[4]))
                if lid := re.search(r'# lid (\d+)', line):
                    self.lid[name] = int(lid[1])
        self.peer = {(name, port): (ids[to], at) for name, ports in self.ports.items() for port, (to, at) in ports.items()}


def loads(spec, network):
    """What one run sends: (name, port) -> bytes."""
    found = tables("jobs", *network, "--jobs", spec, "--top", 100000)["busiest"]
    return {(row["from"].rsplit("/", 1)[0], int(row["from"].rsplit("/", 1)[1])): row["bytes"] for row in found}


def counter(words, bits):
    return words % 2**bits


def perfquery(fabric, words, bits):
    lines = []
    for (name, port), (peer, at) in fabric.peer.items():
        lines += [HEADS[bits].format(lid=fabric.lid[name], port=port), f"PortSelect:......................{port}",
                  f"PortXmitData:....................{counter(words[name, port], bits)}",
                  f"PortRcvData:.....................{counter(words[peer, at], bits)}"]
        lines += [f"PortXmitWait:....................{port * 1000}"] if bits == 32 else []
    return "\n".join(lines) + "\n"


def ibqueryerrors(fabric, words):
    lines, last = [], None
    for (name, port), (peer, at) in fabric.peer.items():
        if name != last:
            lines.append(f'Data Counters for {fabric.guid[name]:#x} "{name}"')
        last = name
        lines.append(f"   GUID {fabric.guid[name]:#x} port {port}: [PortXmitData == {words[name, port]} (6.188KB)] "
                     f"[PortRcvData == {words[peer, at]} (6.188KB)] [PortXmitPkts == 22 (22.000)] [PortUnicastXmitPkts == 0 (0.000)]")
    return "\n".join(lines) + "\n"


def planted(before, specs, runs, network):
    """The words behind the jobs' runs: what one sends is what all send more where it runs twice."""
    after, once = dict(before), loads(";".join(specs), network)
    for i, times in enumerate(runs):
        twice = loads(";".join(spec + " repeat=2" * (k == i) for k, spec in enumerate(specs)), network)
        for port, sent in twice.items():
            after[port] += round(times * (sent - once[port]) / 4)
    return after


def plant(before_path, after_path, jobs, runs, noise, *network):
    fabric = Map(pathlib.Path(network[0]))
    before = {port: random.Random(str(port)).randrange(10**12) for port in fabric.peer}
    after = planted(before, pathlib.Path(jobs).read_text().splitlines(), map(float, runs.split(",")), network)
    port, sent = noise.split("=")
    after[port.rsplit("/", 1)[0], int(port.rsplit("/", 1)[1])] += round(float(sent) / 4)
    for path, words in ((before_path, before), (after_path, after)):
        pathlib.Path(path).write_text(perfquery(fabric, words, 64))


def check(fabric, form, folder):
    placed, specs = random.Random(7).sample(sorted(name for name in fabric.guid if "node" in name), 15), []
    for i, job in enumerate(JOBS):
        (folder / f"hosts{i}").write_text("\n".join(placed[5 * i:5 * i + 5]) + "\n")
        specs.append(f"{job} ranks=5 placement=file:{folder}/hosts{i}")
    before = {port: 2**32 - random.Random(str(port)).randrange(1, 10**7) for port in fabric.peer}
    after = planted(before, specs, RUNS, NETWORK)
    noisy = next(port for port in sorted(fabric.peer) if "node" not in port[0] and "node" not in fabric.peer[port][0])
    after[noisy] += NOISE // 4
    for name, words in (("before", before), ("after", after)):
        text = ibqueryerrors(fabric, words) if form == "ibqueryerrors" else perfquery(fabric, words, form)
        (folder / name).write_text(text)
    found = tables("jobs", *NETWORK, "--jobs", ";".join(specs), "--counters", f"{folder}/before,{folder}/after",
                   "--counters-seconds", f"{SECONDS}s")
    for row, runs in zip(found["runs"], RUNS):
        expect(abs(row["runs"] / runs - 1) < 1e-5, f"{row}, planted {runs}")
        expect(abs(row["interval"] * row["runs"] / SECONDS - 1) < 1e-9, row)
    (row,) = found["unexplained"]
    expect(row["from"] == f"{noisy[0]}/{noisy[1]}", f"{row}, planted {noisy}")
    expect(abs(row["beyond"] / NOISE - 1) < 1e-3, row)
    wrapped = sum(after[port] - before[port] > 0 and before[port] + after[port] - before[port] >= 2**32 for port in after)
    said = [note for note in found["notes"] if "begun anew" in note]
    expect(wrapped > 3, "too few counters begin anew for this to say anything")
    expect(len(said) == (form == 32 and wrapped > 0), f"{wrapped} have begun anew, {said}")


def main():
    if sys.argv[1:2] == ["--plant"]:
        plant(*sys.argv[2:])
        return 0
    failed, fabric = 0, Map(MAP)
    for form in (64, 32, "ibqueryerrors"):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(fabric, form, pathlib.Path(folder))
                print("ok    ", form)
            except Failed as failure:
                print("FAILED", form, failure, sep="\n  ")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
