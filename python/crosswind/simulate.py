"""What traffic costs: congestion, bisection bandwidth, noise, collectives, flows and flits. Defaults are those of the
command's verbs, and so are the figures."""
from __future__ import annotations

import warnings

import numpy as np

from ._core import (UsageError, byte_time, c_text, check, choice, counting, made, rate, reals, run, seconds, size,
                    text_of, view, whole)
from ._library import ffi, lib
from .frames import table
from .network import Network, Routes, network_of

__all__ = ["CongestionResult", "FlitResult", "FlowsResult", "collective", "congestion", "ebb", "flit", "flows", "noise"]

THREADS = 2**32 - 1  # the most that fit
QUARTILES = ("min", "q25", "median", "q75", "max")


class _Place:
    """Who takes part, in which order, among the endpoints of a network."""

    def __init__(self, net, endpoints, placement, apart=False):
        """APART: endpoints that are cut off stay, and what they get of others counts as nothing; else they are left
        out."""
        self.selection = net._selection(endpoints)
        if apart:
            cut_off = ffi.new("uint64_t *")
            check(lib.cw_selection_find_parts(net._c, self.selection, False, cut_off))
        else:
            self._leave_cut_off(net)
        self.placement = made("struct cw_placement", lib.cw_placement_new, c_text("placement", placement), net._c,
                              self.selection, free=lib.cw_placement_free)
        self.n = lib.cw_placement_count(self.placement)

    def _leave_cut_off(self, net):
        connected, cut_off = ffi.new("struct cw_selection **"), ffi.new("struct cw_selection **")
        check(lib.cw_selection_connected(net._c, self.selection, False, connected, cut_off))
        n = cut_off[0].n
        lib.cw_selection_free(cut_off[0])
        connected = ffi.gc(connected[0], lib.cw_selection_free)
        if n:
            warnings.warn(f"{n} of {self.selection.n} endpoints are cut off from the others and are left out",
                          stacklevel=4)
            self.asked = self.selection  # numbers of files count among these
            connected.asked = self.asked
        self.selection = connected

    def order(self, seed):
        """The endpoints in the order of ranks, drawn for one trial."""
        random = ffi.new("struct cw_random *", lib.cw_random_of(seed, lib.CW_STREAM_PLACEMENT, 0))
        endpoints = np.empty(self.n, np.uint32)
        check(lib.cw_placement_order(self.placement, random, ffi.from_buffer("uint32_t[]", endpoints)))
        return endpoints


def _about(routes, seed, **more):
    return {"version": text_of(lib.cw_version()), "network": routes.network.title, "routes": routes.name, "seed": seed,
            **more}


def _summary(name, summary, quartiles=False):
    row = {f"{name}_mean": summary.mean, f"{name}_ci95": summary.ci95}
    if quartiles:
        row |= {f"{name}_{q}": getattr(summary, q) for q in QUARTILES}
    return row


