"""Studies that are ended. A store loses nothing that was finished, whatever ends the program: kill -9 at 50 moments that
are drawn, two processes at once, a full disk. In the end all is as in a study that nobody disturbed, to the byte; and each
figure is the one that compare gives of the case alone, to the digit."""
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from crosswind import PROGRAM, Failed, run, tables

KILLS = 50
STUDY = """\
network: ["xgft:2:6,6:1,3", torus:6x6]
routing: [minhop, updn, nue:lanes=2, dmodk]
failed: ["", "6%"]
seed: [1, 2, 3]
trials: 150
measure: [ebb, noise:0.25, "time:alltoall bytes=1MiB", lanes, deadlock-free]
leave out: {network: torus:6x6, routing: updn}
"""
CASES = 42


def study(*arguments, good=(1,)):
    """Its output: exit status 1, for dmodk cannot route the torus."""
    return run("study", "study.yaml", "--threads", 1, *arguments, good=good)


def stored(path):
    """The figures of a store, without times; the database must be whole."""
    database = sqlite3.connect(path)
    damage = database.execute("PRAGMA integrity_check").fetchone()[0]
    if damage != "ok":
        raise Failed(f"{path}: {damage}")
    begun = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]  # else it ended before its first table
    rows = database.execute("SELECT key, value, ci95, word, error, cut_off FROM figures").fetchall() if begun else []
    database.close()
    return rows


