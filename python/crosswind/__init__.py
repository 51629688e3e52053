"""Crosswind in Python: where communication on a parallel machine loses time to contention, and what removes it.

>>> import crosswind as cw
>>> net = cw.Network("torus:8x8")
>>> routes = net.route()
>>> float(cw.noise(routes, 0.5, trials=100)["slowdown_mean"][0]) > 1
True

Arrays of a network, of tables and of congestion are the library's memory: they cannot be written, and stay valid while
anything refers to them. Results are data frames where pandas is there (else dictionaries of arrays), whose `attrs` say
units and how they were made. Long calls end with Ctrl-C, and one seed gives the same result on any number of threads.
`run` has every verb of the command. The headers of the C library say what is computed; see also doc/guide/python.md.
"""
from ._core import (Error, FileError, FormatError, InternalError, LimitError, MemoryExhausted, RouteError, UsageError,
                    text_of as _text_of)
from ._library import lib as _lib
from .command import CommandError, Result, run
from .network import Network, Routes
from .planning import Plan, plan
from .simulate import CongestionResult, FlitResult, FlowsResult, collective, congestion, ebb, flit, flows, noise

__version__ = _text_of(_lib.cw_version())
__all__ = ["CommandError", "CongestionResult", "Error", "FileError", "FlitResult", "FlowsResult", "FormatError",
           "InternalError", "LimitError", "MemoryExhausted", "Network", "Plan", "Result", "RouteError", "Routes",
           "UsageError", "collective", "congestion", "ebb", "flit", "flows", "noise", "plan", "run"]
