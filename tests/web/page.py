"""Pages of results in a browser: nothing fails and nothing leaves the page; charts answer who points at them; tables sort,
filter and are turned; both themes, a phone and paper; a table of 100,000 rows."""
import csv
import io
import json
import pathlib
import re
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "oracle"))
from browser import CHROMIUM, Browser, BrowserFailed  # noqa: E402
from crosswind import NO_PAGES, ROOT, has_pages, run, skip  # noqa: E402

FIGURES = ROOT / "tests/golden/page/figures.json"
KINDS = ["lines", "lines", "bars", "heat-map", "sorted", "histogram", "lines", "heat-map", "timeline"]
TIPS = ["2.13 ± 0.08", "263.3", "0.518 ± 0.003", "</script><script>", " of 300", "15,104", "saturated\nyes", "4 × 2 halo", "end [ms]"]  # of one thing in each
ROWS = 100  # of a table, at a time
MOST_ELEMENTS = 3000  # of a page with one large table: it shows some rows, and draws on a canvas


def expect(what, found, expected):
    if found != expected:
        raise BrowserFailed(f"{what}: expected {expected!r}, found {found!r}")


def expect_true(what, holds):
    expect(what, bool(holds), True)


def check_quiet(browser):
    """No error, no warning, and no request but for the page itself."""
    expect("exceptions", browser.seen("Runtime.exceptionThrown"), [])
    expect("messages", [m["args"] for m in browser.seen("Runtime.consoleAPICalled") if m["type"] in ("error", "warning")], [])
    expect("log", [m["entry"]["text"] for m in browser.seen("Log.entryAdded")], [])
    urls = [m["request"]["url"] for m in browser.seen("Network.requestWillBeSent")]
    expect("requests", [url for url in urls[1:] if not url.startswith(("data:", "blob:"))], [])


def open_page(browser, path):
    browser.open(path)
    check_quiet(browser)


def cells(browser, table, part="td", row="tr"):
    """The texts of the rows that a table shows."""
    return browser.ask(f"[...document.querySelectorAll('[data-table=\"{table}\"] tbody {row}')]"
                       f".map(row => [...row.querySelectorAll('{part}')].map(cell => cell.textContent))")


def count(browser, table):
    return browser.ask(f"document.querySelector('[data-table=\"{table}\"] .count').textContent")


# --- charts

def draw_all(browser):
    """Charts are drawn when they come near."""
    for i in range(len(KINDS)):
        browser.ask(f"document.querySelectorAll('figure')[{i}].scrollIntoView({{block: 'center'}})")
        browser.wait(f"document.querySelectorAll('figure')[{i}].querySelector('svg, canvas')")


def point_at(browser, i, wanted):
    """Moves over the shapes of chart I until its tip says WANTED."""
    figure = f"document.querySelectorAll('figure')[{i}]"
    browser.ask(f"{figure}.scrollIntoView({{block: 'center'}})")
    places = browser.ask(f"[...new Set([...{figure}.querySelectorAll('path')].map(shape => shape.getBoundingClientRect())"
                         ".filter(r => r.width > 0).map(r => `${r.x + r.width / 2},${r.y + r.height / 2}`))]")
    for place in places:
        browser.point(*map(float, place.split(",")))
        browser.ask("new Promise(requestAnimationFrame)")
        if wanted in browser.ask(f"[...{figure}.querySelectorAll('.tip')].map(tip => tip.innerText).join(' ')"):
            return
    tips = browser.ask(f"[...{figure}.querySelectorAll('.tip')].map(tip => tip.innerText)")
    raise BrowserFailed(f"chart {i} has no tip with {wanted!r}; the last of {len(places)} is {tips}")


