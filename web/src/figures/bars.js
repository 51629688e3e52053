// Bars side by side: a panel for each measure, a bar for each row, with its interval; the best stand out.
import { categoryAxis, columnOf, label, labelRoom, nameOf, neededColumn, tip, tipLines, Undrawable, valueAxis, valueOf } from "../axes.js";

const PANEL = 190; // least width of a panel, in pixels
const BAR = 30; // height of a bar with what is between two
const HEAD = 34;
const FOOT = 34;

const isBest = (column, row) => column !== null && !["", "no", "-", "false", "0"].includes(String(row[column.name] ?? ""));

// How many panels stand side by side in WIDTH, and how wide they and the names beside them are.
function layOut(width, panels, names) {
    const room = labelRoom(names, width) + 12;
    const across = Math.max(1, Math.min(panels, Math.floor((width - room) / PANEL)));
    return { room, across, each: (width - room) / across };
}

function drawInterval(colour) {
    return (params, api) => {
        const [low, y] = api.coord([api.value(1), api.value(0)]);
        const [high] = api.coord([api.value(2), api.value(0)]);
        const stroke = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: colour, lineWidth: 1.5 } });
        return { type: "group", children: [stroke(low, y, high, y), stroke(low, y - 4, low, y + 4), stroke(high, y - 4, high, y + 4)] };
    };
}

export function bars(table, figure) {
    const names = neededColumn(table, figure, "rows");
    if (!Array.isArray(figure.panels) || figure.panels.length === 0) throw new Undrawable("it has no panels");
    const panels = figure.panels.map((panel) => {
        const y = neededColumn(table, panel, "y");
        const ci95 = columnOf(table, panel, "ci95");
        return { y: { ...y, interval: ci95?.name ?? y.interval }, ci95, best: columnOf(table, panel, "best") };
    });
    const { rows } = table;
    const labels = rows.map((row) => label(valueOf(names, row)));
    const height = (width) => Math.ceil(panels.length / layOut(width, panels.length, labels).across) * (HEAD + FOOT + rows.length * BAR);

    function panelSeries({ y, ci95, best }, i, colours) {
        const bar = (row) => ({ value: valueOf(y, row), row, itemStyle: { color: isBest(best, row) ? colours.best : colours.plain } });
        const halves = rows.map((row, at) => [at, valueOf(y, row), ci95 ? row[ci95.name] : null]).filter(([, value, half]) => value !== null && half != null);
        return [
            { type: "bar", name: nameOf(y), xAxisIndex: i, yAxisIndex: i, data: rows.map(bar), barWidth: "62%", emphasis: { disabled: true } },
            { type: "custom", xAxisIndex: i, yAxisIndex: i, data: halves.map(([at, value, half]) => [at, value - half * y.factor, value + half * y.factor]), renderItem: drawInterval(colours.ink), encode: { y: 0, x: [1, 2] }, silent: true, tooltip: { show: false } },
        ];
    }
    function option(colours, width) {
        const { room, across, each } = layOut(width, panels.length, labels);
        const place = (i) => ({ left: room + (i % across) * each, top: Math.floor(i / across) * (HEAD + FOOT + rows.length * BAR) + HEAD, width: each - 24, height: rows.length * BAR });
        return {
            title: panels.map(({ y }, i) => ({ text: nameOf(y), left: place(i).left - 4, top: place(i).top - 30, textStyle: { color: colours.ink, fontSize: 13, fontWeight: 600, width: each - 20, overflow: "truncate" } })),
            grid: panels.map((panel, i) => place(i)),
            xAxis: panels.map((panel, i) => valueAxis(colours, "", { gridIndex: i, scale: false, splitNumber: 3 })),
            yAxis: panels.map((panel, i) => categoryAxis(colours, "", labels, { gridIndex: i, inverse: true, axisTick: { show: false }, axisLabel: { show: i % across === 0, interval: 0, width: room - 16, overflow: "truncate" } })),
            tooltip: { trigger: "item", formatter: ({ data }) => (data.row ? tip(label(valueOf(names, data.row)), tipLines(panels.map(({ y }) => y), data.row)) : "") },
            series: panels.flatMap((panel, i) => panelSeries(panel, i, colours)),
        };
    }
    return { wide: true, marks: rows.length * panels.length * 2, columns: [names, ...panels.flatMap(({ y, ci95, best }) => [y, ci95, best])], rows, height, option };
}
