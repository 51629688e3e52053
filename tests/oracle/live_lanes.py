"""The engines for networks of any shape beside OpenSM's of the same names, under ibsim: sssp and dfsssp never have more
routes on the busiest channel, nor a larger deviation, nor more virtual lanes, also to several LIDs of each host; nue on one
lane has no longer paths and hardly ever a hotter channel; and OpenSM loads the tables."""
import collections
import pathlib
import re
import sys
import tempfile

from congestion_by_hand import Fabric
from crosswind import Failed, run, sampled, tables
from live_opensm import FORMATS, expect, subnet

LOADS = "routes_max", "routes_deviation"
NETWORKS = ["torus:6", "torus:5x5", "torus:4x4x3", "mesh:4x5", "dragonfly:2,4,2", "jellyfish:20,4,3",
            "xgft:3:3,3,4:1,3,2"]
WITH_LIDS = [("torus:5x5", 2), ("mesh:4x5", 3), ("dragonfly:2,4,2", 1), ("xgft:2:4,4:1,4", 2)]  # network, LMC


def figures(net, *options):
    """What `crosswind route` says of routes, in one dictionary."""
    result = tables("route", net, *options)
    (routes,), (balance,) = result["routes"], result["balance"]
    expect(routes["reached"] == routes["pairs"] > 0, f"{options}: {routes}")
    return routes | balance


def lanes_needed(directory):
    """OpenSM's dfsssp counts them before it spreads the paths over all there are."""
    return int(re.search(r"Virtual Lanes needed: (\d+)", (directory / "opensm.log").read_text()).group(1))


def no_worse(what, ours, theirs, columns, slack=1 + 1e-9):
    for column in columns:
        expect(ours[column] <= theirs[column] * slack, f"{what}: {column} is {ours[column]}, OpenSM's {theirs[column]}")


def check_dfsssp(net, directory):
    theirs = subnet(net, directory / "dfsssp", "dfsssp")
    ours, opensm = figures(net, "--routing", "dfsssp"), figures(net, "--lft", theirs / FORMATS[0])
    expect(ours["deadlock_free"] == "yes" and ours["minimal"] == ours["pairs"], f"dfsssp: {ours}")
    no_worse("dfsssp", ours, opensm, LOADS)
    needed = lanes_needed(theirs)
    expect(ours["lanes"] <= needed, f"dfsssp: {ours['lanes']} lanes, OpenSM {needed}")
    plain, opensm = figures(net, "--routing", "sssp"), subnet(net, directory / "sssp", "sssp")
    no_worse("sssp", plain, figures(net, "--lft", opensm / FORMATS[0]), LOADS)


def to_all_lids(fabric):
    """Routes on the busiest channel between switches, their deviation, and the mean number of a pair's different ways."""
    loads, ways = collections.Counter(), []
    for target in fabric.lids:
        for source in fabric.lids.keys() - {target}:
            found = [tuple(fabric.way(source, target, number)) for number in range(2**fabric.lmc[target])]
            for way in found:
                loads.update(way[1:-1])
            ways.append(len(set(found)))
    counts = [loads[at, port, *end] for at in fabric.tables for port, end in fabric.cables[at].items()
              if end[0] in fabric.tables]
    mean = sum(counts) / len(counts)
    return {"busiest": max(counts), "deviation": (sum((n - mean)**2 for n in counts) / len(counts))**0.5,
            "ways": sum(ways) / len(ways)}


def check_lids(net, lmc, directory):
    """The map says what the LMC is."""
    theirs = subnet(net, directory / "lids", "dfsssp", "--", "-l", str(lmc))
    network, written = theirs / "fabric.ibnetdiscover", directory / "lids.lfts"
    told = figures(network, "--routing", "dfsssp", "--write", written)
    expect(told["lanes"] <= lanes_needed(theirs), f"LMC {lmc}: {told['lanes']} lanes, OpenSM {lanes_needed(theirs)}")
    ours, opensm = to_all_lids(Fabric(network, written)), to_all_lids(Fabric(network, theirs / FORMATS[0]))
    no_worse(f"LMC {lmc}", ours, opensm, ["busiest", "deviation"])
    expect(ours["ways"] >= opensm["ways"], f"LMC {lmc}: {ours}, OpenSM {opensm}")


def check_nue(net, directory):
    theirs = figures(net, "--lft", subnet(net, directory / "nue", "nue") / FORMATS[0])
    ours = figures(net, "--routing", "nue")
    expect(ours["deadlock_free"] == "yes" and ours["lanes"] == 1, f"nue: {ours}")
    no_worse("nue", ours, theirs, ["hops_mean"])
    no_worse("nue", ours, theirs, ["routes_max"], 1.1)


def check_loaded(net, directory):
    """What OpenSM loads are the same routes."""
    written = directory / "written"
    run("route", net, "--routing", "dfsssp", "--write", written)
    back = figures(net, "--lft", subnet(net, directory / "back", "file", "--", "-U", written) / FORMATS[0])
    ours = figures(net, "--routing", "sssp")
    for column in "pairs", "minimal", "hops_mean", *LOADS:
        expect(back[column] == ours[column], f"{column} is {ours[column]}, loaded {back[column]}")


def check_all(net, lmc, directory):
    if lmc > 0:
        check_lids(net, lmc, directory)
    else:
        check_dfsssp(net, directory)
        check_nue(net, directory)
        check_loaded(net, directory)


def main():
    failed = 0
    for network, lmc in sampled([(network, 0) for network in NETWORKS] + WITH_LIDS, 4):
        with tempfile.TemporaryDirectory() as directory:
            try:
                net = pathlib.Path(directory) / "fabric.net"
                run("topo", network, "--write", net)
                check_all(net, lmc, net.parent)
                print("ok    ", network, f"LMC {lmc}" if lmc else "")
            except Failed as failure:
                print("FAILED", network, failure, sep="\n  ")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
