"""The page of `reproduce all`: every figure with its pictures, and beside them what is claimed of it and whether it holds."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "oracle"))
from browser import CHROMIUM, Browser, BrowserFailed  # noqa: E402
from crosswind import NO_PAGES, has_pages, skip  # noqa: E402
from page import expect, expect_true, open_page  # noqa: E402
from reproduced import PROGRAM, rows  # noqa: E402

EXPERIMENTS = ("noise", "dragonfly-fig3", "optiq", "split-tree")


def reproduce(folder):
    """It ends well, and there is no message."""
    done = subprocess.run([PROGRAM, "reproduce", "all", "--sizes", "quick", "--trials", "10", "--directory", folder / "papers",
                           "--html", folder / "papers.html", "--output", folder / "papers.json", "--quiet"],
                          capture_output=True, text=True)
    expect("status and message", (done.returncode, done.stderr), (0, ""))


def check_claims(browser, folder):
    """Those of each figure are those of the experiments' own files, with the same verdicts, in the same order."""
    found = browser.ask("[...document.querySelectorAll('.claims li')].map(item => [item.querySelector('.verdict').textContent,"
                        " item.querySelector('.claim').textContent, item.querySelector('.found').textContent])")
    written = [row for name in EXPERIMENTS for row in rows(folder / "papers" / name / f"{name}-claims.csv")]
    expected = [[row["holds"], f"{row['figure']}: {row['claim']}.", f"{row['found']}."] for row in written]
    expect("claims", sorted(found), sorted(expected))
    expect("corrections", browser.ask("document.querySelectorAll('.claims li p').length") - 2 * len(found),
           sum(verdict == "corrected" for verdict, _, _ in found))
    headings = browser.ask("[...document.querySelectorAll('.experiment h3')].map(heading => heading.textContent)")
    expect("experiments", headings, list(EXPERIMENTS))


def check_pictures(browser, folder):
    """All that were drawn are shown, each in a figure that has claims, and none is broken."""
    browser.ask("document.querySelectorAll('.picture img').forEach(image => (image.loading = 'eager'))")
    browser.wait("[...document.querySelectorAll('.picture img')].every(image => image.complete)")
    shown = browser.ask("[...document.querySelectorAll('.picture img')].map(image => [image.alt, image.naturalWidth > 100])")
    drawn = sorted(str(path.relative_to(folder / "papers")) for path in (folder / "papers").glob("*/*.svg"))
    expect("pictures", sorted(name for name, _ in shown), drawn)
    expect("broken pictures", [name for name, whole in shown if not whole], [])
    beside = browser.ask("[...document.querySelectorAll('.experiment figure')].map(figure => figure.querySelectorAll('img, .claims li').length > 1)")
    expect_true("each figure has a picture and a claim, tables but claims", beside.count(False) <= 2)
    expect("figure 13 and its claim", browser.ask(
        "[...document.querySelectorAll('.experiment figure')].filter(figure => figure.textContent.includes('noise-fig13.svg'))"
        ".map(figure => figure.querySelector('.claim').textContent)"),
        ["13: the influence of network noise on fat trees grows with the network size."])
    browser.ask("[...document.querySelectorAll('.picture button')].find(button => button.textContent === 'noise/noise-fig13.svg').click()")
    expect("the picture's file", browser.downloaded("noise-fig13.svg"), (folder / "papers/noise/noise-fig13.svg").read_bytes())


def main():
    if not CHROMIUM:
        skip("chromium is not installed")
    if not has_pages():
        skip(NO_PAGES)
    if not shutil.which("gnuplot"):
        skip("gnuplot is not installed")
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        reproduce(folder)
        browser = Browser(place)
        try:
            open_page(browser, folder / "papers.html")
            check_claims(browser, folder)
            check_pictures(browser, folder)
        except BrowserFailed as failed:
            sys.exit(str(failed))
        finally:
            browser.close()


if __name__ == "__main__":
    main()
