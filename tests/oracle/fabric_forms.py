"""One fabric in every form that the InfiniBand tools give it: ibnetdiscover, OpenSM's opensm-subnet.lst, iblinkinfo in
five ways, and ibdiagnet's tables, which are made here. All of them are the same network: endpoints, switches, cables,
ports, capacities, LIDs; and the subnet manager's own forwarding tables lead through each of them on the same paths.
  fabric_forms.py          the files of tests/golden/fabric
  fabric_forms.py --live   files that OpenSM and infiniband-diags write under ibsim, of generated networks, of the sample
                           and, where the folder of shared maps is at hand, of real machines"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from crosswind import ROOT, Failed, run, skip, tables

GOLDEN = ROOT / "tests/golden/fabric"
SHARED = pathlib.Path(os.environ.get("CW_SHARED", ROOT.parent / "shared")) / "fabrics"
MAP = "fabric.ibnetdiscover"
WHOLE = "opensm-subnet.lst"
DB_CSV = "ibdiagnet2.db_csv"
WIDTHS = {1: 1, 4: 2, 8: 4, 12: 8, 2: 16}
LANES = {1: 2, 2: 4, 4: 8, 1 << 16: 10, 1 << 8: 14.0625 * 64 / 66, 1 << 9: 25, 1 << 10: 50, 1 << 11: 100, 1 << 24: 200}  # Gbit/s
BY_GUID = ("plain.iblinkinfo", "lines.iblinkinfo", "settings.iblinkinfo", "switches-lines.iblinkinfo")
BY_LID = "switches.iblinkinfo"
GENERATED = ["xgft:3:3,4,3:1,3,2:1,1,2", "torus:4x4", "dragonfly:2,4,2"]


def expect(condition, what):
    if not condition:
        raise Failed(what)


def network(file, directory):
    """The network as Crosswind reads FILE, without what the title says."""
    written = directory / "network.json"
    run("topo", file, "--write", written)
    return json.loads(written.read_text())


def cables(net, key):
    """Each cable: both ends by KEY of their vertices, with ports, LIDs and the capacity."""
    names = [vertex[key] for vertex in net["identities"]]
    expect(len(set(names)) == len(names), f"{key}s are not distinct")
    lids = [vertex["lid"] for vertex in net["identities"]]
    ends = set()
    for a, port_a, b, port_b, *stated in net["cables"]:
        capacity = stated[0] if stated else net["capacity"]
        ends.add((*sorted((names[v], lids[v], port) for v, port in ((a, port_a), (b, port_b))), capacity))
    return ends


def as_db_csv(net):
    """The fabric as ibdiagnet writes it, with columns in an order of their own."""
    speeds = {round(lanes * lane * 125e6): (width, speed)
              for lanes, width in reversed(WIDTHS.items()) for speed, lane in LANES.items() if lanes != 2}
    vertices = net["identities"]
    nodes, ports, used = {}, [], collections.defaultdict(list)
    for a, pa, b, pb, *stated in net["cables"]:
        speed = speeds[round((stated or [net["capacity"]])[0])]
        used[a].append((pa, *speed))
        used[b].append((pb, *speed))
    for v, (name, node) in enumerate(zip(net["names"], vertices)):
        description = re.sub(r"(/P\d+)?$", "", re.sub(r" \[[0-9a-f]{16}\](?=(/P\d+)?$)", "", name))
        switch = node["kind"] == "switch"
        kind = {"switch": 2, "router": 3}.get(node["kind"], 1)
        nodes[node["node_guid"]] = (f'"{description}"', node.get("ports", 1), kind, 1, 1, node.get("system_guid", "N/A"),
                                    node["node_guid"], node["port_guid"], node.get("device", 0), node.get("vendor", 0))
        if switch:
            ports.append((node["node_guid"], node["port_guid"], 0, "N/A", node.get("lid", 0), 0, 0, node.get("lmc", 0)))
        lid, lmc = (0, 0) if switch else (node.get("lid", 0), node.get("lmc", 0))
        ports += [(node["node_guid"], node["port_guid"], port, "N/A", lid, width, speed, lmc) for port, width, speed in used[v]]
    links = [(vertices[a]["node_guid"], pa, vertices[b]["node_guid"], pb) for a, pa, b, pb, *_ in net["cables"]]
    text = "# Running version\n"
    for table, header, rows in (
            ("INDEX_TABLE", "Name,Offset,Size", []),
            ("NODES", "NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID,DeviceID,VendorID",
             nodes.values()),
            ("PORTS", "NodeGuid,PortGuid,PortNum,MKey,LID,LinkWidthActv,LinkSpeedActv,LMC", ports),
            ("LINKS", "NodeGuid1,PortNum1,NodeGuid2,PortNum2", links)):
        text += "\n".join([f"START_{table}", header, *(",".join(map(str, row)) for row in rows), f"END_{table}", "", ""])
    return text


def counts(net):
    return net["endpoints"], net["switches"], len(net["cables"])


def paths(fabric, lfts, directory):
    """What Crosswind says of the tables, and the port for each (switch, LID of an endpoint) as it writes them again."""
    written = directory / "written"
    (row,) = tables("route", fabric, "--lft", lfts)["routes"]
    run("route", fabric, "--lft", lfts, "--write", written)
    ports, switch = {}, None
    for line in written.read_text().splitlines():
        heading = re.match(r"Unicast lids .* guid 0x([0-9a-f]+)", line)
        switch = heading[1] if heading else switch
        entry = re.match(r"0x([0-9a-f]+) ([0-9]+) # (?!Switch)", line)
        if entry:
            ports[switch, int(entry[1], 16)] = int(entry[2])
    expect(len(ports) > 0, f"{fabric}: nothing was written")
    return row, ports


def compare(files, directory):
    """Raises Failed where the forms of one fabric differ. FILES: their paths by name, and "lfts"."""
    net = network(files[MAP], directory)
    whole = network(files[WHOLE], directory)
    expect(whole == net, f"{WHOLE} is another network than ibnetdiscover's")
    (directory / DB_CSV).write_text(as_db_csv(net))
    files = files | {DB_CSV: directory / DB_CSV}
    expect(network(files[DB_CSV], directory) == net, f"{DB_CSV} is another network than ibnetdiscover's")
    routes = paths(files[MAP], files["lfts"], directory) if "lfts" in files else None
    for name in (*BY_GUID, BY_LID):
        if name not in files:
            continue
        other = network(files[name], directory)
        key = "lid" if name == BY_LID else "port_guid"
        expect(counts(other) == counts(net), f"{name}: {counts(other)}, ibnetdiscover has {counts(net)}")
        expect(cables(other, key) == cables(net, key), f"{name}: other cables than ibnetdiscover's")
    for name in (WHOLE, DB_CSV, *BY_GUID, BY_LID):
        if routes and name in files:
            expect(paths(files[name], files["lfts"], directory) == routes, f"{name}: other routes than ibnetdiscover's")
    return f"{net['endpoints']} endpoints, {net['switches']} switches, {len(net['cables'])} cables"


def golden():
    for fabric in ("two-level", "rails"):
        files = {MAP: f"{fabric}.ibnetdiscover", WHOLE: f"{fabric}.subnet.lst", BY_GUID[0]: f"{fabric}.iblinkinfo"}
        files |= {name: f"{fabric}-{name}" for name in (*BY_GUID[1:], BY_LID)}
        files |= {"lfts": f"{fabric}.lfts"}
        yield fabric, {name: GOLDEN / file for name, file in files.items() if (GOLDEN / file).exists()}


def live(directory):
    """Each fabric's files, made by OpenSM and infiniband-diags; programs that are missing skip the test."""
    maps = [GOLDEN / "rails.net", ROOT / "examples/sample/fabric.ibnetdiscover",
            SHARED / "psmn_X5/psmn_X5.ibnetdiscover"]
    if not maps[-1].exists():
        print(f"without the map of a real machine: {maps[-1]} is missing; set CW_SHARED to the folder of shared files")
    for number, fabric in enumerate([*GENERATED, *filter(pathlib.Path.exists, maps)]):
        out, net = directory / str(number), fabric
        if fabric in GENERATED:
            net = directory / f"{number}.net"
            run("topo", fabric, "--write", net)
        done = subprocess.run([ROOT / "tools/subnet", net, out, "-l"], capture_output=True, text=True)
        if done.returncode == 77:
            skip(done.stderr.strip())
        expect(done.returncode == 0, done.stderr)
        yield fabric, {path.name: path for path in out.iterdir()} | {"lfts": out / "opensm-lfts.dump"}


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        for fabric, files in live(directory) if "--live" in sys.argv else golden():
            try:
                size = compare(files, directory)
                print("ok    ", fabric, len({MAP, WHOLE, *BY_GUID, BY_LID} & files.keys()), "forms:", size)
            except Failed as failure:
                print("FAILED", fabric, failure, sep="\n  ")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