def check_charts(browser):
    draw_all(browser)
    expect("kinds", browser.ask("[...document.querySelectorAll('figure')].map(f => f.dataset.kind)"), KINDS)
    sentences = browser.ask("[...document.querySelectorAll('.undrawn')].map(p => p.textContent)")
    expect("sentences", sentences, [
        "The figure “Something new” is not drawn: this page knows no kind “radar”.",
        "The figure “A column too few” is not drawn: it names the column “messages”, which table “hops” does not have."])
    for i, wanted in enumerate(TIPS):
        point_at(browser, i, wanted)
    # The seventh highest channel is where it belongs, and its name is a text.
    browser.ask("document.querySelector('figure[data-kind=sorted]').scrollIntoView()")
    x, y, width = browser.ask("(() => { const r = document.querySelector('figure[data-kind=sorted] path[fill=none][stroke=\"#0072b2\"]')"
                              ".getBoundingClientRect(); return [r.x, r.y, r.width] })()")
    browser.point(x + width * 6 / 299, y + 20)
    browser.wait("document.querySelector('figure[data-kind=sorted] .tip').innerText.includes('<!-- leaf -->')")
    browser.wait("document.querySelector('figure[data-kind=sorted] .tip strong').innerText === '7 of 300'")
    expect_true("nothing planted has run", "planted" not in browser.ask("document.title"))
    # What charts have is in their texts: labels, or help up to a semicolon; prefixes of times, and bytes; halves of names.
    texts = browser.ask("[...document.querySelectorAll('figure')].map(f => [...f.querySelectorAll('text')].map(t => t.textContent))")
    for i, wanted in enumerate([["minhop", "perturbing / all", "slowdown, mean", "no slowdown", "1"],
                                ["1 MiB", "of the collective [µs]", "each rank's message [byte]"],
                                ["nue:lanes=2, hosts 16", "time [ms]", "noise at half", "ebb"], ["halo", "2"],
                                ["messages", "place, the greatest first"], ["pairs", "3"],
                                ["64 B", "4 KiB", "saturated", "y = x", "accepted load"],
                                ["2 halo", "3", "4", "5 <b>fft</b>", "500", "who sends"], ["alltoall", "time [ms]"]]):
        for word in wanted:
            expect_true(f"chart {i} says '{word}' in {texts[i]}", word in texts[i])
    check_shapes(browser)


def shapes(browser, i, fill="", stroke="", dashed=False):
    """How many shapes of chart I have these colours."""
    parts = [f"path.getAttribute('{name}')?.toLowerCase() === '{value}'" for name, value in (("fill", fill), ("stroke", stroke)) if value]
    parts += ["path.hasAttribute('stroke-dasharray')"] if dashed else []
    return browser.ask(f"[...document.querySelectorAll('figure')[{i}].querySelectorAll('path')].filter(path => {' && '.join(parts)}).length")


def check_shapes(browser):
    """Boxes, best bars, hollow symbols and dashed lines are as many as the figures say."""
    expect("boxes with quartiles", browser.ask("[...document.querySelectorAll('figure')[1].querySelectorAll('path')]"
                                               ".filter(path => path.getAttribute('fill-opacity') === '0.25').length"), 11)
    bars = browser.ask("[...document.querySelectorAll('figure')[2].querySelectorAll('path')].map(path => path.getAttribute('fill')?.toLowerCase())"
                       ".filter(fill => ['#d55e00', '#9ecae1'].includes(fill)).map(fill => fill === '#d55e00')")
    expect("bars that are best, in order", bars[:7], [False, False, True, False, False, True, True])
    expect("a level, and y = x", [shapes(browser, i, dashed=True) for i in (0, 1, 6)], [1, 0, 1])
    hollow = [shapes(browser, 6, fill="#fff", stroke=stroke) + shapes(browser, 6, fill="#ffffff", stroke=stroke) for stroke in ("#0072b2", "#d55e00")]
    expect("hollow symbols, one of them in the legend", hollow, [3, 1])
    lines = browser.ask("[...document.querySelectorAll('figure')[6].querySelectorAll('path')].filter(p => p.getAttribute('fill') === 'none' &&"
                        " !p.hasAttribute('stroke-dasharray') && ['#0072b2', '#d55e00'].includes(p.getAttribute('stroke')?.toLowerCase()))"
                        ".map(p => p.getAttribute('d')).filter(d => /^M[^ ]* [^ ]*L/.test(d)).map(d => d.split('L').length)")
    expect("places of lines, which lead to none that is marked", sorted(lines)[-2:], [2, 3])
    cells = browser.ask("[...document.querySelectorAll('figure')[7].querySelectorAll('path[stroke=\"#ffffff\"]')].map(p => p.getAttribute('fill'))")
    expect("700 is half way from the level to 900", cells[:2], ["rgb(107,174,214)", "rgb(8,48,107)"])


def places(browser, i, condition):
    """The shapes of chart I, as {x, y, width, height}, that CONDITION on r holds for."""
    return browser.ask(f"[...document.querySelectorAll('figure')[{i}].querySelectorAll('path')].map(p => p.getBoundingClientRect())"
                       f".filter(r => {condition}).map(r => ({{x: r.x, y: r.y, width: r.width, height: r.height}}))")


