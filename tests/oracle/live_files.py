"""Files of OpenSM's engines read as OpenSM reads them: the same tables from each, entries to switches included, and what
its log calls unreadable is refused with file and line.

    live_files.py                   a sample of the cases
    live_files.py --all
    live_files.py FIRST LAST        all, and orders of routing on random fabrics of the seeds FIRST … LAST-1"""
import random
import sys

from crosswind import Failed, run, sampled
from live_engines import ENGINES, Random_fabric, compare, nameless, ours, verdicts
from live_opensm import subnet

SEEDS = range(8)
SWITCH, HOST = 0x200000, 0x100000001  # GUIDs of the first, as the program writes them; of hosts by 0x100
FILES = [  # network, engine, option and file of OpenSM, parameter, two GUIDs, what stands behind them
    ("jellyfish:8,6,3", "minhop", "-X", "order", (HOST + 0x700, SWITCH + 2), ""),
    ("jellyfish:8,6,3", "dnup", "-X", "order", (SWITCH + 3, HOST + 0x300), ""),
    ("jellyfish:8,4,2", "updn", "-a", "roots", (SWITCH, SWITCH + 5), ""),
    ("jellyfish:8,4,2", "updn", "-m", "ids", (SWITCH, SWITCH + 5), " 117440512"),
    ("xgft:2:3,4:1,3", "ftree", "-a", "roots", (SWITCH + 4, SWITCH + 5), ""),
    ("xgft:2:3,4:1,3", "ftree", "-u", "compute", (HOST, HOST + 0x400), ""),
    ("xgft:2:3,4:1,3", "ftree", "-G", "io", (HOST, HOST + 0x400), ""),
]
TEXTS = [  # what a file has of A and B, their GUIDs with 0x, a and b, without; N is what stands behind
    "A N\nB N", "A N\nb N\n", "A N\n00b N\n", "# x\nA N\n # y\nB N # z\n", "\n  \nA N\n\t\n B N\n", "A N\r\n\r\n\tB N\r\n",
    "A N\nA N\nB N\nA N\n", "0x5 N\nA N\n0x0 N\nB N\n-1 N\n", "DA N\n0DB N\n", "A N x y\nB N 8\n", "A N\nB\n",
    "A N" + " " * 300 + "B N\n", "# " + "x" * 253 + "B N\nA N\n", "HOSTNODE N\nSWITCH N\nHOSTPORT N\nA N\n", "+A N\n0XB N\n",
]
IDS = ["A 0x7000000\n", "A 0700000000\n", "A -1\n", "A 99999999999999999999\n", "A 1\nA N\n", "A N\nA 1\n", "A N 8 foo\n"]
REFUSED = [("A N\nfoo\nB N\n", 2), ("A N\nB,N\n", 2), ("A N\n\nAfoo N\n", 3), ("0x N\nA N\n", 1), ("A N\n# " + "x" * 300, 2),
           ("A N\nB N\n0002c90300a1b2c3 N\n", 3)]
REFUSED_IDS = [("A N#x\n", 1), ("B N\nA 7x\n", 2), ("A x\n", 1), ("A # x\n", 1), ("A 7,\n", 1)]


def text_of(form, guids, behind):
    """In two steps, so that nothing of a GUID is taken for a letter of the form."""
    first, second = guids
    values = {"HOSTNODE": f"{HOST - 1:#x}", "HOSTPORT": f"{HOST:#x}", "SWITCH": f"{SWITCH + 1:#x}",
              "0DB": f"0{second:o}", "DA": str(first), "0XB": f"0X{second:X}", "00b": f"{second:016x}",
              "A": f"{first:#x}", "B": f"{second:#x}", " N": behind, "b": f"{second:x}"}
    for i, letters in enumerate(values):
        form = form.replace(letters, chr(0xe000 + i))
    for i, value in enumerate(values.values()):
        form = form.replace(chr(0xe000 + i), value)
    return form


def check_file(case, folder):
    (network, engine, option, parameter, guids, behind), form, line = case
    net, file = folder / "fabric.net", folder / "file"
    run("topo", network, "--write", net)
    file.write_bytes(text_of(form, guids, behind).encode())
    more = []
    if parameter == "ids":
        (folder / "roots").write_text(f"{SWITCH + 3:#x}\n")
        more = ["-a", folder / "roots"]
    try:
        subnet(net, folder / "opensm", engine, "--", option, file, *more)
        theirs = (folder / "opensm/opensm-lfts.dump").read_text()
        net = folder / "opensm/fabric.ibnetdiscover"
        if "cannot parse" in (folder / "opensm/opensm.log").read_text():
            theirs = None
    except Failed:
        theirs = None
    spec = f"{engine}:{parameter}={file}" + (f",roots={folder / 'roots'}" if more else "")
    mine, why = ours(net, spec, folder)
    if theirs is None and mine is None:
        if line and f"{file}:{line}: " not in why:
            raise Failed(f"{spec}: expected line {line}: {why}")
        return "refused"
    if theirs is None or mine is None or nameless(theirs) != nameless(mine):
        raise Failed(f"{spec}: OpenSM {'refuses' if theirs is None else 'reads'} this; {why or 'other tables'}")
    if line:
        raise Failed(f"{spec}: OpenSM reads line {line}")
    return "identical"


def check_order(case, folder):
    """Hosts and switches are routed before all others, some twice."""
    seed, engine = case
    source = random.Random(seed)
    fabric = Random_fabric(source, folder)
    ends = [fabric.guid(end) + port for end, port in fabric.peer if end[0] == "H"] + fabric.switches
    (folder / "order").write_text("".join(f"{guid:#x}\n" for guid in source.choices(ends, k=source.randint(1, len(ends)))))
    options, spec = ["-X", folder / "order"], f"order={folder / 'order'}"
    if engine == "updn":
        (folder / "roots").write_text("".join(f"{guid:#x}\n" for guid in source.sample(fabric.switches, 2)))
        options, spec = options + ["-a", folder / "roots"], f"{spec},roots={folder / 'roots'}"
    lmc = source.choice([0, 0, 1])
    options, spec = options + ["-l", str(lmc)], f"{spec},lmc={lmc}"
    return compare(fabric.net(), engine, f"{ENGINES[engine].split(':')[0]}:{spec}", options, folder)


def main():
    seeds = range(*map(int, sys.argv[1:3])) if len(sys.argv) > 2 else SEEDS
    cases = [(check_order, (seed, engine)) for seed in seeds for engine in ENGINES
             if engine != "sssp"]  # it takes no order
    for file in FILES:
        ids = file[3] == "ids"
        cases += [(check_file, (file, form, None)) for form in TEXTS + (IDS if ids else [])]
        cases += [(check_file, (file, form, line)) for form, line in REFUSED + (REFUSED_IDS if ids else [])]
    counts = verdicts(cases if len(sys.argv) > 2 else sampled(cases, 25))
    return 1 if "FAILED" in counts or not {"identical", "refused"} <= counts.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
