// Draws a map on a canvas as it is seen: what is out of sight is left out, and written is what there is room for.
import { exceeds } from "./network.js";
import { withinOf } from "./scene.js";

const FONT = 11;
const FEW = 120; // lines in sight, up to which they have numbers
const MARK = { width: 16, height: 13 }; // what a mark or a number takes

// Where its colour stands in loadColours: of a change below 0 a negative number.
function shadeOf(load, shades) {
    const size = Math.abs(load ?? 0);
    let shade = 0;
    while (size > 0 && shade < shades.length && size > shades[shade] * (1 + 1e-12)) shade++;
    return load < 0 ? -shade : shade;
}

const colourOf = (shade, { compares }, { loads, more, less }) => (!compares || shade === 0 ? loads[shade] : shade > 0 ? more[shade - 1] : less[-shade - 1]);

// The number of the widest line's pixels, as in the SVG: thin where lines are many.
const widestOf = (n) => (n > 400 ? 1.4 : n > 150 ? 2 : n > 60 ? 3 : 5);

// The point at the share T of a line in pixels.
export function pointOn({ ax, ay, bx, by, cx, cy }, t) {
    const s = 1 - t;
    return [s * s * ax + 2 * s * t * cx + t * t * bx, s * s * ay + 2 * s * t * cy + t * t * by];
}

// Everything of MODEL in SCENE that is in sight of VIEW, {scale, x, y, width, height}, in pixels:
// {nodes: [{node, left, top, width, height, open}], lines: [{ax, …, line or channel, shade, stroke, …}]}.
export function inSight(model, scene, view) {
    const { drawing, network, tail } = model;
    const { scale, x: dx, y: dy } = view;
    const sees = (left, top, width, height) => left < view.width && top < view.height && left + width > 0 && top + height > 0;
    const seesNode = (node) => sees((node.x - node.width / 2) * scale + dx, (node.y - node.height / 2) * scale + dy, node.width * scale, node.height * scale);
    const nodes = [];
    function addNode(node) {
        const width = node.width * scale, height = node.height * scale, left = node.x * scale + dx - width / 2, top = node.y * scale + dy - height / 2;
        if (!sees(left, top, width, height)) return;
        const open = scene.isOpen(node, scale);
        nodes.push({ node, left, top, width, height, open });
        if (open) withinOf(node, model).forEach(addNode);
    }
    scene.boxes.forEach(addNode);
    const opened = new Set(nodes.filter(({ node, open }) => node.box && open).map(({ node }) => node));

    const lines = [];
    const most = Math.max(...drawing.lines.map(({ capacity }) => capacity), 0), fastest = Math.max(...network.capacities, 0);
    const widest = widestOf(drawing.lines.length) * Math.min(2, Math.max(0.7, scale));
    function addLine(a, b, bend, what) {
        const ax = a.x * scale + dx, ay = a.y * scale + dy, bx = b.x * scale + dx, by = b.y * scale + dy;
        const length = Math.max(Math.hypot(bx - ax, by - ay), 1e-9), off = (2 * bend * scale) / length;
        const cx = (ax + bx) / 2 + (by - ay) * off, cy = (ay + by) / 2 - (bx - ax) * off;
        const left = Math.min(ax, bx, cx), top = Math.min(ay, by, cy);
        if (sees(left - 1, top - 1, Math.max(ax, bx, cx) - left + 2, Math.max(ay, by, cy) - top + 2)) lines.push({ ax, ay, bx, by, cx, cy, length, ...what });
    }
    for (const line of drawing.lines) {
        const a = scene.boxes[line.a], b = scene.boxes[line.b];
        if (opened.has(a) || opened.has(b)) continue;
        addLine(a, b, line.bend, {
            line, cables: line.cables, load: line.load, shade: shadeOf(line.load, drawing.shades), slow: line.slow > 0,
            failed: line.failed > 0, works: line.failed < line.cables, stroke: Math.max(0.5, widest * Math.sqrt(line.capacity / (most || 1))),
        });
    }
    for (const box of opened)
        for (const vertex of box.vertices)
            for (const channel of model.channelsOf(vertex)) {
                const other = network.head[channel], far = scene.boxes[network.box[other]];
                if (opened.has(far) && tail[channel] > other) continue; // it comes from there
                const a = scene.nodeAt(vertex, scale, seesNode), b = scene.nodeAt(other, scale, (node) => opened.has(far) && seesNode(node));
                if (a === b) continue;
                const loads = [model.values[channel], model.values[network.twin[channel]]], works = loads.some((load) => load !== null);
                const turned = exceeds(loads[1], loads[0]), load = loads[turned ? 1 : 0];
                addLine(a, b, 0, {
                    channel: turned ? network.twin[channel] : channel, cables: 1, load, works, failed: loads.includes(null),
                    shade: shadeOf(load, drawing.shades), slow: model.isSlow(channel), stroke: Math.max(0.7, 1.8 * Math.sqrt(network.capacities[network.speed[channel]] / (fastest || 1))),
                });
            }
    const rank = ({ failed, load }) => (failed ? Infinity : load === null ? -1 : Math.abs(load)); // the hottest lie on top, and what failed
    lines.sort((a, b) => rank(a) - rank(b));
    return { nodes, lines };
}

