"""The sample fabric of the repository is what its README says, its tables leave nothing over, and tools/demo runs on
it."""
import subprocess
import sys

from crosswind import ROOT, tables

SAMPLE = ROOT / "examples/sample"


def main():
    topo = tables("topo", SAMPLE / "fabric.ibnetdiscover")
    route = tables("route", SAMPLE / "fabric.ibnetdiscover", "--lft", SAMPLE / "opensm-lfts.dump")
    (network,), (routes,) = topo["topology"], route["routes"]
    speeds = {place: [row["cables"] for row in topo["cables"] if row["from"] == place] for place in ("endpoint", "switch")}
    demo = subprocess.run([ROOT / "tools/demo"], capture_output=True, text=True)
    checks = {
        "hosts and switches": (network["endpoints"], network["switches"]) == (143, 13),
        "cables, few of them slow": {place: sorted(n) for place, n in speeds.items()}
                                    == {"endpoint": [1, 142], "switch": [2, 139]},
        "slow cables": {(row["from"], row["to"], row["capacity"] * 8e-9) for row in topo["odd_cables"]
                        if row["fault"] == "slow"}
                       == {("leaf05", "spine3", 8), ("leaf02", "spine4", 8), ("node042", "leaf03", 16)},
        "missing cables": {(row["from"], row["to"], row["missing"], row["there"]) for row in topo["missing"]}
                          == {("leaf03", "spine2", 1, 3), ("leaf07", "spine1", 1, 3), ("leaf07", "spine4", 1, 3)},
        "missing cables are told once": all(row["fault"] == "slow" for row in topo["odd_cables"]),
        "everything connected on shortest paths": routes["minimal"] == routes["pairs"] == 143 * 142,
        "nothing left over": not any("Not matched" in note for note in route["notes"]),
        "demo: " + demo.stderr: demo.returncode == 0 and not demo.stderr and "slowdown_mean" in demo.stdout,
    }
    print("\n".join(what for what, good in checks.items() if not good) or "the sample is good")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
