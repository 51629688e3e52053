"""The command `crosswind`, whose verbs do whatever the library does not: studies, comparisons, maps, published
figures."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile

from ._core import Error, UsageError
from .frames import table
from .network import Network, Routes

__all__ = ["CommandError", "Result", "run"]


class CommandError(Error, RuntimeError):
    """The command failed; the message is what it said. `status` is its exit status; `result` what was finished before
    (a Result), or None."""

    def __init__(self, message: str, status: int, result=None):
        super().__init__(message)
        self.status = status
        self.result = result


class Result(dict):
    """What a verb has found: its tables by name, the main one first, as data frames whose `attrs` have "units", "help"
    (a line on each column), "version", "command" and "seed"; and `metadata`: tool, version, command, seed, configuration
    (what the user's file has given), inputs with their hashes, context, figures, notes. `failed`: a check has found something (exit status 1)."""

    def __init__(self, tables: dict, metadata: dict, failed: bool):
        super().__init__(tables)
        self.metadata = metadata
        self.failed = failed

    @property
    def table(self):
        """The main table."""
        return next(iter(self.values()))

    @property
    def notes(self) -> list[str]:
        """What the verb says of its tables in sentences."""
        return self.metadata.get("notes", [])


def program() -> str:
    """The command: that of the environment's CROSSWIND, or the one on PATH."""
    found = os.environ.get("CROSSWIND") or shutil.which("crosswind")
    if not found:
        raise FileNotFoundError("the command crosswind is not on PATH; install it, or set CROSSWIND to it")
    return found


def _values(columns, rows):
    """Rows of JSON as columns; what is missing is NaN in a column of numbers."""
    values = {}
    for column in columns:
        of_column = [row.get(column["name"]) for row in rows]
        if column["type"] == "real" or column["type"] == "int" and None in of_column:
            of_column = [float("nan") if value is None else float(value) for value in of_column]
        values[column["name"]] = of_column
    return values


def parse(text: str, failed: bool = False) -> Result:
    """The Result of what `--format json` has printed or written."""
    found = json.loads(text)
    tables = {}
    about = {name: found[name] for name in ("version", "command", "seed") if name in found}
    for name, content in found.pop("tables").items():
        columns = content["columns"]
        tables[name] = table(_values(columns, content["rows"]), {c["name"]: c["unit"] for c in columns},
                             help={c["name"]: c["help"] for c in columns}, **about)
    return Result(tables, found, failed)


def _option(name, value):
    option = "--" + name.rstrip("_").replace("_", "-") if len(name) > 1 else "--" + name
    if value is True:
        return [option]
    if isinstance(value, (list, tuple)):
        value = ",".join(str(item) for item in value)
    return [option, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def _operand(argument, folder):
    """An argument as the command takes it. Networks and routes that it cannot make again are written to files."""
    if isinstance(argument, Network):
        if argument.source is not None:
            return [os.fspath(argument.source)]
        path = os.path.join(folder, "network.json")
        argument.write(path)
        return [path]
    if not isinstance(argument, (Routes, str, os.PathLike)):
        raise TypeError(f"{argument!r} was given; expected text, a path, a Network or Routes")
    if not isinstance(argument, Routes):
        return [os.fspath(argument) if isinstance(argument, os.PathLike) else str(argument)]
    origin = argument._origin
    network = _operand(argument.network, folder)
    if origin["paths_file"]:
        return [*network, "--paths", origin["paths_file"]]
    if origin["file"]:
        return [*network, "--lft", origin["file"]]
    return [*network, "--routing", origin["engine"] or argument.name, *(["--tables"] if origin["tables"] else [])]


def run(verb: str, *arguments, progress: bool = False, **options) -> Result:
    """Runs `crosswind VERB ARGUMENTS --OPTION VALUE …` and returns its tables.

    ARGUMENTS are text, paths, a Network, or Routes (the network, and how it is routed, which the command does once
    more: a routing that draws does so by the command's seed). Options are named as on the command line with _ for -:
    ratio="0.1..0.9:0.1", equal_speeds=True (a flag), method=["lp", "default"]; None and False leave one out; a name
    that Python reserves gets a _ at its end. progress: the command's own bar. What is not given may have a default in the
    user's file, as for the command (`crosswind help configuration`); Routes come with their seed.

    >>> run("topo", "torus:4x4").table["endpoints"][0]
    16

    Raises UsageError for a wrong use (exit status 2), and CommandError for any other failure. Where a check has found
    something the result says so (`failed`).
    """
    for argument in arguments:
        if isinstance(argument, Routes) and argument._origin["seed"] not in (1, options.get("seed", 1)):
            raise UsageError(f"the routes were made with seed {argument._origin['seed']}; expected the command's, "
                             f"{options.get('seed', 1)}: it has one for routes and trials")
    if any(isinstance(argument, Routes) for argument in arguments):
        options.setdefault("seed", 1)  # the user's file may have another one
    with tempfile.TemporaryDirectory(prefix="crosswind-") as folder:
        command = [program(), verb]
        for argument in arguments:
            command += _operand(argument, folder)
        for name, value in options.items():
            if value is not None and value is not False:
                command += _option(name, value)
        output = os.path.join(folder, "result.json")
        command += ["--format", "json", "--output", output] + ([] if progress else ["--quiet"])
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=None if progress else subprocess.PIPE, text=True, errors="surrogateescape",
                              check=False)
        result = None
        if os.path.exists(output):
            with open(output, encoding="utf-8", errors="surrogateescape") as file:
                result = parse(file.read(), done.returncode == 1)
    if result is not None and done.returncode in (0, 1) and result.metadata["complete"]:
        return result
    message = (done.stderr or f"crosswind {verb} failed").strip()
    message = message.removeprefix("crosswind: ")
    if done.returncode == 2:
        raise UsageError(message)
    raise CommandError(message, done.returncode, result)
