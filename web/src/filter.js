// What the box above a table takes: words that a row must have, and conditions such as ebb>0.5, with blanks between them.
const CONDITION = /^(\w+)(<=|>=|!=|=|<|>)(.*)$/;
const COMPARE = {
    "<": (a, b) => a < b,
    ">": (a, b) => a > b,
    "<=": (a, b) => a <= b,
    ">=": (a, b) => a >= b,
    "=": (a, b) => a === b,
    "!=": (a, b) => a !== b,
};

function condition(column, operator, wanted) {
    const compare = COMPARE[operator];
    if (column.type === "text") {
        const text = wanted.toLowerCase();
        return (row) => row[column.name] != null && compare(String(row[column.name]).toLowerCase(), text);
    }
    const limit = Number(wanted) / column.factor; // as it is shown
    return (row) => row[column.name] != null && compare(row[column.name], limit);
}

function word(columns, wanted) {
    const text = wanted.toLowerCase();
    return (row) => columns.some(({ name }) => row[name] != null && String(row[name]).toLowerCase().includes(text));
}

// A function of a row: whether it fits all that QUERY says.
export function filterOf(query, columns) {
    const terms = query.split(/\s+/).filter(Boolean).map((term) => {
        const [, name, operator, wanted] = CONDITION.exec(term) ?? [];
        const column = columns.find((one) => one.name === name);
        const usable = column && wanted !== "" && (column.type === "text" || !Number.isNaN(Number(wanted)));
        return usable ? condition(column, operator, wanted) : word(columns, term);
    });
    return (row) => terms.every((fits) => fits(row));
}