def _rows(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


# --- congestion ------------------------------------------------------------------------------------------------------

class CongestionResult:
    """What a pattern does to the channels.

    summary: a row as `crosswind congestion` prints it. channel_max, channel_time, channel_messages: [channels] float64,
    the greatest congestion of any round, the greatest time, and messages (bytes, by_bytes) of all rounds and trials:
    the library's memory, not copied. by_bytes: messages have sizes, congestion is in bytes and times in seconds.
    """

    def __init__(self, routes, c, trials, about):
        self.network, self._c, self.by_bytes = routes.network, c, bool(c.by_bytes)
        channels = (routes.network.channels,)
        self.channel_max: np.ndarray = view(c, c.channel_max, channels, np.float64)
        self.channel_time: np.ndarray = view(c, c.channel_time, channels, np.float64)
        self.channel_messages: np.ndarray = view(c, c.channel_messages, channels, np.float64)
        row = {"ranks": c.ranks, "rounds": c.rounds, "trials": trials, "messages": c.messages}
        if self.by_bytes:
            row |= {"bytes": c.bytes, "bandwidth_mean": c.bandwidth_mean, **_summary("channel_bytes", c.max),
                    "channel_bytes_max": c.message_max}
        else:
            row |= {"congestion_mean": c.message_mean, "bandwidth_mean": c.bandwidth_mean,
                    **_summary("max_congestion", c.max), "max_congestion": c.message_max}
        row |= _summary("time", c.time)
        units = dict.fromkeys(("bytes", "channel_bytes_mean", "channel_bytes_ci95", "channel_bytes_max"), "byte")
        self._time_unit = "s" if self.by_bytes else None
        units |= {"time_mean": self._time_unit, "time_ci95": self._time_unit}
        self.summary = table(_rows([row]), units, **about)

    def channels(self, top: int | None = None):
        """The channels with their names, capacity [byte/s] and what they carried, the one that takes longest first; TOP
        of them, or all."""
        net = self.network
        names = np.array(net.names, dtype=object)
        order = np.lexsort((-self.channel_messages / np.maximum(net.capacity, 1e-300), -self.channel_time))[:top]
        carried = ("bytes_max", "bytes") if self.by_bytes else ("congestion", "messages")
        columns = {"channel": order, "tail": names[net.tail[order]], "tail_port": net.port[order],
                   "head": names[net.head[order]], "head_port": net.port[net.twin[order]],
                   "capacity": net.capacity[order], carried[0]: self.channel_max[order],
                   "time": self.channel_time[order], carried[1]: self.channel_messages[order]}
        units = {"capacity": "byte/s", "time": self._time_unit}
        units |= dict.fromkeys(carried, "byte") if self.by_bytes else {}
        return table(columns, units, network=net.title)

    def histogram(self):
        """How often each congestion occurred: congestion, channels (of rounds and trials), messages. None by_bytes."""
        if self.by_bytes:
            return None
        n = self._c.bin_max + 1
        channels = view(self._c, self._c.of_channels, (n,), np.uint64)
        messages = view(self._c, self._c.of_messages, (n,), np.uint64)
        there = np.flatnonzero((channels > 0) | (messages > 0))
        return table({"congestion": there, "channels": channels[there], "messages": messages[there]}, {})


def congestion(routes: Routes, pattern: str = "permutation", *, placement: str = "contiguous", ranks: int = 0,
               trials: int = 0, seed: int = 1, threads: int = 0, equal_speeds: bool = False, endpoints="hca",
               progress: bool | None = None) -> CongestionResult:
    """Routes every message of PATTERN ("shift:12", "bitcomp", "matrix:FILE"; `crosswind help patterns`) and counts them
    on channels.

    ranks: 0 for one on each endpoint that takes part. trials: with other draws; 0: 100 where something is drawn, else
    1. endpoints: who takes part (Network.select). equal_speeds: all channels count as equally fast. progress: a bar of
    tqdm's: True, False, or None for one on a terminal. Raises UsageError, RouteError (no route between two of them).
    Source: Hoefler, Schneider, Lumsdaine 2008 and 2009. C: sim/congestion.h.
    """
    net, seed = network_of(routes), whole("seed", seed)
    place = _Place(net, endpoints, placement)
    out = ffi.new("struct cw_pattern **")
    check(lib.cw_placement_pattern(place.placement, c_text("pattern", pattern), out))
    c_pattern = ffi.gc(out[0], lib.cw_pattern_free)
    drawn = lib.cw_pattern_is_random(c_pattern) or lib.cw_placement_is_random(place.placement)
    trials = whole("trials", trials) or (100 if drawn else 1)
    count = counting(trials)
    setup = ffi.new("struct cw_congestion_setup *", {
        "routes": routes._c, "pattern": c_pattern, "placement": place.placement,
        "ranks": whole("ranks", ranks, most=2**32 - 1), "equal_speeds": equal_speeds,
        "trials": trials, "seed": seed, "n_threads": whole("threads", threads, most=THREADS), "progress": count})
    result = ffi.new("struct cw_congestion_result *")
    run("congestion", lib.cw_congestion_run, setup, result, progress=count, shown=progress)
    about = _about(routes, seed, traffic=text_of(lib.cw_pattern_spec(c_pattern)), placement=placement)
    return CongestionResult(routes, ffi.gc(result, lib.cw_congestion_free), trials, about)


def ebb(routes: Routes, *, direction: str = "both", trials: int = 1000, seed: int = 1, threads: int = 0,
        equal_speeds: bool = False, endpoints="hca", progress: bool | None = None):
    """Effective bisection bandwidth: what messages of random halvings get of the fastest cable of an endpoint, a row
    for each direction: "uni" (one half sends), "bi" (both), or "both" of these.

    Columns: direction, trials, ebb_mean, ebb_ci95, max_congestion_mean. Source: Hoefler, Schneider, Lumsdaine 2008.
    C: sim/ebb.h.
    """
    net, rows = network_of(routes), []
    place = _Place(net, endpoints, "contiguous", apart=True)
    names = {"both": ("uni", "bi"), "uni": ("uni",), "bi": ("bi",)}
    choice("direction", direction, list(names))
    for name in names[direction]:
        count = counting(whole("trials", trials, 1))
        setup = ffi.new("struct cw_ebb_setup *", {
            "routes": routes._c, "selection": place.selection, "both_directions": name == "bi",
            "equal_speeds": equal_speeds, "trials": trials, "seed": whole("seed", seed),
            "n_threads": whole("threads", threads, most=THREADS), "progress": count})
        result = ffi.new("struct cw_ebb_result *")
        run(f"ebb {name}", lib.cw_ebb_run, setup, result, progress=count, shown=progress)
        rows.append({"direction": name, "trials": trials, **_summary("ebb", result.ebb),
                     "max_congestion_mean": result.max_congestion.mean})
    return table(_rows(rows), {}, **_about(routes, seed))


# --- noise, and a collective by itself -------------------------------------------------------------------------------

def _timing(setup, bytes, L, o, G, sends, equal_speeds):
    """Fills the collective of a setup as the command's options mean it; True if times are seconds."""
    loggp = any(value is not None for value in (bytes, L, o, G))
    timing = setup.timing
    timing.loggp = loggp
    timing.latency = lib.CW_TIMING_OF_CHANNELS if L is None else seconds("L", L)
    timing.overhead = 1e-6 if o is None else seconds("o", o)
    timing.gap = lib.CW_TIMING_OF_CHANNELS if G is None else byte_time("G", G)
    setup.bytes = whole("bytes", 8 if bytes is None else size("bytes", bytes))
    setup.equal_speeds = equal_speeds
    usual = "in-order" if loggp else "at-once"
    setup.sends = choice("sends", usual if sends is None else sends, ("at-once", "in-order"))
    return loggp


def _schedule(spec):
    return made("struct cw_schedule", lib.cw_schedule_new, c_text("schedule", spec), free=lib.cw_schedule_free)


def noise(routes: Routes, ratio="0.1..0.9:0.1", schedule: str = "binomial-bcast", *, trials: int = 1000, bytes=None,
          background: str = "derangement", perturbation: str = "constant", placement: str = "random",
          model: str = "counts", sends: str | None = None, L=None, o=None, G=None, equal_speeds: bool = False,
          samples: bool = False, seed: int = 1, threads: int = 0, endpoints="hca", progress: bool | None = None):
    """How much the background traffic of others slows a collective down: a row for each RATIO (perturbing endpoints /
    all that take part; a number, several, or "0.1..0.9:0.1") and each of BYTES.

    Without bytes, L, o and G, times are in those of a message that meets nobody; with one of them in seconds, by LogGP:
    bytes of each rank ("1MiB"; one or a list), L [s], o [s], G [s/byte] ("40Gbit/s"). model: "counts", or "flows" that
    share channels in time. perturbation: "constant" or "per-round". samples: the times of every trial are
    `attrs["samples"]`, a list of arrays [trials, 2] (clean, perturbed), one a row.

    Columns: ratio, bytes, trials, slowdown_mean, _ci95 (half width of the 95 % interval of the mean), _min, _q25,
    _median, _q75, _max, and mean and ci95 of clean, perturbed, overhead. Source: Hoefler, Schneider, Lumsdaine 2009. C:
    sim/noise.h.
    """
    net, seed, trials = network_of(routes), whole("seed", seed), whole("trials", trials, 1)
    place = _Place(net, endpoints, placement)
    c_schedule = _schedule(schedule)
    ranks = ffi.new("struct cw_ranks *")
    lib.cw_ranks_of(net._c, net.endpoints, ranks)
    pattern = made("struct cw_pattern", lib.cw_pattern_new, c_text("background", background), ranks,
                   free=lib.cw_pattern_free)
    setup = ffi.new("struct cw_noise_setup *", {
        "background": pattern, "placement": place.placement, "trials": trials, "seed": seed,
        "n_threads": whole("threads", threads, most=THREADS),
        "perturbation": choice("perturbation", perturbation, ("constant", "per-round")),
        "model": choice("model", model, ("counts", "flows"))})
    setup.collective.routes, setup.collective.schedule = routes._c, c_schedule
    ratios = reals("ratio", ratio)
    sizes = bytes if isinstance(bytes, (list, tuple, np.ndarray)) else [bytes]
    count = counting(len(ratios) * len(sizes) * trials)
    setup.progress = count
    rows, times, result, loggp = [], [], ffi.new("struct cw_noise_result *"), False
    for each_ratio in ratios:
        for each_size in sizes:
            loggp = _timing(setup.collective, each_size, L, o, G, sends, equal_speeds)
            setup.ratio = each_ratio
            memory = np.empty((trials, 2)) if samples else None
            setup.samples = ffi.cast("struct cw_times *", ffi.from_buffer(memory)) if samples else ffi.NULL
            run("noise", lib.cw_noise_run, setup, result, progress=count, shown=progress)
            times.append(memory)
            rows.append({"ratio": each_ratio, "bytes": setup.collective.bytes if loggp else float("nan"),
                         "trials": trials, **_summary("slowdown", result.slowdown, True),
                         **_summary("clean", result.clean),
                         **_summary("perturbed", result.perturbed), **_summary("overhead", result.overhead)})
    units = {f"{name}_{what}": "s" for name in ("clean", "perturbed", "overhead") for what in ("mean", "ci95")}
    about = _about(routes, seed, traffic=text_of(lib.cw_schedule_spec(c_schedule)), background=background,
                   placement=placement, model=model)
    if samples:
        about["samples"] = times
    return table(_rows(rows), {**(units if loggp else {}), "bytes": "byte"}, **about)


def collective(routes: Routes, schedule: str = "binomial-bcast", *, bytes=None, ranks: int = 0,
               placement: str = "contiguous", background=None, L=None, o=None, G=None, sends: str | None = None,
               equal_speeds: bool = False, seed: int = 1, endpoints="hca") -> dict:
    """The time of one collective on given endpoints: clean, and perturbed by BACKGROUND, a pair of arrays [n] of
    endpoints (src, dst) that send all the time. In times of a message that meets nobody or, with bytes, L, o or G, in
    seconds, as for `noise`. endpoints: who takes part, placed by PLACEMENT; ranks: 0 for all of them.

    Returns clean, perturbed, unit (None or "s"), and longest_path, the ranks [n] on it. C: sim/collective.h.
    """
    place = _Place(network_of(routes), endpoints, placement)
    c_schedule = _schedule(schedule)
    order = place.order(whole("seed", seed))
    n = whole("ranks", ranks, most=place.n) or place.n
    setup = ffi.new("struct cw_collective_setup *", {"routes": routes._c, "schedule": c_schedule})
    loggp = _timing(setup, bytes, L, o, G, sends, equal_speeds)
    c = made("struct cw_collective", lib.cw_collective_new, setup, free=lib.cw_collective_free)
    if background is not None:
        n_background, src, dst = routes._pairs(*background)
        check(lib.cw_collective_add_background(c, n_background, src, dst))
    lib.cw_collective_trace(c)
    times = ffi.new("struct cw_times *")
    run("collective", lib.cw_collective_run, c, n, ffi.from_buffer("uint32_t[]", order), ffi.NULL, ffi.NULL, times)
    path, length = ffi.new("uint32_t **"), ffi.new("size_t *")
    check(lib.cw_collective_longest_path(c, path, length))
    try:
        longest = np.array([path[0][i] for i in range(length[0])], np.uint32)
    finally:
        lib.free(path[0])
    return {"clean": times.clean, "perturbed": times.perturbed, "unit": "s" if loggp else None, "longest_path": longest}


# --- flows -----------------------------------------------------------------------------------------------------------

class FlowsResult:
    """seconds: when all has arrived. messages, settled (times that rates were shared out again). channel_bytes:
    [channels] float64, what each channel carried."""

    def __init__(self, seconds_, result, channel_bytes):
        self.seconds: float = seconds_
        self.messages: int = result.messages
        self.settled: int = result.settled
        self.channel_bytes: np.ndarray = channel_bytes

    def __repr__(self):
        return f"<crosswind.FlowsResult {self.messages} messages in {self.seconds:.6g} s>"


def flows(routes: Routes, traffic, bytes="1MiB", *, ranks: int = 0, placement: str = "contiguous", repeat: int = 1,
          sends: str | None = None, overhead="1us", gap=0, latency=0, host_rate=0, rendezvous=0, seed: int = 1,
          endpoints="hca") -> FlowsResult:
    """How long TRAFFIC takes when its messages share channels in time, max-min fairly: the name of a collective's
    schedule ("ring-allreduce"), or of a pattern ("shift:3"), BYTES of each rank or message; or an array [n, 3] of
    (source rank, destination rank, bytes), all at once.

    sends: "in-order" (one after another by a rank; the default of collectives), "at-once", "mixed" (in proportion to
    their bytes; that of patterns and lists). overhead o, gap g, latency L [s] ("1us"); host_rate: byte/s of an endpoint
    over all its cables, 0 for what these can; rendezvous: bytes from which messages wait for their receiver, 0 for
    none. C: sim/flows/flow_sim.h.
    """
    net, seed = network_of(routes), whole("seed", seed)
    place = _Place(net, endpoints, placement)
    n = whole("ranks", ranks, most=place.n) or place.n
    program, usual = _program(place, traffic, n, whole("bytes", size("bytes", bytes)), seed)
    if whole("repeat", repeat, 1, 2**32 - 1) > 1:
        program = made("struct cw_program", lib.cw_program_repeat, program, repeat, free=lib.cw_program_free)
    order = place.order(seed)
    job = ffi.new("struct cw_flow_job *", {
        "program": program, "endpoints": ffi.from_buffer("uint32_t[]", order),
        "sends": choice("sends", sends or usual, ("in-order", "at-once", "mixed"))})
    carried = np.zeros(net.channels)
    setup = ffi.new("struct cw_flow_setup *", {
        "routes": routes._c, "jobs": job, "n_jobs": 1, "overhead": seconds("overhead", overhead),
        "gap": seconds("gap", gap), "latency": seconds("latency", latency),
        "host_rate": rate("host_rate", host_rate),
        "rendezvous": size("rendezvous", rendezvous), "channel_bytes": ffi.from_buffer("double[]", carried)})
    end, result = ffi.new("double *"), ffi.new("struct cw_flow_result *")
    run("flows", lib.cw_flow_run, setup, end, result)
    return FlowsResult(end[0], result, carried)


def _program(place, traffic, n, n_bytes, seed):
    """A program of N ranks, of a schedule, a pattern, or a list of messages; and how ranks send in it."""
    if isinstance(traffic, str):
        if lib.cw_schedule_find(c_text("traffic", traffic.split(":")[0])) != ffi.NULL:
            return made("struct cw_program", lib.cw_program_of_schedule, _schedule(traffic), n, n_bytes,
                        free=lib.cw_program_free), "in-order"
        pattern = made("struct cw_pattern", lib.cw_placement_pattern, place.placement, c_text("traffic", traffic),
                       free=lib.cw_pattern_free)
        messages = ffi.gc(ffi.new("struct cw_flows *"), lib.cw_flows_free)
        check(lib.cw_pattern_append_all(pattern, n, n_bytes, seed, messages, ffi.NULL))
    else:
        array = np.asarray(traffic)
        if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in "iu":
            raise UsageError(f"traffic has the shape {array.shape} of {array.dtype}; expected [n, 3] whole numbers: "
                             "source rank, destination rank, bytes")
        if array.size and (array.min() < 0 or array[:, :2].max() >= n):
            raise UsageError(f"traffic has {array.min()} to {array[:, :2].max()}; expected ranks 0 to {n - 1} and no "
                             "negative bytes")
        messages = ffi.gc(ffi.new("struct cw_flows *"), lib.cw_flows_free)
        for src, dst, n_bytes in array.tolist():
            check(lib.cw_flows_add(messages, src, dst, n_bytes))
    return made("struct cw_program", lib.cw_program_of_flows, messages, n, free=lib.cw_program_free), "mixed"


# --- flits -----------------------------------------------------------------------------------------------------------

class FlitResult:
    """Steady states, flit by flit.

    summary: a row for each load as `crosswind flit` prints it. For row i: channel_flits[i] ([channels] uint64, flits
    that left by it in the cycles measured), accepted_by[i] and injected_by[i] ([endpoints] uint64), batches[i], a table
    of the run's batches (first_cycle, cycles, accepted, latency), warm-up included.
    """

    def __init__(self, summary, runs):
        self.summary = summary
        self.channel_flits: list[np.ndarray] = [run["channel_flits"] for run in runs]
        self.accepted_by: list[np.ndarray] = [run["accepted_by"] for run in runs]
        self.injected_by: list[np.ndarray] = [run["injected_by"] for run in runs]
        self.batches: list = [run["batches"] for run in runs]


# As `crosswind flit` has them (its --help): what is measured if nothing is said of it, and until which precision.
AUTO_CYCLES, AUTO_PRECISION, MOST_CYCLES = 200000, 0.01, 10000000
INPUT_BUFFER = 4096  # bytes for each lane, or what the longest round trip needs
WAITING = 4  # flits beyond it: those that wait for others at a switch give credits back later


def _hardware(net, given, message):
    """The hardware of a setup, and the flits of a message of MESSAGE bytes. Second: what must stay referenced."""
    hardware = ffi.new("struct cw_flit_hardware *", lib.cw_flit_default_hardware())
    fastest, keep = ffi.new("double[2]"), []
    lib.cw_network_capacities(net._c, fastest, fastest + 1)
    hardware.reference_capacity = fastest[1]
    fields = dict(ffi.typeof("struct cw_flit_hardware").fields)
    for name, value in given.items():
        if name not in fields:
            raise UsageError(f"hardware has no '{name}'; expected one of {', '.join(fields)}")
        if fields[name].type.kind == "pointer":
            value = c_text(name, value)
            keep.append(value)
        elif name != "transit_first" and name != "reference_capacity":
            value = whole(name, value, most=2**32 - 1)
        setattr(hardware, name, value)
    flit = whole("flit_bytes", hardware.flit_bytes, 1, lib.CW_FLIT_BYTES_MAX)
    n_bytes = whole("message", size("message", message), 1)
    if n_bytes % flit or n_bytes // flit > lib.CW_FLIT_MESSAGE_MAX:
        raise UsageError(f"message has {n_bytes} bytes; expected a multiple of {flit}, a flit's, up to "
                         f"{flit * lib.CW_FLIT_MESSAGE_MAX}")
    flits = n_bytes // flit
    if "input_flits" not in given:
        trip = lib.cw_flit_round_trip(net._c, hardware) + WAITING + flits - 1
        hardware.input_flits = min(max(INPUT_BUFFER // flit, trip), lib.CW_FLIT_BUFFER_MAX)
    if "output_flits" not in given:
        hardware.output_flits = max(INPUT_BUFFER // flit, 1)
    return hardware, flits, keep


def _steady(cycles, warmup, until_ci):
    setup = ffi.new("struct cw_steady_setup *", {"confidence": 0.95, "find_warmup": warmup == "auto"})
    setup.warmup = 0 if warmup == "auto" else whole("warmup", warmup)
    setup.until_ci = 0 if until_ci is None else until_ci
    if cycles != "auto":
        setup.cycles = whole("cycles", cycles, 10)
    elif until_ci is None:
        setup.cycles, setup.until_ci = AUTO_CYCLES, AUTO_PRECISION
    else:
        setup.cycles = MOST_CYCLES
    return setup


def flit(net: Network | Routes, load, traffic: str = "uniform", routing: str | None = None, *, message="64B",
         cycles="auto", warmup="auto", until_ci: float | None = None, placement: str = "contiguous",
         hardware: dict | None = None, seed: int = 1, threads: int = 0, endpoints="hca",
         progress: bool | None = None) -> FlitResult:
    """How much of the offered LOAD (of injection bandwidth; one, several, or "0.1..0.9:0.1") a network accepts, and how
    long messages take, simulated flit by flit. The load at which it saturates: run("flit", net).

    NET: a network with a routing by name ("minimal", "ugal-l", "valiant-any"; None: the default of packets), or routes.
    message: bytes, whole flits. cycles: measured after warm-up, "auto" until the interval's half width is 1 % of the
    mean and 200,000 at most; warmup: cycles, or "auto". until_ci: stop at this share. hardware: fields of struct
    cw_flit_hardware by name, e.g. {"speedup": 1, "local_latency": 10}.

    Columns of summary: routing, offered, accepted_mean, accepted_ci95, latency_mean and latency_p99 [cycle], saturated,
    cycles, warmup_cycles, steady, flit_hops. Raises UsageError; RouteError where packets could wait in a circle.
    C: sim/flit/flit.h, sim/flit/steady.h.
    """
    given, net = net, net if isinstance(net, Network) else network_of(net)
    seed, threads = whole("seed", seed), whole("threads", threads, most=THREADS)
    if isinstance(given, Routes):
        if routing is not None:
            raise UsageError("a routing was given beside routes; expected one of them")
        packets = _packets_of(given, threads)
    else:
        if routing is None:
            spec = ffi.new("char **")
            check(lib.cw_engine_default_of_packets(net._c, seed, threads, spec))
            routing = text_of(spec[0])
        packets = made("struct cw_packet_routing", lib.cw_packet_routing_new, net._c, c_text("routing", routing), seed,
                       threads, free=lib.cw_packet_routing_free)
    place = _Place(net, endpoints, placement)
    order = place.order(seed)
    hardware, flits, _keep = _hardware(net, hardware or {}, message)
    ranks = ffi.new("struct cw_ranks *")
    lib.cw_ranks_of(net._c, place.n, ranks)
    ranks.endpoints = ffi.from_buffer("uint32_t[]", order)
    workload = made("struct cw_workload", lib.cw_workload_new, c_text("traffic", traffic), ranks, seed,
                    free=lib.cw_workload_free)
    job = ffi.new("struct cw_flit_job *", {
        "kind": lib.CW_FLIT_CONTINUOUS, "n_ranks": place.n, "endpoints": ranks.endpoints, "workload": workload,
        "message_flits": flits})
    setup = ffi.new("struct cw_flit_setup *", {"routing": packets, "hardware": hardware[0], "jobs": job, "n_jobs": 1,
                                               "seed": seed, "n_threads": threads})
    steady = _steady(cycles, warmup, until_ci)
    name, rows, runs = text_of(lib.cw_packet_routing_name(packets)), [], []
    for each in reals("load", load):
        job.load = each
        row, about = _measure(net, setup, steady, f"flit at {each:g}", progress)
        rows.append({"routing": name, **row})
        runs.append(about)
    units = dict.fromkeys(("latency_mean", "latency_p99", "cycles", "warmup_cycles"), "cycle")
    attrs = {"version": text_of(lib.cw_version()), "network": net.title, "traffic": traffic, "placement": placement,
             "seed": seed, "cycle_seconds": lib.cw_flit_cycle(hardware)}
    return FlitResult(table(_rows(rows), units, **attrs), runs)


def _packets_of(routes, threads):
    """Packets that follow ROUTES. Those of an engine are its own; others are made once more, for the library takes them
    over."""
    origin, net = routes._origin, routes.network
    if not (origin["file"] or origin["paths_file"] or origin["tables"]):
        return made("struct cw_packet_routing", lib.cw_packet_routing_new, net._c,
                    c_text("routing", origin["engine"] or routes.name), origin["seed"], threads,
                    free=lib.cw_packet_routing_free)
    if origin["tables"]:
        again = routes.to_tables(threads=threads)
    elif origin["file"]:
        again = net.read_tables(origin["file"])
    else:
        again = net.read_paths(origin["paths_file"], seed=origin["seed"])
    ffi.gc(again._c, None)  # not ours any more
    return made("struct cw_packet_routing", lib.cw_packet_routing_of_routes, again._c, free=lib.cw_packet_routing_free)


def _measure(net, setup, steady, label, shown):
    simulation = made("struct cw_flit_simulation", lib.cw_flit_new, setup, free=lib.cw_flit_free)
    count = counting(steady.warmup + steady.cycles)
    steady.progress = count
    out = ffi.new("struct cw_steady_result *")
    run(label, lib.cw_steady_run, simulation, setup, steady, out, progress=count, shown=shown)
    result = ffi.gc(out, lib.cw_steady_free)
    row = {"offered": setup.jobs.load, "accepted_mean": result.accepted, "accepted_ci95": result.accepted_ci95,
           "latency_mean": result.latency_mean, "latency_p99": result.latency_p99,
           "saturated": "yes" if result.saturated else "no", "cycles": result.cycles,
           "warmup_cycles": result.warmup_cycles, "steady": "yes" if result.steady else "no",
           "flit_hops": result.flit_hops}
    batch = np.dtype([("first_cycle", "u8"), ("cycles", "u8"), ("accepted", "f8"), ("latency", "f8")])
    batches = view(result, result.batches, (result.n_batches * batch.itemsize,), np.uint8).view(batch)

    # Copies, so that the simulation with its buffers need not stay for a few counters.
    def counters(function, n):
        return view(simulation, function(simulation), (n,), np.uint64).copy()

    return row, {"channel_flits": counters(lib.cw_flit_channel_flits, net.channels),
                 "accepted_by": counters(lib.cw_flit_accepted_by, net.endpoints),
                 "injected_by": counters(lib.cw_flit_injected_by, net.endpoints),
                 "batches": table({field: batches[field] for field in batch.names},
                                  {"cycles": "cycle", "latency": "cycle"})}