def check_places(browser):
    """Where things are drawn, and how long."""
    rows = json.loads(FIGURES.read_text())["tables"]
    bars = sorted(bar["height"] for bar in places(browser, 0, "r.width < 3 && r.height > 6 && r.height < 100"))
    halves = sorted(row["slowdown_ci95"] for row in rows["noise"]["rows"])
    expect("error bars", len(bars), len(halves))
    expect_true("their lengths", all(abs(bar / bars[-1] - half / halves[-1]) < 0.06 for bar, half in zip(bars, halves)))
    browser.ask("document.querySelectorAll('figure')[3].scrollIntoView({block: 'center'})")
    cells_drawn = places(browser, 3, "r.width > 30 && r.width < 60 && Math.abs(r.width - r.height) < 3")
    expect("cells", len(cells_drawn), sum(row["slowdown"] is not None for row in rows["slowdowns"]["rows"]))
    top = min(cell["y"] for cell in cells_drawn)
    last = max((cell for cell in cells_drawn if cell["y"] < top + 5), key=lambda cell: cell["x"])
    browser.point(last["x"] + 5, last["y"] + 5)
    heading = "document.querySelectorAll('figure')[3].querySelector('.tip strong').innerText"
    browser.wait(f"{heading}.startsWith('allreduce of 64 ranks × uniform')")
    lengths = sorted(bar["width"] for bar in places(browser, 8, "r.height > 12 && r.height < 25 && r.width > 3"))
    times = sorted(row["end"] - row["begin"] for row in rows["schedule"]["rows"])
    expect("bars in time", len(lengths), len(times))
    expect_true("their lengths", all(abs(bar / lengths[-1] - time / times[-1]) < 0.02 for bar, time in zip(lengths, times)))


