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

// The prefix that suits VALUES of UNIT: {factor, unit}; only units in which prefixes are usual have one.
export function chooseScale(unit, values) {
    const prefixes = { s: ["", "m", "µ", "n", "p"], "byte/s": ["", "k", "M", "G", "T", "P"] }[unit];
    const present = prefixes ? values.filter((value) => value !== 0).map(Math.abs).sort((a, b) => a - b) : [];
    if (present.length === 0) return { factor: 1, unit };
    const typical = present[(present.length - 1) >> 1];
    const power = Math.floor(Math.log10(typical) / 3 + 1e-9);
    const index = Math.min(prefixes.length - 1, Math.max(0, unit === "s" ? -power : power));
    return { factor: 10 ** ((unit === "s" ? 3 : -3) * index), unit: prefixes[index] + unit };
}
