/** Objects that models write where sentences are meant: `{"state": "open"}`, `{"field": "a", "op": ">", "value": 5}`. */

const operators: Readonly<Record<string, string>> = {
  eq: '=',
  ne: '!=',
  neq: '!=',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  in: 'in',
  nin: 'not in',
  regex: '~',
  like: 'like',
  contains: 'contains',
  exists: 'exists',
}

/** The conditions that an object stands for; the object itself where it is none, to be refused. */
export function conditionsIn(value: object): unknown[] {
  const { field, path, op, operator, value: wanted } = value as Record<string, unknown>
  const name = field ?? path
  if (typeof name === 'string' && wanted !== undefined)
    return [
      condition(name, typeof op === 'string' ? op : typeof operator === 'string' ? operator : '=', wanted),
    ]
  return Object.entries(value).flatMap(([key, held]) => {
    if (typeof held !== 'object' || held === null || Array.isArray(held))
      return [condition(key, Array.isArray(held) ? 'in' : '=', held)]
    return Object.entries(held).map(([sign, each]) => condition(key, sign, each))
  })
}

function condition(field: string, sign: string, value: unknown): string {
  const word = sign.replace(/^\$/, '').toLowerCase()
  const operator = Object.hasOwn(operators, word) ? operators[word] : sign
  if (operator === 'exists') return value === false ? `${field} not exists` : `${field} exists`
  return `${field} ${operator} ${Array.isArray(value) ? `(${value.map(operand).join(', ')})` : operand(value)}`
}

/** Texts in quotes, so that they are one value whatever they hold. */
function operand(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : JSON.stringify(value)
}

/** `{"comments": "desc"}` as `comments desc`, `{"sum": "price"}` as `sum price`. */
export function pairsIn(value: object): unknown[] {
  const { field, order, direction, function: name } = value as Record<string, unknown>
  const beside = order ?? direction ?? name
  if (typeof field === 'string') return [typeof beside === 'string' ? `${field} ${beside}` : field]
  return Object.entries(value).map(([key, held]) => (typeof held === 'string' ? `${key} ${held}` : value))
}
