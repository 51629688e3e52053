"""`crosswind reproduce optiq`: default routes load their hottest channel as walking them by the published rule does, no
method passes cuts of the network or the optimum, gains and claims follow from the rows, and what is stopped or drawn is
all there.

--small: 512 to 2,048 nodes instead: the published loads of all 91 patterns, and the optima that another solver found."""
import csv
import json
import math
import pathlib
import shutil
import sys
import tempfile

from crosswind import ROOT, run, skip, tables
from reproduced import check_pictures, check_progress, check_readme, rows, stop

FIGURES = {"4": "fig4", "5": "fig5", **{name: name for name in
                                         ("fixed", "destinations", "distance", "messages", "paths", "patterns")}}
SHAPES = {128: (2, 2, 4, 4, 2), 256: (2, 4, 4, 4, 2)}  # A ... E; node numbers are row-major, E fastest
CHANNEL, USABLE = 2e9, 0.9
MESSAGE_RATE = 2.4e9  # byte/s, of a node that sends one message after another

# z of the optimum over all paths: patterns 3, 27 and 87
OPTIMA = {512: (.5, .53125, .55357), 1024: (.5, .52344, .54464), 2048: (.5, None, None)}
LINEAR_512 = (.5, .5294, .5491)  # of a linear program over 50 paths: one over 16 cannot be expected to pass it by much


def read(folder):
    found = {}
    for figure, name in FIGURES.items():
        path = folder / f"optiq-{name}.csv"
        for row in rows(path) if path.exists() else []:
            for column, text in row.items():
                if column not in ("network", "pattern", "method", "ties"):
                    row[column] = float(text) if text else None
            found.setdefault(figure, []).append(row)
    return found


