"""Builds the package, which has the version of the library that it is built for. All else is in pyproject.toml."""
import os
import subprocess
import sys

from setuptools import setup

try:
    version = subprocess.run([os.environ.get("PKG_CONFIG", "pkg-config"), "--modversion", "crosswind"], check=True,
                             capture_output=True, text=True).stdout.strip()
except (OSError, subprocess.CalledProcessError) as failed:
    sys.exit(f"libcrosswind is not found by pkg-config: {getattr(failed, 'stderr', None) or failed}\nInstall it (cmake "
             "--install), or set PKG_CONFIG_PATH to the folder of its crosswind.pc or to its build tree.")
setup(version=version, cffi_modules=["crosswind/_build.py:make_ffi"])
