"""Predictions beside a measurement: on a routed fat tree, which splits are slowed down is known before."""
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

from on_testbed import PROGRAM, PROGRAM_MPI, again, expect, joint, run_ranks, script

PERMUTATIONS = 5000
ATTEMPTS = 4  # whatever else runs on this machine disturbs, too
WANTED = "measured and predicted slowdowns of 20 splits must correlate: Spearman > .5 in a run, or p < .01 of all"


def write_network(path):
    """Two leaves of four hosts and two spines, whose cables are so slow that they decide."""
    cables = [f"h{host} leaf{host // 4} 100Mbit/s" for host in range(8)]
    cables += [f"leaf{leaf} spine{spine} 20Mbit/s" for leaf in range(2) for spine in range(2)]
    path.write_text("\n".join(["# crosswind edge list", *cables, ""]))


def ranks_of(values):
    """Equal values share the mean of their ranks."""
    return [sum((other < value) + (other == value) / 2 for other in values) for value in values]


def spearman(a, b):
    """The correlation of ranks, and how often random orders have one as high. `crosswind analyse` gives none where the
    measurements of splits scatter more than their predictions differ, as they do here; many splits show it all the
    same."""
    a, b = ranks_of(a), ranks_of(b)
    if min(a) == max(a) or min(b) == max(b):
        return 0, 1
    rho, draw = statistics.correlation(a, b), random.Random(1)
    higher = sum(statistics.correlation(a, draw.sample(b, len(b))) >= rho for _ in range(PERMUTATIONS))
    return rho, (higher + 1) / (PERMUTATIONS + 1)


def correlation(network, samples, seed):
    """The longer the later, in case the machine is so busy that a minute is too short for the splits."""
    run_ranks(str(network), PROGRAM_MPI, "bench", "noise", "--perturb", "permutation:256KiB", "--splits", "32",
              "--samples", "40", "--time", f"{60 * (seed + 1)}s", "--control", "none", "--seed", str(seed), "--save", samples,
              options=("--rate", "100Mbit/s"), patience=400)
    analysed = subprocess.run([PROGRAM, "analyse", samples, "--fabric", network, "--format", "json"], check=True,
                              capture_output=True, text=True)
    rows = json.loads(analysed.stdout)["tables"]["prediction"]["rows"]
    rho, p = spearman([row["measured"] for row in rows], [row["loggp"] for row in rows])
    print(f"{len(rows)} splits: Spearman {rho:.2f} (p {p:.4f})")
    return len(rows), rho, p


def main():
    chances, splits = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_network(folder / "tree.txt")
        for seed in range(ATTEMPTS):
            if seed:
                again(seed, ATTEMPTS, WANTED)
            n, rho, p = correlation(folder / "tree.txt", folder / "run.csv", seed)
            chances.append(p)
            splits += n
            if (n >= 20 and rho > 0.5) or (splits >= 20 and joint(chances) < 0.01):
                return
    expect(False, WANTED)


os.environ["LC_ALL"] = "C"
script(main)
