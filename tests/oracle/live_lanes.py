"""The engines for networks of any shape beside OpenSM's of the same names, under ibsim: sssp and dfsssp never have more
routes on the busiest channel, nor a larger deviation, nor more virtual lanes; nue on one lane has no longer paths and
hardly ever a hotter channel; and OpenSM loads the tables."""
import pathlib
import re
import sys
import tempfile

from crosswind import Failed, run, tables
from live_opensm import FORMATS, expect, subnet

LOADS = "routes_max", "routes_deviation"
NETWORKS = ["torus:6", "torus:5x5", "torus:4x4x3", "mesh:4x5", "dragonfly:2,4,2", "jellyfish:20,4,3",
            "xgft:3:3,3,4:1,3,2"]


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


def main():
    failed = 0
    for network in NETWORKS:
        with tempfile.TemporaryDirectory() as directory:
            try:
                net = pathlib.Path(directory) / "fabric.net"
                run("topo", network, "--write", net)
                check_dfsssp(net, net.parent)
                check_nue(net, net.parent)
                check_loaded(net, net.parent)
                print("ok    ", network)
            except Failed as failure:
                print("FAILED", network, failure, sep="\n  ")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
