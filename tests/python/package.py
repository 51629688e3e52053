"""Builds the Python package as its users do, by pip without an index, and runs what tests it.

usage: package.py BUILD pytest|tutorial|notebooks [ARGUMENT ...]
The package goes to BUILD/python, and is made again when its sources, the headers or the library have changed. The tests
of all languages are in tests/; pytest's are the files test_*.py beside this one.
"""
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77
NEEDED = {"cffi": "python3-cffi", "numpy": "python3-numpy", "pip": "python3-pip", "setuptools": "python3-setuptools",
          "wheel": "python3-wheel", "pytest": "python3-pytest"}


def missing():
    """Debian's packages that are not there."""
    def is_there(module):
        done = subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False)
        return done.returncode == 0
    return [package for module, package in NEEDED.items() if not is_there(module)]


def environment(build):
    """Where the package, the library and the command of BUILD are found."""
    return os.environ | {"PYTHONPATH": str(build / "python"), "PKG_CONFIG_PATH": str(build),
                         "PYTHONDONTWRITEBYTECODE": "1",
                         "CROSSWIND": os.environ.get("CROSSWIND", str(build / "crosswind")), "MPLBACKEND": "Agg",
                         "CROSSWIND_CONFIG": ""}  # no defaults of whoever runs the tests


def is_old(stamp, build):
    if not stamp.exists():
        return True
    sources = [*(ROOT / "python").rglob("*.*"), *(ROOT / "src").rglob("*.h"), ROOT / "include/crosswind.h",
               build / "libcrosswind.so"]
    return any(source.stat().st_mtime > stamp.stat().st_mtime for source in sources)


def install(build):
    """Into BUILD/python, from a copy: pip and setuptools write beside what they build."""
    place, stamp = build / "python", build / "python/stamp"
    place.mkdir(exist_ok=True)
    with open(build / "python.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_old(stamp, build):
            return
        shutil.rmtree(place)
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "python"
            shutil.copytree(ROOT / "python", source,
                            ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation",
                       "--no-deps", "--disable-pip-version-check", "--target", str(place), str(source)]
            done = subprocess.run(command, env=environment(build), text=True, capture_output=True, check=False)
            if done.returncode:
                sys.exit(f"{' '.join(command)} fails:\n{done.stdout}{done.stderr}")
        stamp.touch()


def main(build, what, *arguments):
    build = pathlib.Path(build).resolve()
    lacking = missing()
    if lacking:
        print(f"SKIPPED: the Python package is neither built nor tested without {', '.join(lacking)}")
        return SKIPPED
    install(build)
    if what == "pytest":
        command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE), *arguments]
    else:
        command = ["-B", str(HERE / f"{what}.py"), *arguments]
    return subprocess.run([sys.executable, *command], env=environment(build), cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
