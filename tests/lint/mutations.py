#!/usr/bin/env python3
"""Checks that every bug of tests/mutations can be planted: its form is right, and its text stands once in its file.

usage: mutations.py PROJECT
"""
import importlib.machinery
import importlib.util
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("mutate", str(root / "tools/mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
loader.exec_module(mutate)
stale = 0
found = mutate.read_all()
for mutation in found:
    path = root / mutation.file
    times = path.read_text().count(mutation.old) if path.is_file() else 0
    if times != 1:
        print(f"{mutation.place}: {mutation.name}: its text stands {times} times in {mutation.file}, expected once")
        stale += 1
print(f"{len(found)} bugs checked")
sys.exit(stale > 0)
