#!/usr/bin/env python3
"""Recipes of other packagers (packaging/, debian/) say what is true of this tree. usage: recipes.py ROOT

Spack, EasyBuild and containers are not there to run them: versions, options of CMake, what is needed to build and what is
installed are compared with CMakeLists.txt and tools/bootstrap."""
import pathlib
import re
import sys


def main(root):
    cmake = (root / "CMakeLists.txt").read_text()
    version = re.search(r"project\(crosswind VERSION (\S+)", cmake)[1]
    options = set(re.findall(r"^(?:option|set)\((CW_\w+|BUILD_TESTING) ", cmake, re.M))
    bootstrap = set(re.search(r'packages="(.*?)"', (root / "tools/bootstrap").read_text(), re.S)[1].split())
    wrong = []

    recipes = {path: path.read_text() for path in [*root.glob("packaging/*/*"), root / "packaging/Containerfile",
                                                   root / "debian/rules"]}
    for path, text in recipes.items():
        named = re.findall(r"""(?:-D|define(?:_from_variant)?\(")(CW_\w+|BUILD_TESTING)""", text)
        wrong += [f"{path}: CMakeLists.txt has no option {name}" for name in named if name not in options]
        if not named:
            wrong.append(f"{path}: names no option of CMakeLists.txt, expected BUILD_TESTING")
        if path.suffix in (".py", ".eb"):
            compile(text, str(path), "exec")

    for path, form in [("packaging/spack/package.py", 'version("{}")'), ("packaging/spack/package.py", "crosswind-{}.tar"),
                       (f"packaging/easybuild/Crosswind-{version}-foss-2023b.eb", "version = '{}'"),
                       ("debian/changelog", "crosswind ({})")]:
        if not (root / path).is_file() or form.format(version) not in (root / path).read_text():
            wrong.append(f"{path}: expected {form.format(version)}, the version of CMakeLists.txt")

    # What Debian's recipes need to build, bootstrap installs, but for what packages are made with.
    ours = {"debhelper-compat", "dh-python", "python3-all-dev", "nodejs", "npm"}
    control = (root / "debian/control").read_text()
    needed = re.findall(r"[\w.+-]+(?= *(?:\([^)]*\))?,?\n)", re.search(r"^Build-Depends: (.*?)^\w", control, re.S | re.M)[1])
    wrong += [f"debian/control: tools/bootstrap does not install {name}" for name in needed if name not in bootstrap | ours]
    container = recipes[root / "packaging/Containerfile"]
    built = set(re.findall(r"[\w.+-]+", re.search(r"recommends \\\n(.*?)\nCOPY", container, re.S)[1].replace("\\", "")))
    wrong += [f"packaging/Containerfile: tools/bootstrap does not install {name}" for name in built - bootstrap - ours]
    print("\n".join(wrong) or f"{len(recipes)} recipes, {len(needed)} and {len(built)} packages")
    return bool(wrong)


sys.exit(main(pathlib.Path(sys.argv[1])))
