// Results, as they stand in the page: what a document says, ready to be shown.
import { chooseScale } from "./numbers.js";

const LONGEST_SUBJECT = 70; // characters
const TWO_WORDS = ["bench", "model"]; // verbs that are called by two words

// The verb of a command, e.g. "model split-tree" of "crosswind model split-tree --cores 8".
function verbOf(command) {
    const [, first = "result", second = ""] = (command ?? "").split(" ");
    return TWO_WORDS.includes(first) && /^[a-z][a-z-]*$/.test(second) ? `${first} ${second}` : first;
}

// A path by its last part, and any other text as it is.
export function shortPath(text) {
    return /^\.{0,2}\//.test(text) ? text.split("/").at(-1) : text;
}

// What a result is about, short enough for a heading: the network, or what else the command says.
function subjectOf({ context, command }, verb) {
    const rest = (command ?? "").split(" ").slice(1 + verb.split(" ").length).join(" ");
    const subject = context.network ? shortPath(String(context.network)) : rest;
    return subject.length > LONGEST_SUBJECT ? `${subject.slice(0, LONGEST_SUBJECT - 1)}…` : subject;
}

// Measured columns stand apart in JSON. Here they are columns as others are.
function withMeasured(table, measured) {
    if (!measured) return table;
    return {
        columns: [...table.columns, ...measured.columns.map((column) => ({ ...column, measured: true }))],
        rows: table.rows.map((row, i) => ({ ...row, ...measured.rows[i] })),
    };
}

// The half width of the interval of column I stands behind it.
function intervalOf(columns, i) {
    const next = columns[i + 1];
    return next && columns[i].type !== "text" && /(^|_)ci95$/.test(next.name) ? next.name : null;
}

// The prefix of each column. Times of a table have the same, but for what the run itself took: that stays in s.
function scaleOf(columns, rows) {
    const present = (column) => rows.map((row) => row[column.name]).filter((value) => typeof value === "number");
    const isTime = (column) => column.unit === "s" && column.type === "real" && !column.measured;
    const times = chooseScale("s", columns.filter((column) => isTime(column) && !column.name.endsWith("_ci95")).map(present));
    return (column) => (isTime(column) ? times : column.unit === "byte/s" ? chooseScale(column.unit, [present(column)]) : { factor: 1, unit: column.unit });
}

// The columns as they are shown: {name, type, unit, factor, shownUnit, help, interval, isInterval}; the interval is the name
// of another one.
function describe(columns, rows) {
    const scale = scaleOf(columns, rows);
    const described = columns.map((column, i) => {
        const { factor, unit } = scale(column);
        return { ...column, factor, shownUnit: unit, interval: intervalOf(columns, i) };
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

// {verb, subject, source, document, tables, figures, map, experiments}
function resultOf({ source, result, map, experiments }) {
    const tables = Object.entries(result.tables).map(([name, table]) => tableOf(name, withMeasured(table, result.measured?.[name])));
    const verb = verbOf(result.command);
    return { verb, subject: subjectOf(result, verb), source, document: result, tables, figures: result.figures ?? [], map, experiments };
}

export function readResults() {
    return [...document.querySelectorAll("script.result")].map((script) => resultOf(JSON.parse(script.textContent)));
}
