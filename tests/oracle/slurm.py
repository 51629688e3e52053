"""What is written for Slurm is accepted by a slurmctld that runs in a folder of its own, and read back: topology.conf by
its plugin topology/tree, which has the same switches, switches below them and nodes as the file; the nodes are the hosts
of the network, each at a switch that it has a cable to. What scontrol shows is read as the same network as the file.
Lists of nodes are expanded by scontrol."""
import collections
import getpass
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from crosswind import ROOT, Failed, run, skip

FABRIC = ROOT / "tests/golden/fabric"
CASES = ["crossbar:5", "dragonfly:2,4,2", "torus:3x4", "rail:4,2,4", "xgft:3:3,4,3:1,3,2:1,1,2", FABRIC / "boxes.ibnetdiscover",
         FABRIC / "rails.ibnetdiscover", FABRIC / "three-level.ibnetdiscover", ROOT / "examples/sample/fabric.ibnetdiscover"]
PATH = "/usr/sbin:/sbin:/usr/bin:/bin"
SECONDS = 30


def expect(condition, what):
    if not condition:
        raise Failed(what)


def expanded(text):
    """The names of a list in which brackets stand for the numbers at the end of a name."""
    names = []
    for prefix, numbers in re.findall(r"([^,\[]+)(?:\[([^\]]+)\])?", text):
        for part in numbers.split(",") if numbers else [None]:
            low, _, high = (part or "").partition("-")
            names += [prefix] if part is None else [
                f"{prefix}{number:0{len(low)}}" for number in range(int(low), int(high or low) + 1)]
    return names


def rows(text):
    """Lines of keys and values: switch -> key -> value."""
    lines = [dict(word.split("=", 1) for word in line.split()) for line in text.splitlines() if line.startswith("Switch")]
    expect(len({line["SwitchName"] for line in lines}) == len(lines), "a switch has two lines")
    return {line["SwitchName"]: line for line in lines}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Controller:
    """slurmctld for NODES, without munge or nodes that answer."""

    def __init__(self, folder, nodes):
        user = getpass.getuser()
        (folder / "state").mkdir()
        (folder / "slurm.conf").write_text("\n".join([
            "ClusterName=test", f"SlurmctldHost={socket.gethostname().split('.')[0]}(127.0.0.1)", f"SlurmUser={user}",
            f"SlurmdUser={user}", f"SlurmctldPort={free_port()}", f"SlurmdPort={free_port()}", "AuthType=auth/none",
            "CredType=cred/none", "TopologyPlugin=topology/tree", f"StateSaveLocation={folder}/state",
            f"SlurmctldPidFile={folder}/slurmctld.pid", "ProctrackType=proctrack/pgid", "MailProg=/bin/true",
            *(f"NodeName={node} NodeAddr=127.0.0.1 CPUs=1" for node in nodes), "PartitionName=all Nodes=ALL", ""]))
        self.environment = {"PATH": PATH, "SLURM_CONF": str(folder / "slurm.conf")}
        self.log = folder / "log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(["slurmctld", "-D", "-c", "-f", folder / "slurm.conf"], stdout=log, stderr=log,
                                            env=self.environment)

    def show(self, *what):
        for _ in range(SECONDS * 5):
            done = subprocess.run(["scontrol", "show", *what], capture_output=True, text=True, env=self.environment)
            if done.returncode == 0:
                return done.stdout
            expect(self.process.poll() is None, f"slurmctld ended: {self.log.read_text()}")
            time.sleep(0.2)
        raise Failed(f"slurmctld does not answer: {done.stderr}\n{self.log.read_text()}")

    def end(self):
        self.process.terminate()
        self.process.wait()


def legal(name):
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name).rstrip("_")


