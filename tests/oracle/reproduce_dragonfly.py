"""`crosswind reproduce dragonfly-fig3`: what is accepted under shortest paths is what counting channels by hand gives,
nothing passes its bound, the claims follow from the rows, and what is stopped or drawn is all there.

--small: the small networks instead, against figures of another simulator (one seed, after its warm-up)."""
import json
import math
import pathlib
import shutil
import sys
import tempfile
import time

from crosswind import run, skip, tables
from reproduced import check_pictures, check_progress, check_readme, rows, stop

PANELS = "abcdef"
TRAFFIC = {"a": "bitcomp", "c": "group-shift", "e": "halo"}

# ValiantRestricted under bit complement settles slowly: its figure for 1,056 nodes is the mean of long runs.
OTHERS = {("3a", "valiant-restricted", "contiguous"): {72: .254, 342: .182, 1056: .14},
          ("3b", "valiant-restricted", "random-groups"): {72: .356, 342: .293, 1056: .293},
          ("3b", "valiant-any", "contiguous"): {72: .395, 342: .421, 1056: .426},
          ("3d", "valiant-any", "contiguous"): {72: .366, 342: .381, 1056: .358}}


def read(folder):
    found = {}
    for letter in PANELS:
        path = folder / f"dragonfly-fig3{letter}.csv"
        for row in rows(path) if path.exists() else []:
            for name in ("nodes", "cycles", "warmup_cycles"):
                row[name] = int(row[name])
            for name in ("accepted_mean", "accepted_ci99", "model_estimate", "model_bound"):
                row[name] = float(row[name])
            row["p"], row["a"], row["h"] = (int(word) for word in row["network"].split(":")[1].split(","))
            found.setdefault(row["panel"], []).append(row)
    return found


def by_hand(row):
    """Accepted under shortest paths: all nodes of a group share one channel to the group they send to. Under bit
    complement the middle group sends to itself: switch s to a - 1 - s, p nodes over one channel, or without any."""
    p, a, h = row["p"], row["a"], row["h"]
    if row["traffic"] != "bitcomp":
        return 1 / (a * p)
    middle = a if a % 2 == 0 else a - 1 + p
    return (a * h + middle) / row["nodes"]


def check_rows(found, sizes):
    if sorted(found) != [f"3{letter}" for letter in PANELS]:
        yield f"panels {sorted(found)}"
    for panel, points in found.items():
        ways = {"valiant-any", "valiant-restricted random-groups"} if panel[1] in "bdf" else {"minimal", "valiant-restricted"}
        if len(points) != 3 * sizes or {row["panel"] for row in points} != {panel}:
            yield f"{panel} has {len(points)} points"
        for way in ways:
            if not any(f"{row['routing']} {row['placement']}".startswith(way) for row in points):
                yield f"{panel} lacks {way}"
        for row in points:
            if not row["traffic"].startswith(TRAFFIC.get(panel[1], TRAFFIC.get(chr(ord(panel[1]) - 1)))):
                yield f"{panel}: {row['traffic']}"
            if row["nodes"] != row["p"] * row["a"] * (row["a"] * row["h"] + 1):
                yield f"{row['network']} has {row['nodes']} nodes"
            if abs(row["model_estimate"] - 0.75 / row["p"]) > 1e-9:
                yield f"{row['network']}: estimate {row['model_estimate']}"
            if row["accepted_mean"] > row["model_bound"] + row["accepted_ci99"] + 0.005:
                yield f"{panel} {row['network']} {row['routing']}: {row['accepted_mean']} passes {row['model_bound']}"
            random = row["placement"] == "random-groups" and not row["traffic"].startswith("group-shift")
            odd = row["traffic"].startswith("halo") and row["nodes"] != 72  # parts of groups meet
            if row["routing"] == "minimal" and not odd and not (random and row["traffic"].startswith("halo")):
                if abs(row["accepted_mean"] - by_hand(row)) > 0.01 * by_hand(row):
                    yield f"{panel} {row['network']}: {row['accepted_mean']}, by hand {by_hand(row)}"


def curve(found, panel, routing, placement):
    return {row["nodes"]: (row["accepted_mean"], row["accepted_ci99"], row) for row in found[panel]
            if row["routing"] == routing and row["placement"] == placement}


def order(a, b):
    """1: B is more; 0: no difference; None: the intervals are too wide to tell."""
    sure = math.hypot(a[1], b[1])
    if abs(b[0] - a[0]) > sure:
        return 1 if b[0] > a[0] else -1
    return None if sure > 0.05 * a[0] else 0


def share(kept):
    return "not tested" if not kept else "yes" if all(kept) else "in part" if any(kept) else "no"


def left_verdicts(found, panel):
    minimal, valiant = curve(found, panel, "minimal", "contiguous"), curve(found, panel, "valiant-restricted", "contiguous")
    decided = [order(minimal[nodes], valiant[nodes]) for nodes in minimal]
    yield share([one == 1 for one in decided if one is not None])
    nodes = sorted(valiant)
    ends = order(valiant[nodes[0]], valiant[nodes[-1]])
    rises = any(order(valiant[one], valiant[other]) == 1 for one, other in zip(nodes, nodes[1:]))
    yield "not tested" if ends is None else "no" if ends >= 0 else "in part" if rises else "yes"
    yield share([0.5 / row["p"] <= mean <= 1 / row["p"] for mean, _, row in valiant.values()])
    limit = 0.2 if panel == "3e" else 0.15
    yield share([mean < limit for mean, _, row in valiant.values() if row["a"] * (row["a"] * row["h"] + 1) > 512])


