"""Runs the cells of the notebooks in examples/python, in order, in a copy of the examples.

usage: notebooks.py [--update] [NOTEBOOK ...]
What cells print must be what the notebook shows, and they must draw as many pictures. --update writes both into the
notebooks. Cells are plain Python, without commands of Jupyter's.
"""
import ast
import base64
import contextlib
import io
import json
import os
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
WIDTH = 110  # columns of printed tables


def lines_of(text):
    return text.splitlines(keepends=True)


def run_cell(source, names):
    """What a cell prints, the value of its last expression as Jupyter would show it included."""
    tree, printed = ast.parse(source), io.StringIO()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
        if value is not None:
            print(repr(value))
    return printed.getvalue()


def pictures():
    """The figures that a cell has drawn, as PNG."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    pyplot, found = sys.modules["matplotlib.pyplot"], []
    for number in pyplot.get_fignums():
        picture = io.BytesIO()
        pyplot.figure(number).savefig(picture, format="png", dpi=70, bbox_inches="tight", metadata={"Software": None})
        found.append(picture.getvalue())
    pyplot.close("all")
    return found


def outputs(printed, drawn):
    found = [{"name": "stdout", "output_type": "stream", "text": lines_of(printed)}] if printed else []
    return found + [{"data": {"image/png": base64.b64encode(picture).decode() + "\n"}, "metadata": {},
                     "output_type": "display_data"} for picture in drawn]


def shown(cell):
    """What a notebook has of a cell: its text, and how many pictures."""
    text = "".join("".join(output.get("text", [])) for output in cell["outputs"])
    return text, sum("image/png" in output.get("data", {}) for output in cell["outputs"])


def run_notebook(path, update):
    """The complaints about a notebook."""
    notebook, names, wrong, number = json.loads(path.read_text()), {"__name__": "__main__"}, [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        number += 1
        printed = run_cell("".join(cell["source"]), names)
        drawn = pictures()
        if not update and (printed, len(drawn)) != shown(cell):
            wrong.append(f"{path.name}, cell {number}: shows\n{shown(cell)}\nbut gives\n{(printed, len(drawn))}")
        cell["outputs"], cell["execution_count"] = outputs(printed, drawn), number
    if update:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    if not number:
        wrong.append(f"{path.name} has no cells of code")
    return wrong


def main(*arguments):
    try:
        import matplotlib
        import pandas
    except ImportError as missing:
        print(f"SKIPPED: the notebooks draw with matplotlib and print tables of pandas: {missing}")
        return SKIPPED
    matplotlib.use("Agg")
    pandas.set_option("display.width", WIDTH, "display.max_columns", 20)
    update = "--update" in arguments
    named = [pathlib.Path(name).resolve() for name in arguments if name != "--update"]
    wrong, notebooks = [], named or sorted((ROOT / "examples/python").glob("*.ipynb"))
    with tempfile.TemporaryDirectory() as root:
        shutil.copytree(ROOT / "examples", pathlib.Path(root) / "examples")
        os.chdir(pathlib.Path(root) / "examples/python")
        for path in notebooks:
            wrong += run_notebook(path, update)
        os.chdir(ROOT)
    print("\n".join(wrong) if wrong else f"{len(notebooks)} notebooks were run")
    return 1 if wrong or not notebooks else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
