"""What the scripts here share: running the program, its results, and case files of `crosswind noise --trial`."""
import json
import os
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
os.environ.setdefault("CROSSWIND_CONFIG", "")  # no defaults of whoever runs the tests
PROGRAM = os.environ.get("CROSSWIND", str(ROOT / "build/release/crosswind"))


class Failed(Exception):
    pass


def skip(why):
    print("SKIPPED:", why)
    sys.exit(77)


def sampled(cases, n):
    """N of CASES, drawn by the environment's CW_SAMPLE or by the day; all of them behind the argument --all, as make
    test-long has it."""
    if "--all" in sys.argv or n >= len(cases):
        return cases
    seed = os.environ.get("CW_SAMPLE", time.strftime("%Y-%m-%d"))
    print(f"{n} of {len(cases)} cases, those of CW_SAMPLE={seed}; all with --all", flush=True)
    return [cases[i] for i in sorted(random.Random(seed).sample(range(len(cases)), n))]


def run(*arguments, good=(0,)):
    """The output of a command; Failed where its exit status is none of GOOD."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in good:
        command = " ".join(map(str, arguments))
        raise Failed(f"crosswind {command}\nexit status {done.returncode}\n{done.stderr.rstrip()}")
    return done.stdout


def tables(*arguments, good=(0,)):
    """The tables of a result, each a list of rows, by name; the notes are the table "notes", what the result is about
    is "context"."""
    result = json.loads(run(*arguments, "--format", "json", good=good))
    return {name: table["rows"] for name, table in result["tables"].items()} | {
        "notes": result["notes"], "context": result["context"]}


NO_PAGES = "the program was built without node, npm or npm's registry, and makes no pages"


def has_pages():
    """Whether the program makes pages (report, --html)."""
    tried = subprocess.run([PROGRAM, "report", "/dev/null", "never-written.html"], capture_output=True, text=True, check=False)
    return "built without what pages consist of" not in tried.stderr


def read_case(path):
    """The statements of a case file: the words of each kind of line."""
    case = {}
    for line in open(path):
        words = line.split("#")[0].split()
        if words:
            case.setdefault(words[0], []).append(words[1:])
    return case


def replay(*arguments):
    """What `crosswind noise --trial` prints, in the form of a case file's expected lines, and the longest path. Exit
    status 1 says that the program found a difference itself; the caller is to see it, too."""
    result = tables("noise", *arguments, good=(0, 1))
    lines = [["level", *row.values()] for row in result["levels"]]
    lines.append(["perturbation_only", *result["perturbation"][0].values()])
    time = result["time"][0]
    lines.append(["time", time["clean_time"], time["perturbed_time"]])
    if "bisection" in result:
        row = result["bisection"][0]
        lines.append(["bisect_result", row["bisection_inverse_sum"], row["bisection_max"]])
    return lines, [int(rank) for rank in time["longest_path"].split("-")]


def differences(printed, expected):
    """Where lines of figures differ, beyond the last digit of reals."""
    if [line[0] for line in printed] != [line[0] for line in expected]:
        return [f"printed {printed}, expected {expected}"]
    def equal(mine, other):
        return len(mine) == len(other) and all(abs(a - float(b)) <= 1e-8 * abs(a) for a, b in zip(mine[1:], other[1:]))

    return [f"printed {mine}, expected {other}" for mine, other in zip(printed, expected) if not equal(mine, other)]
