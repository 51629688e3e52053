// A time-line: a bar for each row, on the line of who it is of, from one moment to another.
import { axisName, categoryAxis, cellWords, distinct, labelRoom, neededColumn, tip, tipLines, valueAxis, valueOf } from "../axes.js";

const LINE = 26; // height, in pixels
const MOST_LINES = 40;

export function timeline(table, figure) {
    const [who, from, to] = ["who", "from", "to"].map((key) => neededColumn(table, figure, key));
    const whole = table.rows.filter((row) => row[from.name] != null && row[to.name] != null);
    const all = distinct(who, whole);
    const names = all.slice(0, MOST_LINES);
    const at = new Map(names.map((name, i) => [name, i]));
    const rows = whole.filter((row) => at.has(cellWords(who, row)));
    const ends = rows.flatMap((row) => [valueOf(from, row), valueOf(to, row)]);
    const [start, end] = ends.reduce(([least, most], one) => [Math.min(least, one), Math.max(most, one)], [0, 0]);
    const room = (width) => labelRoom(names, width) + 16;

    function drawBar(params, api) {
        const [x1, y] = api.coord([api.value(1), api.value(0)]);
        const [x2] = api.coord([api.value(2), api.value(0)]);
        const height = api.size([0, 1])[1] * 0.66;
        return { type: "rect", shape: { x: x1, y: y - height / 2, width: Math.max(1, x2 - x1), height, r: 2 }, style: { fill: api.visual("color") } };
    }
    return {
        wide: true,
        marks: rows.length,
        part: all.length > names.length ? `first ${names.length} of ${all.length}` : undefined,
        columns: [who, from, to],
        rows,
        height: () => names.length * LINE + 90,
        option: (colours, width) => ({
            grid: { left: room(width), right: 24, top: 12, bottom: 56 },
            xAxis: valueAxis(colours, axisName(to, figure.x_label ?? "time"), { nameGap: 32, min: start, max: end > start ? end : start + 1 }),
            yAxis: categoryAxis(colours, "", names, { inverse: true, axisTick: { show: false }, axisLabel: { width: room(width) - 12, overflow: "truncate" } }),
            tooltip: { trigger: "item", formatter: ({ data }) => tip(cellWords(who, data.row), tipLines([from, to], data.row)) },
            series: [{
                type: "custom", renderItem: drawBar, encode: { y: 0, x: [1, 2] }, clip: true, color: colours.series[0],
                data: rows.map((row) => ({ value: [at.get(cellWords(who, row)), valueOf(from, row), valueOf(to, row)], row })),
            }],
        }),
    };
}
