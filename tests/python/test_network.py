"""Networks and routes: known graphs, conversions, files, what is proven of routes."""
import gzip
import pathlib

import networkx
import numpy as np
import pytest

import crosswind as cw

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/sample"


@pytest.fixture(scope="module")
def fabric():
    return cw.Network(SAMPLE / "fabric.ibnetdiscover")


def triangle(**more):
    """Switches 3, 4, 5 in a triangle with an endpoint each."""
    return cw.Network.from_cables(3, 3, [(0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (5, 3)], **more)


@pytest.mark.parametrize("spec, endpoints, switches, cables", [
    ("torus:4x4", 16, 16, 48), ("xgft:2:4,4:1,2", 16, 6, 24), ("crossbar:5", 5, 1, 5), ("hypercube:3", 8, 8, 20),
    ("dragonfly:2,4,2", 72, 36, 72 + 36 * 3 // 2 + 36 * 2 // 2)])
def test_sizes_by_formula(spec, endpoints, switches, cables):
    net = cw.Network(spec)
    assert (net.endpoints, net.switches, net.channels) == (endpoints, switches, 2 * cables)
    assert net.vertices == endpoints + switches and net.title == spec


def test_arrays_are_consistent():
    net = cw.Network("xgft:2:4,4:1,2")
    channel = np.arange(net.channels)
    assert np.array_equal(net.twin[net.twin], channel)
    assert np.array_equal(net.tail[net.twin], net.head)
    assert np.array_equal(net.tail, np.repeat(np.arange(net.vertices), np.diff(net.first.astype(int))))
    assert (net.capacity == 5e9).all() and (net.latency == 100e-9).all()
    assert net.port[net.first[16]:net.first[17]].tolist() == [1, 2, 3, 4, 5, 6]


def test_link_of_a_specification():
    net = cw.Network("torus:3x3@100Gbit/s,250ns")
    assert (net.capacity == 12.5e9).all() and np.allclose(net.latency, 250e-9, rtol=1e-12)


def test_shape_and_names():
    net = cw.Network("torus:3x3")
    assert net.shape == "torus" and net.names[0] == "h0" and net.names[9] == "s(0,0)"
    assert net.kinds == ["host"] * 9 + ["switch"] * 9
    assert net.find("s(0,0)") == 9 and net.find(4) == 4 and net.channel_name(0) == "h0/1>s(0,0)/1"
    assert triangle().shape is None


def test_fabric_of_a_file(fabric):
    assert (fabric.endpoints, fabric.switches) == (143, 13)
    assert fabric.kinds.count("switch") == 13 and fabric.kinds.count("host") == 143
    assert len(fabric.select()) == len(fabric.select("all")) == 143 and fabric.shape is None


def test_select_by_name_and_number(fabric):
    some = [5, 0, 17]
    assert fabric.select(some).tolist() == sorted(some)
    assert fabric.select(fabric.names[5]).tolist() == [5]
    with pytest.raises(cw.UsageError):
        fabric.select("nobody")


def test_distances_and_bisection_by_formula():
    net = cw.Network("torus:4x4")
    assert net.distances() == {"diameter": 6, "mean_distance": pytest.approx(2 + 32 / 15), "unreachable": 0,
                               "exact": True}
    cut = net.bisection()
    assert cut["channels"] == 8 and cut["capacity"] == 8 * 5e9 and cut["exact"]


def test_from_cables_keeps_what_it_is_given():
    net = triangle(names=list("abcXYZ"), capacity=[1e9, 2e9, 3e9, 4e9, 5e9, 6e9], latency="1us",
                   ports=[(1, 7), (1, 7), (1, 7), (1, 2), (1, 2), (1, 2)], title="triangle")
    assert net.names == list("abcXYZ") and net.title == "triangle"
    channel = int(np.flatnonzero((net.tail == 4) & (net.head == 5))[0])
    assert net.capacity[channel] == net.capacity[net.twin[channel]] == 5e9
    assert net.latency[channel] == 1e-6 and net.port[channel] == 1 and net.port[net.twin[channel]] == 2


def test_cables_of_two_speeds_and_closed_ones():
    net = cw.Network.from_cables(2, 2, [(0, 2), (1, 3), (2, 3), (2, 3)],
                                 capacity=[(1e9, 1e9), (1e9, 1e9), (2e9, 1e9), (1e9, 0)])
    between = (net.tail == 2) & (net.head == 3)
    assert sorted(net.capacity[between]) == [1e9, 2e9]
    assert sorted(net.capacity[net.twin[np.flatnonzero(between)]]) == [0, 1e9]


@pytest.mark.parametrize("arguments, message", [
    ((2, 1, [(0, 3)]), "expected vertices 0 to 2"), ((2, 1, [(0, -1)]), "expected vertices 0 to 2"),
    ((2, 1, [(0, 0)]), "itself"), ((2, 1, [(0, 1, 2)]), r"expected \[n, 2\]"), ((2, 1, [(0.5, 1)]), r"\[n, 2\]"),
    ((-1, 1, []), "endpoints is -1")])
def test_bad_cables(arguments, message):
    with pytest.raises(cw.UsageError, match=message):
        cw.Network.from_cables(*arguments)


def test_bad_names_and_capacities():
    with pytest.raises(cw.UsageError, match="expected one for each of 6"):
        triangle(names=["a"])
    with pytest.raises(cw.UsageError):
        triangle(names=["a"] * 6)
    with pytest.raises(cw.UsageError, match="capacity"):
        triangle(capacity=[1, 2])
    with pytest.raises(cw.UsageError):
        triangle(capacity=float("nan"))


@pytest.mark.parametrize("spec", ["torus:3x4", "xgft:2:4,4:1,2", "dragonfly:1,2,1"])
def test_networkx_and_back(spec):
    net = cw.Network(spec)
    graph = net.to_networkx()
    assert graph.number_of_nodes() == net.vertices and graph.number_of_edges() == net.channels // 2
    assert sum(kind == "switch" for _, kind in graph.nodes(data="kind")) == net.switches
    back = cw.Network.from_networkx(graph)
    assert back.names == net.names
    for name in ("first", "tail", "head", "twin", "capacity", "latency", "port"):
        assert np.array_equal(getattr(back, name), getattr(net, name)), name


def test_networkx_agrees_on_distances():
    net = cw.Network("dragonfly:2,4,2")
    graph = networkx.Graph(net.to_networkx())
    length = dict(networkx.all_pairs_shortest_path_length(graph))
    hosts = net.names[:net.endpoints]
    assert net.distances()["diameter"] == max(length[a][b] for a in hosts for b in hosts)


def test_networkx_without_attributes():
    """Leaves of the graph are endpoints."""
    graph = networkx.star_graph(5)
    net = cw.Network.from_networkx(graph)
    assert (net.endpoints, net.switches) == (5, 1) and net.names[5] == "0"


def test_networkx_keeps_both_directions():
    net = cw.Network.from_cables(2, 2, [(0, 2), (1, 3), (2, 3)], capacity=[(1e9, 1e9), (1e9, 1e9), (2e9, 4e9)],
                                 latency=[(0, 0), (0, 0), (1e-6, 2e-6)])
    assert cw.Network.from_networkx(net.to_networkx()) == net


def test_directed_graphs():
    graph = networkx.DiGraph()
    for a, b in (("h1", "s1"), ("h2", "s1")):
        graph.add_edge(a, b, capacity="8Gbit/s")
        graph.add_edge(b, a, capacity="16Gbit/s")
    net = cw.Network.from_networkx(graph)
    assert (net.endpoints, net.switches, net.channels) == (2, 1, 4)
    assert set(net.capacity[net.tail < 2]) == {1e9} and set(net.capacity[net.tail == 2]) == {2e9}
    graph.remove_edge("s1", "h1")
    with pytest.raises(cw.UsageError, match="no opposite"):
        cw.Network.from_networkx(graph)


def test_files_and_back(tmp_path):
    net = cw.Network("xgft:2:4,4:1,2")
    net.write(tmp_path / "net.json.gz")
    assert gzip.decompress((tmp_path / "net.json.gz").read_bytes()).startswith(b"{")
    assert cw.Network(tmp_path / "net.json.gz") == net
    assert cw.Network(tmp_path / "net.json.gz", format="json") == net
    assert net != cw.Network("xgft:2:4,4:1,4") and net != 3
    with pytest.raises(cw.UsageError):
        net.write(tmp_path / "net.unknown")


def test_faults_are_taken_out():
    net = cw.Network("torus:4x4")
    less = net.without("s(0,0)-s(1,0)")
    assert less.channels == net.channels - 2 and "1" in less.title
    slow = net.without(degraded="s(0,0)>s(1,0)=8Gbit/s")
    assert (slow.capacity == 1e9).sum() == 1
    assert net.without("10%", seed=3).channels == net.without("10%", seed=3).channels == net.channels - 2 * 3
    with pytest.raises(cw.UsageError):
        net.without("nothing")


def test_a_route_is_a_path():
    net = cw.Network("torus:5x5")
    routes = net.route("dor")
    path = routes.path(0, "h7")  # (0, 0) to (2, 1)
    assert len(path) == 2 + 3 and net.tail[path[0]] == 0 and net.head[path[-1]] == 7
    assert (net.head[path[:-1]] == net.tail[path[1:]]).all()
    assert len(routes.path(3, 3)) == 0


def test_paths_in_batches():
    net = cw.Network("xgft:2:4,4:1,2")
    routes = net.route()
    src, dst = np.repeat(np.arange(16), 16), np.tile(np.arange(16), 16)
    hops, channels = routes.paths(src, dst)
    same, leaf = src == dst, src // 4 == dst // 4
    assert (hops == np.where(same, 0, np.where(leaf, 2, 4))).all() and len(channels) == hops.sum()
    one = np.split(channels, np.cumsum(hops)[:-1])[16 * 3 + 9]
    assert np.array_equal(one, routes.path(3, 9))
    assert np.array_equal(np.bincount(channels, minlength=net.channels), routes.count(src, dst))


@pytest.mark.parametrize("src, dst, error", [
    ([0], [16], cw.UsageError), ([-1], [0], cw.UsageError), ([0, 1], [0], cw.UsageError), ([0.5], [1], TypeError),
    ([[0]], [[1]], cw.UsageError), ([2**40], [0], cw.UsageError), (["h0"], [1], TypeError)])
def test_bad_pairs(src, dst, error):
    routes = cw.Network("torus:4x4").route()
    with pytest.raises(error):
        routes.count(src, dst)


def test_no_pairs_at_all():
    hops, channels = cw.Network("torus:4x4").route().paths([], np.empty(0, int))
    assert len(hops) == len(channels) == 0


def test_tables_lead_where_routes_go():
    net = cw.Network("torus:4x4")
    routes = net.route("dor")
    tables = routes.to_tables()
    assert tables.kind == "table" and tables.entries.shape == (16, 16) and tables.first_row == 16
    at, hops = 16 + 0, 0
    while at != 10:
        at = int(net.head[net.first[at] + tables.entries[10, at - tables.first_row]])
        hops += 1
    assert hops + 1 == len(routes.path(0, 10))
    with pytest.raises(cw.UsageError, match="expected tables"):
        routes.entries


def test_tables_of_a_file(fabric):
    routes = fabric.read_tables(SAMPLE / "opensm-lfts.dump")
    assert routes.report["entries"] == 1859 and routes.report["switches_matched"] == 13
    assert routes.report["format"] == "opensm-lfts.dump" and routes.kind == "table"
    found = routes.check()
    assert found["holes"] == found["loops"] == 0 and found["pairs"] == found["reached"]


def test_tables_written_and_read_again(tmp_path, fabric):
    routes = fabric.read_tables(SAMPLE / "opensm-lfts.dump")
    for name in ("tables.dump", "tables.json"):
        routes.write(tmp_path / name)
        again = fabric.read_tables(tmp_path / name)
        assert np.array_equal(again.entries, routes.entries), name


def test_holes_are_told_and_walked_into(tmp_path, fabric):
    lines = (SAMPLE / "opensm-lfts.dump").read_text().splitlines(keepends=True)
    entry = next(i for i, line in enumerate(lines) if line.startswith("0x"))
    (tmp_path / "holes.dump").write_text("".join(lines[:entry] + lines[entry + 60:]))
    routes = fabric.read_tables(tmp_path / "holes.dump")
    found = routes.check()
    assert found["holes"] > 0 and found["reached"] < found["pairs"] and found["first_problem"]
    everyone = np.arange(fabric.endpoints)
    with pytest.raises(cw.RouteError):
        for shift in range(1, fabric.endpoints):
            routes.count(everyone, np.roll(everyone, shift))


def test_deadlocks():
    ring = cw.Network("torus:8")
    assert ring.route("dor").check()["deadlock_free"] == "yes"
    found = ring.route("dor").to_tables().check()
    assert found["deadlock_free"] == "no" and len(found["cycle"]) >= 3 and ">" in found["cycle"][0]
    assert found["load"].sum() > 0 and found["minimal"] == found["pairs"] == 56


def test_paths_of_a_file(tmp_path):
    net = triangle(names=list("abcXYZ"))
    (tmp_path / "paths").write_text("a b 1 : a X Z Y b\n")
    routes = net.read_paths(tmp_path / "paths")
    assert [net.names[v] for v in net.head[routes.path(0, 1)]] == ["X", "Z", "Y", "b"]
    with pytest.raises(cw.RouteError):
        routes.path(1, 0)


def test_unknown_names_are_guessed():
    with pytest.raises(cw.UsageError, match="minhop"):
        cw.Network("torus:4x4").route("minhopp")
    with pytest.raises(cw.UsageError, match="torus"):
        cw.Network("toruss:4x4")


def test_several_ways_have_no_path():
    routes = cw.Network("dragonfly:2,4,2").route("valiant-any")
    assert routes.kind == "ways"
    with pytest.raises(cw.UsageError):
        routes.path(0, 60)
    with pytest.raises(cw.UsageError):
        routes.count([0], [60])


def test_channel_table():
    net = cw.Network("crossbar:2")
    frame = net.channel_table(load=[1, 2, 3, 4])
    assert list(frame["tail"]) == ["h0", "h1", "s0", "s0"] and list(frame["head"]) == ["s0", "s0", "h0", "h1"]
    assert list(frame["head_port"]) == [1, 2, 1, 1] and list(frame["load"]) == [1, 2, 3, 4]
    assert frame.attrs["units"] == {"capacity": "byte/s", "latency": "s"}
