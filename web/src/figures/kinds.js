// The kinds of figures (doc/formats/results.md). One function a kind: of a table, a figure and all tables of the result it makes
//   {wide, marks, part, columns, rows, height(width), option(colours, width)}
// whether it is across the whole page, how many things are drawn, which part of all it is ("first 12 of 40"), what of the table is
// in them, and what ECharts draws. It throws Undrawable, which says why.
// What is no chart of a table, such as a drawing of a fabric, gets a view of its own beside chart.js.
import { bars } from "./bars.js";
import { heatMap } from "./heat_map.js";
import { histogram } from "./histogram.js";
import { lines } from "./lines.js";
import { sorted } from "./sorted.js";
import { timeline } from "./timeline.js";

export const kinds = { lines, bars, "heat-map": heatMap, sorted, histogram, timeline };
