"""Replays case files: `crosswind noise --trial` must find all figures in them met, and so must we.

    replay_cases.py DIRECTORY       every *.txt in it
    replay_cases.py --shared        the reference cases in ${CW_SHARED:-../shared}, which are no part of the project
    replay_cases.py --worked        the papers' 16-node example
"""
import os
import pathlib
import sys

from crosswind import ROOT, Failed, differences, read_case, replay, run, skip

FIGURES = ("level", "perturbation_only", "time", "bisect_result")


def check(path, *network):
    """Replays one file; the lines that say what is wrong."""
    case = read_case(path)
    expected = [[word, *words] for word in FIGURES for words in case.get(word, [])]
    try:
        printed, _ = replay(*network, "--trial", path)
        run("noise", *network, "--trial", path)
    except Failed as failure:
        return [str(failure)]
    printed = [line for line in printed if line[0] in case]
    return [f"{path}: {line}" for line in differences(printed, expected)]


def worked_example():
    """Clean 3, perturbed 5 by the path 0-1-3-7; and 3 and 4 by plain D-mod-k."""
    here = ROOT / "tests/golden/worked-example"
    network = [here / "fabric.net", "--lft", here / "tables.lfts"]
    wrong = check(here / "trial.case", *network) + check(here / "trial-dmodk.case")
    lines, longest = replay(*network, "--trial", here / "trial.case")
    if lines[-1] != ["time", 3, 5] or longest != [0, 1, 3, 7]:
        wrong.append(f"the worked example gives {lines[-1]} by the path {longest}")
    return wrong


def main():
    if sys.argv[1:] == ["--worked"]:
        wrong, n = worked_example(), 2
    else:
        shared = pathlib.Path(os.environ.get("CW_SHARED", ROOT.parent / "shared")) / "reference/noise-cases"
        directory = shared if sys.argv[1:] == ["--shared"] else pathlib.Path(sys.argv[1])
        files = sorted(directory.glob("*.txt"))
        if not files:
            skip(f"no cases in {directory}")
        wrong, n = [line for path in files for line in check(path)], len(files)
    print("\n".join(wrong) or f"{n} cases agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
