// What is said of a thing of the map that was clicked. A thing is {kind, …}; SELECT makes another one the chosen.
import { element } from "../dom.js";
import { formatNumber } from "../numbers.js";

const MOST = 100; // rows of a list

const counted = (n, word, plural = `${word}s`) => `${formatNumber(n, "int")} ${n === 1 ? word : plural}`;

// Rows [cell, …], the first MOST of them; more are counted.
function listOf(head, rows, describe) {
    if (rows.length === 0) return null;
    const more = rows.length > MOST ? element("p.more", {}, `The first ${MOST} of ${formatNumber(rows.length, "int")}.`) : null;
    return element("div", {}, element("table", {}, element("thead", {}, element("tr", {}, head.map((name, i) => element(i > 0 ? "th.number" : "th", {}, name)))),
        element("tbody", {}, rows.slice(0, MOST).map((row) => element("tr", {}, describe(row).map((cell, i) => element(i > 0 ? "td.number" : "td", {}, cell)))))), more);
}

const facts = (...pairs) => element("dl", {}, pairs.filter(Boolean).map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));

// {describe(thing), start()}: elements, and what of the map they are about: {channels, vertices}.
export function detailsOf(model, select) {
    const { network, tail } = model;
    const { names, head, twin, load, carried, before } = network;
    const { values, compares } = model;
    const link = (text, thing) => element("button.link", { type: "button", onclick: () => select(thing) }, text);
    const vertexLink = (vertex) => link(names[vertex], { kind: "vertex", vertex });
    const channelLink = (channel) => link(model.channelName(channel), { kind: "channel", channel });
    const messageLink = ({ src, dst }) => link(`${names[src]} → ${names[dst]}`, { kind: "message", src, dst });
    const speedOf = (channel) => model.network.speeds[network.speed[channel]];
    const changeCells = (c) => (compares ? [load[c] === null ? "" : model.formatValue(values[c])] : []);
    const channelList = (channels) => listOf(["channel", "capacity", "load", ...(compares ? ["change"] : [])], channels, (c) => [
        channelLink(c), speedOf(c), load[c] === null ? "failed" : model.formatLoad(load[c]), ...changeCells(c)]);
    const rank = (c) => (values[c] === null ? Infinity : Math.abs(values[c]));
    const byLoad = (channels) => channels.sort((a, b) => rank(b) - rank(a) || a - b);
    const leftOut = () => element("p", {}, model.leftOut);
    const amounts = (messages) => (messages.some(({ amount }) => amount !== 1) ? ["amount"] : []);

    function messageList(messages, words) {
        const more = amounts(messages);
        return listOf([words, ...more], [...messages].sort((a, b) => b.amount - a.amount), (one) => [messageLink(one), ...more.map(() => model.formatAmount(one.amount))]);
    }

    function describeChannel({ channel }) {
        const messages = model.leftOut || load[channel] === null ? [] : model.messagesOn(channel);
        const senders = new Set(messages.map(({ src }) => src)).size, receivers = new Set(messages.map(({ dst }) => dst)).size;
        const said = load[channel] === null ? element("p", {}, "It has failed: nothing goes over it.")
            : model.leftOut ? leftOut()
            : element("p.messages", { "data-pairs": messages.length }, messages.length === 0 ? "No message crosses it."
                : `${counted(messages.length, "pair")} of endpoints send over it: ${counted(senders, "sender")}, ${counted(receivers, "receiver")}.`);
        return {
            title: model.channelName(channel), channels: [channel], vertices: [tail[channel], head[channel]],
            body: [
                facts(["from", vertexLink(tail[channel])], ["to", vertexLink(head[channel])],
                    ["capacity", speedOf(channel) + (model.isSlow(channel) ? ", slower than most of its kind" : "")],
                    load[channel] === null ? null : ["carries", model.formatAmount(carried[channel])], ["load", model.formatLoad(load[channel])],
                    compares && load[channel] !== null ? ["in the other state", model.formatLoad(before[channel])] : null,
                    compares && load[channel] !== null ? ["change", model.formatValue(values[channel])] : null,
                    ["other direction", element("span", {}, channelLink(twin[channel]), ` ${model.formatLoad(load[twin[channel]])}`)]),
                said, messageList(messages, "sender → receiver"),
            ],
        };
    }

    function describeLine({ line }) {
        const { a, b } = line, channels = [];
        network.box.forEach((box, vertex) => {
            if (box === a) channels.push(...model.channelsOf(vertex).filter((c) => network.box[head[c]] === b).flatMap((c) => [c, twin[c]]));
        });
        const title = line.label.split("\n")[0];
        return { title, channels, vertices: [], body: [...line.label.split("\n").slice(1).map((text) => element("p", {}, text)), channelList(byLoad(channels))] };
    }

    function describeSwitch(vertex) {
        const channels = model.channelsOf(vertex);
        return { title: names[vertex], channels, vertices: [vertex], body: [facts(["switch", counted(channels.length, "cable")]), channelList(byLoad(channels.flatMap((c) => [c, twin[c]])))] };
    }

    function describeHost(vertex) {
        const own = model.channelsOf(vertex), sent = model.messagesFrom(vertex), received = model.messagesTo(vertex);
        const routes = (messages, which) => listOf([which, "channels", ...amounts(messages)], messages, (one) => [
            messageLink(one), String(model.route(one.src, one.dst).length), ...amounts(messages).map(() => model.formatAmount(one.amount))]);
        return {
            title: names[vertex], channels: [...new Set(sent.flatMap(({ src, dst }) => model.route(src, dst)))], vertices: [vertex],
            body: [
                facts(["endpoint", counted(own.length, "cable")]), channelList(own.flatMap((c) => [c, twin[c]])),
                model.leftOut ? leftOut() : element("p.messages", { "data-pairs": sent.length }, `It sends to ${counted(sent.length, "endpoint")} and receives from ${formatNumber(received.length, "int")}.`),
                routes(sent, "route to"), routes(received, "route from"),
            ],
        };
    }

    function describeMessage({ src, dst }) {
        const path = model.route(src, dst), worst = path.reduce((a, b) => (load[b] > load[a] ? b : a), path[0]);
        return {
            title: `${names[src]} → ${names[dst]}`, channels: path, vertices: [src, dst],
            body: [facts(["from", vertexLink(src)], ["to", vertexLink(dst)], ["channels", String(path.length)], ["busiest", channelLink(worst)]), channelList(path)],
        };
    }

    function describeNode({ node }) {
        const said = node.box ? node.box.name.split("\n") : [];
        return { title: node.label, channels: [], vertices: node.vertices, body: [...said.map((text) => element("p", {}, text)), listOf(["in it"], [false, true].flatMap((are) => node.vertices.filter((vertex) => model.isEndpoint(vertex) === are)), (vertex) => [vertexLink(vertex)])] };
    }

    const kinds = {
        channel: describeChannel, line: describeLine, message: describeMessage, node: describeNode,
        vertex: ({ vertex }) => (model.isEndpoint(vertex) ? describeHost(vertex) : describeSwitch(vertex)),
    };
    return {
        describe: (thing) => kinds[thing.kind](thing),
        start: () => [element("p.hint", {}, "Click a cable, a switch or an endpoint to see what goes over it."), element("h3", {}, compares ? "The channels that change most" : "The busiest channels"), channelList(Array.from(model.busiest.slice(0, 10)))],
    };
}
