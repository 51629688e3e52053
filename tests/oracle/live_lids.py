"""Several LIDs a host as the real subnet manager gives and routes them (OpenSM with LMC 0, 1 and 2 under ibsim): the
ways from host to host are as many as LMC promises, every leg of every plan follows the table of one of them, and more
ways never make a plan worse."""
import json
import pathlib
import sys
import tempfile

from crosswind import Failed, run
from live_opensm import subnet
from plan_tables import Walker, expect

FABRICS = [  # network, OpenSM's routing engine (ftree has no LMC), cables up from a leaf
    ("xgft:2:4,4:1,4", "minhop", 4),
    ("xgft:2:4,4:1,2", "updn", 2),
    ("xgft:2:3,3:1,3", "minhop", 3),
]
LMC = (0, 1, 2)
METHODS = ("default", "greedy", "lp", "optimum", "approx")


def check_ways(walker, lmc, most):
    """Hosts on one leaf have one way, others one for each LID, until all cables up have one."""
    hosts = walker.ids[:walker.hosts]
    for a in hosts:
        for b in hosts:
            if a == b:
                continue
            ways = list(walker.ways(a, b))
            distinct = {tuple(way) for way in ways}
            wanted = 1 if len(ways[0]) == 2 else min(2 ** lmc, most)
            expect((len(ways), len(distinct)) == (2 ** lmc, wanted), f"{a} to {b}: {len(distinct)} of {len(ways)} ways")


def plans(walker, network, lmc, relays, file):
    """z of each method's plan, all of whose legs are on the tables."""
    z = {}
    for method in METHODS:
        text = run("plan", *network, "--traffic", "permutation", "--relays", relays, "--method", method, "--plan", file)
        told = " ".join(text.split())
        if method != "default":
            expect((f"{2 ** lmc} ways a pair" in told) == (lmc > 0), f"LMC {lmc}: {told}")
        plan = json.loads(file.read_text())
        walker.check(plan, 1 if relays == "all" else 0)
        z[method] = plan["z"]
    return z


def check(network, engine, most, folder):
    net, best = folder / "fabric.net", {}
    run("topo", network, "--write", net)
    for lmc in LMC:
        out = subnet(net, folder / str(lmc), engine, "--", "-l", str(lmc))
        files = out / "fabric.ibnetdiscover", out / "opensm-lfts.dump"
        walker = Walker(*files)
        check_ways(walker, lmc, most)
        for relays in "none", "all":
            z = plans(walker, (files[0], "--lft", files[1]), lmc, relays, folder / "plan.json")
            best[lmc, relays] = z["optimum"]
            # chunks cost the optimum up to one in each of a demand's 128
            expect(all(z["optimum"] >= other * (1 - 0.05) for other in z.values()), f"LMC {lmc}, {relays}: {z}")
    return best


def compare(best):
    """More LIDs, and relays, only add to what a plan may do."""
    for lmc in LMC:
        expect(best[lmc, "all"] >= best[lmc, "none"] - 0.01, f"relays do harm: {best}")
        for relays in "none", "all":
            expect(best[lmc, relays] >= best[0, relays] - 0.01, f"LMC {lmc} does harm: {best}")
    expect(best[2, "none"] > min(best[0, "none"], 0.98), f"LMC 2 gains nothing: {best}")


def main():
    failed = 0
    for network, engine, most in FABRICS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                best = check(network, engine, most, pathlib.Path(folder))
                compare(best)
                found = ", ".join(f"LMC {lmc} relays {who} {z:.4g}" for (lmc, who), z in best.items())
                print("ok    ", engine, network, "z:", found)
            except Failed as failure:
                print("FAILED", engine, network, failure, sep="\n  ")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
