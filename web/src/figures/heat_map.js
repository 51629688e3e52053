// A map of colours: a value for each row and column.
import { axisName, categoryAxis, cellWords, columnOf, distinct, labelRoom, neededColumn, tip, tipLines, Undrawable, valueOf } from "../axes.js";
import { formatNumber } from "../numbers.js";

const MOST_SIDES = 2048; // rows and columns: more have no room on a screen
const NUMBERS_UP_TO = 150; // cells
const MOST_SIDE = 48; // of a cell, in pixels
const NAMES = 120; // pixels for a name below; what is longer is cut

// The names that FIGURE has for numbers, by number.
function numberNames(figure, tables) {
    if (!figure.names) return new Map();
    const table = tables.find(({ name }) => name === figure.names.table);
    if (!table) throw new Undrawable(`there is no table “${figure.names.table}”`);
    const [key, name] = ["key", "name"].map((which) => neededColumn(table, figure.names, which));
    return new Map(table.rows.filter((row) => row[name.name] != null).map((row) => [row[key.name], row[name.name]]));
}

// Both sides of a map: {keys, names}. Whole numbers count all between the least and the greatest of both.
function sidesOf(columns, rows, names) {
    const numbers = columns.filter(({ type }) => type === "int").flatMap(({ name }) => rows.map((row) => row[name]));
    const least = numbers.reduce((a, b) => Math.min(a, b), Infinity), most = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
    return columns.map((column) => {
        const n = column.type === "int" ? most - least + 1 : distinct(column, rows).length;
        if (n > MOST_SIDES) throw new Undrawable(`${n} rows or columns are more than the ${MOST_SIDES} that a picture shows`);
        if (column.type !== "int") return { keys: distinct(column, rows), keyOf: (row) => cellWords(column, row), names: distinct(column, rows) };
        const keys = Array.from({ length: Math.max(0, n) }, (_, i) => least + i);
        return { keys, keyOf: (row) => row[column.name], names: keys.map((key) => (names.has(key) ? `${key} ${names.get(key)}` : String(key))) };
    });
}

export function heatMap(table, figure, tables) {
    const [row, column, value] = ["row", "column", "value"].map((key) => neededColumn(table, figure, key));
    const cells = table.rows.filter((one) => one[row.name] != null && one[column.name] != null);
    const sides = sidesOf([row, column], cells, numberNames(figure, tables));
    const [down, across] = sides.map(({ names }) => names);
    const at = sides.map(({ keys }) => new Map(keys.map((key, i) => [key, i])));
    const rows = cells.filter((one) => one[value.name] != null);
    const values = rows.map((one) => valueOf(value, one));
    const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
    const least = values.reduce((a, b) => Math.min(a, b), (figure.level ?? 0) * value.factor);
    const texts = values.map((one) => formatNumber(one, value.type));
    const inCells = rows.length <= NUMBERS_UP_TO ? texts.reduce((a, b) => Math.max(a, b.length), 0) * 6.5 + 6 : Infinity; // pixels
    const isHigh = (one) => one - least > 0.6 * (most - least); // so that what is written on it is in the other colour
    const dataIn = (colours) => rows.map((one, i) => ({ label: { color: isHigh(values[i]) ? colours.paper : colours.ink }, value: [at[1].get(sides[1].keyOf(one)), at[0].get(sides[0].keyOf(one)), valueOf(value, one)], row: one }));
    const longest = Math.max(0, ...across.map((name) => name.length)) * 7;
    const room = (width) => labelRoom(down, width) + 40;
    const side = (width) => Math.max(3, Math.min(MOST_SIDE, (width - room(width) - 24) / across.length));
    const turned = (width) => longest > side(width) - 6;
    const foot = (width) => (turned(width) ? Math.min(NAMES, longest) * 0.75 : 16);
    return {
        wide: true,
        marks: rows.length,
        columns: [row, column, value],
        rows,
        height: (width) => Math.round(Math.min(900, Math.max(60, side(width) * down.length)) + foot(width)) + 106,
        option: (colours, width) => ({
            grid: { left: room(width), top: 12, bottom: foot(width) + 94, width: side(width) * across.length, outerBoundsMode: "none" },
            xAxis: categoryAxis(colours, axisName(column, figure.x_label), across, { nameGap: foot(width) + 10, axisTick: { show: false }, axisLabel: { rotate: turned(width) ? 45 : 0, width: NAMES, overflow: "truncate" } }),
            yAxis: categoryAxis(colours, axisName(row, figure.y_label), down, { nameGap: room(width) - 18, inverse: true, axisTick: { show: false }, axisLabel: { width: room(width) - 34, overflow: "truncate" } }),
            visualMap: {
                min: least, max: most > least ? most : least + 1, calculable: true, orient: "horizontal", left: room(width), bottom: 4, itemHeight: 160, itemWidth: 14,
                inRange: { color: colours.scale }, textStyle: { color: colours.ink }, formatter: (one) => formatNumber(one), text: [axisName(value), ""],
            },
            tooltip: { trigger: "item", formatter: ({ data: cell }) => tip(`${down[cell.value[1]]} × ${across[cell.value[0]]}`, tipLines([value], cell.row)) },
            series: [{
                type: "heatmap", data: dataIn(colours), progressive: 4000, animation: false,
                label: { show: side(width) >= inCells, formatter: ({ dataIndex }) => texts[dataIndex], fontSize: 11 },
                itemStyle: rows.length <= 2500 ? { borderColor: colours.paper, borderWidth: 1 } : {},
                emphasis: { itemStyle: { borderColor: colours.ink, borderWidth: 1 } },
            }],
        }),
    };
}
