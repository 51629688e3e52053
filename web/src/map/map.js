// A map of a network: the drawing, which zooms and answers clicks, what is said of what was clicked, and a legend.
import { element, save } from "../dom.js";
import { colours, isPrinting, onTheme } from "../theme.js";
import { detailsOf } from "./details.js";
import { exceeds, readNetwork } from "./network.js";
import { inSight, paint, pointOn } from "./paint.js";
import { sceneOf } from "./scene.js";
import { shortPath } from "../result.js";
import { viewOf } from "./view.js";

const PAPER = 660; // pixels across a printed page
const NEAR = 7; // pixels from a line that still mean it
const MOST_NAMES = 3000; // that a box offers to who types

// What CANVAS shows at (X, Y): the innermost node, else the nearest line; null.
function thingAt(seen, x, y) {
    const node = seen.nodes.findLast(({ left, top, width, height }) => x >= left && x <= left + width && y >= top && y <= top + height);
    if (node && !(node.open && node.node.within)) return { node: node.node };
    let best = null, least = NEAR;
    for (const line of seen.lines) {
        const steps = line.line?.bend ? 12 : 1;
        for (let i = 0; i < steps; i++) {
            const [ax, ay] = pointOn(line, i / steps), [bx, by] = pointOn(line, (i + 1) / steps), dx = bx - ax, dy = by - ay;
            const t = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
            const distance = Math.hypot(x - ax - t * dx, y - ay - t * dy);
            if (distance < least || (distance === least && best && exceeds(line.load, best.load))) [best, least] = [line, distance];
        }
    }
    return best ? { line: best.line, channel: best.channel } : node ? { node: node.node } : null;
}

// The thing that a click on it chooses.
function chosenOf({ node, line, channel }, model) {
    if (node) return node.vertices.length === 1 ? { kind: "vertex", vertex: node.vertices[0] } : { kind: "node", node };
    if (!line) return { kind: "channel", channel };
    const { network } = model;
    if (line.cables > 1) return { kind: "line", line };
    const from = network.box.indexOf(line.a), of = [];
    for (let vertex = from; vertex >= 0; vertex = network.box.indexOf(line.a, vertex + 1)) of.push(...model.channelsOf(vertex).filter((c) => network.box[network.head[c]] === line.b));
    const [there] = of, back = network.twin[there];
    return { kind: "channel", channel: exceeds(model.values[back], model.values[there]) ? back : there };
}

function legendOf(model) {
    const { drawing } = model;
    const { shades } = drawing;
    const entry = (style, text) => element("span.entry", {}, element(`i.${style}`), text);
    // Entries of the loads, or the changes of one SIGN, that there are, the least first.
    function entriesOf(style, sign) {
        const most = Math.max(0, ...[...drawing.lines, ...drawing.boxes].map(({ load }) => sign * load));
        const used = shades[1] > 0 ? shades.filter((shade) => most > shade).length : 0;
        return shades.slice(0, used).map((shade, i) => {
            const ends = [shade, i + 1 < used ? shades[i + 1] : most].map((end) => model.formatValue(sign * end || 0));
            return entry(`${style}${i + 1}`, (sign < 0 ? ends.reverse() : ends).join(" … "));
        });
    }
    const loads = model.compares ? [...entriesOf("less", -1).reverse(), entry("load0", "no change"), ...entriesOf("more", 1)] : [entry("load0", "0"), ...entriesOf("load", 1)];
    const fails = [...drawing.lines, ...drawing.boxes].some(({ state }) => state.includes("failed")), slow = drawing.lines.some((line) => line.slow > 0);
    return element("div.legend", {}, element("strong", {}, drawing.quantity), loads,
        fails ? entry("failed", "failed") : null, slow ? entry("slow", "slower than most of its kind") : null);
}

