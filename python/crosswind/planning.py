"""Moving data over many paths at once."""
from __future__ import annotations

import os

import numpy as np

from ._core import UsageError, c_text, check, choice, counting, made, run, size, text_of, view, whole
from ._library import ffi, lib
from .frames import table
from .network import Routes, network_of

__all__ = ["Plan", "plan"]

TIES = ("plain", "rotated", "disjoint", "penalised")  # as enum cw_ties has them
STEPS = 1000  # of the progress of a search
PATH = np.dtype({"names": ["demand", "first", "n", "share", "bytes"], "formats": ["u4", "u4", "u4", "f8", "u8"],
                 "offsets": [ffi.offsetof("struct cw_plan_path", name)
                             for name in ("demand", "first", "n", "share", "bytes")],
                 "itemsize": ffi.sizeof("struct cw_plan_path")})


class Plan:
    """Demands split over paths.

    z: the fraction of every demand moved in the time in which one channel at full capacity moves the largest demand;
    bound: proven, of z over all plans that the method may choose among (NaN: none). paths: [n_paths] records of demand,
    first and n (its channels are channels[first:first + n]), share of the demand, bytes. channels: [sum of n] uint32.
    demands: an array [n, 3] of source, destination, bytes. All but demands are the library's memory. C: flow/plan.h.
    """

    def __init__(self, routes, problem, demands, c):
        self.network, self._routes, self._problem, self._c = routes.network, routes, problem, c
        self.method: str = text_of(c.method)
        self.z: float = c.z
        self.bound: float = c.bound
        self.demands: np.ndarray = demands
        raw = view(c, c.paths, (c.n_paths * PATH.itemsize,), np.uint8)
        self.paths: np.ndarray = raw.view(PATH)
        self.channels: np.ndarray = view(c, c.channels, (c.n_channels,), np.uint32)
        figures = ffi.new("struct cw_plan_figures *")
        check(lib.cw_plan_figures_compute(problem, c, figures))
        row = {"method": self.method, "k": c.k, "z": c.z, "z_bound": c.bound, "paths_used": figures.paths_used,
               "hops_mean": figures.hops_mean, "hops_max": figures.hops_max, "copies_max": figures.copies_max,
               "max_channel_bytes": figures.max_channel_bytes,
               "bandwidth_seconds": lib.cw_plan_bandwidth_seconds(problem, c), "search_seconds": c.seconds}
        units = {"hops_mean": "hop", "hops_max": "hop", "max_channel_bytes": "byte", "bandwidth_seconds": "s",
                 "search_seconds": "s"}
        self.summary = table({name: [value] for name, value in row.items()}, units,
                             version=text_of(lib.cw_version()), network=self.network.title, routes=routes.name)

    def __repr__(self):
        return f"<crosswind.Plan {self.method}: z = {self.z:.4g} on {len(self.paths)} paths>"

    def path_table(self):
        """A row for each path: source, destination, share of their demand, bytes, channels (its number of them)."""
        names = np.array(self.network.names, dtype=object)
        pairs = self.demands[self.paths["demand"]]
        return table({"source": names[pairs[:, 0]], "destination": names[pairs[:, 1]], "share": self.paths["share"],
                      "bytes": self.paths["bytes"], "channels": self.paths["n"]}, {"bytes": "byte"})

    def channel_bytes(self) -> np.ndarray:
        """The bytes that the plan puts on each channel, [channels] float64."""
        load = np.zeros(self.network.channels)
        np.add.at(load, self.channels, np.repeat(self.paths["bytes"].astype(float), self.paths["n"]))
        return load

    def verify(self) -> None:
        """Checks all that a plan promises by code that makes none: paths, shares, bytes, capacities, z and its
        proof."""
        check(lib.cw_plan_verify(self._problem, self._c))

    def write(self, path: str | os.PathLike) -> None:
        """Writes the plan as a file for `crosswind plan --check` (JSON)."""
        text = ffi.gc(ffi.new("struct cw_text *"), lib.cw_text_free)
        check(lib.cw_plan_write(self._problem, self._c, ffi.NULL, text))
        check(lib.cw_file_write(c_text("a path", path), text))


