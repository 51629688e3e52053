"""Every file of tests/golden/corpus is read as the fabric that it describes, or refused with what to do: what
expected.tsv says of it. All maps have the same cables between the same GUIDs; all whole tables are the same routes."""
import json
import pathlib
import subprocess
import sys
import tempfile

from crosswind import PROGRAM, ROOT, Failed, run, tables

CORPUS = ROOT / "tests/golden/corpus"
MAP = CORPUS / "ibnetdiscover.txt"


def refused(arguments, message):
    """The command fails with one line that has MESSAGE."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in (1, 2):
        raise Failed(f"exit status {done.returncode}, expected 1 or 2")
    if message not in done.stderr or done.stderr.count("\n") != 1:
        raise Failed(f"message {done.stderr!r}, expected {message!r}")


def cables(file, directory):
    """How often a cable joins each two GUIDs; endpoints, switches and cables."""
    written = directory / "network.json"
    run("topo", file, "--write", written)
    net = json.loads(written.read_text())
    # Some forms have a host's own GUID, some its port's, which differ in the last digit only.
    guids = [vertex.get("node_guid", vertex.get("port_guid", "0x0"))[:-1] for vertex in net["identities"]]
    pairs = sorted(tuple(sorted((guids[a], guids[b]))) for a, _, b, *_ in net["cables"])
    return (net["endpoints"], net["switches"], len(pairs)), pairs


def check_map(file, expected, directory):
    counts, pairs = cables(file, directory)
    if counts != tuple(map(int, expected.split())):
        raise Failed(f"{counts}, expected {expected}")
    if pairs != cables(MAP, directory)[1]:
        raise Failed("other cables than those of ibnetdiscover.txt")


def check_lft(file, expected, directory):
    entries, holes = map(int, expected.split())
    written, good = directory / "written.lfts", directory / "good.lfts"
    notes = "\n".join(tables("route", MAP, "--lft", file, good=(0, 1))["notes"])
    if f": {entries} entries for " not in notes or (holes > 0) != (f" {holes} missing entr" in notes):
        raise Failed(f"{notes}\nexpected {entries} entries, {holes} missing")
    if holes == 0:
        run("route", MAP, "--lft", CORPUS / "opensm-lfts.dump", "--write", good)
        run("route", MAP, "--lft", file, "--write", written)
        if written.read_text() != good.read_text():
            raise Failed("other routes than those of opensm-lfts.dump")


def check(name, what, expected, directory):
    file = CORPUS / name
    if expected.startswith("refused: "):
        command = ["topo", file] if what == "map" else ["route", MAP, "--lft", file]
        refused(command, expected.removeprefix("refused: "))
    else:
        (check_map if what == "map" else check_lft)(file, expected, directory)


def main():
    rows = [line.split("\t") for line in (CORPUS / "expected.tsv").read_text().splitlines()]
    missing = {file.name for file in CORPUS.iterdir()} - {row[0] for row in rows} - {"expected.tsv", "README.md"}
    bad = [f"{name}: in the folder, not in expected.tsv" for name in sorted(missing)]
    with tempfile.TemporaryDirectory() as directory:
        for name, what, expected in rows:
            try:
                check(name, what, expected, pathlib.Path(directory))
            except Failed as failure:
                bad.append(f"{name} as {what}: {failure}")
    print("\n".join(bad) or f"{len(rows)} uses of {len({row[0] for row in rows})} files are as expected")
    sys.exit(1 if bad else 0)


main()
