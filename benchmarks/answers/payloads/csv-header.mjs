/** Whether the first row of a table names its columns. A wrong guess makes wrong gold, so what cannot be told is a no. */

/** Rows that are compared with the first. */
const COMPARED = 500
/** Share of the cells of a column that make it one of numbers, dates and the like. */
const MOSTLY = 0.9

const FORMS = [
  ['number', /^[-+]?[$€£]?\s*(?:\d[\d.,\s]*\d|\d|\.\d+)(?:e[-+]?\d+)?\s*%?$/i],
  ['date', /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ]\d{1,2}:\d{2}.*)?$|^\d{1,2}:\d{2}(?::\d{2})?/],
  ['boolean', /^(?:true|false|yes|no|t|f|y|n)$/i],
  ['address', /^[a-z]+:\/\/\S+$|^\S+@\S+\.\S+$|^[./~]*\/\S+$|^\d{1,3}(?:\.\d{1,3}){3}$/i],
  ['code', /^v\d[\w.-]*$|^(?=.*\d)[0-9a-f-]{8,}$/i],
]

/** Years name columns: `country,2019,2020`. */
const YEAR = /^(?:19|20)\d\d$/
/** As names are written for machines, or in one word: `id`, `created_at`, `unitPrice`, `Region`. */
const MACHINE_NAME =
  /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+$|^[a-z][a-z0-9]*(?:[_.-][a-z0-9]+)*$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/
/** Words that name columns and are hardly ever data. */
const NAMING =
  /\b(?:id|name|title|type|kind|date|time|year|status|state|country|city|region|address|email|phone|code|price|amount|total|count|description|category|value|key|url|user|author|group|team|label|notes?|comments?)s?$/i

const formOf = (cell) => FORMS.find(([, pattern]) => pattern.test(cell.trim()))?.[0] ?? 'text'

/** The form that most values have; `text` when none does. */
function formOfAll(values) {
  const counts = new Map()
  for (const value of values) counts.set(formOf(value), (counts.get(formOf(value)) ?? 0) + 1)
  return [...counts].find(([, count]) => count >= MOSTLY * values.length)?.[0] ?? 'text'
}

/**
 * Compares the cells of the first row with the cells below. A name is text above figures. A row like the others has figures above figures
 * or a value that comes again.
 * @param {string[]} first   its cells
 * @param {{cells: string[]}[]} rows   those below
 */
export function hasHeader(first, rows) {
  if (rows.length === 0 || first.some((cell) => cell.length > 60 || cell.includes('='))) return false
  let names = 0
  let values = 0
  for (const [at, cell] of first.entries()) {
    const below = rows.slice(0, COMPARED).flatMap(({ cells }) => (cells[at] ? [cells[at]] : []))
    if (below.length === 0) continue
    const form = formOfAll(below)
    if (YEAR.test(cell) && !below.every((one) => YEAR.test(one))) continue
    if (formOf(cell) !== 'text' ? formOf(cell) === form || form === 'text' : below.includes(cell)) values++
    else if (form !== 'text') names++
  }
  if (values > 0 || names > 0) return values === 0
  // Text above text: only what reads like names.
  const texts = first.filter((cell) => !YEAR.test(cell)).map((cell) => cell.trim())
  if (texts.length === 0) return false
  return texts.every((cell) => MACHINE_NAME.test(cell)) || texts.some((cell) => NAMING.test(cell))
}
