#!/usr/bin/env python3
"""Checks that every test of a build has a limit of time, so that what hangs ends the test and not the suite, and that
tests/costs.txt speaks of tests that there are, but for those that the build leaves out.

usage: limits.py BUILD
"""
import json
import pathlib
import re
import subprocess
import sys

COSTS = pathlib.Path(__file__).resolve().parent.parent / "costs.txt"
BUILDS = {"release", "address"}

shown = subprocess.run(["ctest", "--test-dir", sys.argv[1], "--show-only=json-v1"], check=True, capture_output=True)
tests = json.loads(shown.stdout)["tests"]
endless = [test["name"] for test in tests if not any(p["name"] == "TIMEOUT" for p in test.get("properties", []))]
for name in endless:
    print(f"{name} has no limit of time: cw_limit in its CMakeLists.txt sets one")
costs = {re.sub(r"\.(openmpi|mpich)$", "", test["name"]):
         next((p["value"] for p in test.get("properties", []) if p["name"] == "COST"), None) for test in tests}
left_out = {room for room in ("mpi", "time", "unit") if not any(name.startswith(f"{room}/") for name in costs)}
wrong = []
for line in COSTS.read_text().splitlines():
    if line.startswith("#"):
        continue
    name, cost, *builds = line.split(" ")
    if not cost.isdigit() or not set(builds) <= BUILDS or name not in costs and name.split("/")[0] not in left_out:
        wrong.append(line)
        print(f"{COSTS.name}: '{line}': expected a test, seconds, and of {', '.join(sorted(BUILDS))} those that draw it")
    elif name in costs and costs[name] != float(cost):
        wrong.append(line)
        print(f"{COSTS.name}: '{line}': CTest has the cost {costs[name]}")
print(f"{len(tests)} tests checked")
sys.exit(bool(endless or wrong) or not tests)
