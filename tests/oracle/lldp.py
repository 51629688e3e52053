"""What real lldpd know of each other, on hosts and switches that are network namespaces, is the network that they are. It
needs lldpd, which tools/bootstrap does not install: where it is installed, it tells the neighbours of that machine of it."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from crosswind import Failed, run, skip, tables

CABLES = [("h1", "eth0", "s", "swp1"), ("h2", "eth0", "s", "swp2"), ("h3", "eth0", "t", "swp1"), ("h3", "eth1", "s", "swp5"),
          ("s", "swp3", "t", "swp2"), ("s", "swp4", "t", "swp3")]
DEVICES = sorted({device for cable in CABLES for device in cable[::2]})
PATIENCE = 60  # seconds until all have heard of each other
ENOUGH = 2  # between two looks: one that comes too early keeps lldpd from beginning


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def space(device):
    return f"crosswind-lldp-{os.getpid()}-{device}"


def begin(device, folder):
    """lldpd of DEVICE, which has its name as long as this process; switches have a bridge."""
    inner = f'hostname {device}; exec lldpd -d -u "$0"'
    return subprocess.Popen(["ip", "netns", "exec", space(device), "unshare", "--uts", "sh", "-c", inner, folder / device],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def told(device, folder):
    """What DEVICE says, and how many neighbours it has heard of."""
    out = ""
    for what in "chassis", "neighbors":
        shown = subprocess.run(["lldpcli", "-u", folder / device, "show", what, "-f", "json0"], capture_output=True, text=True)
        out += shown.stdout
    return out, out.count('"age"')


def tell_all(folder):
    deadline = time.monotonic() + PATIENCE
    while True:
        time.sleep(ENOUGH)
        for device in DEVICES:
            subprocess.run(["lldpcli", "-u", folder / device, "update"], capture_output=True)
        time.sleep(ENOUGH)
        all_told = [told(device, folder) for device in DEVICES]
        if all(n == sum(device in cable[::2] for cable in CABLES) for device, (_, n) in zip(DEVICES, all_told)):
            return "".join(text for text, _ in all_told)
        if time.monotonic() > deadline:
            raise Failed(f"after {PATIENCE} s the devices have heard of {[n for _, n in all_told]} neighbours")


def main():
    for tool in "ip", "lldpd", "lldpcli", "unshare":
        if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            skip(f"{tool} is not installed")
    if os.geteuid() != 0 or subprocess.run(["ip", "netns", "add", space("probe")], capture_output=True).returncode:
        skip("network namespaces cannot be made here")
    made, running = ["probe"], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)  # lldpcli drops its rights
        try:
            for device in DEVICES:
                ip("netns", "add", space(device))
                made.append(device)
            for a, port_a, b, port_b in CABLES:
                ip("link", "add", port_a, "netns", space(a), "type", "veth", "peer", "name", port_b, "netns", space(b))
                ip("-n", space(a), "link", "set", port_a, "up")
                ip("-n", space(b), "link", "set", port_b, "up")
            for device in "s", "t":
                ip("-n", space(device), "link", "add", "bridge", "type", "bridge")
                ip("-n", space(device), "link", "set", "bridge", "up")
                ip("-n", space(device), "link", "set", "swp1", "master", "bridge")
            running = [begin(device, folder) for device in DEVICES]
            (folder / "fabric.json").write_text(tell_all(folder))
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait()
            for device in made:
                ip("netns", "del", space(device))
        (row,) = tables("topo", folder / "fabric.json")["topology"]
        found = row["endpoints"], row["switches"], row["cables"]
        if found != (3, 2, len(CABLES)):
            raise Failed(f"read are {found} endpoints, switches and cables")
        edges = "".join(f"{a} {b}\n" for a, _, b, _ in CABLES)
        (folder / "edges").write_text("# crosswind edge list\nendpoint h1\nendpoint h2\nendpoint h3\n" + edges)
        changes = tables("diff", folder / "edges", folder / "fabric.json")["changes"]
        if any(change["came"] or change["went"] for change in changes if change["what"] != "entries"):
            raise Failed(f"it is another network than the cables make: {changes}")
        print(f"{len(DEVICES)} devices, {len(CABLES)} cables")


main()
