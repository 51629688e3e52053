"""How pages and maps look: pictures of them, in light and dark, against small ones that are kept in looks/.

Texts are transparent, for fonts differ between machines; page.py and map.py read what they say. Pictures are cut into blocks;
of each block count its mean colour and how much there is in it, the mean distance of its pixels from that. And of each picture
how much there is of each hue. A shift by a pixel or two matters little, and what is missing or has another colour does: all of
a picture has a mean difference above WHOLE, or a sixteenth of it one above PLACE; or more than HUES of its colour is another.

    looks.py             compares; a page in another font must pass, too, and what is planted must not
    looks.py --update    writes the pictures: look at them"""
import base64
import colorsys
import pathlib
import struct
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "oracle"))
from browser import CHROMIUM, Browser, BrowserFailed  # noqa: E402
from crosswind import NO_PAGES, has_pages, run, skip  # noqa: E402
from map import FABRIC, open_map, prefer, settle  # noqa: E402
from page import FIGURES, check_quiet, draw_all, open_page  # noqa: E402

KEPT = pathlib.Path(__file__).resolve().parent / "looks"
WIDTH = 240  # pixels of a picture
COLUMNS = 20  # blocks across
PLACES = 4  # across and down, of which the worst counts
WHOLE, PLACE, HUES = 1, 2, 0.15  # what may differ: of 255 on average, and in one place; of all colour
ZOOM = {"page": ".figures", "map": ".map", "change": ".map"}  # what of a page is shown
LOOKS = [("page", "light"), ("page", "dark"), ("map", "light"), ("map", "dark"), ("change", "light")]


# --- pictures

def unfilter(kind, line, above, n):
    """The bytes of a line of a PNG, of pixels with N bytes."""
    for i in range(len(line)):
        left, up, corner = (line[i - n] if i >= n else 0), above[i], (above[i - n] if i >= n else 0)
        if kind == 4:  # Paeth
            guess = left + up - corner
            by = [abs(guess - left), abs(guess - up), abs(guess - corner)]
            add = (left, up, corner)[by.index(min(by))]
        else:
            add = (0, left, up, (left + up) // 2)[kind]
        line[i] = (line[i] + add) & 255
    return line


def pixels_of(png):
    """Lines of pixels (red, green, blue) of a PNG with 8 bits each and no palette."""
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", png[at + 8:at + 18])
        if kind == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += length + 12
    n = {2: 3, 6: 4}[colours]
    assert depth == 8
    raw, above, lines = zlib.decompress(data), bytes(width * n), []
    for y in range(height):
        start = y * (width * n + 1)
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + width * n]), above, n)
        lines.append([tuple(above[x:x + 3]) for x in range(0, width * n, n)])
    return lines


def small(png):
    """The same picture in fewer bytes: without transparency, and nothing but compressed."""
    lines = [bytes(value for pixel in line for value in pixel) for line in pixels_of(png)]
    raw = b"".join(b"\0" + line for line in lines)
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", len(lines[0]) // 3, len(lines), 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks)


