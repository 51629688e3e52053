// CSV as --format csv writes it: RFC 4180 with line feeds, "" for an empty text, nothing for a missing value.
function field(value) {
    if (value == null) return "";
    const text = String(value);
    return text === "" || /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// ROWS are objects, COLUMNS names.
export function toCsv(columns, rows) {
    return [columns, ...rows.map((row) => columns.map((name) => row[name]))].map((line) => line.map(field).join(",") + "\n").join("");
}
