"""What Python has to do with C: errors, ownership, memory that is shared, interruption, optional packages."""
import doctest
import gc
import importlib.metadata
import io
import os
import pathlib
import signal
import sys
import threading
import time
import warnings
import weakref

import numpy as np
import pytest

import crosswind as cw
from crosswind import _core

BUILD_MODULES = ("crosswind", "crosswind.network", "crosswind.command")


@pytest.fixture(scope="module")
def torus():
    return cw.Network("torus:4x4").route()


@pytest.mark.parametrize("kind, also", [
    (cw.UsageError, ValueError), (cw.MemoryExhausted, MemoryError), (cw.FileError, OSError),
    (cw.FormatError, ValueError), (cw.LimitError, MemoryError),
    (cw.RouteError, ValueError), (cw.InternalError, RuntimeError)])
def test_errors_are_pythons_too(kind, also):
    assert issubclass(kind, cw.Error) and issubclass(kind, also)
    assert kind in _core.ERRORS.values()


def test_each_code_has_its_error(tmp_path):
    with pytest.raises(cw.FileError, match="nowhere.json"):
        cw.Network(tmp_path / "nowhere.json")
    (tmp_path / "bad.json").write_text('{"crosswind": "network",')
    with pytest.raises(cw.FormatError, match="bad.json:1: "):
        cw.Network(tmp_path / "bad.json")
    with pytest.raises(cw.LimitError):
        cw.Network("torus:60000x60000")
    with pytest.raises(KeyboardInterrupt):
        _core.raise_error(_core.lib.CW_EINTERRUPTED, "interrupted")


def test_the_message_is_of_the_call_that_failed(torus):
    """Long calls fail on another thread than the one that asks."""
    with pytest.raises(cw.UsageError, match="ratio"):
        cw.noise(torus, 0.99)
    with pytest.raises(cw.UsageError, match="did you mean|nearest|there is no"):
        cw.congestion(torus, "bitcmp")


@pytest.mark.parametrize("value", ["a\0b", 5, None, b"\xff\xfe", "😀", "", " ", "torus:", "torus:-1x4", "torus:4x4@0",
                                   "../" * 200])
def test_hostile_specifications(value):
    with pytest.raises((cw.Error, TypeError)):
        cw.Network(value)


@pytest.mark.parametrize("name, value", [
    ("trials", -1), ("trials", 1.5), ("trials", "many"), ("seed", -1), ("seed", 2**64), ("threads", 2**32),
    ("bytes", "8 apples"), ("bytes", -1), ("model", "guess"), ("sends", "never"), ("schedule", "nothing"),
    ("ratio", "0.5..0.1"), ("ratio", float("nan")), ("ratio", 1), ("placement", "nowhere"), ("endpoints", [0, 99]),
    ("endpoints", [0]), ("background", "x:y=z"), ("L", "1 stone"), ("G", "5")])
def test_hostile_values(torus, name, value):
    with pytest.raises((cw.Error, TypeError, OverflowError)):
        cw.noise(torus, **{"ratio": 0.5, "trials": 2, name: value})


def test_what_is_no_routes_is_said(torus):
    for simulate in (cw.noise, cw.congestion, cw.ebb, cw.collective):
        with pytest.raises(TypeError, match="expected Routes, such as those that Network.route"):
            simulate(torus.network)
    with pytest.raises(TypeError, match="expected Routes"):
        cw.plan(torus.network, "shift:1")
    with pytest.raises(TypeError, match="expected text, a path, a Network or Routes"):
        cw.run("topo", 5)
    with pytest.raises(cw.UsageError, match="ratio is empty"):
        cw.noise(torus, [])


def test_units_as_people_write_them(torus):
    plain = cw.noise(torus, 0.5, trials=20, bytes=65536, L=1e-6, o=2e-6, G=2e-10)
    written = cw.noise(torus, "0.5", trials=20, bytes="64KiB", L="1us", o="2us", G="40Gbit/s")
    assert plain.equals(written)


def test_arrays_are_the_librarys_memory():
    net = cw.Network("torus:4x4")
    arrays = _core.lib.cw_network_arrays_of(net._c)
    for name in ("first", "tail", "head", "twin", "capacity", "latency"):
        array = getattr(net, name)
        address = int(_core.ffi.cast("uintptr_t", getattr(arrays, name)))
        assert array.__array_interface__["data"] == (address, True) and not array.flags.owndata


def test_tables_and_loads_are_not_copied(torus):
    tables = torus.to_tables()
    first, second = tables.entries, tables.entries
    assert first.__array_interface__["data"][0] == second.__array_interface__["data"][0] and not first.flags.owndata
    found = cw.congestion(torus, "bitcomp")
    pointer = int(_core.ffi.cast("uintptr_t", found._c.channel_messages))
    assert found.channel_messages.__array_interface__["data"][0] == pointer


def test_views_cannot_be_written():
    net = cw.Network("torus:4x4")
    with pytest.raises(ValueError):
        net.capacity[0] = 1
    with pytest.raises(ValueError):
        net.tail.flags.writeable = True


