"""`crosswind reproduce noise`: its files hold the figures that others found: means of an independent simulator within
three standard errors, the worked example and the tables exactly; its claims say what these figures say; every picture is
well-formed; nothing is left out that was asked for, and nothing depends on the number of threads."""
import csv
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import xml.etree.ElementTree

from crosswind import PROGRAM, Failed, run, skip, tables
from reference_means import NOISE, REFERENCE_TRIALS

TRIALS = 100
SWEEPS = {11: 9, 13: 7, 16: 30}  # figure: points. 15 is left to the slow tests of the means themselves

SAMPLE = pathlib.Path(__file__).parent.parent.parent / "examples/sample/fabric.ibnetdiscover"

TREE = {(0, 1): (1, 2), (0, 2): (1, 1), (1, 3): (1, 1), (0, 4): (1, 2), (1, 5): (1, 1), (2, 6): (1, 2), (3, 7): (1, 2)}
PICTURES = ["1", "7", "10", *(f"{figure}-level{level}" for figure in (8, 9) for level in (1, 2, 3)),
            *(f"{figure}{kind}" for figure in SWEEPS for kind in ("", "-boxes"))]


def rows(folder, name):
    return list(csv.DictReader(open(folder / f"noise-{name}.csv", newline="")))


def check_means(folder):
    """Differences from the independent simulator's means."""
    checked = 0
    for figure in (13, 16):
        for row in rows(folder, f"fig{figure}"):
            references = NOISE.get(row["network"], {}).get(float(row["ratio"]), ())
            for column, reference in zip(("slowdown", "clean", "perturbed"), references):
                checked += 1
                error = float(row[f"{column}_ci95"]) / 1.96
                allowed = 3 * error * (1 + TRIALS / REFERENCE_TRIALS) ** 0.5 + 0.5 * 10.0 ** -len(reference.split(".")[1])
                if abs(float(row[f"{column}_mean"]) - float(reference)) > allowed:
                    yield f"{row['network']}: {column} {row[f'{column}_mean']}, expected {reference} ± {allowed:.3f}"
    if checked != 3 * 3 + 9:
        yield f"{checked} means were compared"


def check_sweeps(folder):
    for figure, points in SWEEPS.items():
        found = rows(folder, f"fig{figure}")
        if len(found) != points:
            yield f"figure {figure} has {len(found)} points, expected {points}"
        for row in found:
            order = [float(row[f"slowdown_{name}"]) for name in ("min", "q25", "median", "q75", "max")]
            if order != sorted(order) or not order[0] <= float(row["slowdown_mean"]) <= order[-1]:
                yield f"figure {figure}, {row['network']}: quartiles {order}"


def check_example(folder):
    messages = {(int(row["source"]), int(row["destination"])):
                (int(row["clean_congestion"]), int(row["perturbed_congestion"])) for row in rows(folder, "fig10")}
    if messages != TREE:
        yield f"the tree is {messages}"
    longest = [(row["source"], row["destination"]) for row in rows(folder, "fig10") if row["on_longest_path"] == "yes"]
    if longest != [("0", "1"), ("1", "3"), ("3", "7")]:
        yield f"the longest path is {longest}"
    channels = rows(folder, "fig8-9")
    if len(channels) != 3 * 64 or max(int(row["application"]) for row in channels) != 1:
        yield "the channels of the worked example"
    finish = [float(row["finished"]) for row in rows(folder, "fig1")]
    if finish != [3, 4, 4, 5, 3, 6, 4, 7, 3, 6, 4, 7]:
        yield f"the time-lines end at {finish}"


def check_tables(folder):
    for row in rows(folder, "table2"):
        k, n = (int(word.split("-")[0]) for word in row["layout"].split())
        right = row["printed_endpoints"] == str(k ** n)
        if row["endpoints"] != str(k ** n) or row["as_printed"] != ("yes" if right else "no"):
            yield f"table 2: {row}"
    wrong = [row["layout"] for row in rows(folder, "table2") if row["as_printed"] == "no"]
    if wrong != ["9-ary 3-cube", "17-ary 3-cube"]:
        yield f"misprints of table 2: {wrong}"
    if [row["as_printed"] for row in rows(folder, "table1")] != 7 * ["yes"]:
        yield "table 1"


def check_claims(folder, claims):
    holds = [(row["figure"], row["holds"]) for row in claims]
    expected = [("1", "yes"), ("1", "yes"), ("8", "yes"), ("8", "yes"), ("9", "yes"), ("10", "yes"), ("10", "yes"),
                ("table 1", "yes"), ("table 2", "corrected"), ("11", "yes"), ("11", "not tested"), ("13", "yes"), ("16", "yes")]
    if holds[:-1] != expected or holds[-1][0] != "16" or holds[-1][1] not in ("yes", "in part"):
        yield f"the claims hold: {holds}"
    if [row["value"] for row in claims if row["figure"] in ("8", "10") and row["value"]] != [3, 5]:
        yield "the times of the worked example"
    readme = " ".join((folder / "noise-README.txt").read_text().split())
    for row in claims:
        if row["found"] not in readme:
            yield f"noise-README.txt does not say: {row['found']}"
    for words in ("729 endpoints, not 728", "4913, not 4912", "not public", "unit time"):
        if words not in readme:
            yield f"noise-README.txt does not say: {words}"