def begin(*arguments):
    return subprocess.Popen([PROGRAM, "study", "study.yaml", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def check(what, is_so):
    if not is_so:
        raise Failed(what)


def check_killed(expected, figures, seconds):
    """It is killed 50 times, each within half the SECONDS that all of it takes, and goes on where it was."""
    draw = random.Random(1)
    had, kills, progress = set(), 0, 0
    while kills < KILLS:
        process = begin("--store", "killed.db", "--threads", str(draw.choice((1, 2, 4))))
        time.sleep(draw.uniform(0, seconds / 2))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
        if process.returncode == 1:  # it got to its end: another one begins
            for path in pathlib.Path().glob("killed.db*"):
                path.unlink()
            had = set()
            continue
        now = set(stored("killed.db")) if os.path.exists("killed.db") and os.path.getsize("killed.db") else set()
        check(f"after kill {kills} figures are lost: {had - now}", had <= now)
        check(f"after kill {kills} there are others: {now - figures}", now <= figures)
        progress += len(now) > len(had)
        had = now
    check(f"only {progress} of 50 kills found new figures stored", progress >= 10)
    check("after 50 kills the study prints something else", study("--store", "killed.db") == expected)
    check("after 50 kills the store has something else", set(stored("killed.db")) == figures)
    print(f"{kills} kills, {progress} of them after new figures were stored")


def check_interrupted(expected, figures, seconds):
    """Ctrl-C: the rows that are there are printed, and the store goes on."""
    process = begin("--store", "interrupted.db", "--threads", "1")
    time.sleep(seconds / 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    check(f"an interrupted study ends with {process.returncode}: {err}", process.returncode in (1, -signal.SIGINT))
    rows = [line for line in out.splitlines() if line.startswith(("xgft:", "torus:")) and " by " not in line]
    check("an interrupted study prints other rows", all(len(row.split()) > 9 for row in rows))
    check("an interrupted study does not say so", out == expected or not rows or "INCOMPLETE" in out)
    check("after an interrupt the study prints something else", study("--store", "interrupted.db") == expected)
    check("after an interrupt the store has something else", set(stored("interrupted.db")) == figures)


def check_two(expected, figures):
    """Two at once on one store, from its beginning: neither computes all, and both print all."""
    for repetition in range(3):
        name = f"two{repetition}.db"
        both = [begin("--store", name, "--threads", "1"), begin("--store", name, "--threads", "1")]
        printed = [process.communicate() for process in both]
        for process, (out, err) in zip(both, printed):
            check(f"of two at once, one ends with {process.returncode}: {err}", process.returncode == 1)
            check("of two at once, one prints something else", out == expected)
        check("two at once store something else", set(stored(name)) == figures)


def check_full_disk(expected, figures):
    """On a disk that is full all the same is printed, with a message, and what is stored is right."""
    place = pathlib.Path("small")
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=112k", "none", place], capture_output=True, text=True)
    if mounted.returncode:
        return f"a full disk: {mounted.stderr.strip()}"
    try:
        done = subprocess.run([PROGRAM, "study", "study.yaml", "--store", place / "s.db"], capture_output=True, text=True)
        check(f"on a full disk it ends with {done.returncode}: {done.stderr}", done.returncode == 1)
        check(f"on a full disk it says '{done.stderr}'", "s.db: the disk is full; what is printed is right" in done.stderr)
        check("on a full disk it prints something else", done.stdout == expected)
        subprocess.run(["mount", "-o", "remount,size=4m", place], check=True)
        had = set(stored(place / "s.db"))
        check(f"a full disk has {len(had)} figures, of which some are no others' ", had <= figures and len(had) < len(figures))
        check("once there is room, it prints something else", study("--store", place / "s.db") == expected)
        check("once there is room, not all is stored", set(stored(place / "s.db")) == figures)
    finally:
        subprocess.run(["umount", place], check=True)
    return None


def check_damaged(expected):
    """A damaged store is an error, and says so; nothing is computed in vain before."""
    data = bytearray(pathlib.Path("whole.db").read_bytes())
    data[4096 * 2:] = b"\xaa" * (len(data) - 4096 * 2)
    pathlib.Path("damaged.db").write_bytes(data)
    done = subprocess.run([PROGRAM, "study", "study.yaml", "--store", "damaged.db"], capture_output=True, text=True)
    check(f"a damaged store: {done.returncode}, {done.stderr}", done.returncode == 1 and "damaged.db is damaged" in done.stderr)
    check("beside a damaged store something else is printed", done.stdout in ("", expected))


def check_figures():
    """The rows of the study are those of compare, of each case alone."""
    rows = tables("study", "study.yaml", "--store", "whole.db", good=(1,))["study"]
    check(f"the study has {len(rows)} rows", len(rows) == CASES)
    for row in rows:
        failed = ["--failed", row["failed"]] if row["failed"] else []
        alone = tables("compare", row["network"], "--routing", row["routing"], *failed, "--seed", row["seed"], "--measure",
                       "lanes,deadlock-free,time:alltoall bytes=1MiB", good=(0, 1))["comparison"][0]
        ebb = tables("ebb", row["network"], "--routing", row["routing"], *failed, "--seed", row["seed"], "--direction", "bi",
                     "--trials", 150)["ebb"][0] if row["ebb"] is not None else {"ebb_mean": None, "ebb_ci95": None}
        expected = {**{name: alone[name] for name in alone if not re.search("network|routing|endpoints|_ratio$", name)},
                    "ebb": ebb["ebb_mean"], "ebb_ci95": ebb["ebb_ci95"]}
        for name, value in expected.items():
            check(f"{row['network']} by {row['routing']}, {row['failed']}, seed {row['seed']}: {name} is {row[name]} "
                  f"instead of {value}", row[name] == value)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("study.yaml").write_text(STUDY)
        expected = study()
        begun = time.monotonic()
        check("a store changes what is printed", study("--store", "whole.db") == expected)
        seconds = time.monotonic() - begun
        check("a stored study prints something else", study("--store", "whole.db") == expected)
        figures = set(stored("whole.db"))
        check(f"{len(figures)} figures are stored", len(figures) == CASES * 5)
        check_figures()
        check_killed(expected, figures, seconds)
        check_interrupted(expected, figures, seconds)
        check_two(expected, figures)
        check_damaged(expected)
        skipped = check_full_disk(expected, figures)
    if skipped:
        print("SKIPPED:", skipped)
        sys.exit(77)


try:
    main()
except Failed as failure:
    sys.exit(str(failure))
