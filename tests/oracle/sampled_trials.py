"""Every trial of a study, written as a case and replayed, takes what the samples of the study say of it."""
import csv
import pathlib
import sys
import tempfile

from crosswind import read_case, replay, run

STUDIES = [["torus:5x5"], ["dragonfly:2,4,2", "--schedule", "recursive-doubling", "--background", "alltoall"],
           ["xgft(2,12,6)", "--placement", "random-switches"]]
TRIALS = 6


def check(folder, network, *options):
    samples, case = folder / "samples.csv", folder / "case.txt"
    run("noise", network, *options, "--ratio", 0.5, "--trials", TRIALS, "--samples", samples)
    rows = list(csv.DictReader(open(samples)))
    wrong = [] if len(rows) == TRIALS else [f"{len(rows)} samples"]
    placements = set()
    for row in rows:
        run("noise", network, *options, "--ratio", 0.5, "--case", row["trial"], case)
        placements.add(" ".join(read_case(case)["app"][0]))
        schedule = [word for pair in zip(options, options[1:]) if pair[0] == "--schedule" for word in pair]
        (time,) = [line for line in replay("--trial", case, *schedule)[0] if line[0] == "time"]
        if [float(row["clean"]), float(row["perturbed"])] != time[1:]:
            wrong.append(f"{network}, trial {row['trial']}: replayed {time[1:]}, sampled {row}")
    return wrong + ([] if len(placements) == TRIALS else [f"{network}: trials are placed alike"])


def main():
    with tempfile.TemporaryDirectory() as name:
        wrong = [line for study in STUDIES for line in check(pathlib.Path(name), *study)]
    print("\n".join(wrong) or f"{TRIALS * len(STUDIES)} trials replayed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
