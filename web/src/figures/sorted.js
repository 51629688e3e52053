// Values in descending order: how many are how high.
import { axisName, isNumber, neededColumn, tip, tipLines, valueAxis, valueOf } from "../axes.js";
import { formatNumber } from "../numbers.js";

export function sorted(table, figure) {
    const y = neededColumn(table, figure, "y");
    const rows = table.rows.filter((row) => row[y.name] != null && !(figure.log_y && !(row[y.name] > 0))).sort((a, b) => b[y.name] - a[y.name]);
    const names = table.columns.filter((column) => !isNumber(column)).slice(0, 3); // what the row is about
    return {
        marks: rows.length,
        columns: [...names, y],
        rows,
        height: () => 320,
        option: (colours) => ({
            grid: { left: 72, right: 20, top: 20, bottom: rows.length > 200 ? 84 : 48 },
            xAxis: valueAxis(colours, figure.x_label ?? "place, the greatest first", { nameGap: 32, min: 0, max: rows.length, minInterval: 1, splitLine: { show: false } }),
            yAxis: valueAxis(colours, axisName(y, figure.y_label), { nameGap: 54, scale: false, type: figure.log_y ? "log" : "value" }),
            dataZoom: rows.length > 200 ? [{ type: "slider", height: 18, bottom: 10, borderColor: colours.line, textStyle: { color: colours.faint } }] : [],
            tooltip: {
                trigger: "axis", axisPointer: { type: "line", snap: true, lineStyle: { color: colours.faint } },
                formatter: ([{ dataIndex }]) => tip(`${formatNumber(dataIndex + 1, "int")} of ${formatNumber(rows.length, "int")}`, tipLines([...names, y], rows[dataIndex])),
            },
            series: [{
                type: "line", step: "middle", data: rows.map((row, i) => [i + 0.5, valueOf(y, row)]), showSymbol: false, color: colours.series[0],
                lineStyle: { width: 1.5 }, areaStyle: { color: colours.series[0], opacity: 0.25 }, sampling: "max", animation: false,
            }],
        }),
    };
}
