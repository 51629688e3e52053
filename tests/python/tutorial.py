"""Types what doc/guide/python.md shows: what stands after >>> must give what stands below it, in a copy of
examples/sample."""
import doctest
import os
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GUIDE = ROOT / "doc/guide/python.md"


def main():
    with tempfile.TemporaryDirectory() as root:
        folder = pathlib.Path(root) / "sample"
        shutil.copytree(ROOT / "examples/sample", folder)
        os.chdir(folder)
        failed, tried = doctest.testfile(str(GUIDE), module_relative=False,
                                         optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        os.chdir(ROOT)
    print(f"{tried} examples were run")
    return 1 if failed or tried < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
