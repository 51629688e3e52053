"""What stands between the modules and the C library: errors become exceptions, what C owns is freed when nothing refers
to it any more, C's memory is seen as arrays without a copy, and long calls can be interrupted and watched."""
import os
import sys
import threading

import numpy as np

from ._library import ffi, lib

__all__ = ["Error", "FileError", "FormatError", "InternalError", "LimitError", "MemoryExhausted", "RouteError",
           "UsageError"]


class Error(Exception):
    """Whatever the library refuses; its message says what is wrong and what was expected. The subclasses are also what
    Python has for the case, so that `except ValueError` and `except OSError` work as usual."""


class UsageError(Error, ValueError):
    """What was asked for does not exist or is out of range."""


class MemoryExhausted(Error, MemoryError):
    """Memory ran out."""


class FileError(Error, OSError):
    """A file could not be opened, read or written."""


class FormatError(Error, ValueError):
    """A file's content is malformed; the message names file and line."""


class LimitError(Error, MemoryError):
    """More than this machine can hold; refused before anything was allocated."""


class RouteError(Error, ValueError):
    """A route has a hole or a loop."""


class InternalError(Error, RuntimeError):
    """A promise of the library is broken: a bug in Crosswind."""


for _kind in (Error, *Error.__subclasses__()):
    _kind.__module__ = "crosswind"  # where users find it
ERRORS = {lib.CW_EUSAGE: UsageError, lib.CW_ENOMEM: MemoryExhausted, lib.CW_EIO: FileError,
          lib.CW_EPARSE: FormatError, lib.CW_ELIMIT: LimitError, lib.CW_EROUTE: RouteError,
          lib.CW_EINTERNAL: InternalError}


def text_of(pointer):
    """A string of the library's; None for NULL. Names in files may be in any encoding: what is not UTF-8 survives."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "surrogateescape")


def raise_error(code, message):
    """The exception for an error code of C."""
    if code == lib.CW_EINTERRUPTED:
        raise KeyboardInterrupt(message)
    raise ERRORS.get(code, InternalError)(message)


def check(code):
    """Raises the exception of what this thread's last call returned, if that is an error."""
    if code < 0:
        raise_error(code, text_of(lib.cw_error_message()))
    return code


def c_text(what, value):
    """VALUE as C takes it: a str, or a path. NULL for None."""
    if value is None:
        return ffi.NULL
    try:
        encoded = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}; expected text") from None
    if b"\0" in encoded:
        raise UsageError(f"{what} has a character 0 in it; expected text without")
    return ffi.new("char[]", encoded)


def whole(what, value, least=0, most=2**64 - 1):
    """VALUE as a whole number from LEAST to MOST."""
    try:
        number = value.__index__()
    except AttributeError:
        raise TypeError(f"{what} is {value!r}; expected a whole number") from None
    if not least <= number <= most:
        raise UsageError(f"{what} is {number}; expected a whole number from {least} to {most}")
    return number


def choice(what, value, names):
    """The index of VALUE among NAMES, which are what an enumeration of C means."""
    if value not in names:
        raise UsageError(f"{what} is {value!r}; expected one of {', '.join(map(str, names))}")
    return names.index(value)


def _number(kind, parse):
    def read(what, value):
        if not isinstance(value, str):
            return value
        out = ffi.new(kind)
        check(parse(c_text("a name", what), c_text(what, value), out))
        return out[0]
    return read


# Numbers as they are, or as people write them.
size = _number("uint64_t *", lib.cw_parse_bytes)  # bytes: 4096, "4KiB"
rate = _number("double *", lib.cw_parse_rate)  # byte/s: 5e9, "40Gbit/s"
seconds = _number("double *", lib.cw_parse_time)  # s: 1e-6, "1us"
byte_time = _number("double *", lib.cw_parse_byte_time)  # s/byte: 2e-10, "0.2ns", "40Gbit/s"


def reals(what, value):
    """A list of floats of a number, of numbers, or of text such as "0.1..0.9:0.1"."""
    if not isinstance(value, str):
        numbers = [float(number) for number in np.atleast_1d(np.asarray(value, dtype=float))]
        if not numbers:
            raise UsageError(f"{what} is empty; expected one number at least")
        return numbers
    out = ffi.new("struct cw_reals *")
    check(lib.cw_parse_reals(c_text("a name", what), c_text(what, value), out))
    try:
        return [out.values[i] for i in range(out.n)]
    finally:
        lib.cw_reals_free(out)


