"""Programs that are recorded on a testbed and replayed on the same network. A ring of long messages is predicted within
15 %; so is the order of 20 placements, by one recording, which run is longer than which. A halo and an all-to-all are where their bytes, or their messages one after another, are what takes time; here a few
cores do the work of four hosts with their network, so that these runs are longer than that, by as much as is printed."""
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

from on_testbed import FOLDER, LAUNCHER, PROGRAM, PROGRAM_MPI, attempts, expect, expect_figure, run_on_testbed, script

RATE = "100Mbit/s"
DATA = "97Mbit/s"  # of that; the rest are headers (doc/guide/testbed.md)
PLACEMENTS = 20
RECORD = pathlib.Path(PROGRAM_MPI).parent / "libcrosswind-record.so"
# Behind what testbeds load into ranks already.
RECORDED = 'LD_PRELOAD="$0:$LD_PRELOAD" CROSSWIND_RECORD="$1" exec "$2" "$3" "$4" "$5"'


def tables(*words):
    shown = subprocess.run([PROGRAM, *map(str, words), "--format", "json"], check=True, capture_output=True, text=True)
    return json.loads(shown.stdout)["tables"]


def replay(network, recording, mode, times, size):
    """The time of a replay in that of the run."""
    run_on_testbed(str(network), [LAUNCHER, "sh", "-c", RECORDED, RECORD, recording, FOLDER / "program_traffic", mode,
                                  times, size], options=("--rate", RATE))
    summary = tables("program", recording)["program"]["rows"][0]
    expect(summary["ranks"] == 4, f"{summary['ranks']} ranks")
    data = recording.with_name("data.txt")
    data.write_text(network.read_text().replace(RATE, DATA))
    predicted = tables("jobs", data, "--jobs", f"recorded:{recording}")["jobs"]["rows"][0]["time_mean"]
    ratio = predicted / summary["time"]
    print(f"{mode} of {size} bytes, {times} times: recorded {summary['time']:.3f} s, replayed {predicted:.3f} s, {ratio:.2f}",
          flush=True)
    return ratio


def check(network, recording, mode, times, size, least):
    ratio = replay(network, recording, mode, times, size)
    expect_figure(least < ratio < 1.15, f"{mode}: replayed / recorded is {ratio:.2f}, expected {least} to 1.15")


def ranks_of(values):
    return [sum((other < value) + (other == value) / 2 for other in values) for value in values]


def compare_placements(folder):
    """A ring of 8 hosts on two leaves with a slow trunk, in 20 orders, all run; recorded is the first. The more often an order
    crosses the trunk, the longer it takes."""
    network, recording, hosts = folder / "leaves.txt", folder / "first", folder / "hosts"
    network.write_text("# crosswind edge list\n" + "".join(f"h{h} leaf{h // 4} {RATE}\n" for h in range(8)) +
                       "leaf0 leaf1 20Mbit/s\n")
    draw = random.Random(1)
    orders = [list(range(8))] + [draw.sample(range(8), 8) for _ in range(PLACEMENTS - 1)]
    run = f'LD_PRELOAD="$0:$LD_PRELOAD" CROSSWIND_RECORD="$1" ORDER="$2" exec {FOLDER}/program_traffic ring 10 131072'
    words = "; ".join(f"{LAUNCHER} sh -c '{run}' {RECORD} {recording if i == 0 else folder / 'rec'} {','.join(map(str, order))}"
                      for i, order in enumerate(orders))
    measured = list(map(float, run_on_testbed(str(network), ["sh", "-ec", words], options=("--rate", RATE)).split()))
    predicted = []
    for order in orders:
        hosts.write_text("".join(f"h{host}\n" for host in order))
        rows = tables("jobs", network, "--jobs", f"recorded:{recording} placement=file:{hosts}")["jobs"]["rows"]
        predicted.append(rows[0]["time_mean"])
    rho = statistics.correlation(ranks_of(measured), ranks_of(predicted))
    print(f"{len(measured)} placements: {min(measured):.2f} to {max(measured):.2f} s, replayed {min(predicted):.2f} to "
          f"{max(predicted):.2f} s, Spearman {rho:.2f}", flush=True)
    expect_figure(rho >= 0.7, f"Spearman {rho:.2f} of {len(measured)} placements, expected .7")


def main():
    with tempfile.TemporaryDirectory() as name:
        network, recording = pathlib.Path(name) / "star.txt", pathlib.Path(name) / "rec"
        network.write_text("# crosswind edge list\n" + "".join(f"h{host} s {RATE}\n" for host in range(4)))
        for mode, times, size, least in (("ring", 3, 8 << 20, 0.85), ("halo", 3, 2 << 20, 0.5), ("alltoall", 2, 2 << 20, 0.3)):
            attempts(6, check, network, recording, mode, times, size, least)
        attempts(4, compare_placements, pathlib.Path(name))


script(main)
