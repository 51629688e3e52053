"""Networks and routes: what is there, and how messages travel."""
from __future__ import annotations

import os

import numpy as np

from ._core import UsageError, array_in, c_text, check, made, rate, run, seconds, text_of, view, whole
from ._library import ffi, lib
from .frames import table

__all__ = ["Network", "Routes"]

KINDS = ("table", "paths", "formula", "ways")  # as enum cw_routes_kind has them


def _cables_of_digraph(graph):
    """Its cables, (a, b, attributes there, attributes back): edges and their opposites, in order where several join the
    same nodes."""
    waiting, cables = {}, []
    for a, b, about in graph.edges(data=True):
        opposite = waiting.get((b, a))
        if opposite:
            cables.append((b, a, opposite.pop(0), about))
        else:
            waiting.setdefault((a, b), []).append(about)
    alone = [pair for pair, left in waiting.items() if left]
    if alone:
        raise UsageError(f"the edge from {alone[0][0]} to {alone[0][1]} has no opposite; expected one, for a "
                         'cable works in both directions (one of "capacity" 0 is closed)')
    return cables


class Network:
    """An interconnect: endpoints 0 … n-1, then switches, joined by cables, each of which is two channels.

    A network never changes, and the arrays that it gives are the library's own memory: nothing is copied, they cannot
    be written, and they stay valid as long as anything refers to them. C: net/network.h.

    >>> net = Network("xgft:2:4,4:1,2")
    >>> net.endpoints, net.switches, net.channels
    (16, 6, 48)
    """

    def __init__(self, source: str | os.PathLike, *, format: str | None = None,
                 node_names: str | os.PathLike | None = None):
        """Opens SOURCE: a specification ("torus:8x8", "xgft:2:18,18:1,18"; `crosswind help topologies`) or a file
        (ibnetdiscover, iblinkinfo, ibsim, JSON, …; `crosswind help formats`), which is recognised by its content.

        format: the file's format by name. node_names: a node name map as infiniband-diags read it.
        Raises UsageError (a ValueError), FileError (an OSError), FormatError (a ValueError, with file and line) or
        LimitError.
        """
        spec = os.fspath(source)
        keep = c_text("format", format), c_text("node_names", node_names)
        how = ffi.new("struct cw_reading *", {"format": keep[0], "node_names": keep[1]})
        self._made(made("struct cw_network", lib.cw_network_open_as, how, c_text("a network", spec),
                        free=lib.cw_network_free), None if format or node_names or spec == "-" else spec)

    def _made(self, pointer, source=None):
        self._c = pointer
        self.source = source  # what the command opens to have the same network; None: what we write for it
        self.endpoints: int = lib.cw_network_endpoints(pointer)
        self.switches: int = lib.cw_network_switches(pointer)
        self.vertices: int = self.endpoints + self.switches
        self.channels: int = lib.cw_network_channels(pointer)
        arrays = lib.cw_network_arrays_of(pointer)
        one_each = (self.channels,)
        # [vertices + 1]: the channels that leave vertex v are first[v] … first[v + 1] - 1.
        self.first: np.ndarray = view(pointer, arrays.first, (self.vertices + 1,), np.uint32)
        self.tail: np.ndarray = view(pointer, arrays.tail, one_each, np.uint32)  # the vertex that a channel leaves
        self.head: np.ndarray = view(pointer, arrays.head, one_each, np.uint32)  # … and leads to
        self.twin: np.ndarray = view(pointer, arrays.twin, one_each, np.uint32)  # the other channel of its cable
        self.capacity: np.ndarray = view(pointer, arrays.capacity, one_each, np.float64)  # byte/s; 0: closed
        self.latency: np.ndarray = view(pointer, arrays.latency, one_each, np.float64)  # s
        if arrays.port == ffi.NULL:
            self.port: np.ndarray = np.arange(self.channels, dtype=np.uint32) - self.first[self.tail] + np.uint32(1)
        else:
            self.port = view(pointer, arrays.port, one_each, np.uint16)  # the number printed at the channel's tail
        self._names: list[str] | None = None

    @classmethod
    def _of(cls, pointer, source=None):
        net = cls.__new__(cls)
        net._made(pointer, source)
        return net

    @classmethod
    def from_cables(cls, endpoints: int, switches: int, cables, *, names=None, capacity="40Gbit/s", latency="100ns",
                    ports=None, title: str | None = None) -> Network:
        """A network of your own. CABLES, [n, 2] whole numbers, has the two vertices of each: endpoints are 0 …
        endpoints - 1, switches follow.

        capacity: byte/s ("40Gbit/s"), one for all or [n], or [n, 2] for the two directions (0: closed); latency: s,
        likewise. ports: [n, 2] their numbers at both ends, 0 for the next that is free. names: of all vertices, unique.
        Raises UsageError for what is no network.
        """
        cables = np.asarray(cables).reshape(-1, 2) if np.size(cables) == 0 else np.asarray(cables)
        if cables.ndim != 2 or cables.shape[1] != 2 or (cables.size and cables.dtype.kind not in "iu"):
            raise UsageError(f"cables have the shape {cables.shape} of {cables.dtype}; expected [n, 2] whole numbers")
        n = len(cables)
        vertices = whole("endpoints", endpoints) + whole("switches", switches)
        if n and (cables.min() < 0 or cables.max() >= vertices):
            raise UsageError(f"cables join {cables.min()} to {cables.max()}; expected vertices 0 to {vertices - 1}")

        def both(what, value, read):
            value = np.asarray(read(what, value) if isinstance(value, str) else value, dtype=float)
            value = value[:, None] if value.ndim == 1 else value
            try:
                return np.broadcast_to(value, (n, 2))
            except ValueError:
                raise UsageError(f"{what} has the shape {value.shape}; expected one number, [{n}] or "
                                 f"[{n}, 2]") from None

        capacity, latency = both("capacity", capacity, rate), both("latency", latency, seconds)
        ports = np.zeros((n, 2), int) if ports is None else np.asarray(ports)
        if ports.shape != (n, 2) or (ports.size and not 0 <= ports.min() <= ports.max() < 2**32):
            raise UsageError(f"ports have the shape {ports.shape}; expected [{n}, 2] numbers of 32 bits")
        builder = lib.cw_builder_new(endpoints, switches, n)
        try:
            for i, (a, b) in enumerate(cables.tolist()):
                lib.cw_builder_cable(builder, a, int(ports[i, 0]), b, int(ports[i, 1]), capacity[i, 0], latency[i, 0])
                if capacity[i, 0] != capacity[i, 1] or latency[i, 0] != latency[i, 1]:
                    lib.cw_builder_back(builder, capacity[i, 1], latency[i, 1])
            if names is not None:
                if len(names) != vertices:
                    raise UsageError(f"{len(names)} names were given; expected one for each of {vertices} vertices")
                for v, name in enumerate(names):
                    lib.cw_builder_name(builder, v, c_text("a name", str(name)))
            lib.cw_builder_title(builder, c_text("title", title or "network"))
        except BaseException:  # only finish frees a builder
            out = ffi.new("struct cw_network **")
            if lib.cw_builder_finish(builder, out) == 0:
                lib.cw_network_free(out[0])
            raise
        pointer = made("struct cw_network", lib.cw_builder_finish, builder, free=lib.cw_network_free)
        check(lib.cw_network_recognise(pointer))  # as of a file, so that routing finds a fat tree or a torus
        return cls._of(pointer)

    @classmethod
    def from_networkx(cls, graph, *, title: str | None = None) -> Network:
        """A network of a networkx graph, whose nodes become vertices of their names (str) and whose edges become
        cables.

        A node is an endpoint if its attribute "kind" is anything but "switch"; without the attribute, if it has one
        edge or none. An edge may have "capacity" (byte/s, or text such as "100Gbit/s"), "latency" (s), and, for the way
        back where it differs, "capacity_back" and "latency_back"; "ports" are the numbers at its two nodes. In directed
        graphs two edges that are each other's opposite are one cable; an edge without an opposite is an error.
        """
        degree = dict(graph.degree())
        per_cable = 2 if graph.is_directed() else 1

        def is_switch(node):
            kind = graph.nodes[node].get("kind")
            return degree[node] > per_cable if kind is None else kind == "switch"

        nodes = [node for node in graph if not is_switch(node)]
        endpoints = len(nodes)
        nodes += [node for node in graph if is_switch(node)]
        number = {node: i for i, node in enumerate(nodes)}
        edges = _cables_of_digraph(graph) if graph.is_directed() else [
            (a, b, about, about) for a, b, about in graph.edges(data=True)]
        cables, capacity, latency, ports = [], [], [], []
        for a, b, there, back in edges:
            cables.append((number[a], number[b]))
            own = there is not back
            given = there.get("capacity", lib.CW_DEFAULT_CAPACITY)
            returned = back.get("capacity", given) if own else there.get("capacity_back", given)
            capacity.append((rate("capacity", given), rate("capacity", returned)))
            given = there.get("latency", lib.CW_DEFAULT_LATENCY)
            returned = back.get("latency", given) if own else there.get("latency_back", given)
            latency.append((seconds("latency", given), seconds("latency", returned)))
            ports.append(there.get("ports", (0, 0)))
        n = len(cables)
        return cls.from_cables(endpoints, len(nodes) - endpoints, np.array(cables, int).reshape(n, 2),
                               names=[str(node) for node in nodes], capacity=np.array(capacity, float).reshape(n, 2),
                               latency=np.array(latency, float).reshape(n, 2),
                               ports=np.array(ports, int).reshape(n, 2), title=title or graph.name or None)

    def to_networkx(self):
        """A networkx.MultiGraph: a node for each vertex, by its name, with "kind" ("switch", "host", …) and "id"; an
        edge for each cable, with what from_networkx reads, and "channel", its lower channel."""
        try:
            import networkx
        except ImportError:
            raise ImportError("to_networkx needs networkx, which is not installed (Debian: python3-networkx)") from None
        graph = networkx.MultiGraph(name=self.title or "")
        names, kinds = self.names, self.kinds
        for v in range(self.vertices):
            graph.add_node(names[v], kind=kinds[v], id=v)
        for channel in np.flatnonzero(np.arange(self.channels) < self.twin).tolist():
            twin = int(self.twin[channel])
            about = {"capacity": float(self.capacity[channel]), "latency": float(self.latency[channel]),
                     "ports": (int(self.port[channel]), int(self.port[twin])), "channel": channel}
            if self.capacity[twin] != self.capacity[channel]:
                about["capacity_back"] = float(self.capacity[twin])
            if self.latency[twin] != self.latency[channel]:
                about["latency_back"] = float(self.latency[twin])
            graph.add_edge(names[self.tail[channel]], names[self.head[channel]], **about)
        return graph

    def __repr__(self):
        return (f"<crosswind.Network {self.title}: {self.endpoints} endpoints, {self.switches} switches, "
                f"{self.channels // 2} cables>")

    def __eq__(self, other):
        """Whether both are the same graph with the same names, ports, capacities, latencies and shape."""
        return isinstance(other, Network) and bool(lib.cw_network_equal(self._c, other._c))

    __hash__ = object.__hash__

    @property
    def title(self) -> str | None:
        """What the network was opened as."""
        return text_of(lib.cw_network_title(self._c))

    @property
    def shape(self) -> str | None:
        """The kind of a generated network's shape ("xgft", "torus", …); None: it has none."""
        kind = lib.cw_network_shape(self._c).kind
        return None if kind == ffi.NULL else text_of(kind.name)

    @property
    def names(self) -> list[str]:
        """The names of all vertices, [vertices]."""
        if self._names is None:
            buffer = ffi.new("char[]", lib.CW_NAME_SIZE)
            self._names = [text_of(lib.cw_network_name(self._c, v, buffer, lib.CW_NAME_SIZE))
                           for v in range(self.vertices)]
        return self._names

    @property
    def kinds(self) -> list[str]:
        """"switch", "host", "aggregation" or "router" for each vertex, [vertices]."""
        def kind_of(v):
            identity = lib.cw_network_identity(self._c, v)
            if identity == ffi.NULL:
                return "switch" if v >= self.endpoints else "host"
            return text_of(lib.cw_vertex_kind_names[identity.kind])
        return [kind_of(v) for v in range(self.vertices)]

    def find(self, vertex: int | str) -> int:
        """The number of VERTEX: a number, or its name or GUID ("0x…"). Raises UsageError if there is none."""
        if not isinstance(vertex, str):
            return whole("a vertex", vertex, most=self.vertices - 1)
        v = lib.cw_network_find(self._c, c_text("a vertex", vertex))
        if v == lib.CW_NONE:
            raise UsageError(f"{self.title} has no vertex called '{vertex}'; expected a name (see names) or a GUID")
        return v

    def channel_name(self, channel: int) -> str:
        """"TAIL/PORT>HEAD/PORT"."""
        length = 2 * lib.CW_NAME_SIZE + 32
        channel = whole("a channel", channel, most=self.channels - 1)
        return text_of(lib.cw_network_channel_name(self._c, channel, ffi.new("char[]", length), length))

    def channel_table(self, **columns):
        """A table of all channels, [channels] rows: tail, tail_port, head, head_port (names and printed numbers),
        capacity [byte/s], latency [s]; and COLUMNS, [channels] each, such as loads."""
        names = np.array(self.names, dtype=object)
        own = {"tail": names[self.tail], "tail_port": self.port, "head": names[self.head],
               "head_port": self.port[self.twin], "capacity": self.capacity, "latency": self.latency}
        return table({**own, **columns}, {"capacity": "byte/s", "latency": "s"}, network=self.title)

    def select(self, endpoints="hca") -> np.ndarray:
        """The numbers of those that take part: "all", "hca" (hosts only), names ("node[001-064],login1"), a file of
        names, or numbers, [n]."""
        selection = self._selection(endpoints)
        return view(selection, selection.endpoints, (selection.n,), np.uint32)

    def _selection(self, endpoints):
        if not isinstance(endpoints, (str, os.PathLike)):
            array, _ = array_in("endpoints", endpoints, np.uint32, "uint32_t", self.endpoints - 1)
            array = np.unique(array)  # ascending, as a selection has them
            selection = self._selection("all")
            if not 0 < len(array) <= selection.n:
                raise UsageError(f"endpoints has {len(array)} numbers; expected 1 to {selection.n}")
            ffi.memmove(selection.endpoints, array, array.nbytes)
            selection.n = len(array)
            return selection
        return made("struct cw_selection", lib.cw_selection_new, self._c, c_text("endpoints", endpoints),
                    free=lib.cw_selection_free)

    def distances(self, *, threads: int = 0, seed: int = 1) -> dict:
        """diameter [hops, those of endpoints' cables included], mean_distance, unreachable (ordered pairs), exact.
        C: topo/metrics.h."""
        out = ffi.new("struct cw_distances *")
        run("distances", lib.cw_network_distances, self._c, whole("threads", threads), whole("seed", seed), out)
        return {"diameter": out.diameter, "mean_distance": out.mean_distance, "unreachable": out.unreachable,
                "exact": out.exact}

    def bisection(self, *, seed: int = 1) -> dict:
        """channels and capacity [byte/s] from one half of the endpoints to the other, at least; exact, or else an upper
        bound; how it was found."""
        out = ffi.new("struct cw_bisection *")
        run("bisection", lib.cw_network_bisection, self._c, whole("seed", seed), out)
        return {"channels": out.channels, "capacity": out.capacity, "exact": out.exact, "how": text_of(out.how)}

    def without(self, failed: str | None = None, *, degraded: str | None = None, seed: int = 1) -> Network:
        """The network without what FAILED lists ("leaf1-spine2,5%"), and with what DEGRADED slows down
        ("s2-s7=8Gbit/s"); shares of cables are drawn by SEED. C: net/faults.h has all forms."""
        faults = made("struct cw_faults", lib.cw_faults_new, self._c, free=lib.cw_faults_free)
        if failed is not None:
            check(lib.cw_faults_fail(faults, c_text("", "failed"), c_text("failed", failed), whole("seed", seed)))
        if degraded is not None:
            check(lib.cw_faults_degrade(faults, c_text("", "degraded"), c_text("degraded", degraded),
                                        whole("seed", seed)))
        return Network._of(made("struct cw_network", lib.cw_network_changed, faults, free=lib.cw_network_free))

    def write(self, path: str | os.PathLike) -> None:
        """Writes the network in the format of PATH's extension: .json, .net (ibsim), .dot, .graphml, …
        (`crosswind help writers`); compressed where .gz, .xz, .zst or .bz2 follows."""
        check(lib.cw_network_write(self._c, c_text("a path", path)))

    def route(self, engine: str | None = None, *, seed: int = 1, threads: int = 0) -> Routes:
        """Routes by ENGINE ("ftree", "dor", "valiant-any", …, with parameters "minhop:lmc=1"; `crosswind help
        routings`); None: the one that suits the network. Raises UsageError that names the nearest engine, or says what
        the engine needs. C: route/engine.h."""
        pointer = made("struct cw_routes", lib.cw_engine_route, self._c, c_text("engine", engine), whole("seed", seed),
                       whole("threads", threads, most=2**32 - 1), free=lib.cw_routes_free, long="routes")
        return Routes(self, pointer, engine=engine, seed=seed)

    def read_tables(self, path: str | os.PathLike) -> Routes:
        """The routes of forwarding tables in a file (opensm-lfts.dump, what dump_fts prints, …). `report` of the result
        says what did not match. C: route/files/lft_file.h."""
        report = ffi.new("struct cw_lft_report *")
        pointer = made("struct cw_routes", lib.cw_lft_read, self._c, c_text("a path", path), report,
                       free=lib.cw_routes_free, long="tables")
        numbers = ("switches_matched", "switches_without_table", "switches_unknown", "lids_unknown", "lids_moved",
                   "endpoints_without_lid", "entries", "entries_bad_port", "holes")
        about = {name: getattr(report, name) for name in numbers}
        about["format"] = text_of(report.format)
        about["details"] = text_of(report.details.data) or ""
        lib.cw_text_free(ffi.addressof(report, "details"))
        return Routes(self, pointer, file=os.fspath(path), report=about)

    def read_paths(self, path: str | os.PathLike, *, seed: int = 1) -> Routes:
        """The routes of explicit paths in a file; SEED chooses among several of a pair. C: route/paths.h."""
        pointer = made("struct cw_routes", lib.cw_paths_read, self._c, c_text("a path", path), whole("seed", seed),
                       free=lib.cw_routes_free)
        return Routes(self, pointer, paths_file=os.fspath(path))


