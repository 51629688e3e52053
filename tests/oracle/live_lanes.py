"""nue beside OpenSM's under ibsim: on one lane it has no longer paths and hardly ever a hotter channel."""
import pathlib
import sys
import tempfile

from crosswind import Failed, run, sampled, tables
from live_opensm import FORMATS, expect, subnet

NETWORKS = ["torus:6", "torus:5x5", "torus:4x4x3", "mesh:4x5", "dragonfly:2,4,2", "jellyfish:20,4,3",
            "xgft:3:3,3,4:1,3,2"]


def figures(net, *options):
    """What `crosswind route` says of routes, in one dictionary."""
    result = tables("route", net, *options)
    (routes,), (balance,) = result["routes"], result["balance"]
    expect(routes["reached"] == routes["pairs"] > 0, f"{options}: {routes}")
    return routes | balance


def no_worse(what, ours, theirs, columns, slack=1 + 1e-9):
    for column in columns:
        expect(ours[column] <= theirs[column] * slack, f"{what}: {column} is {ours[column]}, OpenSM's {theirs[column]}")


def check_nue(net, directory):
    theirs = figures(net, "--lft", subnet(net, directory / "nue", "nue") / FORMATS[0])
    ours = figures(net, "--routing", "nue")
    expect(ours["deadlock_free"] == "yes" and ours["lanes"] == 1, f"nue: {ours}")
    no_worse("nue", ours, theirs, ["hops_mean"])
    no_worse("nue", ours, theirs, ["routes_max"], 1.1)


def main():
    failed = 0
    for network in sampled(NETWORKS, 3):
        with tempfile.TemporaryDirectory() as directory:
            try:
                net = pathlib.Path(directory) / "fabric.net"
                run("topo", network, "--write", net)
                check_nue(net, net.parent)
                print("ok    ", network)
            except Failed as failure:
                print("FAILED", network, failure, sep="\n  ")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