def check_files(browser):
    """What charts and tables offer as files."""
    rows = json.loads(FIGURES.read_text())["tables"]["noise"]["rows"]
    browser.click("figure button:nth-of-type(1)")
    png = browser.downloaded("noise-lines.png")
    expect("a PNG", png[:8], b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    expect_true(f"{width} × {height} pixels are sharp", width > 1000 and height == 680)
    browser.click("figure button:nth-of-type(2)")
    svg = browser.downloaded("noise-lines.svg").decode()
    expect_true("an SVG", svg.startswith("<svg") and "slowdown, mean" in svg)
    browser.click("figure button:nth-of-type(3)")
    names = ["routing", "ratio", "slowdown_mean", "slowdown_ci95"]
    expect("a chart's CSV", browser.downloaded("noise-lines.csv").decode(),
           "".join(",".join(line) + "\n" for line in [names, *([str(row[n]) for n in names] for row in rows)]))
    # A table's CSV: what is shown, whole and in order.
    browser.click('[data-table="channels"] th:nth-child(2) button')
    browser.type('[data-table="channels"] input', "load>=100")
    browser.click('[data-table="channels"] .tools > button:last-of-type')
    given = list(csv.DictReader(io.StringIO(browser.downloaded("channels.csv").decode())))
    rows = [row for row in json.loads(FIGURES.read_text())["tables"]["channels"]["rows"] if (row["load"] or 0) >= 100]
    expect("a table's rows in CSV", sorted((row["name"], row["load"]) for row in given),
           sorted((row["name"], str(row["load"])) for row in rows))
    expect_true("order of CSV", given[0]["name"].startswith("<!-- leaf") and given[1]["name"].startswith("leaf01"))
    table = json.loads(FIGURES.read_text())["tables"]["compare"]
    expected = io.StringIO()
    writer = csv.writer(expected, lineterminator="\n")  # as RFC 4180 has it: names with commas are quoted
    writer.writerow([column["name"] for column in table["columns"]])
    writer.writerows(row.values() for row in table["rows"])
    browser.click('[data-table="compare"] .tools > button:last-of-type')
    expect("CSV with quotes", browser.downloaded("compare.csv").decode(), expected.getvalue())
    browser.click('[data-table="noise"] .tools > button:nth-last-of-type(2)')
    browser.wait("[...document.querySelectorAll('[data-table=\"noise\"] button')].some(b => b.textContent === 'Copied')")


# --- tables

def check_sorting(browser):
    before = cells(browser, "compare")
    heads = '[data-table="compare"] th:nth-child(%d)'
    order = f"document.querySelector('{heads % 2}').getAttribute('aria-sort')"
    expect("a missing value is empty", [before[3][i] for i in (1, 3, 5)], ["", "", ""])
    browser.click(heads % 2 + " button")
    expect("ascending", [row[0] for row in cells(browser, "compare")], [before[i][0] for i in (0, 1, 2, 3)])
    expect("order", browser.ask(order), "ascending")
    browser.click(heads % 2 + " button")
    expect("descending, what is missing last", [row[0] for row in cells(browser, "compare")], [before[i][0] for i in (2, 0, 1, 3)])
    expect("order", browser.ask(order), "descending")
    browser.click(heads % 2 + " button")
    expect("as it came", cells(browser, "compare"), before)
    expect("order", browser.ask(order), "none")


def check_filter(browser):
    box = '[data-table="noise"] input'
    rows = json.loads(FIGURES.read_text())["tables"]["noise"]["rows"]
    for query, fits in [("minhop", lambda row: row["routing"] == "minhop"),
                        ("MINHOP ratio>=0.5", lambda row: row["routing"] == "minhop" and row["ratio"] >= 0.5),
                        ("slowdown_mean<1.1", lambda row: row["slowdown_mean"] < 1.1),
                        ("ratio!=0.3 routing=dmodk", lambda row: row["ratio"] != 0.3 and row["routing"] == "dmodk"),
                        ("nothing", lambda row: False),
                        ("ratio>", lambda row: False),  # is a word
                        ("", lambda row: True)]:
        browser.type(box, query)
        expected = [[row["routing"], str(row["ratio"])] for row in rows if fits(row)]
        expect(f"filter '{query}'", [row[:2] for row in cells(browser, "noise")], expected)
        expect("count", count(browser, "noise"), f"{len(expected)} of 18 rows" if len(expected) < 18 else "18 rows")
    browser.type('[data-table="sizes"] input', "time>60")  # as it is shown, in µs
    expect("filter by what is shown", [row[0] for row in cells(browser, "sizes")], ["262,144", "1,048,576"])


def check_turning(browser):
    button = '[data-table="channels"] .pager button:nth-child(%d)'
    browser.type('[data-table="channels"] input', "")
    if browser.ask("document.querySelector('[data-table=\"channels\"] th:nth-child(2)').getAttribute('aria-sort')") != "none":
        for _ in range(2):
            browser.click('[data-table="channels"] th:nth-child(2) button')
    for turn, first, shown in [(None, 0, "1–100 of 301 rows"), (3, 100, "101–200 of 301 rows"), (4, 300, "301–301 of 301 rows"),
                               (2, 200, "201–300 of 301 rows"), (1, 0, "1–100 of 301 rows")]:
        if turn:
            browser.click(button % turn)
        expect("rows", [row[0] for row in cells(browser, "channels")], [str(i) for i in range(first, min(first + ROWS, 301))])
        expect("count", count(browser, "channels"), shown)
    expect("the first page has none before", browser.ask(f"document.querySelector('{button % 2}').disabled"), True)


def check_values(browser):
    """Numbers have their full value below the pointer, and columns their help; measured columns are there."""
    rows = json.loads(FIGURES.read_text())["tables"]["noise"]["rows"]
    titles = browser.ask("[...document.querySelectorAll('[data-table=\"noise\"] tbody tr')].map(row => row.children[2].title)")
    expect("full values", titles, [f"{row['slowdown_mean']} ± {row['slowdown_ci95']}" for row in rows])
    expect("help", browser.ask("document.querySelector('[data-table=\"noise\"] th[data-column=ratio] button').title"),
           "perturbing endpoints / all that take part")
    expect("units and prefixes", cells(browser, "rates"),
           [["h1", "4", "12,345,678,901", "0.5"], ["h2", "3.5", "5", "0.25"], ["h3", "", "0", ""]])
    expect("heads", browser.ask("[...document.querySelectorAll('[data-table=\"rates\"] th')].map(head => head.textContent)"),
           ["host", "rate[Gbyte/s]", "bytes[byte]", "search_seconds[s]"])
    expect("notes", browser.ask("[...document.querySelectorAll('.notes > *')].map(part => part.tagName + ' ' + part.textContent)"),
           ["P Incomplete: interrupted; table noise has 18 of 20 rows.",
            "P At ratio 0.5 they take 1.35 times as long: </script><!-- \u2028 <b>bold</b>.", "P To install it:",
            "PRE opensm -R file -U tables.lft\nopensm -F opensm.conf"])
    provenance = browser.ask("document.querySelector('.provenance').textContent")
    for part in ("--ratio 0.1..0.9", "crosswind 0.1.0", "seed7", "configuration/home/me/config --seed=7", "figures.json",
                 "SHA-256 a4e1ed5d57a4f389"):
        expect_true(f"'{part}' in {provenance}", part in provenance)


def check_against_text(browser, folder):
    """The page's cells are those of the same result as text."""
    fabric = ROOT / "examples/sample"
    text = run("noise", fabric / "fabric.ibnetdiscover", "--lft", fabric / "opensm-lfts.dump", "--ratio", "0.1,0.5,0.9", "--trials",
               20, "--bytes", "8B,1MiB", "--html", folder / "noise.html")
    open_page(browser, folder / "noise.html")
    heads = browser.ask("[...document.querySelectorAll('[data-table=noise] th')].map(head => [head.dataset.column, "
                        "head.querySelector('.unit')?.textContent ?? ''])")
    lines = text.split("\n\n")[1].splitlines()
    names = lines[0].split()
    expect("columns", [name for name, unit in heads if name in names], names)
    expect("units", [unit for name, unit in heads if name in names and unit], lines[1].split())
    wanted = [[re.sub(r"\s*±\s*", " ± ", cell.strip()) for cell in re.split(r"\s{2,}(?!±)(?<!± )(?=\S)", line.strip())]
              for line in lines[3:]]
    wanted = [re.sub(r"\s+", " ", " ".join(row)) for row in wanted]
    at = [i for i, (name, _) in enumerate(heads) if name in names]
    found = [re.sub(r"\s+", " ", " ".join(row[i] for i in at)) for row in cells(browser, "noise")]
    expect("cells", found, wanted)


# --- looks

def colour(browser, selector, name="background-color"):
    return browser.ask(f"getComputedStyle(document.querySelector('{selector}')).getPropertyValue('{name}')")


def brightness(text):
    return sum(int(part) for part in re.findall(r"\d+", text)[:3]) / 3


def check_themes(browser):
    label = "document.querySelector('figure text').getAttribute('fill')"
    def prefer(scheme):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.wait(f"document.documentElement.dataset.theme === '{scheme}'")

    def is_dark():
        ink = browser.ask(label)
        inks = re.findall("[0-9a-f]{2}", ink[1:]) if ink.startswith("#") else []
        expect_true(f"charts follow: {ink}", (int(inks[0], 16) > 128) == (brightness(colour(browser, "figure")) < 128))
        expect_true("text is seen", abs(brightness(colour(browser, "body")) - brightness(colour(browser, "body", "color"))) > 150)
        return brightness(colour(browser, "body")) < 128
    prefer("light")
    expect("light as the system", is_dark(), False)
    prefer("dark")
    expect("dark as the system", is_dark(), True)
    for name, dark in [("Light", False), ("Dark", True), ("System colours", True)]:
        browser.click("button.theme")
        expect("switch", browser.ask("document.querySelector('button.theme').textContent"), name)
        expect(name, is_dark(), dark)
    prefer("light")


def check_widths(browser):
    """A phone: nothing is wider than the page but what scrolls by itself."""
    for width in (320, 390, 800, 1600):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500)
        browser.wait(f"document.documentElement.clientWidth === {width}")
        browser.wait("[...document.querySelectorAll('.chart svg')].every(svg => Math.abs(svg.getBoundingClientRect().width - "
                     "svg.closest('.chart').clientWidth) < 2)")
        expect(f"no scrolling sideways at {width}", browser.ask("document.documentElement.scrollWidth"), width)
    browser.call("Emulation.clearDeviceMetricsOverride")


