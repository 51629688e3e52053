"""GraphML beside NetworkX: it reads what is written, and what it writes of that is read as the same network. Graphs that
it makes itself have as many endpoints, cables and hops between hosts here as there."""
import pathlib
import sys
import tempfile

from crosswind import ROOT, Failed, run, skip, tables

try:
    import networkx
except ImportError:
    skip("NetworkX is missing (Debian: python3-networkx)")

FABRIC = ROOT / "tests/golden/fabric"
NETWORKS = ["torus:4x3", "xgft:2:4,3:1,2:1,4", "dragonfly:1,4,2,g=4", "rail:4,2,4", FABRIC / "rails.ibnetdiscover",
            FABRIC / "three-level.ibnetdiscover", ROOT / "tests/golden/network/one-way.json"]


def expect(condition, what):
    if not condition:
        raise Failed(what)


def as_json(file, folder):
    run("topo", file, "--write", folder / "read.json")
    return (folder / "read.json").read_text()


def check_written(network, folder):
    ours, theirs = folder / "ours.graphml", folder / "theirs.graphml"
    run("topo", network, "--write", ours)
    graph = networkx.read_graphml(ours)
    (row,) = tables("topo", network)["topology"]
    hosts = [node for node, data in graph.nodes(data=True) if data["kind"] != "switch"]
    expect((len(hosts), len(graph), graph.number_of_edges()) ==
           (row["endpoints"], row["endpoints"] + row["switches"], row["cables"]), f"NetworkX has {graph}")
    networkx.write_graphml(graph, theirs)
    expect(as_json(ours, folder) == as_json(theirs, folder), "another network when NetworkX has written it again")


def mean_distance(graph, hosts):
    hops = [networkx.shortest_path_length(graph, a, b) for a in hosts for b in hosts if a != b]
    return sum(hops) / len(hops)


def check_read(graph, hosts, folder):
    """GRAPH, of which HOSTS have a host's kind, has that many hops."""
    file = folder / "graph.graphml"
    networkx.write_graphml(graph, file)
    (row,) = tables("topo", file)["topology"]
    expect(row["endpoints"] == len(hosts), f"{row['endpoints']} endpoints of {hosts}")
    expect(abs(row["mean_distance"] - mean_distance(graph, hosts)) < 1e-9, f"mean distance {row['mean_distance']}")


def main():
    failed = 0
    tree = networkx.balanced_tree(3, 3)
    torus = networkx.grid_graph([4, 4], periodic=True)
    hosts = [("host", *node) for node in torus]
    torus.add_nodes_from(hosts, kind="host")
    torus.add_edges_from((host, host[1:]) for host in hosts)
    checks = {
        "a tree": (check_read, tree, [node for node in tree if tree.degree(node) == 1]),
        "a torus": (check_read, torus, hosts),
        "a torus, both ways": (check_read, torus.to_directed(), hosts),
        **{str(network): (check_written, network) for network in NETWORKS},
    }
    for name, (check, *arguments) in checks.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(*arguments, pathlib.Path(folder))
                print("ok    ", name)
            except Failed as failure:
                print("FAILED", name, failure, sep="\n  ")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
