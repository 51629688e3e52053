"""Builds the package; all else is said in pyproject.toml."""
from setuptools import setup

setup(cffi_modules=["crosswind/_build.py:ffi"])