def test_an_array_keeps_its_network_alive():
    net = cw.Network("torus:4x4")
    alive, expected, tail = weakref.ref(net._c), net.tail.copy(), net.tail[10:20]
    del net
    gc.collect()
    assert alive() is not None and np.array_equal(tail, expected[10:20])
    del tail
    gc.collect()
    assert alive() is None


def test_routes_keep_their_network_alive():
    routes = cw.Network("torus:4x4").route("minhop")
    gc.collect()
    alive = weakref.ref(routes.network._c)
    assert len(routes.path(0, 5)) == 4
    entries = routes.entries
    expected = entries.copy()
    del routes
    gc.collect()
    assert alive() is None and np.array_equal(entries, expected)


def test_results_outlive_what_they_are_of():
    result = cw.congestion(cw.Network("torus:4x4").route(), "shift:1")
    load = result.channel_messages
    expected = load.copy()
    del result
    gc.collect()
    assert np.array_equal(load, expected) and load.sum() > 0


def test_nothing_is_leaked():
    def resident():
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def use():
        routes = cw.Network("torus:40x40").route("minhop")  # 2.5 MB of tables
        assert routes.entries.nbytes > 2e6 and cw.congestion(routes, "shift:7").channel_max.max() >= 1
    for _ in range(3):
        use()
    before = resident()
    for _ in range(15):
        use()
    assert resident() - before < 12e6


def interrupt_soon():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_ends_a_long_call(torus):
    timer, begin = interrupt_soon(), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        cw.noise(torus, 0.5, trials=10**8, threads=1)
    assert 0.25 < time.monotonic() - begin < 20  # not the hours that it would take
    timer.join()
    assert cw.noise(torus, 0.5, trials=20)["trials"][0] == 20  # and the next one runs
    assert not _core.lib.cw_interrupted()


def test_ctrl_c_ends_flits():
    net = cw.Network("torus:8x8")
    timer = interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        cw.flit(net, 0.3, cycles=10**8, threads=1)
    timer.join()
    assert not _core.lib.cw_interrupted()


def test_long_calls_let_other_threads_run(torus):
    counted, stop = [0], threading.Event()

    def count():
        while not stop.wait(0.002):
            counted[0] += 1
    thread = threading.Thread(target=count)
    thread.start()
    cw.noise(torus, 0.5, trials=60000, threads=1)
    stop.set()
    thread.join()
    assert counted[0] > 5


def test_other_threads_may_call(torus):
    results = []
    threads = [threading.Thread(target=lambda: results.append(cw.noise(torus, 0.5, trials=50, threads=1)))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 and all(result.equals(results[0]) for result in results)


def test_errors_of_other_threads_stay_there(torus):
    messages = []

    def fail():
        try:
            cw.Network("nonsense:4")
        except cw.Error as error:
            messages.append(str(error))
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    assert "nonsense" in messages[0]


def test_a_bar_is_drawn_and_ends(torus, monkeypatch):
    tqdm = pytest.importorskip("tqdm")
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    cw.noise(torus, 0.5, trials=40000, threads=1, progress=True)
    assert "noise" in shown.getvalue() and "100%" in shown.getvalue() and tqdm


def test_no_bar_where_nobody_looks(torus, capfd):
    cw.noise(torus, 0.5, trials=200)
    cw.congestion(torus, progress=False)
    assert capfd.readouterr() == ("", "")


def test_a_bar_without_tqdm_says_what_to_install(torus, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError, match="python3-tqdm"):
        cw.noise(torus, 0.5, trials=10, progress=True)
    assert len(cw.noise(torus, 0.5, trials=10)) == 1


def test_without_pandas_results_are_arrays(torus, monkeypatch):
    frame = cw.noise(torus, [0.3, 0.5], trials=20)
    monkeypatch.setitem(sys.modules, "pandas", None)
    columns = cw.noise(torus, [0.3, 0.5], trials=20)
    assert isinstance(columns, dict) and list(columns) == list(frame)
    assert np.array_equal(columns["slowdown_mean"], frame["slowdown_mean"]) and columns.attrs == frame.attrs
    assert cw.run("topo", "torus:4x4").table["endpoints"].tolist() == [16]


def test_without_networkx_it_says_what_to_install(torus, monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match="python3-networkx"):
        torus.network.to_networkx()


def test_documentation_speaks_the_truth():
    for name in BUILD_MODULES:
        failed, tried = doctest.testmod(importlib.import_module(name))
        assert tried and not failed, name


def test_everything_public_is_documented():
    for name in cw.__all__:
        thing = getattr(cw, name)
        assert thing.__doc__, name
        members = vars(thing).items() if isinstance(thing, type) else ()
        for member, value in members:
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                assert value.__doc__, f"{name}.{member}"


def test_the_package_and_the_library_are_of_one_version():
    assert cw.__version__ == importlib.metadata.version("crosswind")
    assert hasattr(_core.lib, "cw_noise_run") and hasattr(_core.lib, "cw_plan_verify")
    assert _core.lib.CW_NONE == 2**32 - 1 and _core.lib.CW_FLIT_LANES == 8


def test_what_is_cut_off_is_said():
    net = cw.Network("torus:4x4").without("h3")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = cw.noise(net.route(), 0.5, trials=10)
    assert len(result) == 1 and any("1 of 16 endpoints" in str(warning.message) for warning in said)
