"""Predictions beside a measurement: on a routed fat tree, which splits are slowed down is known before."""
import json
import os
import pathlib
import subprocess
import tempfile

from on_testbed import PROGRAM, PROGRAM_MPI, expect, joint, run_ranks, script

ATTEMPTS = 4  # whatever else runs on this machine disturbs, too


def write_network(path):
    """Two leaves of four hosts and two spines, whose cables are so slow that they decide."""
    cables = [f"h{host} leaf{host // 4} 100Mbit/s" for host in range(8)]
    cables += [f"leaf{leaf} spine{spine} 20Mbit/s" for leaf in range(2) for spine in range(2)]
    path.write_text("\n".join(["# crosswind edge list", *cables, ""]))


def correlation(network, samples, seed):
    """The longer the later, in case the machine is so busy that a minute is too short for the splits."""
    run_ranks(str(network), PROGRAM_MPI, "bench", "noise", "--perturb", "permutation:256KiB", "--splits", "32",
              "--samples", "40", "--time", f"{60 * (seed + 1)}s", "--control", "none", "--seed", str(seed), "--save", samples,
              options=("--rate", "100Mbit/s"), patience=400)
    analysed = subprocess.run([PROGRAM, "analyse", samples, "--fabric", network, "--format", "json"], check=True,
                              capture_output=True, text=True)
    row = next(row for row in json.loads(analysed.stdout)["tables"]["agreement"]["rows"] if row["model"] == "loggp")
    print(f"{row['splits']} splits: Spearman {row['spearman']:.2f} (p {row['p']:.4f})")
    return row


def main():
    chances, splits = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_network(folder / "tree.txt")
        for seed in range(ATTEMPTS):
            row = correlation(folder / "tree.txt", folder / "run.csv", seed)
            chances.append(row["p"] if row["spearman"] > 0 else 1)
            splits += row["splits"]
            if (row["splits"] >= 20 and row["spearman"] > 0.5) or (splits >= 20 and joint(chances) < 0.01):
                return
    expect(False, "measured and predicted slowdowns of 20 splits must correlate: Spearman > .5 in a run, or p < .01 of all")


os.environ["LC_ALL"] = "C"
script(main)