def check_print(browser):
    """Paper is light, and shows where the result is from; the screen is as it was afterwards."""
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    browser.wait("document.documentElement.dataset.theme === 'dark'")
    browser.ask("addEventListener('beforeprint', () => window.onPaper = [document.documentElement.dataset.theme,"
                " document.querySelector('.provenance').open, document.querySelectorAll('.chart svg').length])")
    pdf = browser.call("Page.printToPDF", printBackground=True)["data"]
    expect_true("there is a PDF", len(pdf) > 10000)
    expect("on paper", browser.ask("window.onPaper"), ["light", True, len(KINDS)])
    browser.wait("document.documentElement.dataset.theme === 'dark'")
    browser.call("Emulation.setEmulatedMedia", features=[])


def check_large(browser, folder):
    rows = [{"channel": i, "name": f"leaf{i % 997}>spine{i % 89}", "load": (i * 7919) % 100003} for i in range(100000)]
    columns = [{"name": name, "type": kind, "unit": None, "help": None}
               for name, kind in (("channel", "int"), ("name", "text"), ("load", "int"))]
    result = {"tool": "crosswind", "version": "0", "command": "crosswind congestion large", "seed": 1, "inputs": [], "context": {},
              "complete": True, "tables": {"channels": {"columns": columns, "rows": rows}},
              "figures": [{"kind": "sorted", "table": "channels", "y": "load"}], "notes": []}
    (folder / "large.json").write_text(json.dumps(result))
    run("report", folder / "large.json", folder / "large.html")
    open_page(browser, folder / "large.html")
    browser.wait("document.querySelector('figure canvas')")
    elements = browser.ask("document.querySelectorAll('*').length")
    expect_true(f"{elements} elements are few enough to be there soon", elements < MOST_ELEMENTS)
    browser.click('[data-table="channels"] th:nth-child(3) button')
    expect("the least first", [int(row[2].replace(",", "")) for row in cells(browser, "channels")],
           sorted(row["load"] for row in rows)[:ROWS])
    browser.type('[data-table="channels"] input', "leaf996> load>50000")
    fit = [row for row in rows if "leaf996>" in row["name"] and row["load"] > 50000]
    expect("count", count(browser, "channels"), f"{len(fit)} of 100,000 rows")
    check_quiet(browser)


