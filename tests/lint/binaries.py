#!/usr/bin/env python3
"""What was built or installed loads libraries from safe places only, and is hardened. usage: binaries.py FOLDER

Each element of RPATH and RUNPATH of every program and library in FOLDER must begin with $ORIGIN or be a folder that its
owner alone can write, outside FOLDER; a Python package in FOLDER may name FOLDER, which it was made for. An empty or
relative element is the current directory, where anybody may have put a library. Every program and library can be loaded
anywhere, has no stack that can be executed, and is bound and made read-only before it runs; all that was compiled in
FOLDER has guards of stacks and of what the C library copies."""
import json
import os
import pathlib
import re
import stat
import subprocess
import sys

FLAGS = ["-fstack-protector-strong", "-fstack-clash-protection", "-D_FORTIFY_SOURCE=3"]
OTHERS = "tests/mpi/long"  # test suites of others, as make test-long has built them
PACKAGE = "python/crosswind"
WITHOUT_ARRAYS = "libcrosswind-ranks"  # nothing in it needs a guard


def elf_files(folder):
    for parent, folders, names in os.walk(folder):
        folders[:] = [f for f in folders if f != "CMakeFiles" and os.path.join(parent, f) != os.path.join(folder, OTHERS)]
        for path in (os.path.join(parent, name) for name in names if not name.endswith((".o", ".a"))):
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    if file.read(4) == b"\x7fELF":
                        yield path


def fault_of_element(element, path, folder):
    if element == "$ORIGIN" or element.startswith("$ORIGIN/"):
        return None
    if not element.startswith("/"):
        return "is relative" if element else "is empty"
    made_for_it = os.path.dirname(path) == os.path.join(folder, PACKAGE) and os.path.samefile(element, folder)
    inside = (os.path.realpath(element) + "/").startswith(os.path.realpath(folder) + "/")
    if not os.path.isdir(element) or inside and not made_for_it:
        return "is no folder outside what was built"
    return "can be written by others" if os.stat(element).st_mode & (stat.S_IWGRP | stat.S_IWOTH) else None


def faults_of(path, headers, folder):
    for elements in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", headers):
        for element in elements.split(":"):
            fault = fault_of_element(element, path, folder)
            if fault:
                yield f"'{element}' of the path of libraries '{elements}' {fault}"
    if not re.search(r"Type: +DYN", headers):
        yield "has a fixed address (-pie)"
    if not re.search(r"GNU_STACK .* RW +0", headers):
        yield "has a stack that can be executed (-z noexecstack)"
    if not (re.search(r"^ +GNU_RELRO ", headers, re.M) and re.search(r"\(FLAGS(?:_1)?\).*NOW", headers)):
        yield "is not read-only before it runs (-z relro -z now)"
    name = os.path.basename(path)
    guarded = name.startswith(("crosswind", "libcrosswind")) and not name.startswith(WITHOUT_ARRAYS)
    if guarded and "__stack_chk_fail" not in headers:
        yield "has no guard of stacks (-fstack-protector-strong)"


def faults_of_commands(folder):
    commands = pathlib.Path(folder, "compile_commands.json")
    for entry in json.loads(commands.read_text()) if commands.is_file() else []:
        missing = [flag for flag in FLAGS if flag not in entry["command"].split()]
        if missing:
            yield f"{entry['file']}: compiled without {' '.join(missing)}"


def main(folder):
    paths = sorted(elf_files(folder))
    if not paths:
        sys.exit(f"{folder}: no programs or libraries, expected some")
    text = subprocess.run(["readelf", "-W", "-h", "-d", "-l", "--dyn-syms", "/dev/null", *paths], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    parts = re.split(r"^File: (.*)\n", text, flags=re.M)[1:]
    headers = dict(zip(parts[::2], parts[1::2]))
    faults = [f"{path}: {fault}" for path in paths for fault in faults_of(path, headers[path], folder)]
    faults += faults_of_commands(folder)
    print("\n".join(faults) if faults else f"{len(paths)} programs and libraries")
    return 1 if faults else 0


sys.exit(main(sys.argv[1]))