def check_pictures(folder):
    for name in PICTURES:
        path = folder / f"noise-fig{name}.svg"
        root = xml.etree.ElementTree.parse(path).getroot()
        texts = ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("}text")]
        if not any(text.strip().startswith("Figure ") for text in texts) or not path.with_suffix(".gp").exists():
            yield f"{path.name} has no title or no script"
    left = {path.stem for path in folder.glob("*.svg")} - {f"noise-fig{name}" for name in PICTURES}
    if left:
        yield f"unexpected pictures {left}"


def check_options(folder):
    """What is refused, and that a fabric of the user's takes the sample's place."""
    for arguments in (["--sizes", "all"], ["--trials", 9], ["--figures", "12"], ["--figures", "13", "--fabrics", "x"],
                      ["--figures", "11", "--fabrics", ",a"], ["--figures", "11", "--fabrics", "a:"],
                      ["--figures", "11", "--fabrics", f"{SAMPLE},{SAMPLE}"]):
        try:
            run("reproduce", "noise", *arguments, "--directory", folder / "refused", good=(2,))
        except Failed as failure:
            yield f"{arguments} is not refused: {failure}"
    pictures = {}
    for threads in (1, 3):
        where = folder / f"threads{threads}"
        network = pathlib.Path(__file__).parent.parent / "golden/worked-example"
        run("reproduce", "noise", "--figures", "11", "--trials", 10, "--threads", threads, "--directory", where,
            "--fabrics", f"{network}/fabric.net:{network}/tables.lfts,{network}/fabric.net")
        pictures[threads] = {path.name: path.read_bytes() for path in where.iterdir() if path.name != "noise-README.txt"}
    header = run("reproduce", "noise", "--figures", "1,11", "--trials", 10, "--directory", folder / "csv", "--format", "csv").split("\n")[0]
    if header != "seed,figure,claim,holds,quantity,value,value_ci95,found":
        yield f"the table of claims has the columns {header}"
    if len(rows(where, "fig11")) != 18 or {row["endpoints"] for row in rows(where, "fig11")} != {"16"}:
        yield "figure 11 does not show the fabrics given"
    if pictures[1] != pictures[3]:
        yield "files depend on the number of threads"


def check_progress(folder):
    """On a terminal: which point of how many, in order, and a share that never falls."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    program = subprocess.Popen([PROGRAM, "reproduce", "noise", "--figures", "16,13", "--trials", "20", "--directory", folder],
                               stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 65536):
            shown += chunk
    except OSError:  # the end of a terminal
        pass
    os.close(master)
    if program.wait() != 0:
        yield "with a terminal it fails"
    lines = re.findall(r"point (\d+) of 37 \(figure (\d+)\) .*?(\d+) %", shown.decode())
    points = [int(point) for point, _, _ in lines]
    shares = [int(share) for _, _, share in lines]
    if points != sorted(points) or set(points) != set(range(1, 38)) or shares != sorted(shares):
        yield f"progress is {lines}"
    if {int(figure) for point, figure, _ in lines if int(point) <= 7} != {13}:
        yield "the first points are not those of figure 13"


def check_stopped(folder):
    """Who stops it keeps the figures that were done, and what they say."""
    program = subprocess.Popen([PROGRAM, "reproduce", "noise", "--figures", "1,13,15", "--trials", "1000", "--directory", folder,
                                "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(30000):
        if program.poll() is not None:
            break
        if (folder / "noise-README.txt").exists() and "Figure 13," in (folder / "noise-README.txt").read_text():
            break
        time.sleep(0.02)
    program.send_signal(signal.SIGINT)
    result, message = program.communicate()
    if program.returncode != 1 or "table claims has 3 of 5 rows" not in message:
        yield f"stopped, it says: {message}"
    if [row["figure"] for row in json.loads(result)["tables"]["claims"]["rows"]] != ["1", "1", "13"]:
        yield "stopped, it does not write the claims it has"
    if [row["figure"] for row in rows(folder, "claims")] != ["1", "1", "13"] or len(rows(folder, "fig13")) != 7:
        yield "what was done before it was stopped is not there"


def main():
    if not shutil.which("gnuplot"):
        skip("gnuplot is not installed")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        figures = ",".join(["1", "7", *map(str, SWEEPS), "table1", "table2"])
        claims = tables("reproduce", "noise", "--figures", figures, "--trials", TRIALS, "--directory", folder)["claims"]
        wrong = [*check_sweeps(folder), *check_means(folder), *check_example(folder), *check_tables(folder),
                 *check_claims(folder, claims), *check_pictures(folder), *check_options(folder),
                 *check_progress(folder / "progress"), *check_stopped(folder / "stopped")]
    print("\n".join(wrong) or "all figures are there, and right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
