"""Declares libcrosswind to Python: what cffi needs to know is taken from the library's own headers, by the compiler
that compiles the extension, so that there is no second list of them. Run by setup.py, which calls
make_ffi.

The library is found by pkg-config. One in a build tree is found if PKG_CONFIG_PATH names that tree.
"""
import os
import re
import shlex
import subprocess
import tempfile

import cffi

SOURCE = "#include <stdlib.h>\n#include <crosswind.h>\n"
# Macros that are whole numbers are found by their look. Of others only a user knows the type.
NUMBER = re.compile(r"\(*(\([a-z0-9_]+\))?(0x[0-9a-fA-F]+|\d+)[uUlL]*( << \d+)?\)*$")
OTHER_MACROS = {"CW_NONE": "uint32_t", "CW_NO_PORT": "uint32_t", "CW_DEFAULT_CAPACITY": "double",
                "CW_DEFAULT_LATENCY": "double", "CW_TIMING_OF_CHANNELS": "double"}


def pkg_config(what):
    """Flags of the compiler (--cflags) or the linker (--libs)."""
    command = [os.environ.get("PKG_CONFIG", "pkg-config"), what, "crosswind"]
    return shlex.split(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def preprocessed(flags):
    """crosswind.h with all that it includes, its macros kept in their places."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "all.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        return subprocess.run([*compiler, "-std=c17", "-E", "-dD", *flags, source], check=True, capture_output=True,
                              text=True).stdout


def own_lines(text):
    """The lines that come from the library's headers, which crosswind.h names, and not from the system's."""
    header = next(name for name in re.findall(r'^# \d+ "(.*?)"', text, re.M) if name.endswith("crosswind.h"))
    with open(header, encoding="utf-8") as file:
        names = re.findall(r'^#include ["<](?:crosswind/)?(.*?)[">]', file.read(), re.M)
    ours = tuple("/" + name for name in ["base/decls.h", *names])
    keep, lines = False, []
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            keep = marker[1].endswith(ours)
        elif keep:
            lines.append(line)
    return lines


def without_bodies(text):
    """Inline functions as they would be declared elsewhere: cffi calls them through functions of its own."""
    parts, at = [], 0
    for found in re.finditer(r"\bstatic inline ([^{};]*\))\s*{", text):
        parts += [text[at:found.start()], found[1], ";"]
        at, depth = found.end(), 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    return "".join([*parts, text[at:]])


def declarations(text):
    """What cffi reads of the preprocessed headers TEXT."""
    code, macros = [], []
    for line in own_lines(text):
        macro = re.match(r"#define (CW_\w+) (.+)$", line)
        if macro and macro[1] in OTHER_MACROS:
            macros.append(f"static const {OTHER_MACROS[macro[1]]} {macro[1]};")
        elif macro and NUMBER.match(macro[2]):
            macros.append(f"#define {macro[1]} ...")
        elif not line.startswith("#"):
            code.append(line)
    plain = re.sub(r"__attribute__\s*\(\(.*?\)\)(?=[\s;])", "", "\n".join(code))
    # Only the address of a registry means something outside of the library, and cffi would copy what is there.
    plain = re.sub(r"\bextern const struct cw_registry\s+\w+;", "", plain)
    return "\n".join([*macros, without_bodies(plain), "void free(void *memory);"])  # the system's, for what callers own


def make_ffi():
    """The extension crosswind._library."""
    flags = pkg_config("--cflags")
    libraries = pkg_config("--libs")
    ffi = cffi.FFI()
    ffi.cdef(declarations(preprocessed(flags)))
    # What is compiled hands arguments over and no more: that needs no time to be optimised.
    ffi.set_source("crosswind._library", SOURCE, extra_compile_args=["-std=c17", "-O1", "-g0", *flags],
                   extra_link_args=["-Wl,-z,relro,-z,now", *libraries])
    return ffi

