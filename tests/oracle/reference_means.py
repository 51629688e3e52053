"""Means of random trials against those of an independent simulator, beyond what chance explains: three standard
errors of the difference. The reference gives no errors; they are taken to be those of 1000 trials with the deviation
that ours have, and its figures to be rounded in the last digit. The seed is fixed."""
import sys

from crosswind import tables

TRIALS = 400
REFERENCE_TRIALS = 1000

NOISE = {  # network: {ratio: (slowdown, time without, time with perturbation)}, as printed
    "xgft(2,12,6)": {0.5: ("1.453", "6.37", "9.22")},
    "xgft(3,12,8,12,4)": {0.5: ("1.692", "10.09", "17.00")},
    "xgft(4,12,12,6,12,12,3)": {0.5: ("1.884", "13.61", "25.58")},
    "torus:10x10": {0.5: ("1.833",)},
    "torus:20x20": {0.5: ("2.439",)},
    "torus:31x31": {0.5: ("2.773",)},
    "torus:54x54": {0.5: ("3.817",)},
    "torus:4x4x4": {0.5: ("1.395",)},
    "torus:8x8x8": {0.5: ("1.827",)},
    "torus:12x12x12": {0.5: ("2.214",)},
    "torus:18x18x18": {0.5: ("2.655",)},
    "torus:100x100": {0.1: ("1.762",), 0.3: ("3.264",), 0.5: ("4.882",), 0.7: ("7.428",), 0.9: ("10.32",)},
    "torus:20x20x20": {0.1: ("1.461",), 0.3: ("2.135",), 0.5: ("2.642",), 0.7: ("3.410",), 0.9: ("4.441",)},
}
BANDWIDTH = {  # network: effective bisection bandwidth, one half sending, both
    "xgft(2,12,6)": (".838", ".709"),
    "xgft(3,12,8,12,4)": (".715", ".547"),
    "xgft(4,12,12,6,12,12,3)": (".625", ".457"),
    "torus:10x10": (".581",),
    "torus:31x31": (".261",),
    "torus:4x4x4": (".820",),
    "torus:10x10x10": (".492",),
}


def measured():
    """Rows of (what, mean, half width of the 95 % interval, reference)."""
    for network, ratios in NOISE.items():
        rows = tables("noise", network, "--ratio", ",".join(map(str, ratios)), "--trials", TRIALS)["noise"]
        for row, references in zip(rows, ratios.values()):
            for column, reference in zip(("slowdown", "clean", "perturbed"), references):
                yield f"{network} at {row['ratio']}: {column}", row[f"{column}_mean"], row[f"{column}_ci95"], reference
    for network, references in BANDWIDTH.items():
        rows = tables("ebb", network, "--trials", TRIALS)["ebb"]
        for row, reference in zip(rows, references):
            yield f"{network}: bandwidth {row['direction']}", row["ebb_mean"], row["ebb_ci95"], reference


def main():
    wrong = n = 0
    for what, mean, half_width, reference in measured():
        error = half_width / 1.96  # of the mean of TRIALS
        rounding = 0.5 * 10.0 ** -len(reference.split(".")[1])
        allowed = rounding + 3 * error * (1 + TRIALS / REFERENCE_TRIALS) ** 0.5
        n += 1
        if abs(mean - float(reference)) >= allowed:
            print(f"{what} is {mean:.4f}, reference {reference}, allowed ± {allowed:.4f}")
            wrong += 1
    print(f"{n} means, {wrong} of them off")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
