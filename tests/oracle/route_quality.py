"""min-contention beside OpenSM's engines, by what messages feel: on every network here it has at least the effective
bisection bandwidth of the best of them and no more noise, nor a longer collective beside it, within the interval of the
draws; no worse shift and no longer all-to-all; and no more lanes than lash and dfsssp, whose paths are shortest ones,
too. tests/golden/route-quality.csv keeps the figures.

    route_quality.py            checks
    route_quality.py --update   writes the table anew"""
import concurrent.futures
import csv
import io
import sys

from crosswind import ROOT, Failed, run, tables

KEPT = ROOT / "tests/golden/route-quality.csv"
SAMPLE = "examples/sample/fabric.ibnetdiscover"
NETWORKS = [SAMPLE, "xgft(2,24,12)", "xgft:2:4,4:1,4", "xgft(3,12,8,12,4)", "xgft:3:6,6,6:1,3,3", "torus:4x4x4", "torus:8x8",
            "mesh:6x6", "hypercube:6", "hyperx:4x4,4", "dragonfly:2,4,2", "megafly:4,4,4,4", "slimfly:5",
            "jellyfish:20,4,3", "jellyfish:40,6,6", "rail:16,8,8,pods=2,spines=4"]
ENGINES = ["minhop", "updn", "dnup", "dor-ports", "ftree", "lash", "sssp", "dfsssp", "nue", "nue:lanes=4", "torus-2qos"]
OURS = "min-contention"
# Noise is relative to a collective that is alone. Where that is done sooner, as on the sample, it can be more although
# the collective beside the noise is done sooner, too.
COLUMNS = ["network", "routing", "ebb_uni", "ebb_bi", "noise", "perturbed", "shift_worst", "alltoall", "lanes",
           "deadlock_free"]


def measure(network, routing):
    """The row of a network by an engine, with the half widths of its intervals; None where the engine refuses."""
    where = str(ROOT / network) if network == SAMPLE else network
    try:
        result = tables("route", where, "--routing", routing, good=(0,))
        noise = tables("noise", where, "--routing", routing, "--ratio", "0.5", "--trials", "200")["noise"][0]
    except Failed:
        return None
    felt = {row["measure"]: row for row in result["quality"]}
    routes = result["routes"][0]
    row = [network, routing, felt["ebb uni"]["routes"], felt["ebb bi"]["routes"], noise["slowdown_mean"],
           noise["perturbed_mean"], felt["shift, worst"]["routes"], felt["alltoall"]["routes"], routes["lanes"],
           routes["deadlock_free"]]
    widths = {"ebb_uni": felt["ebb uni"]["ci95"], "ebb_bi": felt["ebb bi"]["ci95"], "noise": noise["slowdown_ci95"],
              "perturbed": noise["perturbed_ci95"]}
    return dict(zip(COLUMNS, row)), widths


def worse(ours, widths, others):
    """By what OURS is worse than the best of OTHERS, a sentence for each."""
    for column in COLUMNS[2:-1]:
        more = column.startswith("ebb")
        rows = [row for row in others if row["routing"] in ("lash", "dfsssp")] if column == "lanes" else others
        if not rows:
            continue
        best = (max if more else min)(rows, key=lambda row: row[column])
        margin = (widths.get(column) or 0) + 1e-9 * best[column]
        if (best[column] - ours[column] if more else ours[column] - best[column]) > margin:
            yield f"{ours['network']}: {column} is {ours[column]}, by {best['routing']} {best[column]}"


def written(rows):
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in rows:
        table.writerow([f"{row[column]:.5g}" if isinstance(row[column], float) else row[column] for column in COLUMNS])
    return text.getvalue()


def main():
    status, rows = 0, []
    asked = [(network, routing) for network in NETWORKS for routing in [OURS, *ENGINES]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = dict(zip(asked, pool.map(lambda ask: measure(*ask), asked)))
    for network in NETWORKS:
        ours, widths = found[network, OURS]
        others = [found[network, engine][0] for engine in ENGINES if found[network, engine]]
        rows += [ours, *others]
        if ours["deadlock_free"] != "yes":
            print(f"{network}: not free of deadlocks")
            status = 1
        for lost in worse(ours, widths, others):
            print(lost)
            status = 1
    if "--update" in sys.argv:
        KEPT.write_text(written(rows))
    elif KEPT.read_text() != written(rows):
        print(f"{KEPT.name} has other figures; --update writes these:", written(rows), sep="\n")
        status = 1
    print(f"{len(NETWORKS)} networks, {len(rows)} rows")
    return status


if __name__ == "__main__":
    sys.exit(main())
