/**
 * A tool as one line: `read(path: string, depth?: integer = 3, mode?: "a"|"b")`. It has the facts that a model needs to call it, in few
 * tokens.
 */
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'

/** Characters of a whole signature, of a type in it, and of a name. */
const longestSignature = 600
const longestType = 120
const longestName = 100
/** Objects within objects are told so deep. */
const deepest = 3
const mostFields = 12
const mostValues = 8
/** Parameters that are looked at, as many as the longest signature has room for: the required ones, and the others. */
const mostParameters = 500
/** Steps of one signature: a schema may grow with each `$ref`. */
const mostSteps = 500

/** The state that all types of one signature share. */
interface Reading {
  readonly root: JsonObject
  steps: number
}

/**
 * The signature of a tool by its input schema: required parameters first, the others with `?` and their defaults. Longer than `longest`
 * characters, it loses the types of required parameters. Longer than `brief`, it loses the other parameters, from the last one on, and
 * says how many.
 */
export function signatureOf(
  name: string,
  schema: JsonValue | undefined,
  longest = longestSignature,
  brief = longest,
): string {
  const head = shortened(name, longestName)
  if (!isObject(schema)) return `${head}()`
  const reading: Reading = { root: schema, steps: 0 }
  const target = resolve(schema, reading)
  const { parameters, total } = parametersOf(isObject(target) ? target : schema)
  const said: string[] = []
  let length = head.length + 2
  for (const [at, { name: parameter, property, required }] of parameters.entries()) {
    let text = parameterText(parameter, property, required, reading)
    // A required parameter is named whatever it costs: without it no call can be right.
    if (required && length + text.length > longest) text = nameText(parameter)
    else if (!required && length + text.length > brief) {
      said.push(`…${total - at} more`)
      break
    }
    said.push(text)
    length += text.length + 2
    const left = total - at - 1
    if (left > 0 && (length > 4 * longest || at + 1 === parameters.length)) {
      said.push(`…${left} more`)
      break
    }
  }
  return `${head}(${said.join(', ')})`
}

interface Parameter {
  name: string
  property: JsonValue
  required: boolean
}

/** Required ones first, otherwise in the order of the schema; `total` of them in all, when those are not all. */
function parametersOf(schema: JsonObject): { parameters: Parameter[]; total: number } {
  const given = own(schema, 'properties')
  const properties = isObject(given) ? given : {}
  const list = own(schema, 'required')
  const needed = new Set(Array.isArray(list) ? list : [])
  const required: Parameter[] = []
  const others: Parameter[] = []
  const names = Object.keys(properties)
  for (const name of names) {
    const isNeeded = needed.has(name)
    const side = isNeeded ? required : others
    if (side.length < mostParameters)
      side.push({ name, property: own(properties, name) ?? null, required: isNeeded })
  }
  // One that is needed and described nowhere is what any other may be.
  const any = own(schema, 'additionalProperties')
  const undeclared = [...needed].filter(
    (name) => typeof name === 'string' && !Object.hasOwn(properties, name),
  )
  for (const name of undeclared.slice(0, mostParameters - required.length))
    required.push({ name: String(name), property: isObject(any) ? any : null, required: true })
  return { parameters: [...required, ...others], total: names.length + undeclared.length }
}

function parameterText(name: string, property: JsonValue, required: boolean, reading: Reading): string {
  const type = shortened(typeOf(property, reading, 0, !required), longestType)
  if (required) return `${nameText(name)}: ${type}`
  const value = isObject(property) ? own(property, 'default') : undefined
  const shown =
    value === undefined || value === null || typeof value === 'object' ? '' : JSON.stringify(value)
  return `${nameText(name)}?: ${type}${shown !== '' && shown.length <= 24 ? ` = ${shown}` : ''}`
}

/** The type of a value; `optional` leaves `null` out, which then says no more than leaving the parameter out. */
function typeOf(given: JsonValue, reading: Reading, depth: number, optional = false): string {
  const schema = resolve(given, reading)
  if (!isObject(schema) || ++reading.steps > mostSteps) return 'any'
  if (Object.hasOwn(schema, 'const')) return literal(own(schema, 'const') ?? null)
  const values = own(schema, 'enum')
  if (Array.isArray(values) && values.length > 0)
    return union(values.slice(0, mostValues).map(literal), values.length)
  const choices = own(schema, 'anyOf') ?? own(schema, 'oneOf')
  if (Array.isArray(choices) && choices.length > 0) {
    const some = choices.slice(0, mostValues).map((choice) => typeOf(choice, reading, depth))
    return union(optional && some.length > 1 ? some.filter((type) => type !== 'null') : some, choices.length)
  }
  const all = own(schema, 'allOf')
  if (Array.isArray(all) && all[0] !== undefined && !Object.hasOwn(schema, 'properties'))
    return typeOf(all[0], reading, depth, optional)
  const type = own(schema, 'type')
  if (Array.isArray(type))
    return union(
      type
        .slice(0, mostValues)
        .filter((each) => !optional || each !== 'null' || type.length === 1)
        .map((each) => plainType(each, schema, reading, depth)),
      0,
    )
  return plainType(type, schema, reading, depth)
}