function trace(context, { ax, ay, bx, by, cx, cy }) {
    context.moveTo(ax, ay);
    context.quadraticCurveTo(cx, cy, bx, by);
}

// Lines of one look that follow one another are one path: that is what makes many of them quick.
function paintLines(context, lines, model, colours) {
    let look = null;
    const stroke = (colour, width, dash) => {
        const next = `${colour} ${width} ${dash}`;
        if (next === look) return;
        if (look) context.stroke();
        look = next;
        context.beginPath();
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.setLineDash(dash);
    };
    for (const line of lines) {
        if (line.works) {
            stroke(colourOf(line.shade, model, colours), Math.round(line.stroke * 4) / 4, []);
            trace(context, line);
        }
        if (line.failed) {
            stroke(colours.failed, Math.max(1.6, line.stroke / 2), [6, 4]);
            trace(context, line);
        }
    }
    if (look) context.stroke();
    context.setLineDash([]);
}

// TEXT in WIDTH pixels; of what is longer the middle is left out, for names differ at either end. With less room than for
// some letters, nothing.
function write(context, text, x, y, width, size = FONT, weight = "") {
    context.font = `${weight} ${size}px system-ui, sans-serif`;
    const letters = Math.floor((text.length * width) / context.measureText(text).width);
    if (letters >= text.length * 0.82) context.fillText(text, x, y, width);
    else if (letters >= 4) context.fillText(`${text.slice(0, Math.floor((letters - 1) / 2))}…${text.slice(-Math.floor(letters / 2 - 0.5))}`, x, y);
}

// "12 endpoints", "3 switches, 36 endpoints": what is in a box of several.
function contentsOf({ switches, endpoints }) {
    const parts = [];
    if (switches > 1) parts.push(`${switches} switches`);
    if (endpoints > 0 && switches > 0) parts.push(`${endpoints} endpoint${endpoints === 1 ? "" : "s"}`);
    return parts.join(", ");
}

function paintNode(context, { node, left, top, width, height, open }, model, colours) {
    const { drawing, isEndpoint } = model;
    const hosts = node.vertices.length > 0 && isEndpoint(node.vertices.at(-1)), failed = node.box && ["failed", "partly failed"].includes(node.box.state);
    context.beginPath();
    context.roundRect(left, top, width, height, Math.min(hosts ? 8 : 4, width / 5, height / 3));
    context.fillStyle = failed ? colours.failedBox : hosts || open ? colours.paper : colours.box;
    context.strokeStyle = failed ? colours.failed : hosts ? colours.hostEdge : colours.boxEdge;
    context.lineWidth = 1;
    context.setLineDash(failed ? [4, 3] : []);
    context.fill();
    context.stroke();
    context.setLineDash([]);
    if (node.box && node.box.load !== null && !open && height > 8) {
        context.fillStyle = colourOf(shadeOf(node.box.load, drawing.shades), model, colours);
        const bar = Math.min(3, height / 5);
        context.fillRect(left + 3, top + height - bar - 1, width - 6, bar);
    }
    const middle = left + width / 2, contents = node.box && !open ? contentsOf(node.box) : "";
    if (width < 24 || height < 11) return;
    context.fillStyle = colours.ink;
    if (open && node.single) return; // its switch bears the name
    if (open) return write(context, node.label, middle, top + Math.min(14, height * 0.15), width - 8, 12, "600");
    const two = contents !== "" && height >= 30;
    write(context, node.label, middle, top + height / 2 - (two ? 7 : 0), width - 6);
    context.fillStyle = colours.faint;
    if (two) write(context, contents, middle, top + height / 2 + 7, width - 6, 10);
}

