"""Maps in a browser: nothing fails; a click on a cable, a switch, an endpoint answers with the figures of `congestion` and
`route`; what is put together opens; themes, keys, a phone, paper; 20,736 endpoints; names that are markup."""
import json
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "oracle"))
from browser import CHROMIUM, Browser, BrowserFailed  # noqa: E402
from crosswind import NO_PAGES, ROOT, has_pages, run, skip, tables  # noqa: E402
from page import expect, expect_true, open_page, check_quiet  # noqa: E402

SAMPLE = ROOT / "examples/sample"
FABRIC = [SAMPLE / "fabric.ibnetdiscover", "--lft", SAMPLE / "opensm-lfts.dump"]
LARGE = "dragonfly:12,24,12,g=72"
MOST_ELEMENTS = 3000  # of a page with a large map
CANVAS = "document.querySelector('.map canvas')"


def open_map(browser, path):
    open_page(browser, path)
    browser.wait(f"{CANVAS}?.dataset.view")
    browser.ask(f"{CANVAS}.scrollIntoView({{block: 'center'}})")
    settle(browser)


def settle(browser):
    """Waits for what is drawn next."""
    browser.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))")


def prefer(browser, scheme, motion="reduce"):
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                         {"name": "prefers-reduced-motion", "value": motion}])
    browser.wait(f"document.documentElement.dataset.theme === '{scheme}'")


def view(browser):
    return json.loads(browser.ask(f"{CANVAS}.dataset.view"))


def drawing(browser):
    return browser.ask("JSON.parse(document.querySelector('script.result').textContent).map.drawing")


def press(browser, x, y):
    """Clicks at a place of the canvas."""
    left, top = browser.ask(f"(() => {{ const r = {CANVAS}.getBoundingClientRect(); return [r.x + 1, r.y + 1] }})()")
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        browser.call("Input.dispatchMouseEvent", type=kind, x=left + x, y=top + y, button="left", clickCount=1)
    settle(browser)


def place(browser, x, y):
    """Where (x, y) of the drawing is on the canvas."""
    seen = view(browser)
    return x * seen["scale"] + seen["x"], y * seen["stretch"] * seen["scale"] + seen["y"]


def press_box(browser, label, number=0):
    box = [box for box in drawing(browser)["boxes"] if box["label"] == label][number]
    press(browser, *place(browser, box["x"], box["y"]))


def title(browser):
    return browser.ask("document.querySelector('.details h3').textContent")


def facts(browser):
    return dict(browser.ask("[...document.querySelectorAll('.details dl div')].map(row => [row.firstChild.textContent, row.lastChild.textContent])"))


def rows(browser, number=0):
    """The cells of a list of the panel."""
    return browser.ask(f"[...document.querySelectorAll('.details table')[{number}].querySelectorAll('tbody tr')]"
                       ".map(row => [...row.cells].map(cell => cell.textContent))")


def follow(browser, text):
    """Clicks what is called TEXT in the panel."""
    expect_true(f"'{text}' can be clicked", browser.ask(
        f"(() => {{ const link = [...document.querySelectorAll('.details button')].find(b => b.textContent === {json.dumps(text)});"
        " link?.click(); return Boolean(link) })()"))
    settle(browser)


def hover(browser, offsets):
    """The tips at places, by their distance from the middle of the canvas."""
    x, y = browser.ask(f"(() => {{ const r = {CANVAS}.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] }})()")
    tips = []
    for dx, dy in offsets:
        browser.point(x + dx, y + dy)
        tips.append(browser.ask("document.querySelector('.tip.hover').hidden ? '' : document.querySelector('.tip.hover').textContent"))
    return tips


def find(browser, text):
    browser.ask(f"(() => {{ const box = document.querySelector('.map .find'); box.value = {json.dumps(text)};"
                " box.dispatchEvent(new Event('change')) })()")
    settle(browser)


