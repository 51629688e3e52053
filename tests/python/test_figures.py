"""What is computed: cases whose answers are known exactly, and agreement with the command."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import crosswind as cw
from crosswind import command

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/sample"
FABRIC, TABLES = SAMPLE / "fabric.ibnetdiscover", SAMPLE / "opensm-lfts.dump"


@pytest.fixture(scope="module")
def sample():
    return cw.Network(FABRIC).read_tables(TABLES)


@pytest.fixture(scope="module")
def crossbar():
    return cw.Network("crossbar:8").route()


def same(ours, theirs, but=()):
    """Every column of the command's that we have is the same, to the ten digits that it writes."""
    common = [name for name in theirs.columns if name in ours.columns and name not in but]
    assert len(common) >= 4 and len(ours) == len(theirs)
    for name in common:
        if theirs[name].dtype.kind in "fiu":
            np.testing.assert_allclose(ours[name].astype(float), theirs[name].astype(float), rtol=1e-8, err_msg=name)
        else:
            assert list(ours[name]) == list(theirs[name]), name
    for name, unit in ours.attrs["units"].items():
        if name in common:
            assert theirs.attrs["units"][name] == unit, name


# --- known answers ---------------------------------------------------------------------------------------------------

def test_a_crossbar_has_no_contention(crossbar):
    found = cw.congestion(crossbar, "shift:1")
    assert found.summary["max_congestion"][0] == 1 and found.summary["bandwidth_mean"][0] == 1
    assert found.channel_messages.tolist() == [1] * 16
    assert (cw.ebb(crossbar, trials=20)["ebb_mean"] == 1).all()
    assert (cw.noise(crossbar, [0.25, 0.5], trials=50)["slowdown_mean"] == 1).all()


def test_all_to_one_meets_at_the_last_cable(tmp_path, crossbar):
    (tmp_path / "matrix.csv").write_text("".join(f"{i},0,{1000 * i}\n" for i in range(1, 8)))
    found = cw.congestion(crossbar, f"matrix:{tmp_path / 'matrix.csv'}")
    into = int(np.flatnonzero(crossbar.network.head == 0)[0])
    assert found.by_bytes and found.channel_messages[into] == 28000
    assert found.summary["time_mean"][0] == pytest.approx(28000 / 5e9)
    assert found.summary.attrs["units"]["time_mean"] == "s"
    assert found.histogram() is None and found.channels(1)["channel"][0] == into


