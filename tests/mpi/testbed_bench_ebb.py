"""bench ebb on a tree with a quarter of its bandwidth above the leaves: what is measured is what crosswind ebb says."""
import json
import subprocess

from on_testbed import PROGRAM, PROGRAM_MPI, attempts, expect, expect_figure, run_ranks, script

TREE = "xgft:2:4,2:1,1"
OPTIONS = ("--direction", "uni", "--bytes", "512KiB", "--time", "8s", "--format", "json")
ATTEMPTS = 4  # others may compute on this machine, and hold packets up


def check():
    result = json.loads(run_ranks(TREE, PROGRAM_MPI, "bench", "ebb", TREE, *OPTIONS, options=("--rate", "100Mbit/s")))
    measured, predicted = (result["tables"][name]["rows"][0] for name in ("ebb", "prediction"))
    expect_figure(measured["trials"] >= 20, f"{measured['trials']} trials in 8 s")
    alone = measured["bandwidth_alone"] * 8e-6
    expect_figure(70 < alone < 105, f"a message alone gets {alone} Mbit/s, expected some 100")
    expect_figure(abs(predicted["error"]) < 0.3, f"measured {measured}, predicted {predicted}")
    expect_figure(predicted["correlation"] > 0.5, f"messages: {predicted}")
    # the same trials are a sample of what crosswind ebb counts: all matchings
    words = [PROGRAM, "ebb", TREE, "--direction", "uni", "--format", "json"]
    from_ebb = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    of_all = from_ebb["tables"]["ebb"]["rows"][0]["ebb_mean"]
    expect(abs(predicted["ebb_mean"] - of_all) < 0.15, f"predicted {predicted['ebb_mean']}, crosswind ebb says {of_all}")


def main():
    attempts(ATTEMPTS, check)


script(main)
