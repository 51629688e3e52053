"""Messages and time on every channel of the sample fabric, counted by hand from its files: two of its cables run at a
quarter of the others' rate, and take four times as long for a message."""
import csv
import pathlib
import random
import re
import sys
import tempfile

from congestion_by_hand import Fabric
from crosswind import ROOT, tables

SAMPLE = ROOT / "examples/sample"
FILES = SAMPLE / "fabric.ibnetdiscover", SAMPLE / "opensm-lfts.dump"
RATE = re.compile(r"\[(\d+)\].*\s(\d)x(\w+)$")
DATA = {"SDR": 2, "DDR": 4, "QDR": 8}  # Gbit/s of a lane


def rates(fabric):
    """Gbit/s of every port, by name and number."""
    found, at = {}, None
    for line in open(FILES[0]):
        if node := re.match(r'(?:Switch|Ca)\s+\d+ "(\S+)"', line):
            at = fabric.names[node[1]]
        elif rate := RATE.match(line.rstrip()):
            found[at, int(rate[1])] = int(rate[2]) * DATA[rate[3]]
    return found


def main():
    rng = random.Random(7)
    fabric = Fabric(*FILES)
    speed = rates(fabric)
    fastest = max(speed.values())
    hosts = list(fabric.hosts)
    rng.shuffle(hosts)
    pairs = [(hosts[i - 1], hosts[i]) for i in range(len(hosts))]
    loads = fabric.loads(pairs)
    times = {channel: load * fastest / speed[channel[:2]] for channel, load in loads.items()}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "hosts").write_text("".join(f"{host}\n" for host in hosts))
        result = tables("congestion", FILES[0], "--lft", FILES[1], "--traffic", "ring", "--placement",
                        f"file:{folder}/hosts", "--top", 8, "--channels", folder / "channels.csv")
        rows = list(csv.DictReader(open(folder / "channels.csv")))
    key = lambda row: (row["tail"], int(row["tail_port"]), row["head"], int(row["head_port"]))
    slow = [channel for channel in times if speed[channel[:2]] == 8]
    hottest = [row["time"] for row in result["hottest"]]
    checks = {
        "both slow cables carry something": {frozenset(channel[::2]) for channel in slow}
                                            == {frozenset(("leaf05", "spine3")), frozenset(("leaf02", "spine4"))},
        "congestion": {key(row): int(row["congestion"]) for row in rows if row["congestion"] != "0"} == dict(loads),
        "time": {key(row): float(row["time"]) for row in rows if float(row["time"])} == times,
        "capacity": all(float(row["capacity"]) == speed[key(row)[:2]] * 1e9 / 8 for row in rows),
        "hottest": hottest == sorted(times.values(), reverse=True)[:8],
        "a slow cable is the hottest": key(result["hottest"][0]) in slow,
        "time of the round": result["congestion"][0]["time_mean"] == max(times.values()),
        "the sentence": any("from 8 Gbit/s to 32 Gbit/s" in note for note in result["notes"]),
    }
    print("\n".join(what for what, good in checks.items() if not good) or "times are those counted by hand")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
