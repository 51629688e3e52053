"""Network noise, where it is known what it must be: ranks on two leaves whose only connection is a slow trunk."""
import json
import os
import pathlib
import statistics
import tempfile

from on_testbed import PROGRAM_MPI, again, expect, joint, run_ranks, script

LEAVES = ["h0 h1 h2 h3", "h4 h5 h6 h7"]
TRUNKS = [25, 50, 100]  # Mbit/s
HOSTS = 100  # Mbit/s: so slow that processors are no matter
TIMES = [30, 45, 60, 60]  # s of each attempt: whatever else runs on this machine disturbs, too, and takes time


def write_files(folder):
    for trunk in TRUNKS:
        cables = [f"{host} leaf{leaf} {HOSTS}Mbit/s" for leaf, hosts in enumerate(LEAVES) for host in hosts.split()]
        (folder / f"trunk{trunk}.txt").write_text(
            "\n".join(["# crosswind edge list", *cables, f"leaf0 leaf1 {trunk}Mbit/s", ""]))
    (folder / "leaves.txt").write_text("\n".join([*LEAVES, ""]))


def measure(folder, trunk, seconds):
    """The row of the table of slowdowns, with a p of 1 where splits are too few for one."""
    out = run_ranks(str(folder / f"trunk{trunk}.txt"), PROGRAM_MPI, "bench", "noise", "--op", "allreduce:8B",
                    "--perturb", "permutation:256KiB", "--splits", "9", "--samples", "12", "--time", f"{seconds}s",
                    "--leaves", folder / "leaves.txt", "--format", "json",
                    options=("--rate", f"{HOSTS}Mbit/s", "--queue", "64KiB"))
    tables = json.loads(out)["tables"]
    rows = {row["comparison"]: row for row in tables["slowdown"]["rows"]}
    times = {row["state"]: row["split_median"] for row in tables["times"]["rows"]}
    row = rows["perturbed/clean"]
    row["control"] = rows["control/clean"]["slowdown_median"] if "control/clean" in rows else float("nan")
    row["p"] = 1 if row["p"] is None else row["p"]
    print(f"trunk {trunk} Mbit/s: clean {1e3 * times['clean']:.2f} ms, perturbed {1e3 * times['perturbed']:.2f} ms, "
          f"slowdown {row['slowdown_median']:.2f} (p {row['p']:.4f}), control {row['control']:.2f}; {row['splits']} splits")
    return row


def what_is_wrong(runs):
    """In runs together: medians, and p jointly."""
    slowdowns = [statistics.median(run[i]["slowdown_median"] for run in runs) for i in range(len(TRUNKS))]
    if not (slowdowns[0] > 2 and joint([run[0]["p"] for run in runs]) < 0.01):
        return "perturbation across a slow trunk must slow an allreduce significantly, by more than 2"
    if not 0.7 <= statistics.median(run[0]["control"] for run in runs) <= 1.4:
        return "perturbation within leaves must not slow an allreduce: control within 0.7 to 1.4"
    if not slowdowns[0] > slowdowns[1] > slowdowns[2]:
        return "the slowdown must fall as the trunk gets faster"
    return None


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_files(folder)
        runs = []
        for attempt, seconds in enumerate(TIMES, 1):
            runs.append([measure(folder, trunk, seconds) for trunk in TRUNKS])
            if not what_is_wrong(runs[-1:]) or not (why := what_is_wrong(runs)):
                return
            if attempt < len(TIMES):
                again(attempt, len(TIMES), why)
    expect(False, why)


os.environ["LC_ALL"] = "C"
script(main)
