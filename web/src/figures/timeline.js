// A time-line: what each row does from when to when.
import { categoryAxis, distinct, label, labelRoom, nameOf, neededColumn, tip, tipLines, valueAxis, valueOf } from "../axes.js";

const BAR = 26;

export function timeline(table, figure) {
    const [row, from, to] = ["row", "from", "to"].map((key) => neededColumn(table, figure, key));
    const rows = table.rows.filter((one) => one[from.name] != null && one[to.name] != null);
    const names = distinct(row, rows);
    const at = new Map(names.map((name, i) => [name, i]));
    const end = rows.reduce((most, one) => Math.max(most, valueOf(to, one)), 0);
    const start = rows.reduce((least, one) => Math.min(least, valueOf(from, one)), Math.min(0, end));
    const room = (width) => labelRoom(names.map(label), width) + 16;
    const time = from.shownUnit ? `time [${from.shownUnit}]` : "time";
    const others = table.columns.filter((column) => !column.isInterval && ![row, from, to].includes(column)).slice(0, 6);

    function drawBar(params, api) {
        const [x1, y] = api.coord([api.value(1), api.value(0)]);
        const [x2] = api.coord([api.value(2), api.value(0)]);
        const height = api.size([0, 1])[1] * 0.66;
        return { type: "rect", shape: { x: x1, y: y - height / 2, width: Math.max(1, x2 - x1), height, r: 2 }, style: { fill: api.visual("color") } };
    }
    return {
        wide: true,
        marks: rows.length,
        columns: [row, from, to, ...others],
        rows,
        height: () => Math.min(1200, names.length * BAR) + 90,
        option: (colours, width) => ({
            grid: { left: room(width), right: 24, top: 12, bottom: 56 },
            xAxis: valueAxis(colours, time, { nameGap: 32, min: start, max: end > start ? end : start + 1 }),
            yAxis: categoryAxis(colours, "", names.map(label), { inverse: true, axisTick: { show: false }, axisLabel: { width: room(width) - 12, overflow: "truncate" } }),
            tooltip: { trigger: "item", formatter: ({ data }) => tip(label(valueOf(row, data.row)), tipLines([from, to, ...others], data.row)) },
            series: [{
                type: "custom", renderItem: drawBar, encode: { y: 0, x: [1, 2] }, clip: true, color: colours.series[0],
                data: rows.map((one) => ({ value: [at.get(valueOf(row, one)), valueOf(from, one), valueOf(to, one)], row: one })),
            }],
        }),
    };
}