def pixels(browser, colour):
    """How many pixels of the canvas have a colour, #rrggbb."""
    red, green, blue = (int(colour[i:i + 2], 16) for i in (1, 3, 5))
    return browser.ask(f"(() => {{ const c = {CANVAS}, copy = new OffscreenCanvas(c.width, c.height).getContext('2d', {{ willReadFrequently: true }});"
                       " copy.drawImage(c, 0, 0); const d = copy.getImageData(0, 0, c.width, c.height).data; let n = 0;"
                       f" for (let i = 0; i < d.length; i += 4) n += d[i] === {red} && d[i + 1] === {green} && d[i + 2] === {blue};"
                       " return n })()")


def name_of(channel):
    return f"{channel['tail']}/{channel['tail_port']}>{channel['head']}/{channel['head_port']}"


# --- the sample fabric

def check_start(browser, busiest):
    """What is listed first is the table of the busiest channels."""
    expect("the busiest", rows(browser), [[name_of(one), one["speed"], f"{one['load']:g}"] for one in busiest[:10]])
    expect("legend", browser.ask("[...document.querySelectorAll('.entry')].map(entry => entry.textContent)")[-1], "slower than most of its kind")
    expect_true("the hottest cables are seen", pixels(browser, "#b3122a") > 50)


def check_channels(browser, busiest):
    """A channel's ends, capacity, load, and the messages over it."""
    counted = {name_of(one): one for one in tables("congestion", *FABRIC, "--traffic", "alltoall", "--top", 1000)["hottest"]}
    for one in busiest[:3] + busiest[200:202]:
        follow(browser, name_of(one)) if one in busiest[:10] else reach(browser, one)
        told = facts(browser)
        expect("title", title(browser), name_of(one))
        expect("ends", [told["from"], told["to"]], [one["tail"], one["head"]])
        expect("capacity", told["capacity"].split(",")[0], one["speed"])
        messages = counted[name_of(one)]["messages"]
        expect("carries", told["carries"], f"{messages} messages")
        expect("load", float(told["load"]), one["load"])
        expect("pairs", browser.ask("document.querySelector('.details .messages').dataset.pairs"), str(messages))
        expect("rows", len(rows(browser)), min(100, messages))
        src, dst = rows(browser)[0][0].split(" → ")
        hops = tables("route", *FABRIC, "--from", src, "--to", dst)["route"]
        expect_true("the first message crosses it", any(hop["from"] == one["tail"] and hop["to"] == one["head"] for hop in hops))
        follow(browser, "Close")
    expect("back at the start", title(browser), "The busiest channels")


def reach(browser, channel):
    """Comes to a channel by the switch that it leaves, or arrives at."""
    find(browser, channel["tail"])
    follow(browser, name_of(channel))


def check_clicks(browser):
    """Switches, lines, boxes of several, endpoints and routes, by pointing at them."""
    press_box(browser, "leaf05")
    expect("a switch", title(browser), "leaf05")
    expect("its cables", facts(browser)["switch"], "31 cables")
    lines = drawing(browser)["lines"]
    boxes = drawing(browser)["boxes"]
    line = next(one for one in lines if {boxes[one["a"]]["label"], boxes[one["b"]]["label"]} == {"leaf01", "spine1"})
    a, b = boxes[line["a"]], boxes[line["b"]]
    press(browser, *place(browser, (a["x"] + b["x"]) / 2, (a["y"] + b["y"]) / 2))
    expect("a line", title(browser), line["label"].split("\n")[0])
    expect("its channels, both ways", len(rows(browser)), 2 * line["cables"])
    expect("its load", float(rows(browser)[0][2]), line["load"])
    before = view(browser)["scale"]
    press_box(browser, "16 endpoints", 2)  # of leaf03
    expect_true("it is zoomed into", view(browser)["scale"] > 1.5 * before)
    expect("what is in it", [row[0] for row in rows(browser)], [f"node{i:03}" for i in range(33, 49)])
    browser.ask(f"{CANVAS}.focus()")
    key(browser, "0")
    follow(browser, "node042")
    expect("an endpoint", title(browser), "node042")
    seen = view(browser)
    press(browser, seen["width"] / 2, seen["height"] / 2)  # flown to, it is in the middle
    expect("the same by a click", title(browser), "node042")
    expect("its messages", browser.ask("document.querySelector('.details .messages').textContent"), "It sends to 142 endpoints and receives from 142.")
    for to in ("node001", "node033", "node100"):
        hops = tables("route", *FABRIC, "--from", "node042", "--to", to)["route"]
        find(browser, "node042")
        expect("its channels", dict(row[:2] for row in rows(browser, 1))[f"node042 → {to}"], str(len(hops)))
        follow(browser, f"node042 → {to}")
        path = [row[0] for row in rows(browser)]
        expect(f"the route to {to}", [re.match(r"(.*)/\d+>(.*)/\d+$", name).groups() for name in path], [(hop["from"], hop["to"]) for hop in hops])
    follow(browser, "Back")
    expect("one back", title(browser), "node042")
    press(browser, 3, 3)
    expect("a click on nothing", title(browser), "The busiest channels")


