// A table that sorts by a click on a column's name, filters by a box, and shows a hundred rows at a time.
import { toCsv } from "./csv.js";
import { copy, element, save } from "./dom.js";
import { filterOf } from "./filter.js";
import { formatInterval, formatNumber } from "./numbers.js";

const ROWS = 100; // shown at a time
const BOX = 8; // rows from which on there is something to filter
const collator = new Intl.Collator("en", { numeric: true });

function compareCells(a, b) {
    return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
}

// ROWS by the column NAME, those that lack it last; DIRECTION 0: as they came.
function sorted(rows, name, direction) {
    if (direction === 0) return rows;
    return [...rows].sort((a, b) => {
        if (a[name] == null || b[name] == null) return (a[name] == null) - (b[name] == null);
        return direction * compareCells(a[name], b[name]);
    });
}

// What a cell shows: [number, half width], as texts, "" where there is none.
export function cellTexts(column, row) {
    const value = row[column.name];
    if (value == null) return ["", ""];
    if (typeof value !== "number") return [String(value), ""];
    const half = column.interval ? row[column.interval] : null;
    if (half == null) return [formatNumber(column.factor * value, column.type), ""];
    return formatInterval(column.factor * value, column.factor * half);
}

// The blanks that align a number with those that have so many digits behind the point.
function padding(number, places) {
    const [, fraction] = number.split(".");
    return (fraction === undefined && places > 0 ? "\u2008" : "") + "\u2007".repeat(places - (fraction ?? "").length);
}

const placesOf = (number) => (number.includes("e") ? 0 : (number.split(".")[1] ?? "").length);

function numberCell(column, row, [number, half], layout) {
    const full = column.interval && row[column.interval] != null ? `${row[column.name]} ± ${row[column.interval]}` : String(row[column.name]);
    const cell = element("td.number", { title: number === "" ? null : full });
    if (number !== "") cell.append(element("span.padded", { "data-pad": number.includes("e") ? "" : padding(number, layout.places) }, number));
    if (layout.half > 0)
        cell.append(element("span.half", { style: `width: ${layout.half + 2}ch` }, half === "" ? "" : ` ± ${half}`));
    return cell;
}

function cellsOf(columns, rows) {
    return columns.map((column) => {
        const texts = rows.map((row) => cellTexts(column, row));
        if (column.type === "text") return rows.map((row, i) => element("td", {}, texts[i][0]));
        const layout = {
            places: Math.max(0, ...texts.map(([number]) => placesOf(number))),
            half: Math.max(0, ...texts.map(([, half]) => half.length)),
        };
        return rows.map((row, i) => numberCell(column, row, texts[i], layout));
    });
}

function headerCell(column, sort) {
    const unit = column.shownUnit ? element("span.unit", {}, `[${column.shownUnit}]`) : null;
    const button = element("button", { type: "button", title: column.help, onclick: () => sort(column.name) }, column.name, unit);
    return element(column.type === "text" ? "th" : "th.number", { scope: "col", "data-column": column.name }, button);
}

function columnsHelp(table) {
    const lines = table.columns.filter((column) => column.help).map((column) => [
        element("dt", {}, column.name, column.unit ? element("span.unit", {}, `[${column.unit}]`) : null),
        element("dd", {}, column.help),
    ]);
    if (lines.length === 0) return null;
    return element("details.columns", {}, element("summary", {}, "What the columns mean"), element("dl", {}, ...lines.flat()));
}

// The element that shows TABLE of a result (result.js).
export function tableElement(table) {
    const shown = table.columns.filter((column) => !column.isInterval);
    const state = { query: "", column: null, direction: 0, first: 0, rows: table.rows };
    const body = element("tbody");
    const count = element("span.count", { "aria-live": "polite" });
    const headers = shown.map((column) => headerCell(column, sortBy));
    const pages = ["«", "‹", "›", "»"].map((label, i) =>
        element("button", { type: "button", "aria-label": ["first rows", "rows before", "next rows", "last rows"][i], onclick: () => turn(i) }, label));
    const pager = element("span.pager", {}, pages);

    function draw() {
        const { rows, first } = state;
        const page = rows.slice(first, first + ROWS);
        const columns = cellsOf(shown, page);
        body.replaceChildren(...page.map((row, i) => element("tr", {}, columns.map((cells) => cells[i]))));
        const total = formatNumber(table.rows.length, "int");
        const all = rows.length === table.rows.length ? `${total} row${table.rows.length === 1 ? "" : "s"}` : `${formatNumber(rows.length, "int")} of ${total} rows`;
        const part = rows.length > ROWS ? `${formatNumber(first + 1, "int")}–${formatNumber(first + page.length, "int")} of ` : "";
        count.textContent = part + all;
        pager.hidden = rows.length <= ROWS;
        pages.forEach((button, i) => (button.disabled = i < 2 ? first === 0 : first + ROWS >= rows.length));
    }
    function update() {
        const fits = filterOf(state.query, table.columns);
        const { query, column, direction } = state;
        state.rows = sorted(query.trim() === "" ? table.rows : table.rows.filter(fits), column, direction);
        state.first = 0;
        headers.forEach((header) => {
            const order = header.dataset.column === column ? direction : 0;
            header.setAttribute("aria-sort", ["descending", "none", "ascending"][order + 1]);
        });
        draw();
    }
    function sortBy(name) {
        state.direction = state.column !== name ? 1 : state.direction === 1 ? -1 : state.direction === -1 ? 0 : 1;
        state.column = name;
        update();
    }
    function turn(to) {
        const last = Math.floor((state.rows.length - 1) / ROWS) * ROWS;
        state.first = [0, Math.max(0, state.first - ROWS), Math.min(last, state.first + ROWS), last][to];
        draw();
    }
    const csv = () => toCsv(table.columns.map((column) => column.name), state.rows);
    const box = element("input", {
        type: "search",
        placeholder: "Filter: words, or slowdown>1.5".replace("slowdown", shown.find((column) => column.type !== "text")?.name ?? "x"),
        "aria-label": `rows of ${table.name} to show`,
        oninput: (event) => {
            state.query = event.target.value;
            update();
        },
    });
    const tools = element(
        "div.tools", {}, table.rows.length >= BOX ? box : null, count, pager,
        element("button", { type: "button", onclick: (event) => copy(csv(), event.currentTarget) }, "Copy CSV"),
        element("button", { type: "button", onclick: () => save(`${table.name}.csv`, "text/csv", csv()) }, "Save CSV"));
    const grid = element("table", {}, element("thead", {}, element("tr", {}, headers)), body);
    update();
    return element("section.table", { "data-table": table.name }, element("h3", {}, table.name.replaceAll("_", " ")), tools,
        element("div.scroll", { tabindex: 0, role: "region", "aria-label": `table ${table.name}` }, grid), columnsHelp(table));
}