def check_several(browser, folder):
    """A list of contents leads to each result; two of the same verb are told apart by their files."""
    run("topo", "torus:4x4", "--output", folder / "one.json")
    run("topo", "torus:5x5", "--output", folder / "two.json")
    run("report", folder / "one.json", folder / "two.json", folder / "both.html")
    open_page(browser, folder / "both.html")
    expect("contents", browser.ask("[...document.querySelectorAll('.contents li')].map(item => item.textContent)"),
           [f"topo: torus:4x4{folder}/one.json", f"topo: torus:5x5{folder}/two.json"])
    browser.click(".contents li:nth-child(2) a")
    expect("where it leads", browser.ask("document.querySelector(location.hash + ' h2').textContent"), "topotorus:5x5")
    check_quiet(browser)


def check_closed(browser):
    """Nothing in the page can reach the network, or run what a result brings: the browser sees to it."""
    policy = browser.ask("document.querySelector('meta[http-equiv=Content-Security-Policy]').content")
    expect_true(policy, policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe-eval" not in policy)
    expect("fetch", browser.ask("fetch('http://127.0.0.1:9/').then(() => 'sent', error => 'refused')"), "refused")
    refused = [m["entry"]["text"] for m in browser.seen("Log.entryAdded")]
    expect_true(f"by the policy: {refused}", refused and "Content Security Policy" in refused[0])
    browser.ask("(() => { const s = document.createElement('script'); s.textContent = 'window.planted = 1'; document.body.append(s) })()")
    expect("a script that was added", browser.ask("typeof window.planted"), "undefined")


def check_all(browser, folder):
    start = time.monotonic()
    browser.call("Emulation.setDeviceMetricsOverride", width=1200, height=900, deviceScaleFactor=1, mobile=False)
    run("report", FIGURES, folder / "figures.html")
    open_page(browser, folder / "figures.html")
    for check in (check_charts, check_places, check_values, check_sorting, check_filter, check_turning, check_files, check_themes,
                  check_widths, check_print):
        check(browser)
        print(f"{check.__name__}: good, {time.monotonic() - start:.1f} s", flush=True)
    check_quiet(browser)
    for check in (check_against_text, check_several, check_large):
        check(browser, folder)
        print(f"{check.__name__}: good, {time.monotonic() - start:.1f} s", flush=True)
    check_closed(browser)


def main():
    if not CHROMIUM:
        skip("chromium is not installed")
    if not has_pages():
        skip(NO_PAGES)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        browser = Browser(folder)
        try:
            check_all(browser, folder)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
