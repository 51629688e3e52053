// Results, as they stand in the page: what a document says, ready to be shown.
import { chooseScale } from "./numbers.js";

const TWO_WORDS = ["bench", "model"]; // verbs that are called by two words

// The verb of a command, e.g. "model split-tree" of "crosswind model split-tree --cores 8".
function verbOf(command) {
    const [, first = "result", second = ""] = (command ?? "").split(" ");
    return TWO_WORDS.includes(first) && /^[a-z][a-z-]*$/.test(second) ? `${first} ${second}` : first;
}

// Measured columns stand apart in JSON. Here they are columns as others are.
function withMeasured(table, measured) {
    if (!measured) return table;
    return {
        columns: [...table.columns, ...measured.columns],
        rows: table.rows.map((row, i) => ({ ...row, ...measured.rows[i] })),
    };
}

// A column whose half width stands behind it: x with x_ci95, or x_mean with x_ci95.
function intervalOf(column, columns) {
    return columns.find((other) => other.name === `${column.name.replace(/_mean$/, "")}_ci95`) ?? null;
}

// The columns as they are shown: {name, type, unit, factor, help, interval}; the interval is the name of another one.
function describe(columns, rows) {
    const present = (column) => rows.map((row) => row[column.name]).filter((value) => typeof value === "number");
    const times = columns.filter((column) => column.unit === "s" && column.type === "real");
    const timeScale = chooseScale("s", times.flatMap(present)); // times of a table are there to be compared
    const described = columns.map((column) => {
        const scale = times.includes(column) ? timeScale : chooseScale(column.unit, column.unit === "byte/s" ? present(column) : []);
        return { ...column, factor: scale.factor, shownUnit: scale.unit, interval: intervalOf(column, columns)?.name ?? null };
    });
    const halves = new Set(described.map((column) => column.interval));
    for (const column of described) column.isInterval = halves.has(column.name);
    for (const column of described.filter((half) => half.isInterval)) {
        const mean = described.find((other) => other.interval === column.name);
        column.factor = mean.factor;
    }
    return described;
}

function tableOf(name, content) {
    const columns = describe(content.columns, content.rows);
    return { name, columns, rows: content.rows, column: (wanted) => columns.find((column) => column.name === wanted) };
}

// {verb, network, source, document, tables, figures}
function resultOf({ source, result }) {
    const tables = Object.entries(result.tables).map(([name, table]) => tableOf(name, withMeasured(table, result.measured?.[name])));
    const { network = "" } = result.context;
    return { verb: verbOf(result.command), network, source, document: result, tables, figures: result.figures ?? [] };
}

export function readResults() {
    return [...document.querySelectorAll("script.result")].map((script) => resultOf(JSON.parse(script.textContent)));
}