// The element of the map that DOCUMENT holds.
// NOTES are what the page says anyway.
export function mapElement(document_, notes) {
    const model = readNetwork(document_);
    const scene = sceneOf(model);
    const { drawing, network } = model;
    const canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": `${drawing.title}. Arrow keys move, plus and minus zoom, 0 shows the whole.` });
    const tip = element("div.tip.hover", { hidden: true });
    const holder = element("div.canvas", {}, canvas, tip);
    const panel = element("div.details", { "aria-live": "polite" });
    let seen = { nodes: [], lines: [] }, chosen = null, asked = false;
    const before = []; // things that were chosen

    const { view, resize, flyToArea, showWhole, zoomIn, zoomOut } = viewOf(canvas, drawing, show, { over, click });
    const details = detailsOf(model, (thing) => select(thing, true));

    // --- drawing

    function drawOn(target, ratio) {
        target.width = Math.round(view.width * ratio);
        target.height = Math.round(view.height * ratio);
        const context = target.getContext("2d", { alpha: false });
        context.scale(ratio, ratio);
        paint(context, model, scene, view, seen, chosen, colours());
    }
    function draw() {
        asked = false;
        seen = inSight(model, scene, view);
        drawOn(canvas, isPrinting() ? 2 : devicePixelRatio);
        canvas.dataset.view = JSON.stringify({ ...view, stretch: drawing.stretch }); // for who must find a place from outside
    }
    function show() {
        if (!asked) requestAnimationFrame(() => asked && draw());
        asked = true;
    }
    function fit() {
        const full = document.fullscreenElement === figure;
        const width = isPrinting() ? PAPER : holder.clientWidth;
        if (width === 0) return;
        const height = full ? innerHeight - 140 : Math.round(Math.max(width < 500 ? 220 : 360, Math.min(720, innerHeight * 0.75, (width * drawing.height) / drawing.width + 20)));
        canvas.style.height = `${height}px`;
        resize(width, height);
        if (isPrinting()) draw(); // paper does not wait for the next picture
    }

    // --- choosing

    function select(thing, moves) {
        if (chosen && thing) before.push(chosen.thing);
        else before.length = 0;
        tell(thing, moves);
    }
    function tell(thing, moves) {
        chosen = thing ? { thing, ...details.describe(thing) } : null;
        const buttons = element("div.tools", {},
            before.length > 0 ? element("button", { type: "button", onclick: () => tell(before.pop(), true) }, "Back") : null,
            element("button", { type: "button", onclick: () => select(null) }, "Close"));
        panel.replaceChildren(...(chosen ? [element("header", {}, element("h3", {}, chosen.title), buttons), ...chosen.body.filter(Boolean)] : details.start().filter(Boolean)));
        panel.scrollTop = 0;
        if (moves && thing) lookAt(thing);
        show();
    }

    // Moves to THING, unless it is in sight and large enough.
    function lookAt(thing) {
        if (thing.kind === "node") return flyToArea(thing.node, 0.85);
        if (thing.kind !== "vertex") return;
        const node = scene.deepest(thing.vertex), width = node.width * view.scale;
        const inside = seen.nodes.some((one) => one.node === node && one.left >= 0 && one.top >= 0 && one.left + one.width <= view.width && one.top + one.height <= view.height);
        if (!inside || width < 30) flyToArea(node, Math.min(0.5, Math.max(110, width) / view.width));
    }
    function click(x, y) {
        const thing = x < 0 ? null : thingAt(seen, x, y);
        canvas.focus({ preventScroll: true });
        over(-1, -1);
        const wanted = thing ? chosenOf(thing, model) : null;
        select(wanted, wanted?.kind === "node");
    }
    function over(x, y) {
        const thing = x < 0 ? null : thingAt(seen, x, y);
        canvas.style.cursor = thing ? "pointer" : "grab";
        tip.hidden = !thing;
        if (!thing) return;
        const { node, line, channel } = thing;
        tip.textContent = node ? (node.box?.name ?? node.label) : line ? line.label : `${model.channelName(channel)}\n${model.compares ? "change" : "load"} ${model.formatValue(model.values[channel])}`;
        tip.style.left = `${Math.max(0, Math.min(x + 14, view.width - tip.offsetWidth - 4))}px`;
        tip.style.top = `${y + 18 + tip.offsetHeight > view.height ? Math.max(0, y - tip.offsetHeight - 8) : y + 18}px`;
    }

    // --- what stands around it

    function find(event) {
        const text = event.target.value.trim().toLowerCase();
        if (text === "") return;
        const is = (fits) => network.names.findIndex((name) => fits(name.toLowerCase()));
        const vertex = [(name) => name === text, (name) => name.startsWith(text), (name) => name.includes(text)].map(is).find((i) => i >= 0);
        event.target.setCustomValidity(vertex === undefined ? "No switch or endpoint has this name." : "");
        if (vertex === undefined) event.target.reportValidity();
        else select({ kind: "vertex", vertex }, true);
    }
    async function savePng() {
        const copy = element("canvas");
        drawOn(copy, 2);
        save("map.png", "image/png", await new Promise((done) => copy.toBlob(done, "image/png")));
    }
    const button = (text, title, onclick) => element("button", { type: "button", title, onclick }, text);
    const names = network.names.length <= MOST_NAMES ? element("datalist", { id: "map-names" }, network.names.map((value) => element("option", { value }))) : null;
    const tools = element("div.tools", {},
        element("input.find", { type: "search", placeholder: "Find a host or switch", "aria-label": "Find a host or switch", list: names ? "map-names" : null, onchange: find, oninput: (event) => event.target.setCustomValidity("") }), names,
        button("−", "Zoom out", zoomOut), button("+", "Zoom in", zoomIn), button("Whole", "Show the whole network", showWhole),
        button("Full screen", "Use the whole screen", () => (document.fullscreenElement ? document.exitFullscreen() : figure.requestFullscreen())), button("PNG", "What is in sight, as a picture", savePng));
    const figure = element("figure.wide.map", { "data-kind": "map" }, element("figcaption", {}, element("span", { title: drawing.title }, shortPath(drawing.title)), tools),
        element("div.around", {}, holder, panel), legendOf(model), drawing.captions.filter((text) => !notes.includes(text.trim())).map((text) => element("p.caption", {}, text)));
    tell(null);
    new ResizeObserver(() => !isPrinting() && fit()).observe(holder);
    onTheme(fit);
    return figure;
}
