#!/usr/bin/env python3
"""Checks that every test of a build has a limit of time, so that what hangs ends the test and not the suite.

usage: limits.py BUILD
"""
import json
import subprocess
import sys

shown = subprocess.run(["ctest", "--test-dir", sys.argv[1], "--show-only=json-v1"], check=True, capture_output=True)
tests = json.loads(shown.stdout)["tests"]
endless = [test["name"] for test in tests if not any(p["name"] == "TIMEOUT" for p in test.get("properties", []))]
for name in endless:
    print(f"{name} has no limit of time: cw_limit in its CMakeLists.txt sets one")
print(f"{len(tests)} tests checked")
sys.exit(bool(endless) or not tests)