def right_verdicts(found, panel):
    plain = curve(found, f"3{chr(ord(panel[1]) - 1)}", "valiant-restricted", "contiguous")
    random = curve(found, panel, "valiant-restricted", "random-groups")
    yield share([33 <= round(100 * mean) <= 43 for mean, _, _ in curve(found, panel, "valiant-any", "contiguous").values()])
    last = max(random)
    gain, sure = random[last][0] - plain[last][0], math.hypot(random[last][1], plain[last][1])
    lost = any(order(plain[nodes], random[nodes]) == -1 for nodes in random)
    if gain <= sure:
        yield "not tested" if order(plain[last], random[last]) is None else "no"
    else:
        yield "in part" if lost or gain + sure < 0.1 else "yes"


def check_claims(found, claims):
    for panel in found:
        verdicts = left_verdicts if panel[1] in "ace" else right_verdicts
        expected, holds = list(verdicts(found, panel)), [row["holds"] for row in claims if row["figure"] == panel]
        if holds != expected:
            yield f"{panel}: the claims hold: {holds}, expected {expected}"


def check_others(found):
    for (panel, routing, placement), expected in OTHERS.items():
        for nodes, (mean, _, _) in curve(found, panel, routing, placement).items():
            if nodes in expected and abs(mean - expected[nodes]) > 0.12 * expected[nodes]:
                yield f"{panel} {routing} {placement}, {nodes} nodes: {mean}, another simulator found {expected[nodes]}"


def check_same(folder):
    """Nothing depends on the number of threads, nor on which other figures are computed."""
    files = {}
    for threads in (1, 3):
        where = folder / f"threads{threads}"
        run("reproduce", "dragonfly-fig3", "--sizes", "quick", "--figures", "3d,3c", "--threads", threads, "--directory", where)
        files[threads] = {path.name: path.read_bytes() for path in where.iterdir()}
    if files[1] != files[3] or not files[1]:
        yield "files depend on the number of threads"
    for name in ("dragonfly-fig3c.csv", "dragonfly-fig3d.svg"):
        if files[1][name] != (folder / name).read_bytes():
            yield f"{name} depends on the other figures"
    alone = tables("reproduce", "dragonfly-fig3", "--sizes", "quick", "--figures", "3d", "--directory", folder / "alone")
    if [row["holds"] for row in alone["claims"]][1] != "not tested" or len(alone["dragonfly_fig3"]) != 6:
        yield "figure 3d alone compares with figure 3c"


def check_stopped_early(folder):
    """Before any point is done there are none, not rows of what has not run."""
    begin = time.monotonic()
    status, result, message = stop(("dragonfly-fig3", "--sizes", "small", "--threads", "1", "--figures", "3a"), folder,
                                   lambda: time.monotonic() > begin + 0.3)
    if status != 1 or "interrupted" not in message:
        yield f"stopped early, it says: {message}"
        return
    written = json.loads(result)["tables"]["dragonfly_fig3"]["rows"] if result else []
    done = rows(folder / "dragonfly-fig3a.csv")
    if len(written) >= 12 or len(done) != len(written) or any(float(row["accepted_mean"]) == 0 for row in done):
        yield f"stopped early, it has {len(done)} rows, and writes {len(written)}"


def check_stopped(folder):
    """Who stops it keeps the panels that were done, and what they say."""
    claims = folder / "dragonfly-fig3-claims.csv"
    status, result, message = stop(("dragonfly-fig3", "--sizes", "small", "--threads", "1", "--figures", "3c,3d"), folder,
                                   lambda: claims.exists() and len(rows(claims)) == 4)
    if status != 1 or "table dragonfly_fig3 has" not in message or "of 24 rows" not in message:
        yield f"stopped, it says: {message}"
        return
    done = read(folder)
    if len(done["3c"]) != 12 or not (folder / "dragonfly-fig3c.svg").exists():
        yield "what was done before it was stopped is not there"
    written = json.loads(result)["tables"]
    if len(written["claims"]["rows"]) != 4 or len(written["dragonfly_fig3"]["rows"]) != 12 + len(done.get("3d", [])):
        yield "stopped, it does not write the rows it has"


def main():
    if not shutil.which("gnuplot"):
        skip("gnuplot is not installed")
    small = "--small" in sys.argv
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        result = tables("reproduce", "dragonfly-fig3", "--sizes", "small" if small else "quick", "--directory", folder)
        found = read(folder)
        wrong = [*check_rows(found, 4 if small else 2), *check_claims(found, result["claims"])]
        if small:
            wrong += [*check_others(found), *check_stopped(folder / "stopped")]
        else:
            labels = [["shortest path", "ValiantRestricted", "estimate 3/(4p)"], ["ValiantAny", "ValiantRestricted, random groups"]]
            pictures = {f"dragonfly-fig3{letter}": [f"Figure 3{letter}:", *labels[i % 2]] for i, letter in enumerate(PANELS)}
            wrong += [*check_pictures(folder, pictures), *check_same(folder), *check_stopped_early(folder / "early"),
                      *check_readme(folder / "dragonfly-fig3-README.txt", result["claims"], ("links, as printed, a group to itself",)),
                      *check_progress(folder / "progress", ["dragonfly-fig3", "--sizes", "quick", "--figures", "3b,3a"], 12,
                                      ["3a", "3b"])]
            if sum(len(points) for points in found.values()) != len(result["dragonfly_fig3"]):
                wrong.append("the result lacks rows")
    print("\n".join(wrong) or "all panels are there, and right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