def key(browser, name):
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key=name)
    settle(browser)


def check_moving(browser):
    """Keys and the wheel, which scrolls the page until the map was clicked."""
    x, y = browser.ask(f"(() => {{ const r = {CANVAS}.getBoundingClientRect(); return [r.x + 100, r.y + 100] }})()")
    browser.ask(f"{CANVAS}.focus()")
    key(browser, "0")
    whole = view(browser)
    key(browser, "+")
    expect_true("plus", view(browser)["scale"] > whole["scale"] * 1.2)
    before = view(browser)
    key(browser, "ArrowLeft")
    expect("left", round(view(browser)["x"] - before["x"]), 60)
    for _ in range(4):
        key(browser, "-")
    expect("never less than the whole", view(browser), whole)
    browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-120)
    settle(browser)
    now = view(browser)
    expect_true("the wheel", now["scale"] > whole["scale"] * 1.2)
    expect("what is below the pointer stays there", [round((100 - seen["x"] - 1) / seen["scale"]) for seen in (whole, now)],
           [round((100 - whole["x"] - 1) / whole["scale"])] * 2)
    browser.ask(f"{CANVAS}.blur()")
    browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-120)
    settle(browser)
    expect("the wheel of the page", view(browser), now)
    find(browser, "no such node")
    expect_true("a name that is none", "No switch" in browser.ask("document.querySelector('.map .find').validationMessage"))
    find(browser, "NODE07")
    expect("the beginning of a name", title(browser), "node070")
    prefer(browser, "light", "no-preference")
    browser.click(".map .tools button[title^='Show']")  # it flies there
    browser.wait(f"JSON.parse({CANVAS}.dataset.view).scale === {whole['scale']}")
    prefer(browser, "light")
    browser.ask("[...document.querySelectorAll('.map .tools button')].find(b => b.textContent === 'PNG').click()")
    expect("a PNG", browser.downloaded("map.png")[:8], b"\x89PNG\r\n\x1a\n")


def check_looks(browser):
    """Both themes, a phone, and paper, which is light."""
    for scheme, paper in (("dark", "#171c21"), ("light", "#ffffff")):
        prefer(browser, scheme)
        settle(browser)
        expect_true(f"{scheme} is the map, too", pixels(browser, paper) > 10000)
    for width in (360, 800, 1200):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        browser.wait(f"document.documentElement.clientWidth === {width}")
        browser.wait(f"JSON.parse({CANVAS}.dataset.view).width === {CANVAS}.parentElement.clientWidth")
        expect(f"no scrolling sideways at {width}", browser.ask("document.documentElement.scrollWidth"), width)
    prefer(browser, "dark")
    browser.ask("addEventListener('beforeprint', () => { const c = document.querySelector('.map canvas'); window.onPaper ="
                " [JSON.parse(c.dataset.view).width, ...c.getContext('2d').getImageData(2, 2, 1, 1).data] })")
    browser.call("Page.printToPDF", printBackground=True)
    expect("on paper", browser.ask("window.onPaper"), [660, 255, 255, 255, 255])
    prefer(browser, "light")
    browser.wait(f"JSON.parse({CANVAS}.dataset.view).width !== 660")


# --- others

