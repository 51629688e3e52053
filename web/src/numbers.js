// Numbers as people read them: the rules of results in text (doc/formats/results.md).
const MOST_READABLE = 1e7; // greater ones have an exponent
const LEAST_READABLE = 1e-4; // and lesser ones

function separated(number) {
    const [whole, fraction] = number.split(".");
    const digits = whole.replace("-", "").length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
    return fraction === undefined ? digits : `${digits}.${fraction}`;
}

function withDigits(value, digits) {
    const magnitude = Math.abs(value);
    if (value !== 0 && (magnitude >= MOST_READABLE || magnitude < LEAST_READABLE))
        return value.toExponential(digits - 1).replace(/\.?0*e\+?/, "e");
    return String(Number(value.toPrecision(digits)));
}

// A value of a column's TYPE: 4 significant digits of a real, a whole part in full as long as it can be read.
export function formatNumber(value, type = "real") {
    if (type === "int") return separated(String(value));
    if (Math.abs(value) >= 9999.5 && Math.abs(value) < MOST_READABLE) return separated(value.toFixed(0));
    return withDigits(value, 4);
}

// Bytes as people write them: 4 KiB.
export function formatBytes(bytes) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let power = 0;
    while (power + 1 < units.length && bytes >= 1024 ** (power + 1)) power++;
    return `${withDigits(bytes / 1024 ** power, 4)} ${units[power]}`;
}

// Decimal places that show a half width: one significant digit, or two where the first is 1.
function intervalPlaces(half) {
    const [digits, exponent] = half.toExponential(1).split("e");
    return Math.max(0, (digits[0] === "1" ? 1 : 0) - Number(exponent));
}

// A mean and the half width of its interval, rounded to the same place: ["1.698", "0.012"].
export function formatInterval(value, half) {
    const places = half > 0 ? intervalPlaces(half) : 0;
    const magnitude = Math.max(Math.abs(value), half);
    if (!(half > 0) || magnitude >= MOST_READABLE || magnitude * 10 ** places >= MOST_READABLE)
        return [formatNumber(value), withDigits(half, 2)];
    return [separated(value.toFixed(places)), separated(half.toFixed(places))];
}

// The lower median of VALUES but 0, or 0.
function medianOf(values) {
    const present = values.filter((value) => value !== 0).map(Math.abs).sort((a, b) => a - b);
    return present.length === 0 ? 0 : present[(present.length - 1) >> 1];
}

const PREFIXES = { s: ["", "m", "µ", "n", "p"], "byte/s": ["", "k", "M", "G", "T", "P"] }; // units in which they are usual

// The prefix that suits COLUMNS of values of UNIT, which are there to be compared: {factor, unit}. It makes the median of
// the column with the greatest ones 1 … 1000.
export function chooseScale(unit, columns) {
    const typical = Math.max(0, ...columns.map(medianOf));
    const prefixes = PREFIXES[unit];
    if (!prefixes || typical === 0) return { factor: 1, unit };
    const down = unit === "s";
    const power = Math.floor(Math.log10(typical) / 3 + 1e-9);
    let index = Math.min(prefixes.length - 1, Math.max(0, down ? -power : power));
    const greatest = columns.flat().reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    while (down && index > 0 && greatest * 10 ** (3 * index) >= MOST_READABLE) index--;
    return { factor: 10 ** ((down ? 3 : -3) * index), unit: prefixes[index] + unit };
}
