// What charts have in common: axes, tips, and values as they are shown.
import { element } from "./dom.js";
import { cellTexts } from "./table.js";
import { formatBytes, formatNumber } from "./numbers.js";

const LONG_LABEL = 40; // letters of an axis; of longer ones what follows commas is left out

// A figure that cannot be drawn: the message is a sentence for readers.
export class Undrawable extends Error {}

// The column that FIGURE names as KEY; null where it names none.
export function columnOf(table, figure, key) {
    const name = figure[key];
    if (name === undefined || name === null) return null;
    const column = table.column(name);
    if (!column) throw new Undrawable(`it names the column “${name}”, which table “${table.name}” does not have`);
    return column;
}

export function neededColumn(table, figure, key) {
    const column = columnOf(table, figure, key);
    if (!column) throw new Undrawable(`it does not say which column is “${key}”`);
    return column;
}

// The value of COLUMN in ROW, as it is shown: numbers in the shown unit; null where there is none.
export function valueOf(column, row) {
    const value = row[column.name];
    if (value === null || value === undefined) return null;
    return typeof value === "number" ? value * column.factor : value;
}

export function nameOf(column) {
    return column.shownUnit ? `${column.name} [${column.shownUnit}]` : column.name;
}

// What an axis of COLUMN is called: LABEL, or what help says up to its first semicolon or colon.
export function axisName(column, labelled) {
    let name = labelled ?? (column.help ?? "").split(/[;:]/)[0];
    while (labelled === undefined && name.length > LONG_LABEL && name.includes(",")) name = name.slice(0, name.lastIndexOf(","));
    return name === "" ? nameOf(column) : column.shownUnit ? `${name} [${column.shownUnit}]` : name;
}

// A column's name as words: "accepted_mean" is "accepted".
export const wordsOf = (name) => name.replace(/(.)_mean$/, "$1").replaceAll("_", " ");

export function isNumber(column) {
    return column.type !== "text";
}

// The cell of COLUMN in ROW as it stands in a legend or beside a bar: 4 KiB, 20 µs, 3.
export function cellWords(column, row) {
    const value = valueOf(column, row);
    if (value === null) return "-";
    if (typeof value !== "number") return String(value);
    if (column.unit === "byte" && column.type === "int") return formatBytes(value);
    const number = String(Number(value.toPrecision(10)));
    return column.shownUnit ? `${number} ${column.shownUnit}` : number;
}

// The different words of COLUMN, in their order of appearance.
export function distinct(column, rows) {
    return [...new Set(rows.map((row) => cellWords(column, row)))];
}

// A tip: a heading and lines of [name, value]. An element, so that no name can be taken for HTML.
export function tip(heading, lines) {
    return element("div.tip", {}, element("strong", {}, heading),
        ...lines.map(([name, value]) => element("div", {}, element("span.name", {}, name), " ", element("span.value", {}, value))));
}

// The lines of a tip about ROW: all of COLUMNS that have a value, with their intervals.
export function tipLines(columns, row) {
    return columns.filter((column) => column && row[column.name] != null).map((column) => {
        const [number, half] = cellTexts(column, row);
        return [nameOf(column), half === "" ? number : `${number} ± ${half}`];
    });
}

const axisStyle = (colours) => ({
    axisLine: { show: true, lineStyle: { color: colours.faint } },
    axisTick: { show: true, lineStyle: { color: colours.faint } },
    axisLabel: { color: colours.ink, fontSize: 12, hideOverlap: true },
    nameTextStyle: { color: colours.ink, fontSize: 13 },
    splitLine: { lineStyle: { color: colours.line } },
});

// An axis of numbers.
export function valueAxis(colours, name, more = {}) {
    return {
        type: "value", name, nameLocation: "middle", scale: true, ...axisStyle(colours), ...more,
        axisLabel: { ...axisStyle(colours).axisLabel, formatter: (value) => formatNumber(value), ...more.axisLabel },
    };
}

export function categoryAxis(colours, name, data, more = {}) {
    return {
        type: "category", name, nameLocation: "middle", data, ...axisStyle(colours), splitLine: { show: false }, ...more,
        axisLabel: { ...axisStyle(colours).axisLabel, ...more.axisLabel },
    };
}

// Room for names of categories at the left of a chart of WIDTH, which ends what is longer.
export function labelRoom(names, width) {
    const longest = Math.max(0, ...names.map((name) => String(name).length));
    return Math.min(Math.max(24, longest * 7), Math.round(width * 0.35));
}