def check_failed(browser, folder):
    run("map", "xgft:2:4,4:1,2", folder / "failed.html", "--failed", "s2.1", "--degraded", "s1.2-s2.0=8Gbit/s")
    open_map(browser, folder / "failed.html")
    expect_true("what failed has its colour", pixels(browser, "#a3159a") > 20)
    find(browser, "s2.1")
    expect("its channels", [row[2] for row in rows(browser)], ["failed"] * 8)
    follow(browser, rows(browser)[0][0])
    expect("a channel that failed", browser.ask("document.querySelector('.details p').textContent"), "It has failed: nothing goes over it.")
    find(browser, "s1.2")
    slow = next(row for row in rows(browser) if row[1] == "8 Gbit/s")
    follow(browser, slow[0])
    expect("a slow one", facts(browser)["capacity"], "8 Gbit/s, slower than most of its kind")
    check_quiet(browser)


def check_against(browser, folder):
    """What differs between two states: colours of more and of less, the legend, lists, a channel's loads, tips."""
    command = ["map", "torus:8x8", folder / "against.html", "--failed", "s(0,0)", "--against", "whole", "--top", 1000]
    changes = json.loads(run(*command, "--format", "json"))["tables"]["changes"]["rows"]
    open_map(browser, folder / "against.html")
    expect("what changes most", [[row[0], row[2], number_of(row[3])] for row in rows(browser)],
           [[name_of(one), f"{one['load']:g}", one["change"]] for one in changes[:10]])
    legend = browser.ask("[...document.querySelectorAll('.entry')].map(entry => entry.textContent)")
    less, more = min(one["change"] for one in changes), max(one["change"] for one in changes)
    expect("the legend's ends", [legend[0].split(" … ")[0], legend[-2].split(" … ")[1]], [f"−{-less:g}", f"+{more:g}"])
    expect("its middle", legend[5], "no change")
    for colour in ("#7d0b1f", "#0a3a75", "#a3159a"):
        expect_true(f"{colour} is seen", pixels(browser, colour) > 20)
    for one in changes[:2]:
        follow(browser, name_of(one))
        told = facts(browser)
        expect("loads", [told["load"], told["in the other state"]], [f"{one['load']:g}", f"{one['load_before']:g}"])
        expect("change", number_of(told["change"]), one["change"])
        follow(browser, "Close")
    find(browser, "s(1,0)")
    row = next(row for row in rows(browser) if row[0] == name_of(changes[0]))
    expect("of a switch", number_of(row[3]), changes[0]["change"])
    expect("what failed has no change", {row[3] for row in rows(browser) if row[2] == "failed"}, {""})
    check_quiet(browser)


def number_of(text):
    return float(text.replace("−", "-"))


def check_by_sender(browser, folder):
    """Routes that depend on the sender stand by themselves in the page."""
    run("map", "xgft:2:4,4:1,2", folder / "sender.html", "--routing", "smodk")
    open_map(browser, folder / "sender.html")
    for src, dst in (("h0", "h15"), ("h1", "h15"), ("h14", "h3")):
        hops = tables("route", "xgft:2:4,4:1,2", "--routing", "smodk", "--from", src, "--to", dst)["route"]
        find(browser, src)
        follow(browser, f"{src} → {dst}")
        expect(f"{src} to {dst}", [row[0] for row in rows(browser)], [f"{hop['from']}/{hop['port']}>{hop['to']}/{hop['to_port']}" for hop in hops])
    check_quiet(browser)