function plainType(type: JsonValue | undefined, schema: JsonObject, reading: Reading, depth: number): string {
  if (type === 'array' || (type === undefined && Object.hasOwn(schema, 'items'))) {
    const item = typeOf(own(schema, 'items') ?? null, reading, depth)
    return /[|]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
  }
  if (type === 'object' || (type === undefined && Object.hasOwn(schema, 'properties')))
    return objectType(schema, reading, depth)
  if (type === 'string') return `string${formatText(own(schema, 'format'))}`
  return typeof type === 'string' && /^[a-z]{1,20}$/.test(type) ? type : 'any'
}

/** How a text has to be written, where one name says it: `string<date-time>`. */
function formatText(format: JsonValue | undefined): string {
  return typeof format === 'string' && /^[a-z][a-z-]{1,19}$/.test(format) ? `<${format}>` : ''
}

function objectType(schema: JsonObject, reading: Reading, depth: number): string {
  const fields = depth < deepest ? parametersOf(schema).parameters : []
  if (fields.length === 0) {
    const others = own(schema, 'additionalProperties')
    return isObject(others) && depth < deepest ? `{[key]: ${typeOf(others, reading, depth + 1)}}` : 'object'
  }
  const said = fields
    .slice(0, mostFields)
    .map(
      ({ name, property, required }) =>
        `${nameText(name)}${required ? '' : '?'}: ${typeOf(property, reading, depth + 1, !required)}`,
    )
  return `{${[...said, ...(fields.length > mostFields ? ['…'] : [])].join(', ')}}`
}

/** Distinct types; `total` of them in all, when not all are given. */
function union(types: readonly string[], total: number): string {
  const distinct = [...new Set(types)]
  return [...distinct, ...(total > mostValues ? ['…'] : [])].join('|') || 'any'
}

/** The target of a local `$ref`; a chain that is too long or a circle leads nowhere. */
function resolve(schema: JsonValue, reading: Reading): JsonValue {
  let found = schema
  for (let hops = 0; isObject(found) && Object.hasOwn(found, '$ref'); hops++) {
    const pointer = own(found, '$ref')
    if (hops > 10 || typeof pointer !== 'string' || !pointer.startsWith('#')) return null
    let target: JsonValue | undefined = reading.root
    for (const part of pointer.split('/').slice(1, 20)) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      target = isObject(target) ? own(target, key) : undefined
    }
    found = target ?? null
  }
  return found
}

function literal(value: JsonValue): string {
  return isObject(value) || Array.isArray(value) ? 'object' : shortened(JSON.stringify(value), 40)
}

/** As written where it is an identifier, in quotes otherwise. */
function nameText(name: string): string {
  const short = shortened(name, longestName)
  return /^[\p{L}\p{N}_$-]+…?$/u.test(short) ? short : JSON.stringify(short)
}

function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

// The first sentence of a description, which says what a tool is for; what follows are conditions and
// examples.

/** Says nothing by itself: a heading of Markdown, a tag, a line of dashes. */
const heading = /^(?:#{1,6}\s.*|<\/?[\w-]+>|[-=*_]{3,}|\*\*[^*]*\*\*:?)$/

/** A point ends a sentence, but not in `e.g.`, nor in `etc.` where the sentence goes on. */
const sentenceEnd = /(?<!\b(?:[Ee]\.g|[Ii]\.e))(?<!\b(?:etc|vs|incl|approx|cf)(?=\.\s+\p{Ll}))[.!?](?=\s|$)/u

/**
 * One line of at most `longest` characters, without characters that control something; what is cut off ends in `…`. Headings are left out,
 * and a line that breaks within a sentence or announces a list is read on.
 */
export function leadOf(description: string, longest: number): string {
  // Enough to see where the sentence ends, whatever the length of the whole.
  const { text, list } = beginning(description.trimStart().slice(0, 4 * longest))
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ')
  const end = list ? null : sentenceEnd.exec(line)
  const sentence = (end === null ? line : line.slice(0, end.index + 1)).trim()
  if (sentence.length <= longest) return sentence
  const cut = sentence.slice(0, longest - 1)
  const space = cut.lastIndexOf(' ')
  return `${(space > longest / 2 ? cut.slice(0, space) : cut).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** The lines that the first sentence may stand in; `list`: what they announce is with them. */
function beginning(start: string): { text: string; list: boolean } {
  const lines = start.split(/\r\n?|\n/).map((line) => line.trim())
  const first = lines.findIndex((line) => line !== '' && !heading.test(line))
  let text = lines[Math.max(0, first)] ?? ''
  let list = false
  for (const line of lines.slice(first + 1)) {
    if (text.endsWith(':')) {
      if (line === '') continue
      list = true
    } else if (list ? !/^(?:[-*•]|\d+[.)])\s/.test(line) : !/^[\p{Ll}(]/u.test(line)) break
    text += ` ${line}`
  }
  return { text, list }
}
