"""bench loggp finds the rate of the cables, and what it finds is what crosswind noise takes."""
import json
import re
import subprocess

from on_testbed import PROGRAM, PROGRAM_MPI, attempts, expect, expect_figure, run_ranks, script

RATES = (100, 400)  # Mbit/s
ATTEMPTS = 4  # others may compute on this machine, and hold packets up
OPTIONS = ("bench", "loggp", "--bytes", "128KiB,384KiB", "--messages", "5", "--rounds", "9", "--time", "3s")


def check(rate):
    result = json.loads(run_ranks("xgft:2:2,2:1,1", PROGRAM_MPI, *OPTIONS, "--format", "json",
                                  options=("--rate", f"{rate}Mbit/s")))
    found = {row["parameter"]: row for row in result["tables"]["loggp"]["rows"]}
    gap, expected = found["G"]["value"], 8e-6 / rate
    expect_figure(abs(gap - expected) < 0.25 * expected, f"G is {gap} s/byte at {rate} Mbit/s, expected {expected}")
    expect(found["G"]["low"] <= gap <= found["G"]["high"], f"interval of G: {found['G']}")
    # a message of a byte: L + 2o by construction, 3 switches away and back within some milliseconds
    small = result["tables"]["sizes"]["rows"][0]
    expect(small["bytes"] == 1, f"the smallest size: {small}")
    expect_figure(0 < small["one_way"] < 0.01, f"a byte takes {small['one_way']} s")
    expect("rank 0 on h0 and rank 1 on h1" in result["notes"][1], result["notes"][1])
    options = re.search(r"--time loggp.*", result["notes"][0]).group().split()
    subprocess.run([PROGRAM, "noise", "xgft:2:2,2:1,1", "--ratio", "0.5", "--trials", "20", *options], check=True,
                   stdout=subprocess.DEVNULL)


def main():
    for rate in RATES:
        attempts(ATTEMPTS, check, rate)


script(main)