def blocks_of(png):
    """Rows of blocks, each (red, green, blue, what is in it)."""
    lines = pixels_of(png)
    rows = round(COLUMNS * len(lines) / len(lines[0]))

    def block(x, y):
        part = [pixel for line in lines[y * len(lines) // rows:(y + 1) * len(lines) // rows]
                for pixel in line[x * len(line) // COLUMNS:(x + 1) * len(line) // COLUMNS]]
        mean = [sum(pixel[i] for pixel in part) / len(part) for i in range(3)]
        return (*mean, sum(abs(pixel[i] - mean[i]) for pixel in part for i in range(3)) / len(part))
    return [[block(x, y) for x in range(COLUMNS)] for y in range(rows)]


def hues_of(png):
    """How much colour there is of each sixth of the circle."""
    hues = [0] * 6
    for line in pixels_of(png):
        for red, green, blue in line:
            most, least = max(red, green, blue), min(red, green, blue)
            if most - least > 20:
                hue = colorsys.rgb_to_hsv(red, green, blue)[0]
                hues[round(hue * 6) % 6] += most - least
    return hues


def difference_of_hues(a, b):
    return sum(abs(p - q) for p, q in zip(a, b)) / max(sum(a), sum(b), 1)


def difference(a, b):
    """(mean, in the worst place), of 255. A picture that is longer has nothing to be compared with at its end."""
    if abs(len(a) - len(b)) > 2:
        return 255, 255
    rows = min(len(a), len(b))
    by = [[sum(abs(p - q) for p, q in zip(a[y][x], b[y][x])) / 4 for x in range(COLUMNS)] for y in range(rows)]
    places = {}
    for y in range(rows):
        for x in range(COLUMNS):
            places.setdefault((y * PLACES // rows, x * PLACES // COLUMNS), []).append(by[y][x])
    means = [sum(place) / len(place) for place in places.values()]
    return sum(means) / len(means), max(means)


# --- pages

def shot(browser, selector):
    browser.ask("scrollTo(0, 0)")  # the bar at the top stays there
    settle(browser)
    x, y, width, height = browser.ask(f"(() => {{ const r = document.querySelector('{selector}').getBoundingClientRect();"
                                      " return [r.x + scrollX, r.y + scrollY, r.width, r.height] })()")
    clip = {"x": x, "y": y, "width": width, "height": height, "scale": WIDTH / width}
    return base64.b64decode(browser.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"])


def show(browser, folder, name, scheme):
    """Opens what NAME shows, all of it drawn."""
    (open_page if name == "page" else open_map)(browser, folder / f"{name}.html")
    prefer(browser, scheme)
    if name == "page":
        draw_all(browser)
    settle(browser)


def make_pages(folder):
    run("report", FIGURES, folder / "page.html")
    run("map", *FABRIC, folder / "map.html", "--top", 0)
    run("map", "torus:6x6", folder / "change.html", "--failed", "s(1,1)", "--against", "whole", "--top", 0)


# What must be noticed: a name and scheme, and what is done to the page.
CANVAS = "document.querySelector('.map canvas')"
PLANTED = {
    "the map is not drawn": ("map", "light", f"{CANVAS}.getContext('2d').clearRect(0, 0, 9999, 9999)"),
    "the map is not drawn, in the dark": ("map", "dark", f"{CANVAS}.getContext('2d').clearRect(0, 0, 9999, 9999)"),
    "a chart is gone": ("page", "light", "document.querySelectorAll('figure .chart')[7].style.visibility = 'hidden'"),
    "another chart is gone": ("page", "dark", "document.querySelectorAll('figure .chart')[0].style.visibility = 'hidden'"),
    "a figure is gone": ("page", "light", "document.querySelector('figure').remove()"),
    "cards are dark in the light": ("page", "light", "document.documentElement.style.setProperty('--card', '#171c21')"),
    "more is blue, and less is red": ("change", "light", f"(() => {{ const c = {CANVAS}, t = c.getContext('2d'), d = t.getImageData(0, 0, c.width, c.height);"
                                      " for (let i = 0; i < d.data.length; i += 4) [d.data[i], d.data[i + 2]] = [d.data[i + 2], d.data[i]];"
                                      " t.putImageData(d, 0, 0) })()"),
}
NO_TEXT = """CanvasRenderingContext2D.prototype.fillText = CanvasRenderingContext2D.prototype.strokeText = () => {};
document.addEventListener('DOMContentLoaded', () => document.head.append(Object.assign(document.createElement('style'),
    { textContent: '*, ::placeholder { color: transparent !important } text { fill: transparent !important; stroke: transparent !important }' })))"""
OTHER_FONT = "document.head.append(Object.assign(document.createElement('style'), { textContent: '* { font-family: serif !important }' }))"


def check(browser, folder, kept):
    """Looks as they should, in another font, too; and none as the other theme."""
    faults, blocks = [], {key: (blocks_of(png), hues_of(png)) for key, png in kept.items()}

    def compare(what, key, like):
        png = shot(browser, ZOOM[key[0]])
        mean, worst = difference(blocks_of(png), blocks[key][0])
        hues = difference_of_hues(hues_of(png), blocks[key][1])
        print(f"{what}: {mean:.1f} on average, {worst:.1f} in the worst place, {100 * hues:.0f} % of the colour", flush=True)
        if (mean <= WHOLE and worst <= PLACE and hues <= HUES) != like:
            (pathlib.Path.cwd() / f"looks-{'-'.join(key)}.png").write_bytes(png)
            faults.append(f"{what}: {'is to look' if like else 'looks'} like looks/{'-'.join(key)}.png; this is {pathlib.Path.cwd()}/looks-{'-'.join(key)}.png")

    for key in kept:
        show(browser, folder, *key)
        compare(" ".join(key), key, True)
        other = (key[0], "light" if key[1] == "dark" else "dark")
        if other in kept:
            compare(f"{' '.join(key)} as the other theme", other, False)
    for name in ("page", "map"):
        show(browser, folder, name, "light")
        browser.ask(OTHER_FONT)
        settle(browser)
        compare(f"{name} in another font", (name, "light"), True)
        check_quiet(browser)
    for what, (name, scheme, expression) in PLANTED.items():
        show(browser, folder, name, scheme)
        browser.ask(f"void ({expression})")
        compare(f"planted: {what}", (name, scheme), False)
    return faults


def main():
    if not CHROMIUM:
        skip("chromium is not installed")
    if not has_pages():
        skip(NO_PAGES)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        make_pages(folder)
        browser = Browser(folder)
        try:
            browser.call("Emulation.setDeviceMetricsOverride", width=1200, height=900, deviceScaleFactor=1, mobile=False)
            browser.call("Page.addScriptToEvaluateOnNewDocument", source=NO_TEXT)
            if "--update" in sys.argv:
                KEPT.mkdir(exist_ok=True)
                for key in LOOKS:
                    show(browser, folder, *key)
                    (KEPT / f"{'-'.join(key)}.png").write_bytes(small(shot(browser, ZOOM[key[0]])))
                return
            faults = check(browser, folder, {key: (KEPT / f"{'-'.join(key)}.png").read_bytes() for key in LOOKS})
        finally:
            browser.close()
    if faults:
        raise BrowserFailed("\n".join(faults))


if __name__ == "__main__":
    main()
