"""Programs that are recorded on a testbed and replayed on the same network. On two hosts a ring, a halo and an all-to-all
of long messages are predicted within 15 %; on four, for which a few cores do the work of the hosts and their network, the
ring, and the others are longer than that, by as much as is printed. So is a solver of PETSc's, whose messages are short:
what one takes is measured before. Of 20 placements one recording tells which run is longer than which."""
import json
import pathlib
import random
import re
import statistics
import subprocess
import tempfile

from on_testbed import FOLDER, LAUNCHER, MPI, PROGRAM, PROGRAM_MPI, attempts, expect, expect_figure, run_on_testbed, script

PYTHON = "/usr/bin/python3"  # the one that packages are for
PETSC = [str(path) for path in pathlib.Path("/usr/lib/petscdir").glob("petsc3*/*-real/lib/python3/dist-packages")]
RATE = "100Mbit/s"
DATA = "97Mbit/s"  # of that; the rest are headers (doc/guide/testbed.md)
PLACEMENTS = 20
WAITED = {2: 0.15, 4: 0.45}  # by hosts: the share of their time that ranks wait for a processor of two that do nothing else
RECORD = pathlib.Path(PROGRAM_MPI).parent / "libcrosswind-record.so"
TRAFFIC = FOLDER / "program_traffic"
POISSON = pathlib.Path(__file__).with_name("third_party") / "poisson.py"
# Behind what testbeds load into ranks already.
# Long messages are not asked for piece by piece, which on TCP waits behind data that go the same way (doc/guide/testbed.md).
RECORDED = "export OMPI_MCA_btl_tcp_flags=1 UCX_RNDV_THRESH=inf UCX_TCP_RX_SEG_SIZE=256k; " \
           'LD_PRELOAD="$0:$LD_PRELOAD" CROSSWIND_RECORD="$1"; export LD_PRELOAD CROSSWIND_RECORD; shift; exec "$@"'


def tables(*words):
    shown = subprocess.run([PROGRAM, *map(str, words), "--format", "json"], check=True, capture_output=True, text=True)
    return json.loads(shown.stdout)["tables"]


def replay(network, recording, program, *options):
    """The time of a replay in that of the run, and by how much that is less for want of processors: what the ranks waited for
    them beyond the usual was recorded, and no model of networks knows it."""
    run_on_testbed(str(network), [LAUNCHER, "sh", "-c", RECORDED, RECORD, recording, *program],
                   options=("--rate", RATE), environment={"PYTHONPATH": ":".join(PETSC)})
    summary = tables("program", recording)["program"]["rows"][0]
    hosts = network.read_text().count(RATE)
    expect(summary["ranks"] == hosts, f"{summary['ranks']} ranks on {hosts} hosts")
    data = recording.with_name("data.txt")
    data.write_text(network.read_text().replace(RATE, DATA))
    predicted = tables("jobs", data, "--jobs", f"recorded:{recording}", *options)["jobs"]["rows"][0]["time_mean"]
    ratio, waited = predicted / summary["time"], waited_for_processors(recording)
    print(f"{hosts} ranks, {' '.join(pathlib.Path(word).name for word in program)}: recorded {summary['time']:.3f} s, replayed "
          f"{predicted:.3f} s, {ratio:.2f}; waited for processors: {waited:.2f}", flush=True)
    return ratio, max(0, waited - WAITED[hosts])


def waited_for_processors(recording):
    """The share of the ranks' time, as the recording says it; it is silent about little."""
    shown = subprocess.run([PROGRAM, "program", recording, "--top", "0"], check=True, capture_output=True, text=True)
    waited = re.search(r"For (\d+) % of their time the ranks could have run", " ".join(shown.stdout.split()))
    return int(waited[1]) / 100 if waited else 0


def check(network, recording, least, program, *options):
    ratio, lost = replay(network, recording, program, *options)
    expect_figure(least - lost < ratio < 1.15, f"{program}: replayed / recorded is {ratio:.2f}, expected {least - lost:.2f} to 1.15")


def check_solver(network, recording):
    """What a message without data takes is in L."""
    seconds = run_on_testbed(str(network), [LAUNCHER, TRAFFIC, "ring", "500", "8"], options=("--rate", RATE))
    latency = f"{float(seconds.split()[0]) / 500 * 1e6:.1f}us"
    check(network, recording, 0.65, [PYTHON, POISSON, "200", "100"], "--o", "0us", "--L", latency)


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


def star(folder, hosts):
    network = folder / f"star{hosts}.txt"
    network.write_text("# crosswind edge list\n" + "".join(f"h{host} s {RATE}\n" for host in range(hosts)))
    return network


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for hosts, *leasts in ((2, 0.85, 0.85, 0.85), (4, 0.85, 0.7, 0.3)):
            for (mode, times, size), least in zip((("ring", 3, 2 << 20), ("halo", 3, 2 << 20), ("alltoall", 2, 2 << 20)), leasts):
                attempts(6, check, star(folder, hosts), folder / "rec", least, [TRAFFIC, mode, str(times), str(size)])
        if MPI == "openmpi" and PETSC:
            attempts(6, check_solver, star(folder, 2), folder / "rec")
        attempts(4, compare_placements, folder)


script(main)
