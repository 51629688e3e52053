// The network of a map, as the page holds it (doc/formats/results.md): flat arrays, and the messages with their routes.
import { chooseScale, formatBytes, formatNumber } from "../numbers.js";

// Calls USE(src, dst, amount) for each pair that sends.
function eachPairOf(messages) {
    const { all, src, dst, amount } = messages;
    if (!all) return (use) => src.forEach((from, i) => use(from, dst[i], amount[i]));
    return (use) => {
        for (const to of all) for (const from of all) if (from !== to) use(from, to, 1);
    };
}

// A function of sender and receiver: the channels of the route.
function routesOf({ first, head, names }, { rows, next, others }) {
    const n = names.length;
    const row = new Int32Array(n).fill(-1);
    rows.forEach((vertex, i) => (row[vertex] = i));
    const apart = new Map(others.map(([src, dst, ...places]) => [src * n + dst, places]));
    return (src, dst) => {
        const places = apart.get(src * n + dst);
        const table = next[dst];
        const path = [];
        for (let vertex = src; vertex !== dst && path.length <= n; vertex = head[path.at(-1)])
            path.push(first[vertex] + (places ? places[path.length] : row[vertex] < 0 ? 0 : table[row[vertex]]));
        return path;
    };
}

const WIDEST = 2.2; // of a drawing, width / height

// Rows that are too wide for a screen stand further apart, in taller boxes.
function stretched(drawing) {
    const by = ["levels", "planes"].includes(drawing.form) ? Math.min(3, Math.max(1, drawing.width / drawing.height / WIDEST)) : 1;
    const stretch = (part) => ({ ...part, y: part.y * by, height: part.height * by });
    return { ...drawing, stretch: by, height: drawing.height * by, boxes: drawing.boxes.map(stretch), panels: drawing.panels.map(stretch) };
}

// What is but rounding is no change.
const changeOf = (now, was) => (Math.abs(now - was) <= 1e-9 * Math.max(now, was) ? 0 : now - was);

// Whether A stands out more than B, which may be null, as what does not work has it.
export const exceeds = (a, b) => a !== null && (b === null || Math.abs(a) > Math.abs(b) || (Math.abs(a) === Math.abs(b) && a > b));

// What the page's JSON says, ready to be asked.
export function readNetwork({ drawing: drawn, network, routes, messages, left_out: leftOut, unit, carries }) {
    const drawing = stretched(drawn);
    const { endpoints, names, first, head, twin, port, carried, load, before } = network;
    const slow = new Set(network.slow);
    const tail = new Uint32Array(head.length);
    for (let vertex = 0; vertex < names.length; vertex++) tail.fill(vertex, first[vertex], first[vertex + 1]);
    const { factor, unit: shownUnit } = chooseScale(unit, [load.filter((value) => value !== null)]);
    const formatLoad = (value) => (value === null ? "-" : `${formatNumber(value * factor)}${shownUnit ? ` ${shownUnit}` : ""}`);
    const eachPair = messages ? eachPairOf(messages) : () => {};
    const route = messages ? routesOf(network, routes) : () => [];

    // The pairs that FITS(src, dst) holds for: {src, dst, amount}.
    function pairs(fits) {
        const found = [];
        eachPair((src, dst, amount) => fits(src, dst) && found.push({ src, dst, amount }));
        return found;
    }
    // What the colour of a channel stands for: its load, or how it has changed; null of one that does not work.
    const values = before ? load.map((now, channel) => (now === null ? null : changeOf(now, before[channel]))) : load;
    const byLoad = Uint32Array.from(head.keys()).filter((channel) => values[channel] !== null && !(before && values[channel] === 0));
    const isBetween = (channel) => tail[channel] >= endpoints && head[channel] >= endpoints;
    byLoad.sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || isBetween(b) - isBetween(a) || a - b);
    return {
        drawing, network, leftOut, tail, route,
        isEndpoint: (vertex) => vertex < endpoints,
        isSlow: (channel) => slow.has(channel),
        channelName: (channel) => `${names[tail[channel]]}/${port[channel]}>${names[head[channel]]}/${port[twin[channel]]}`,
        values, formatLoad,
        compares: Boolean(before),
        formatValue: (value) => (before && value ? `${value < 0 ? "−" : "+"}${formatLoad(Math.abs(value))}` : formatLoad(value)),
        formatAmount: (value) => (carries === "bytes" ? formatBytes(value) : `${formatNumber(value)} message${value === 1 ? "" : "s"}`),
        messagesOn: (channel) => pairs((src, dst) => route(src, dst).includes(channel)),
        messagesFrom: (host) => pairs((src) => src === host),
        messagesTo: (host) => pairs((src, dst) => dst === host),
        channelsOf: (vertex) => Array.from({ length: first[vertex + 1] - first[vertex] }, (_, i) => first[vertex] + i),
        busiest: byLoad,
    };
}