def check_hosts(network, folder, written):
    """The hosts of the network, as it is drawn, are the nodes of the file, each at a switch that it is cabled to."""
    made = rows(written)
    nodes = [node for row in made.values() if "Nodes" in row for node in expanded(row["Nodes"])]
    expect(len(nodes) == len(set(nodes)) > 0, "a node has two switches")
    dot = folder / "net.dot"
    run("topo", network, "--write", dot)
    names = dict(re.findall(r'^  (\d+) \[label="([^"]*)"', dot.read_text(), re.M))
    ends = set(re.findall(r'^  \d+ \[label="[^"]*", shape=ellipse', dot.read_text(), re.M))
    n = len(ends)
    cabled = collections.defaultdict(set)
    for tail, head in re.findall(r"^  (\d+) -- (\d+) ", dot.read_text(), re.M):
        host, switch = sorted((int(tail), int(head)))
        if host < n <= switch:
            name = re.sub(r"/P\d+$", "", names[str(host)])
            cabled[legal(name)].add(names[str(switch)])
            cabled[legal(name.split(" ")[0])].add(names[str(switch)])
    for switch, row in made.items():
        for node in expanded(row.get("Nodes", "")):
            if re.search(r"_x\d+$", switch):
                continue
            expect(switch in {legal(at) for at in cabled[node]}, f"{node} has no cable to {switch}")
    return nodes


def below(row):
    return set(expanded(row.get("Switches", "")))


def cables(file, folder):
    """The network that Crosswind reads in FILE: how often two names are joined at which speed."""
    run("topo", file, "--write", folder / "read.json")
    net = json.loads((folder / "read.json").read_text())
    return collections.Counter(
        (*sorted((net["names"][a], net["names"][b])), *(stated or [net["capacity"]])[:1]) for a, _, b, _, *stated in net["cables"])


def check(network, folder):
    file = folder / "topology.conf"
    run("topo", network, "--write", file)
    written = file.read_text()
    nodes = check_hosts(network, folder, written)
    controller = Controller(folder, nodes)
    try:
        shown = controller.show("topology")
        theirs, ours = rows(shown), rows(written)
    finally:
        controller.end()
    log = controller.log.read_text()
    expect(not re.search("topology|switch|lack", log, re.I), log)
    expect(theirs.keys() == ours.keys(), f"Slurm has {sorted(theirs)}")
    for name, row in ours.items():
        all_nodes, open_switches = set(expanded(row.get("Nodes", ""))), list(below(row))
        while open_switches:
            child = ours[open_switches.pop()]
            all_nodes |= set(expanded(child.get("Nodes", "")))
            open_switches += below(child)
        expect(below(theirs[name]) == below(row), f"{name}: {theirs[name]}, written {row}")
        expect(set(expanded(theirs[name]["Nodes"])) == all_nodes, f"{name}: {theirs[name]}, written {row}")
        expect("LinkSpeed" not in row or theirs[name]["LinkSpeed"] == row["LinkSpeed"], f"{name}: {theirs[name]}")
    (folder / "shown.conf").write_text(shown)
    expect(cables(file, folder) == cables(folder / "shown.conf", folder), f"read back, scontrol's is another network:\n{shown}")


def check_lists(folder):
    """A list of nodes stands for the hosts of the hostfile, as scontrol expands it; so does the rankfile."""
    written = {}
    for form in ("hostfile", "nodelist", "rankfile"):
        run("jobs", ROOT / "examples/sample/fabric.ibnetdiscover", "--jobs", "alltoall ranks=50 bytes=8B placement=random", "--advise",
            "placement", "--trials", 2, "--hosts", folder / form, "--hosts-format", form)
        written[form] = (folder / form).read_text().split("\n")[:-1]
    (nodes,) = written["nodelist"]
    (folder / "slurm.conf").write_text("ClusterName=test\nSlurmctldHost=none\nNodeName=none\n")
    done = subprocess.run(["scontrol", "show", "hostnames", nodes], capture_output=True, text=True,
                          env={"PATH": PATH, "SLURM_CONF": str(folder / "slurm.conf")})
    expect(done.returncode == 0 and done.stdout.split() == sorted(written["hostfile"]), f"{nodes}: {done}")
    expect(written["rankfile"] == [f"rank {r}={host} slot=0" for r, host in enumerate(written["hostfile"])], "the rankfile differs")


def main():
    failed = 0
    for program in ("slurmctld", "scontrol"):
        if not shutil.which(program, path=PATH):
            skip(f"{program} is missing (Debian: slurmctld, slurm-client)")
    with tempfile.TemporaryDirectory() as folder:
        check_lists(pathlib.Path(folder))
    for network in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(network, pathlib.Path(folder))
                print("ok    ", network)
            except Failed as failure:
                print("FAILED", network, failure, sep="\n  ")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