def network_of(routes):
    """The network of ROUTES, which must be routes."""
    if not isinstance(routes, Routes):
        raise TypeError(f"{routes!r} was given; expected Routes, such as those that Network.route() makes")
    return routes.network


class Routes:
    """How messages travel over a network. Made by Network.route, .read_tables or .read_paths; never changes.
    C: route/routes.h."""

    def __init__(self, network: Network, pointer, *, engine=None, seed=1, file=None, paths_file=None, tables=False,
                 report=None):
        self.network = network  # kept: the library's routes refer to it
        self._c = pointer
        self._origin = {"engine": engine, "seed": seed, "file": file, "paths_file": paths_file,
                        "tables": tables}
        self.report: dict | None = report
        self.name: str = text_of(lib.cw_routes_name(pointer))
        self.kind: str = KINDS[lib.cw_routes_kind(pointer)]
        self.max_hops: int = lib.cw_routes_max_hops(pointer)  # no route is longer
        self.lanes: int = lib.cw_routes_lanes(pointer)  # virtual lanes

    def __repr__(self):
        return f"<crosswind.Routes {self.name} ({self.kind}) of {self.network.title}>"

    def _pairs(self, src, dst):
        most = self.network.endpoints - 1
        sources, src_c = array_in("src", src, np.uint32, "uint32_t", most)
        destinations, dst_c = array_in("dst", dst, np.uint32, "uint32_t", most)
        if len(sources) != len(destinations):
            raise UsageError(f"src has {len(sources)} endpoints and dst {len(destinations)}; expected as many")
        return len(sources), src_c, dst_c

    def path(self, src: int | str, dst: int | str) -> np.ndarray:
        """The channels of the route from endpoint SRC to DST (numbers or names), [hops]; empty where they are the same.
        Raises RouteError for a hole or a loop, UsageError where packets of a pair take several ways."""
        pair = [self.network.find(src)], [self.network.find(dst)]
        return self.paths(*pair)[1]

    def paths(self, src, dst) -> tuple[np.ndarray, np.ndarray]:
        """The routes src[i] → dst[i], arrays of [n] endpoints: their hops, [n], and all their channels one behind
        another, [sum of hops]. np.split(channels, np.cumsum(hops)[:-1]) has them one by one."""
        check(lib.cw_routes_need_paths(self._c))
        n, sources, destinations = self._pairs(src, dst)
        hops, channels = np.empty(n, np.uint32), np.empty(n * self.max_hops, np.uint32)
        run("routes", lib.cw_routes_packed_paths, self._c, n, sources, destinations,
            ffi.from_buffer("uint32_t[]", hops), ffi.from_buffer("uint32_t[]", channels))
        return hops, channels[:int(hops.sum())]

    def count(self, src, dst) -> np.ndarray:
        """How many of the routes src[i] → dst[i], [n] each, use each channel: [channels] uint32."""
        check(lib.cw_routes_need_paths(self._c))
        n, sources, destinations = self._pairs(src, dst)
        load = np.zeros(self.network.channels, np.uint32)
        run("routes", lib.cw_routes_count, self._c, n, sources, destinations, ffi.from_buffer("uint32_t[]", load))
        return load

    @property
    def entries(self) -> np.ndarray:
        """The forwarding tables, [endpoints, rows] uint8 or uint16: entries[d, v - first_row] is the port, by its place
        among those of vertex v from 0, that leads to endpoint d; the greatest number of the type: none. The library's
        own memory. Raises UsageError for routes that are no tables: see to_tables."""
        out = ffi.new("struct cw_lft_entries *")
        check(lib.cw_routes_lft_entries(self._c, out))
        wide = out.narrow == ffi.NULL
        return view(self._c, out.wide if wide else out.narrow, (self.network.endpoints, out.rows),
                    np.uint16 if wide else np.uint8)

    @property
    def first_row(self) -> int:
        """The vertex that the first column of `entries` is of: the first switch, or 0 where endpoints choose, too."""
        out = ffi.new("struct cw_lft_entries *")
        check(lib.cw_routes_lft_entries(self._c, out))
        return out.base

    def to_tables(self, *, threads: int = 0) -> Routes:
        """The forwarding tables that give the same routes; UsageError where these depend on more than the
        destination."""
        pointer = made("struct cw_routes", lib.cw_routes_to_tables, self._c, whole("threads", threads),
                       free=lib.cw_routes_free, long="tables")
        return Routes(self.network, pointer, **{**self._origin, "tables": True})

    def check(self, *, max_pairs: int = 0, threads: int = 0) -> dict:
        """What can be proven: pairs, reached, holes, loops, minimal (routes that are shortest), hops_mean, hops_max,
        routes_mean, routes_max and routes_deviation on channels between switches, busiest (a channel), load ([channels]
        uint64, the library's own), first_problem (text), deadlock_free ("yes", "no", "unknown", "unproven"), lanes.
        max_pairs: about as many are looked at where routes have to be walked; 0: all. C: route/check.h."""
        reach, deadlock = ffi.new("struct cw_reach *"), ffi.new("struct cw_deadlock *")
        threads, max_pairs = whole("threads", threads), whole("max_pairs", max_pairs)
        run("check", lib.cw_routes_reach, self._c, ffi.NULL, max_pairs, threads, reach)
        reach = ffi.gc(reach, lib.cw_reach_free)
        run("deadlocks", lib.cw_routes_deadlock, self._c, max_pairs, threads, deadlock)
        deadlock = ffi.gc(deadlock, lib.cw_deadlock_free)
        found = {name: getattr(reach, name)
                 for name in ("pairs", "reached", "holes", "loops", "minimal", "hops_mean", "hops_max")}
        found |= {"routes_mean": reach.load_mean, "routes_max": reach.load_max,
                  "routes_deviation": reach.load_deviation,
                  "busiest": reach.load_max_channel if reach.load_max > 0 else None, "sampled": reach.sampled,
                  "load": view(reach, reach.load, (self.network.channels,), np.uint64),
                  "first_problem": text_of(reach.first_problem.data),
                  "deadlock_free": text_of(lib.cw_deadlock_verdict(deadlock)), "lanes": self.lanes,
                  "cycle": [self.network.channel_name(deadlock.cycle[i]) for i in range(deadlock.cycle_length)]}
        return found

    def write(self, path: str | os.PathLike) -> None:
        """Writes tables as an opensm-lfts.dump, or as JSON if PATH ends in .json."""
        is_json = os.fspath(path).endswith(".json")
        write = lib.cw_lft_write_json if is_json else lib.cw_lft_write
        text = ffi.gc(ffi.new("struct cw_text *"), lib.cw_text_free)
        check(write(self._c, text))
        check(lib.cw_file_write(c_text("a path", path), text))
