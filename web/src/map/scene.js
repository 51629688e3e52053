// What stands where: boxes, and in each, once there is room, what is in it. Lengths are those of the drawing.
const CELL = 2.4; // width / height of a cell
const HEAD = 0.3; // of a box, for its name, once it shows what is in it
const ROOM = { width: 26, height: 11 }; // pixels that a cell needs to be shown

// Cells for N things in an area.
function gridOf(n, { x, y, width, height }) {
    const columns = Math.min(n, Math.max(1, Math.ceil(Math.sqrt((n * width) / height / CELL))));
    const rows = Math.ceil(n / columns);
    const w = width / columns, h = height / rows;
    return Array.from({ length: n }, (_, i) => ({
        x: x - width / 2 + ((i % columns) + 0.5) * w, y: y - height / 2 + (Math.floor(i / columns) + 0.5) * h, width: w * 0.9, height: h * 0.82,
    }));
}

// What is below the head of a box.
function bodyOf({ x, y, width, height }) {
    const room = height * (1 - HEAD) * 0.96;
    return { x, y: y - height / 2 + height * HEAD + room / 2, width: width * 0.96, height: room };
}

// Cells for N endpoints below their switch, whose cell is the last.
function cellsOfSwitch(n, { x, y, width, height }) {
    const endpoints = { x, y: y + height * 0.18, width: width * 0.96, height: height * 0.56 };
    return [...gridOf(n, endpoints), { x, y: y - height * 0.3, width: width * 0.5, height: height * 0.3 }];
}

// How VERTICES fall into parts: a switch with its endpoints each, or one by one.
function partsOf(vertices, { network, isEndpoint }) {
    const { first, head } = network;
    const switches = vertices.filter((vertex) => !isEndpoint(vertex));
    if (switches.length < 2) return vertices.map((vertex) => [vertex]);
    const parts = new Map(switches.map((vertex) => [vertex, [vertex]]));
    for (const vertex of vertices.filter(isEndpoint)) {
        let home = vertex;
        for (let c = first[vertex]; c < first[vertex + 1] && home === vertex; c++) if (parts.has(head[c])) home = head[c];
        if (home === vertex) parts.set(vertex, [vertex]);
        else parts.get(home).unshift(vertex); // switches come last, as in boxes
    }
    return [...parts.values()];
}

// A node: {x, y, width, height, label, vertices}; those with several vertices have nodes within. Single: of one switch.
function nodeOf(area, vertices, model, more) {
    return { ...area, vertices, label: model.network.names[vertices.at(-1)], within: null, ...more };
}

export function withinOf(node, model) {
    if (node.within || node.vertices.length < 2) return node.within ?? [];
    const parts = partsOf(node.vertices, model);
    node.single = node.vertices.filter((vertex) => !model.isEndpoint(vertex)).length === 1;
    const cells = node.single ? cellsOfSwitch(parts.length - 1, node) : gridOf(parts.length, bodyOf(node));
    node.within = parts.map((part, i) => nodeOf(cells[i], part, model));
    node.at = new Map(node.within.flatMap((inner, i) => inner.vertices.map((vertex) => [vertex, i])));
    return node.within;
}

// {boxes, deepest, isOpen}
export function sceneOf(model) {
    const { drawing, network } = model;
    const vertices = drawing.boxes.map(() => []);
    network.box.forEach((box, vertex) => vertices[box].push(vertex));
    const boxes = drawing.boxes.map((box, i) => nodeOf(box, vertices[i], model, { label: box.label, box }));

    // Whether NODE shows what is in it at SCALE.
    function isOpen(node, scale) {
        const within = withinOf(node, model);
        return within.length > 0 && within[0].width * scale >= ROOM.width && within[0].height * scale >= ROOM.height;
    }

    // The smallest node with VERTEX whose surroundings are open at SCALE; of a box that is not in sight, the box.
    function nodeAt(vertex, scale, inSight) {
        let node = boxes[network.box[vertex]];
        while (inSight(node) && isOpen(node, scale)) node = node.within[node.at.get(vertex)];
        return node;
    }
    return { boxes, isOpen, nodeAt, deepest: (vertex) => nodeAt(vertex, Infinity, () => true) };
}