def test_the_one_cable_between_two_halves():
    net = cw.Network.from_cables(8, 2, [(i, 8 + i // 4) for i in range(8)] + [(8, 9)])
    found = cw.congestion(net.route("minhop"), "shift:4")
    assert found.summary["congestion_mean"][0] == found.summary["time_mean"][0] == 4
    assert found.channels(2)["congestion"].tolist() == [4, 4]
    assert found.histogram()["messages"].sum() == 8


def test_congestion_is_that_of_counted_routes():
    routes = cw.Network("xgft:2:4,4:1,2").route()
    everyone = np.arange(16)
    load = routes.count(everyone, (everyone + 5) % 16)
    assert np.array_equal(cw.congestion(routes, "shift:5").channel_messages, load)


def test_samples_make_the_means(sample):
    frame = cw.noise(sample, [0.3, 0.6], trials=200, samples=True)
    for row, times in enumerate(frame.attrs["samples"]):
        assert times.shape == (200, 2)
        slowdown = times[:, 1] / times[:, 0]
        assert slowdown.mean() == pytest.approx(frame["slowdown_mean"][row], rel=1e-12)
        assert np.quantile(slowdown, 0.75) == pytest.approx(frame["slowdown_q75"][row], rel=1e-12)
        assert times[:, 0].mean() == pytest.approx(frame["clean_mean"][row], rel=1e-12)


def test_one_seed_one_result(sample):
    one = cw.noise(sample, 0.5, trials=200, threads=1, seed=7)
    assert one.equals(cw.noise(sample, 0.5, trials=200, threads=3, seed=7))
    assert not one.equals(cw.noise(sample, 0.5, trials=200, seed=8))


def test_a_broadcast_along_a_tree(crossbar):
    assert cw.collective(crossbar, "binomial-bcast")["clean"] == 3  # log2(8) levels
    found = cw.collective(crossbar, "binomial-bcast", bytes=5000, L=1e-6, o=2e-6, G=2e-10)
    assert found["clean"] == pytest.approx(3 * (1e-6 + 2e-6 + 5000 * 2e-10)) and found["unit"] == "s"
    assert len(found["longest_path"]) == 4 and found["longest_path"][0] == 0


def test_background_slows_a_collective_down():
    net = cw.Network.from_cables(4, 2, [(0, 4), (1, 4), (2, 5), (3, 5), (4, 5)])
    found = cw.collective(net.route("minhop"), "binomial-bcast", ranks=2,
                          endpoints=[0, 2], background=([1], [3]))
    assert (found["clean"], found["perturbed"]) == (1, 2)


def test_flows_share_a_cable():
    net = cw.Network.from_cables(4, 2, [(0, 4), (1, 4), (2, 5), (3, 5), (4, 5)], latency=0)
    routes = net.route("minhop")
    alone = cw.flows(routes, np.array([[0, 2, 5 * 10**9]]), overhead=0)
    assert alone.seconds == pytest.approx(1) and alone.messages == 1
    both = cw.flows(routes, np.array([[0, 2, 5 * 10**9], [1, 3, 5 * 10**8]]), overhead=0)
    assert both.seconds == pytest.approx(1.1)
    assert both.channel_bytes.max() == 5.5e9
    with pytest.raises(cw.UsageError):
        cw.flows(routes, np.array([[0, 9, 1]]))


def test_flows_of_a_collective(crossbar):
    ring = cw.flows(crossbar, "ring-allreduce", "8MiB")
    exact = 2 * 7 * (1e-6 + 2**20 / 5e9 + 200e-9)
    assert ring.seconds == pytest.approx(exact, rel=1e-9) and ring.messages == 2 * 7 * 8
    assert cw.flows(crossbar, "ring-allreduce", "8MiB", repeat=3).seconds == pytest.approx(3 * exact, rel=1e-9)


def test_flits_arrive_as_offered(crossbar):
    found = cw.flit(crossbar.network, [0.2, 0.5], cycles=2000, warmup=1000, threads=1)
    assert np.abs(found.summary["accepted_mean"] - [0.2, 0.5]).max() < 0.02
    assert list(found.summary["saturated"]) == ["no", "no"] and found.summary.attrs["units"]["latency_mean"] == "cycle"
    for row in range(2):
        assert found.accepted_by[row].sum() == pytest.approx(8 * 2000 * found.summary["accepted_mean"][row])
        assert found.channel_flits[row].shape == (16,) and len(found.batches[row]) >= 10


def test_flits_pass_no_bound():
    """Half of the ranks send over one cable to the other half: an eighth each, and the same back."""
    net = cw.Network.from_cables(16, 2, [(i, 16 + i // 8) for i in range(16)] + [(16, 17)])
    found = cw.flit(net.route("minhop"), 1, "shift:8", cycles=4000, warmup=4000, threads=1)
    assert found.summary["accepted_mean"][0] == pytest.approx(1 / 8, rel=0.01)
    assert found.summary["saturated"][0] == "yes"


@pytest.mark.parametrize("options", [{"load": 0}, {"load": 1.5}, {"cycles": 1}, {"message": "65B"}, {"message": 0},
                                     {"hardware": {"speed": 2}}, {"hardware": {"speedup": 99}}, {"traffic": "shift:x"},
                                     {"routing": "valient-any"}, {"hardware": {"allocator": "none"}}])
def test_bad_flits(crossbar, options):
    with pytest.raises((cw.Error, TypeError)):
        cw.flit(crossbar.network, **{"load": 0.1, "cycles": 100, "warmup": 0, **options})


def test_plans_of_disjoint_pairs():
    routes = cw.Network("bgq:512").route()
    default, optimum = (cw.plan(routes, "disjoint:32x128", method, bytes=2**20) for method in ("default", "optimum"))
    assert default.z == pytest.approx(0.25) and optimum.z == pytest.approx(1) == optimum.bound
    optimum.verify()
    assert optimum.paths["bytes"].sum() == optimum.demands[:, 2].sum()
    assert optimum.channel_bytes().max() >= optimum.summary["max_channel_bytes"][0]
    first = optimum.paths[0]
    channels = optimum.channels[first["first"]:first["first"] + first["n"]]
    assert routes.network.tail[channels[0]] == optimum.demands[0, 0]
    assert routes.network.head[channels[-1]] == optimum.demands[0, 1]


def test_plans_of_a_list(tmp_path):
    routes = cw.Network("torus:4x4").route()
    plan = cw.plan(routes, [[0, 5, 1000], [3, 9, 500], [0, 5, 1000], [2, 2, 7]], "lp", k=8)
    assert plan.demands.tolist() == [[0, 5, 2000], [3, 9, 500]]
    assert plan.path_table().groupby("source")["share"].sum().tolist() == pytest.approx([1, 1])
    plan.write(tmp_path / "plan.json")
    checked = cw.run("plan", "torus:4x4", check=tmp_path / "plan.json", relays="switches", host_limit="yes")
    assert checked.table["z"][0] == pytest.approx(plan.z, rel=1e-8)
    for wrong in ([[0, 99, 1]], [[0, 1]], [], [[1, 1, 5]], [[0, 1, 0]]):
        with pytest.raises(cw.UsageError):
            cw.plan(routes, wrong)
    with pytest.raises(cw.UsageError, match="optimum"):
        cw.plan(routes, "shift:1", "optimun")


# --- the command -----------------------------------------------------------------------------------------------------

def test_noise_is_the_commands(sample):
    same(cw.noise(sample, "0.1..0.9:0.4", trials=300), cw.run("noise", sample, ratio="0.1..0.9:0.4", trials=300).table)


def test_noise_in_seconds_is_the_commands(sample):
    options = {"ratio": 0.5, "trials": 50, "bytes": ["8B", "1MiB"], "schedule": "ring-allreduce", "seed": 3}
    same(cw.noise(sample, **options), cw.run("noise", sample, **options).table)


def test_noise_by_flows_is_the_commands():
    routes = cw.Network("torus:4x4").route()
    options = {"ratio": 0.5, "trials": 5, "bytes": "64KiB", "model": "flows"}
    same(cw.noise(routes, **options), cw.run("noise", routes, **options).table)


@pytest.mark.parametrize("traffic", ["ring-allreduce", "shift:3", "alltoall"])
def test_flows_are_the_commands(traffic):
    theirs = cw.run("jobs", "torus:4x4", model="flows", jobs=f"{traffic} bytes=64KiB", placement="contiguous").table
    ours = cw.flows(cw.Network("torus:4x4").route(), traffic, "64KiB")
    assert ours.seconds == pytest.approx(theirs["time_mean"][0], rel=1e-8)
    assert theirs.attrs["units"]["time_mean"] == "s"


def test_congestion_is_the_commands(sample):
    ours, theirs = cw.congestion(sample, "shift:12"), cw.run("congestion", sample, traffic="shift:12")
    same(ours.summary, theirs.table)
    same(ours.channels(10), theirs["hottest"])
    same(cw.congestion(sample).summary, cw.run("congestion", sample).table)


def test_ebb_is_the_commands(sample):
    same(cw.ebb(sample, trials=100), cw.run("ebb", sample, trials=100).table)


def test_flit_is_the_commands():
    routing = "minimal"
    options = {"load": [0.2, 0.9], "cycles": 1000, "warmup": 1000, "traffic": "bitcomp", "message": "128B"}
    ours = cw.flit(cw.Network("dragonfly:2,4,2"), routing=routing, **options)
    same(ours.summary, cw.run("flit", "dragonfly:2,4,2", routing=routing, unsteady=True, **options).table)


def test_flit_by_default_is_the_commands():
    same(cw.flit(cw.Network("torus:4x4"), 0.3).summary, cw.run("flit", "torus:4x4", load=0.3).table)


def test_plan_is_the_commands():
    routes = cw.Network("bgq:512").route()
    theirs = cw.run("plan", routes.network, traffic="disjoint:32x128", method=["default", "lp"], transport="none").table
    for row, method in enumerate(("default", "lp")):
        ours = cw.plan(routes, "disjoint:32x128", method)
        whole_chunks = ("paths_used", "hops_mean", "max_channel_bytes", "bandwidth_seconds")  # the command's are
        same(ours.summary, theirs.iloc[row:row + 1].reset_index(drop=True), but=whole_chunks)


def test_routes_are_the_commands(sample):
    ours, theirs = sample.check(), cw.run("route", sample)
    for name in ("pairs", "reached", "holes", "loops", "minimal", "hops_max"):
        assert ours[name] == theirs["routes"][name][0], name
    assert ours["hops_mean"] == pytest.approx(theirs["routes"]["hops_mean"][0])
    assert ours["routes_max"] == theirs["balance"]["routes_max"][0]
    assert ours["deadlock_free"] == theirs["routes"]["deadlock_free"][0]


def test_faults_are_the_commands():
    """A torus with gaps is routed as a torus still, here as there."""
    routes = cw.Network("torus:4x4").without("s(0,0)-s(1,0)").route()
    assert routes.name == "dor"
    same(cw.noise(routes, 0.5, trials=100),
         cw.run("noise", "torus:4x4", ratio=0.5, trials=100, failed="s(0,0)-s(1,0)").table)


def test_networks_of_our_own_reach_the_command():
    net = cw.Network.from_networkx(cw.Network("torus:4x4").to_networkx())
    result = cw.run("noise", net, ratio=0.5, trials=50)
    same(cw.noise(net.route(), 0.5, trials=50), result.table)


def test_results_say_how_they_were_made(sample):
    result = cw.run("noise", sample, ratio=0.5, trials=50)
    assert result.metadata["inputs"][0]["path"] == str(FABRIC) and len(result.metadata["inputs"][0]["sha256"]) == 64
    assert "--ratio 0.5" in result.metadata["command"] and result.metadata["seed"] == 1 and result.notes
    assert result.table.attrs["help"]["slowdown_mean"].startswith("perturbed time")
    assert np.isnan(result.table["bytes"][0]) and not result.failed
    assert cw.noise(sample, 0.5, trials=5).attrs["network"] == str(FABRIC)


def test_other_verbs_have_tables():
    compared = cw.run("compare", "torus:4x4", "xgft:2:4,4:1,2")
    assert len(compared.table) >= 2
    assert all(list(frame.attrs["help"]) == list(frame.columns) for frame in compared.values())


def test_flags_and_lists_become_options():
    assert command._option("equal_speeds", True) == ["--equal-speeds"]
    assert command._option("ratio", [0.1, 0.5]) == ["--ratio", "0.1,0.5"]
    assert command._option("L", "1us") == ["--L", "1us"]
    assert command._option("import_", pathlib.Path("a")) == ["--import", "a"]


def test_the_commands_errors_are_exceptions(tmp_path, monkeypatch):
    with pytest.raises(cw.UsageError, match="--ratio: 2 is out of range"):
        cw.run("noise", "torus:4x4", ratio=2)
    with pytest.raises(cw.UsageError):
        cw.run("nois", "torus:4x4")
    with pytest.raises(cw.CommandError, match="nowhere.json") as failed:
        cw.run("noise", tmp_path / "nowhere.json")
    assert failed.value.status == 1
    monkeypatch.delenv("CROSSWIND")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="set CROSSWIND"):
        cw.run("noise", "torus:4x4")


def test_ctrl_c_ends_the_command():
    script = ("import crosswind as cw, sys\nprint('begun', flush=True)\n"
              "try: cw.run('noise', 'torus:8x8', trials=10**8, ratio=0.5)\n"
              "except KeyboardInterrupt: print('interrupted')")
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                               start_new_session=True)
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=20)[0] == "interrupted\n"


def test_flits_follow_the_routes_of_files(sample):
    options = {"load": 0.2, "cycles": 500, "warmup": 500}
    theirs = cw.run("flit", FABRIC, lft=TABLES, unsteady=True, **options).table
    same(cw.flit(sample, **options).summary, theirs, but=("routing",))


def test_what_was_cut_off_counts_as_in_the_command():
    net = cw.Network("torus:4x4").without("h3")
    same(cw.ebb(net.route(), trials=50), cw.run("ebb", "torus:4x4", failed="h3", trials=50).table)
    with pytest.warns(UserWarning, match="1 of 16"):
        ours = cw.congestion(net.route(), "shift:1").summary
    same(ours, cw.run("congestion", "torus:4x4", failed="h3", traffic="shift:1").table)


def test_some_endpoints_take_part(sample):
    """By number here, by name there."""
    some = list(range(20, 60))
    names = ",".join(sample.network.names[v] for v in some)
    same(cw.noise(sample, 0.5, trials=50, endpoints=some[::-1]),
         cw.run("noise", sample, ratio=0.5, trials=50, endpoints=names).table)


def test_what_was_finished_survives_a_failure(tmp_path, monkeypatch):
    """Of a command that ends in the middle, as this one does."""
    whole = json.loads(subprocess.run([os.environ["CROSSWIND"], "topo", "torus:4x4", "--format", "json"], check=True,
                                      capture_output=True, text=True).stdout)
    (tmp_path / "part.json").write_text(json.dumps({**whole, "complete": False}))
    (tmp_path / "crosswind").write_text(f"""#!/bin/sh
        while [ "$1" != --output ]; do shift; done
        cp "{tmp_path}/part.json" "$2"
        echo "crosswind: no space left" >&2
        exit 1""")
    (tmp_path / "crosswind").chmod(0o755)
    monkeypatch.setenv("CROSSWIND", str(tmp_path / "crosswind"))
    with pytest.raises(cw.CommandError, match="^no space left$") as failed:
        cw.run("topo", "torus:4x4")
    assert failed.value.status == 1 and failed.value.result.table["endpoints"][0] == 16


def test_one_seed_for_routes_and_trials():
    routes = cw.Network("torus:4x4").route("random-minimal", seed=5)
    same(cw.noise(routes, 0.5, trials=20, seed=5), cw.run("noise", routes, ratio=0.5, trials=20, seed=5).table)
    with pytest.raises(cw.UsageError, match="seed 5"):
        cw.run("noise", routes, ratio=0.5, trials=20)
