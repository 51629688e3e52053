// A map of colours: a value for each row and column.
import { categoryAxis, distinct, label, labelRoom, nameOf, neededColumn, tip, tipLines, valueOf } from "../axes.js";
import { formatNumber } from "../numbers.js";

const NUMBERS_UP_TO = 150; // cells
const MOST_SIDE = 48; // of a cell, in pixels
const NAMES = 120; // pixels for a name below; what is longer is cut

export function heatMap(table, figure) {
    const [row, column, value] = ["row", "column", "value"].map((key) => neededColumn(table, figure, key));
    const rows = table.rows.filter((one) => one[value.name] != null);
    const down = distinct(row, rows), across = distinct(column, rows);
    const values = rows.map((one) => valueOf(value, one));
    const [least, most] = values.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [Infinity, -Infinity]);
    const at = { down: new Map(down.map((one, i) => [one, i])), across: new Map(across.map((one, i) => [one, i])) };
    const data = rows.map((one) => ({ value: [at.across.get(valueOf(column, one)), at.down.get(valueOf(row, one)), valueOf(value, one)], row: one }));
    const longest = Math.max(0, ...across.map((name) => label(name).length)) * 7;
    const room = (width) => labelRoom(down.map(label), width) + 40;
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
            xAxis: categoryAxis(colours, nameOf(column), across.map(label), { nameGap: foot(width) + 10, axisTick: { show: false }, axisLabel: { rotate: turned(width) ? 45 : 0, width: NAMES, overflow: "truncate" } }),
            yAxis: categoryAxis(colours, nameOf(row), down.map(label), { nameGap: room(width) - 18, inverse: true, axisTick: { show: false }, axisLabel: { width: room(width) - 34, overflow: "truncate" } }),
            visualMap: {
                min: least, max: most > least ? most : least + 1, calculable: true, orient: "horizontal", left: room(width), bottom: 4, itemHeight: 160, itemWidth: 14,
                inRange: { color: colours.scale }, textStyle: { color: colours.ink }, formatter: (one) => formatNumber(one), text: [nameOf(value), ""],
            },
            tooltip: { trigger: "item", formatter: ({ data: cell }) => tip(`${label(valueOf(row, cell.row))} × ${label(valueOf(column, cell.row))}`, tipLines([value], cell.row)) },
            series: [{
                type: "heatmap", data, progressive: 4000, animation: false,
                label: { show: rows.length <= NUMBERS_UP_TO && side(width) >= 30, formatter: ({ value: cell }) => formatNumber(cell[2]), fontSize: 11 },
                itemStyle: rows.length <= 2500 ? { borderColor: colours.paper, borderWidth: 1 } : {},
                emphasis: { itemStyle: { borderColor: colours.ink, borderWidth: 1 } },
            }],
        }),
    };
}
