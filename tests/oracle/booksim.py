"""Accepted loads beside those of BookSim 2 (tests/golden/booksim)."""
import csv
import pathlib
import sys
import tempfile

from crosswind import ROOT, tables

NODES = 64
HARDWARE = {"host-latency": 1, "local-latency": 1, "input-buffer": "16KiB", "output-buffer": "16KiB"}
RUN = ["--load", 1, "--warmup", 8000, "--cycles", 8000, "--unsteady", "--threads", 1, "--top", 0]


def digits(number, base):
    while True:
        yield number % base
        number //= base
        if number == 0:
            return


def width(base):
    n, width = 1, 0
    while n < NODES:
        n, width = n * base, width + 1
    return width


def number(values, base):
    return sum(value * base**i for i, value in enumerate(values))


def destination(pattern, source, base):
    """Of BookSim's patterns, whose nodes have width(BASE) digits."""
    values = list(digits(source, base))
    values += [0] * (width(base) - len(values))
    if pattern == "bitcomp":
        return number([base - 1 - value for value in values], base)
    if pattern == "transpose":  # halves of the digits exchanged
        half = len(values) // 2
        return number(values[half:] + values[:half], base)
    if pattern == "tornado":  # nearly half way round in every digit
        return number([(value + (base + 1) // 2 - 1) % base for value in values], base)
    raise ValueError(pattern)


def traffic(pattern, base, folder):
    if base == 0:
        return pattern
    path = folder / f"{pattern}-{base}.txt"
    pairs = [(source, destination(pattern, source, base)) for source in range(NODES)]
    path.write_text("".join(f"{source} {to} 1\n" for source, to in pairs if source != to))
    return f"matrix:{path}"


def accepted(figure, folder):
    hardware = dict(HARDWARE) if figure["network"][:9] != "dragonfly" else {}
    hardware.update(parameter.split("=") for parameter in figure["also"].split(",") if parameter)
    options = ["--hardware", ",".join(f"{name}={value}" for name, value in hardware.items())] if hardware else []
    rows = tables("flit", figure["network"], "--routing", figure["routing"], "--traffic",
                  traffic(figure["traffic"], int(figure["k"]), folder), *options, *RUN)["flit"]
    return rows[0]["accepted_mean"]


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as name, open(ROOT / "tests/golden/booksim/figures.csv") as file:
        for figure in csv.DictReader(file):
            ours = accepted(figure, pathlib.Path(name))
            near = abs(ours - float(figure["ours"])) <= float(figure["tolerance"])
            wrong += not near
            what = " ".join([figure["network"], figure["routing"], figure["traffic"], figure["also"]]).strip()
            print(f"{'ok   ' if near else 'WRONG'} {what}: {ours:.4f}, expected {figure['ours']} ± {figure['tolerance']}, "
                  f"BookSim {figure['booksim']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
