/** Records as CSV (RFC 4180), for files that people open in a spreadsheet. The page in the browser writes it, too, so nothing is imported. */

/** @param names the columns; absent: each name at the top of a record, in the order in which they come */
export function csvOf(rows: readonly unknown[], names: readonly string[] = columnsOf(rows)): string {
  const cellOf = (row: unknown, name: string): unknown =>
    isObject(row) ? (Object.hasOwn(row, name) ? row[name] : undefined) : row
  return [names, ...rows.map((row) => names.map((name) => cellOf(row, name)))]
    .map((values) => `${values.map(cell).join(',')}\r\n`)
    .join('')
}

function columnsOf(rows: readonly unknown[]): string[] {
  return [...new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : ['value'])))]
}

/** A text that a spreadsheet would run as a formula gets an apostrophe before it (OWASP, "CSV Injection"). */
function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text =
    typeof value === 'string'
      ? value.replace(/^[=+\-@\t\r]/, "'$&")
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