function paintPanels(context, panels, { scale, x, y }, colours, words) {
    for (const panel of panels) {
        const width = panel.width * scale, height = panel.height * scale, middle = panel.x * scale + x, top = panel.y * scale + y - height / 2;
        context.fillStyle = words ? colours.ink : colours.panel;
        if (words) write(context, panel.label, middle, panel.height > 0 ? top + 10 : top, Math.max(width, 160), 12, "600");
        else if (panel.width > 0) context.fillRect(middle - width / 2, top, width, height);
    }
}

// A mark on each line with a slow cable, and the number of cables of lines where there is room for it.
function paintMarks(context, { lines, nodes }, colours) {
    const few = lines.length <= FEW;
    const taken = [];
    const isFree = (x, y) => taken.every((other) => Math.abs(other.x - x) > MARK.width || Math.abs(other.y - y) > MARK.height)
        && nodes.every(({ left, top, width, height }) => x < left - 9 || x > left + width + 9 || y < top - 7 || y > top + height + 7);
    const take = (x, y) => taken.push({ x, y });
    for (const line of lines.filter(({ slow }) => slow)) {
        const [x, y] = pointOn(line, 0.5);
        take(x, y);
        context.beginPath();
        for (const [dx, dy] of [[0, -6], [6, 0], [0, 6], [-6, 0]]) context.lineTo(x + dx, y + dy);
        context.closePath();
        context.fillStyle = colours.paper;
        context.strokeStyle = colours.ink;
        context.lineWidth = 1.8;
        context.fill();
        context.stroke();
    }
    for (const line of lines.filter(({ cables, slow, length }) => few && cables > 1 && !slow && length > 30)) {
        const place = [0.5, 0.42, 0.58, 0.34, 0.66].map((t) => pointOn(line, t)).find(([x, y]) => isFree(x, y));
        if (!place) continue;
        const [x, y] = place, width = 7 * String(line.cables).length + 4;
        take(x, y);
        context.fillStyle = colours.paper;
        context.fillRect(x - width / 2, y - 6, width, 12);
        context.fillStyle = colours.ink;
        write(context, String(line.cables), x, y, 40);
    }
}

// Over everything: the channels of CHOSEN, as lines between the nodes that are shown, and an edge around its VERTICES.
function paintChosen(context, chosen, seen, model, scene, view, colours) {
    const { network, tail } = model;
    const boxOf = (vertex) => network.box[vertex];
    const wanted = new Set(chosen.channels.flatMap((channel) => [channel, network.twin[channel]]));
    const between = new Set(chosen.channels.map((channel) => [boxOf(tail[channel]), boxOf(network.head[channel])].sort((a, b) => a - b).join()));
    context.beginPath();
    for (const line of seen.lines) if (line.line ? between.has(`${line.line.a},${line.line.b}`) : wanted.has(line.channel)) trace(context, line);
    context.strokeStyle = colours.chosen;
    context.lineWidth = chosen.channels.length > 40 ? 2 : 4;
    context.stroke();
}

function paintChosenNodes(context, { thing, vertices: chosen }, seen, colours) {
    const vertices = new Set(chosen);
    context.strokeStyle = colours.chosen;
    context.lineWidth = 3;
    for (const { node, left, top, width, height, open } of seen.nodes)
        if (thing.node ? node === thing.node : !open && node.vertices.some((vertex) => vertices.has(vertex))) context.strokeRect(left - 1, top - 1, width + 2, height + 2);
}

export function paint(context, model, scene, view, seen, chosen, colours) {
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, view.width, view.height);
    context.textAlign = "center";
    context.textBaseline = "middle";
    paintPanels(context, model.drawing.panels, view, colours, false);
    for (const one of seen.nodes) if (one.open) paintNode(context, one, model, colours);
    context.globalAlpha = chosen ? 0.4 : 1;
    paintLines(context, seen.lines, model, colours);
    context.globalAlpha = 1;
    if (chosen) paintChosen(context, chosen, seen, model, scene, view, colours);
    for (const one of seen.nodes) if (!one.open) paintNode(context, one, model, colours);
    if (chosen) paintChosenNodes(context, chosen, seen, colours);
    paintPanels(context, model.drawing.panels, view, colours, true);
    paintMarks(context, seen, colours);
}