# --- ownership -------------------------------------------------------------------------------------------------------

def made(kind, function, *arguments, free=None, long=None):
    """What FUNCTION gives through its last argument, a pointer to a pointer to KIND: it is freed when the last
    reference to it has gone. LONG: what a call that may take its time is called (see `run`)."""
    out = ffi.new(f"{kind} **")
    if long:
        run(long, function, *arguments, out)
    else:
        check(function(*arguments, out))
    return ffi.gc(out[0], free)


class _Memory:
    """Memory of C's that OWNER keeps, in the form in which numpy takes it."""

    def __init__(self, owner, address, shape, dtype):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": np.dtype(dtype).str,
                                    "data": (address, True)}


def view(owner, pointer, shape, dtype):
    """C's memory as an array that cannot be written: nothing is copied, and OWNER lives as long as the array does."""
    shape = shape if isinstance(shape, tuple) else (int(shape),)
    if 0 in shape:
        return np.empty(shape, dtype)
    return np.asarray(_Memory(owner, int(ffi.cast("uintptr_t", pointer)), shape, dtype))


def array_in(what, values, dtype, kind, most=None):
    """VALUES as an array that C reads, and the pointer to it; copied only where it is another type. Integers must be 0
    to MOST."""
    array = np.asarray(values)
    if np.issubdtype(dtype, np.integer) and array.size:
        if array.dtype.kind not in "iu":
            raise TypeError(f"{what} has elements of type {array.dtype}; expected whole numbers")
        if array.min() < 0 or array.max() > most:
            raise UsageError(f"{what} has {array.min()} to {array.max()}; expected 0 to {most}")
    array = np.ascontiguousarray(array, dtype=dtype)
    if array.ndim != 1:
        raise UsageError(f"{what} has {array.ndim} dimensions; expected one")
    return array, ffi.from_buffer(f"{kind}[]", array)


# --- long calls ------------------------------------------------------------------------------------------------------

def _bar(label, shown):
    """A bar of tqdm's, where it is wanted: always, never, or (None) on a terminal that has tqdm."""
    if shown is None and not (sys.stderr and sys.stderr.isatty()):
        return None
    if shown is False:
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        if shown is None:
            return None
        raise ImportError("progress=True needs tqdm, which is not installed (Debian: python3-tqdm)") from None
    form = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
    return tqdm(total=1.0, desc=label, leave=False, bar_format=form, file=sys.stderr)


def _wait(finished, bar, progress):
    """Until the lock FINISHED is let go. A lock can be waited for and interrupted, which a call of C cannot."""
    if bar is None:
        finished.acquire()
        return
    while not finished.acquire(timeout=0.1):
        bar.n = lib.cw_progress_share(progress)
        bar.refresh()
    bar.n = 1.0
    bar.refresh()


def run(label, function, *arguments, progress=None, shown=False):
    """FUNCTION, of C, on a thread of its own, while this one waits: Ctrl-C then stops it within a tenth of a second and
    is raised as usual, and PROGRESS, a count that the call steps, is shown as SHOWN says. Python's own work goes on
    beside it. On other threads than the main one, which no signal reaches, it is simply called.

    What is interrupted is the library: calls under way on other threads of the program end, too."""
    if threading.current_thread() is not threading.main_thread():
        check(function(*arguments))
        return
    bar = _bar(label, shown)
    finished, outcome, cancelled = threading.Lock(), [], False
    finished.acquire()

    def work():
        try:
            if cancelled:
                return
            code = function(*arguments)
            outcome.append((code, text_of(lib.cw_error_message()) if code < 0 else ""))
        except BaseException as error:  # arguments that cffi does not take
            outcome.append((None, error))
        finally:
            finished.release()

    thread = threading.Thread(target=work, name=f"crosswind {label}")
    try:
        thread.start()
        _wait(finished, bar, progress)
    except BaseException:
        # The memory that the call works on is ours: it must have ended before we go, and not begin later.
        cancelled = True
        lib.cw_interrupt()
        while thread.is_alive():
            try:
                thread.join()
            except KeyboardInterrupt:
                continue
        lib.cw_interrupt_clear()
        raise
    finally:
        if bar is not None:
            bar.close()
    code, message = outcome[0]
    if code is None:
        raise message
    if code < 0:
        raise_error(code, message)


def counting(total):
    """A count of TOTAL steps for a setup's `progress`."""
    return ffi.gc(lib.cw_progress_count(total), lib.cw_progress_free)