def check_bent(browser, folder):
    """A line that bends is where it is drawn."""
    run("map", "dragonfly:2,4,2", folder / "ring.html")
    open_map(browser, folder / "ring.html")
    boxes = drawing(browser)["boxes"]
    bent = [line for line in drawing(browser)["lines"] if abs(line["bend"]) > 10]
    expect_true("some lines bend", len(bent) > 2)
    for line in (bent[0], bent[len(bent) // 2], bent[-1]):
        a, b = boxes[line["a"]], boxes[line["b"]]
        dx, dy = b["x"] - a["x"], b["y"] - a["y"]
        length = (dx * dx + dy * dy) ** 0.5
        press(browser, *place(browser, (a["x"] + b["x"]) / 2 + line["bend"] * dy / length, (a["y"] + b["y"]) / 2 - line["bend"] * dx / length))
        ends = {facts(browser)[end] for end in ("from", "to")}
        expect("the ends of the line", ends, {a["label"], b["label"]})
    check_quiet(browser)


def check_sizes(browser, folder):
    """Messages of different sizes: amounts, and times, in a page of congestion."""
    (folder / "sizes.csv").write_text("0,2,1048576\n1,2,4096\n1,0,8\n")
    run("congestion", "xgft:2:2,2:1,1", "--traffic", f"matrix:{folder}/sizes.csv", "--html", folder / "sizes.html")
    open_map(browser, folder / "sizes.html")
    follow(browser, next(row[0] for row in rows(browser) if row[0].endswith(">h2/1")))
    expect("carries", facts(browser)["carries"], "1.004 MiB")
    expect("load", facts(browser)["load"], "210.5 µs")  # 1,052,672 bytes at 5e9 byte/s
    expect("messages", rows(browser), [["h0 → h2", "1 MiB"], ["h1 → h2", "4 KiB"]])
    check_quiet(browser)


def check_large(browser, folder):
    """20,736 endpoints: groups open to switches, these to endpoints; what is left out is said."""
    run("map", LARGE, folder / "large.html", "--top", 0)
    open_map(browser, folder / "large.html")
    elements = browser.ask("document.querySelectorAll('*').length")
    expect_true(f"{elements} elements are few", elements < MOST_ELEMENTS)
    label = drawing(browser)["boxes"][0]["label"]
    press_box(browser, label)
    expect("groups", title(browser), label)
    tips = hover(browser, [(dx, dy) for dx in range(-150, 151, 50) for dy in (0, 20, 40)])
    switches = [tip for tip in tips if tip and "load" not in tip]
    expect_true(f"parts are called by their switches: {switches}", len(switches) > 3 and all(re.fullmatch(r"g\ds\d+", tip) for tip in switches))
    find(browser, "g1s5")
    seen = view(browser)
    follow(browser, "Close")
    press(browser, seen["width"] / 2, seen["height"] / 2)  # flown to, it is in the middle
    expect("the same by a click", title(browser), "g1s5")
    expect("a switch", facts(browser)["switch"], "47 cables")
    follow(browser, rows(browser)[0][0])
    expect_true("what is left out", "more pairs of endpoints" in browser.ask("document.querySelector('.details').textContent"))
    check_quiet(browser)


def check_names(browser, folder):
    """Names that are markup stay names."""
    text = (ROOT / "tests/golden/fabric/two-level.ibnetdiscover").read_text()
    (folder / "hostile.ibnetdiscover").write_text(text.replace('# "', '# "<img src=x onerror=planted=1>'))
    run("map", folder / "hostile.ibnetdiscover", folder / "hostile.html")
    open_map(browser, folder / "hostile.html")
    follow(browser, rows(browser)[0][0])
    expect_true(title(browser), "<img src=x" in title(browser))
    expect("nothing has run", browser.ask("typeof window.planted + document.querySelectorAll('img').length"), "undefined0")
    check_quiet(browser)


def check_all(browser, folder):
    start = time.monotonic()
    browser.call("Emulation.setDeviceMetricsOverride", width=1200, height=900, deviceScaleFactor=1, mobile=False)
    busiest = json.loads(run("map", *FABRIC, folder / "sample.html", "--top", 1000, "--format", "json"))["tables"]["busiest"]["rows"]
    open_page(browser, folder / "sample.html")
    prefer(browser, "light")
    open_map(browser, folder / "sample.html")
    checks = [(check_start, busiest), (check_channels, busiest), (check_clicks,), (check_moving,), (check_looks,), (check_failed, folder), (check_against, folder),
              (check_by_sender, folder), (check_bent, folder), (check_sizes, folder), (check_large, folder), (check_names, folder)]
    for check, *arguments in checks:
        check(browser, *arguments)
        check_quiet(browser)
        print(f"{check.__name__}: good, {time.monotonic() - start:.1f} s", flush=True)


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