def pairing(m, n, first):
    """Sources from 0 on, destinations from FIRST on."""
    if m > n:
        return [(i, first + i // (m // n)) for i in range(m)]
    return [(i // (n // m), first + i) for i in range(n)]


def pairs_of(pattern, p):
    if pattern.startswith("disjoint:"):
        m, n = (int(word) for word in pattern.split(":")[1].split("x"))
        return pairing(m, n, p - n)
    if " from " in pattern:
        sizes, first = pattern.split(" from ")
        return pairing(*(int(word) for word in sizes.split("x")), int(first))
    number, quarter = int(pattern), (p // 16, p // 8, p // 4, p // 2)
    if number < 16:
        return pairing(quarter[number // 4], quarter[number % 4], p - quarter[number % 4])
    if number < 64:
        m, n, part = quarter[(number - 16) // 12], quarter[(number - 16) // 3 % 4], (8, 4, 2)[(number - 16) % 3]
        return pairing(m, n, m - m // part)
    m = (p // 8, p // 4, p // 2)[(number - 64) // 9]
    return pairing(m, (m // 16, m // 8, m // 4)[(number - 64) // 3 % 3], (0, m // 4, m // 2)[(number - 64) % 3])


def coordinates(node, shape):
    found = []
    for size in reversed(shape):
        found.insert(0, node % size)
        node //= size
    return found


def route(src, dst, shape):
    """The machine's default route: dimensions by falling size, ties in the order A ... E; the shorter way round, half way
    by the parity of the source's coordinate."""
    at, end = coordinates(src, shape), coordinates(dst, shape)
    order = sorted(range(5), key=lambda d: -shape[d])
    for d in order:
        size, ahead = shape[d], (end[d] - at[d]) % shape[d]
        if 2 * ahead == size:
            sign = 1 if end[d] > at[d] else -1
            step = sign if at[d] % 2 == 0 else -sign
        else:
            step = 1 if 2 * ahead < size else -1
        while at[d] != end[d]:
            there = at[:d] + [(at[d] + step) % size] + at[d + 1:]
            yield tuple(at), tuple(there)  # in a dimension of size 2 both ways are one channel
            at = there


def hottest(pairs, shape):
    load = {}
    for src, dst in pairs:
        for channel in route(src, dst, shape):
            load[channel] = load.get(channel, 0) + 1
    return max(load.values(), default=0)


def neighbours(node, shape):
    at = coordinates(node, shape)
    return {tuple(at[:d] + [(at[d] + step) % shape[d]] + at[d + 1:]) for d in range(5) for step in (1, -1)}


def cut(pairs, shape):
    """Demands that leave the set of all sources, per channel that leaves it; and so for destinations. No plan has a
    greater z than the least."""
    least = math.inf
    for side in (0, 1):
        inside = {pair[side] for pair in pairs}
        places = {tuple(coordinates(node, shape)) for node in inside}
        channels = sum(len(neighbours(node, shape) - places) for node in inside)
        crossing = sum(1 for pair in pairs if pair[1 - side] not in inside)
        if crossing:
            least = min(least, channels / crossing)
    return least


def check_counts(found):
    """Against walking by hand, where the shape is known."""
    checked = 0
    for figure, points in found.items():
        cuts = {}
        for row in points:
            shape = SHAPES[int(row["nodes"])]
            if (row["nodes"], row["pattern"]) not in cuts:
                pairs = [pair for pair in pairs_of(row["pattern"], int(row["nodes"])) if pair[0] != pair[1]]
                cuts[row["nodes"], row["pattern"]] = pairs, cut(pairs, shape)
            pairs, most = cuts[row["nodes"], row["pattern"]]
            if row["pairs"] != len(pairs):
                yield f"{figure}, {row['pattern']}: {row['pairs']} pairs, expected {len(pairs)}"
            if row["z"] > most * (1 + 1e-6):
                yield f"{figure}, {row['pattern']}: z {row['z']} passes the cut of {most}"
            hops = sum(len(list(route(*pair, shape))) for pair in pairs) / len(pairs)
            if abs(row["distance"] - hops) > 1e-6:
                yield f"{figure}, {row['pattern']}: distance {row['distance']}, {hops} hops were walked"
            if row["method"] == "default":
                checked += 1
                if abs(row["z"] * hottest(pairs, shape) - 1) > 1e-6:
                    yield f"{figure}, {row['pattern']}: z {row['z']}, the hottest channel has {hottest(pairs, shape)}"
    if checked < 150:
        yield f"only {checked} default routes were walked"


def of_one_source(row):
    """The most messages that a source sends."""
    sent = {}
    for src, dst in pairs_of(row["pattern"], int(row["nodes"])):
        sent[src] = sent.get(src, 0) + (src != dst)
    return max(sent.values())


def check_rows(found):
    for figure, points in found.items():
        best = {(row["nodes"], row["pattern"]): row["z"] for row in points if row["method"] in ("optimum", "approx")}
        for row in points:
            place = f"{figure}, {row['nodes']:g} nodes, {row['pattern']}, {row['method']}"
            if row["z"] > best.get((row["nodes"], row["pattern"]), math.inf) * (1 + 1e-6):
                yield f"{place}: z {row['z']} passes the optimum"
            if row["z_bound"] is not None and row["z"] > row["z_bound"] * (1 + 1e-6):
                yield f"{place}: z {row['z']} passes its bound"
            seconds = row["pairs"] * row["bytes"] / row["predicted_GBps"] / 1e9
            if abs(seconds / row["predicted_seconds"] - 1) > 1e-6:
                yield f"{place}: {row['predicted_GBps']} GB/s in {row['predicted_seconds']} s"
            # Messages without relays choose their ways: no better than the optimum, and not faster than they leave a node.
            adaptive = row["method"] == "default"
            z = best.get((row["nodes"], row["pattern"]), math.inf) if adaptive else row["z"]
            if row["bytes"] / z / CHANNEL / USABLE > row["predicted_seconds"] * (1 + 1e-3):
                yield f"{place}: faster than {'any routes' if adaptive else 'its hottest channel'}"
            if adaptive and of_one_source(row) * row["bytes"] / MESSAGE_RATE > row["predicted_seconds"] * (1 + 1e-3):
                yield f"{place}: faster than messages leave a node"


def gains(points, method, nodes=None):
    """Throughput and z over those of the default routes, by case."""
    machine = {(row["nodes"], row["pattern"], row["bytes"], row["chunk_bytes"]): row for row in points if row["method"] == "default"}
    for row in points:
        other = machine.get((row["nodes"], row["pattern"], row["bytes"], row["chunk_bytes"]))
        if row["method"] == method and other and nodes in (None, row["nodes"]):
            yield row["predicted_GBps"] / other["predicted_GBps"], row["z"] / other["z"]


LABELS = {"heuristic": "heuristic", "greedy": "greedy", "linear program": "lp", "optimum": "optimum"}


def mean(values):
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def check_gains(found, table):
    names = {name: figure for figure, name in FIGURES.items()}
    expected = 0
    for figure, points in found.items():
        for nodes in {row["nodes"] for row in points}:
            expected += sum(1 for method in LABELS.values() if any(gains(points, method, nodes)))
    if len(table) != expected:
        yield f"{len(table)} rows of gains, expected {expected}"
    for row in table:
        speedups, ratios = zip(*gains(found[names[row["figure"]]], LABELS[row["method"]], row["nodes"]))
        right = {"cases": len(speedups), "z_ratio": mean(ratios), "speedup": mean(speedups), "speedup_min": min(speedups),
                 "speedup_max": max(speedups), "slower": sum(1 for speedup in speedups if speedup < 1)}
        for name, value in right.items():
            if abs(row[name] - value) > 1e-6 * value:
                yield f"{row['figure']}, {row['method']}: {name} {row[name]}, expected {value}"


def trend(points):
    """Pairs over which y rises with x, and over which it falls, by more than 2 %."""
    rises = falls = 0
    for x, y in points:
        for x2, y2 in points:
            if x2 > x and not 1 / 1.02 <= y2 / y <= 1.02:
                rises, falls = rises + (y2 > y), falls + (y2 < y)
    return rises, falls


def word(rises, falls):
    return "yes" if rises and not falls else "in part" if rises > falls else "no"


def verdicts(figure, points):
    if figure == "5":
        for first, last, good in ((0, 63, (64, 128)), (64, 90, (128,))):
            ahead = []
            for pattern in range(first, last + 1):
                rate = {True: 0, False: 0}
                for row in points:
                    if int(row["pattern"]) == pattern:
                        inside = row["chunk_bytes"] / 1024 in good
                        rate[inside] = max(rate[inside], row["predicted_GBps"])
                ahead.append(rate[True] / rate[False])
            better, worse = sum(1 for ratio in ahead if ratio > 1.02), sum(1 for ratio in ahead if ratio < 1 / 1.02)
            yield "yes" if 2 * better > len(ahead) else "in part" if 2 * worse < len(ahead) else "no"
        return
    if figure == "paths":
        each = [trend([(row["k"], row["z"]) for row in points if row["method"] == "lp" and row["ties"] == ties])
                for ties in ("plain", "disjoint", "penalised")]
        yield word(sum(rises for rises, _ in each), sum(falls for _, falls in each))
        return
    most = max(speedup for method in ("heuristic", "lp") for speedup, _ in gains(points, method))
    yield "yes" if most >= 2 else "in part" if most > 1 else "no"
    default = {row["pattern"]: row["z"] for row in points if row["method"] == "default"}
    optimum = [row for row in points if row["method"] == "optimum"]
    if figure == "destinations":
        rises, falls = trend([(int(row["pattern"].split("x")[1]), row["z"] / default[row["pattern"]]) for row in optimum])
        yield word(falls, rises)
    if figure == "distance":
        yield word(*trend([(row["distance"], row["z"] / default[row["pattern"]]) for row in optimum]))


def check_claims(found, claims):
    for figure, points in found.items():
        expected, holds = list(verdicts(figure, points)), [row["holds"] for row in claims if row["figure"] == figure]
        if holds != expected:
            yield f"{figure}: the claims hold: {holds}, expected {expected}"


def check_published(found):
    """The hottest channels that were recorded, and other solvers' optima."""
    with open(ROOT / "tests/golden/bgq/mpi-recorded.csv", newline="") as file:
        recorded = {(int(row["partition"]), int(row["test"])): int(row["mpi_max_link_messages"]) for row in csv.DictReader(file)}
    checked = 0
    for row in found["4"] + found["patterns"]:
        most = recorded.get((int(row["nodes"]), int(row["pattern"])))
        if row["method"] == "default" and most:
            checked += 1
            if abs(row["z"] * most - 1) > 1e-6:
                yield f"pattern {row['pattern']} on {row['nodes']:g} nodes: z {row['z']}, recorded {most} messages"
    if checked < 91:
        yield f"only {checked} recorded loads were compared"
    for row in found["4"]:
        optimum = OPTIMA[int(row["nodes"])][("3", "27", "87").index(row["pattern"])]
        if row["method"] == "optimum" and optimum and abs(row["z"] - optimum) > 1e-5:
            yield f"pattern {row['pattern']} on {row['nodes']:g} nodes: optimum {row['z']}, expected {optimum}"
        if row["method"] == "lp" and row["nodes"] == 512:
            linear = LINEAR_512[("3", "27", "87").index(row["pattern"])]
            if not 0.9 * linear < row["z"] < 1.03 * linear:
                yield f"pattern {row['pattern']}: linear program over 16 paths {row['z']}, over 50 {linear}"


def check_same(folder):
    """Only the time of searching depends on the number of threads; the figures do not depend on one another."""
    for threads in (1, 3):
        run("reproduce", "optiq", "--sizes", "quick", "--figures", "distance,fixed", "--threads", threads,
            "--directory", folder / f"threads{threads}")
    one, three, all_of_them = read(folder / "threads1"), read(folder / "threads3"), read(folder)
    for figure in ("distance", "fixed"):
        for other in (three, all_of_them):
            for row, same in zip(one[figure], other[figure], strict=True):
                if row | {"search_seconds": 0} != same | {"search_seconds": 0}:
                    yield f"{figure}, {row['pattern']}: {row}, then {same}"
    if sorted(one) != ["distance", "fixed"]:
        yield f"figures {sorted(one)} were computed"


def check_stopped(folder):
    """Who stops it keeps the figures that were done, and the finished points of the one that was not."""
    claims = folder / "optiq-claims.csv"
    status, result, message = stop(("optiq", "--sizes", "quick", "--threads", "1", "--figures", "paths,patterns"), folder,
                                   lambda: claims.exists() and len(rows(claims)) == 1)
    if status != 1 or "table claims has 1 of 2 rows" not in message or "table optiq has 3 of 6 rows" not in message:
        yield f"stopped, it says: {message}"
        return
    written = json.loads(result)["tables"]
    if [row["figure"] for row in written["claims"]["rows"]] != ["paths"] or len(written["optiq"]["rows"]) != 3:
        yield "stopped, it does not write the rows it has"
    if len(rows(folder / "optiq-paths.csv")) != 44:
        yield "what was done before it was stopped is not there"
    unfinished = rows(folder / "optiq-patterns.csv") if (folder / "optiq-patterns.csv").exists() else []
    if len(unfinished) >= 364 or any(float(row["predicted_seconds"]) <= 0 for row in unfinished):
        yield "of the figure that was stopped not just the finished points are there"


def pictures():
    methods = ["default route", "heuristic", "greedy", "linear program", "optimum"]
    names = {f"optiq-fig4{letter}": [f"Figure 4{letter}", *methods] for letter in "abcdef"}
    names |= {f"optiq-{name}": methods for name in ("fixed", "destinations", "distance", "messages-a", "messages-b", "messages-c")}
    names |= {f"optiq-patterns-128{end}": ["91 patterns, 128 nodes", "greedy"] for end in ("", "-z")}
    return names | {"optiq-fig5a": ["Figure 5a", "32 KiB", "512 KiB"], "optiq-fig5b": ["Figure 5b", "disjoint", "overlap", "subset"],
                    "optiq-paths-z": ["ties disjoint", "optimum over all paths"], "optiq-paths-search": ["search time"]}


def main():
    if not shutil.which("gnuplot"):
        skip("gnuplot is not installed")
    small = "--small" in sys.argv
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        result = tables("reproduce", "optiq", "--sizes", "small" if small else "quick", "--directory", folder)
        found = read(folder)
        wrong = [*check_rows(found), *check_gains(found, result["optiq"]), *check_claims(found, result["claims"])]
        if sorted(found) != sorted(FIGURES):
            wrong.append(f"figures {sorted(found)}")
        if small:
            wrong += check_published(found)
        else:
            wrong += [*check_counts(found), *check_pictures(folder, pictures()), *check_same(folder),
                      *check_readme(folder / "optiq-README.txt", result["claims"], ("which was fitted to the runs on record", "as no Blue Gene/Q has them")),
                      *check_progress(folder / "progress", ["optiq", "--sizes", "quick", "--figures", "distance,4"], 165, ["4", "distance"]),
                      *check_stopped(folder / "stopped")]
    print("\n".join(wrong) or "all figures are there, and right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