def _demands(net, traffic, n_bytes, seed, selection):
    demands = ffi.gc(ffi.new("struct cw_demands *"), lib.cw_demands_free)
    if isinstance(traffic, str):
        check(lib.cw_demands_pattern(net._c, selection, c_text("traffic", traffic), n_bytes, seed, demands))
        return demands
    array = np.asarray(traffic)
    if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in "iu" or not len(array):
        raise UsageError(f"traffic has the shape {array.shape} of {array.dtype}; expected [n, 3] whole numbers: "
                         "source, destination, bytes")
    if array.min() < 0 or array[:, :2].max() >= net.endpoints:
        raise UsageError(f"traffic names endpoints outside of 0 to {net.endpoints - 1}")
    for src, dst, size_ in array.tolist():
        check(lib.cw_demands_add(demands, src, dst, size_))
    check(lib.cw_demands_merge(demands))
    if demands.n == 0:
        raise UsageError("traffic has no demand between different endpoints; expected one at least")
    return demands


def plan(routes: Routes, traffic, method: str = "optimum", *, bytes="8MiB", k: int = 16, ties: str = "penalised",
         max_hops: int = 0, max_paths: int = 0, maxload: int = 16, epsilon: float = 0.01, budget=0,
         host_limit: bool | None = None, endpoints="hca", seed: int = 1, threads: int = 0,
         progress: bool | None = None) -> Plan:
    """Splits demands over paths of a network whose every switch can relay, as the nodes of Blue Gene do, to the byte.
    Relays by hosts, whole chunks, and times of a transport: run("plan", …).

    traffic: a pattern ("3", "disjoint:32x128", "matrix:FILE"; BYTES for each flow), or an array [n, 3] of source,
    destination (endpoints) and bytes. method: "default" (the routes), "heuristic", "greedy", "lp" (the best of the k
    shortest paths, chosen by TIES), "optimum" (of all paths), "approx" (within EPSILON), "rails" (boxes of GPUs).
    budget: seconds of a search, 0 for no limit. max_paths: of a demand; maxload: paths on a channel, of the
    heuristic. host_limit: whether channels of endpoints limit the flow; None: except where a node is its switch.
    Source: Bui et al. 2014. C: flow/method.h.
    """
    net, seed, threads = network_of(routes), whole("seed", seed), whole("threads", threads, most=2**32 - 1)
    chosen = lib.cw_method_find(c_text("method", method))
    if chosen == ffi.NULL:
        raise UsageError(text_of(lib.cw_error_message()))
    demands = _demands(net, traffic, whole("bytes", size("bytes", bytes), 1), seed, net._selection(endpoints))
    limit = (0, 1, -1)[choice("host_limit", host_limit, (None, True, False))]
    problem = ffi.new("struct cw_flow_problem *")
    check(lib.cw_flow_problem_make(net._c, demands, limit, ffi.NULL, 0, problem))
    problem = ffi.gc(problem, lib.cw_flow_problem_free)
    count, paths = counting(STEPS), ffi.NULL
    needs_paths = chosen.needs_paths or chosen.worth_paths != ffi.NULL and chosen.worth_paths(problem)
    half = STEPS // 2 if needs_paths else 0
    if needs_paths:
        how = ffi.new("struct cw_k_paths_setup *", {
            "k": whole("k", k, 1, 2**32 - 1), "ties": choice("ties", ties, TIES),
            "max_hops": whole("max_hops", max_hops), "progress": {"progress": count, "from": 0, "to": half}})
        paths = ffi.new("struct cw_k_paths *")
        run("paths", lib.cw_k_paths_find, problem, how, threads, paths, progress=count, shown=progress)
        paths = ffi.gc(paths, lib.cw_k_paths_free)
    setup = ffi.new("struct cw_method_setup *", {
        "routes": routes._c, "paths": paths, "k": whole("k", k, 1, 2**32 - 1),
        "max_paths": whole("max_paths", max_paths),
        "maxload": whole("maxload", maxload, 1), "epsilon": epsilon, "seconds": budget, "n_threads": threads,
        "seed": seed, "progress": {"progress": count, "from": half, "to": STEPS}})
    out = ffi.new("struct cw_plan *")
    run(f"plan {method}", lib.cw_method_solve, chosen, problem, setup, out, progress=count, shown=progress)
    pairs = np.array([(d.src, d.dst, d.bytes) for d in ffi.unpack(demands.items, demands.n)], np.uint64).reshape(-1, 3)
    result = Plan(routes, problem, pairs.astype(np.int64), ffi.gc(out, lib.cw_plan_free))
    result._demands = demands
    return result
