/** Calendars and address cards: iCalendar (RFC 5545) and vCard (RFC 6350), which are of one grammar. */
import { type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { exactNumber } from './cells.ts'
import { BEGINNING, defineFormat } from './define.ts'

/** A property: a group before its name, parameters, a value. */
const PROPERTY =
  /^(?:[\w-]{1,60}\.)?([A-Za-z][\w-]{0,80})((?:;[\w-]{1,60}(?:=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)?)*):(.*)$/
const PARAMETER = /;([\w-]+)(?:=((?:"[^"]*"|[^";:])*))?/g
/** Parameters that say how a value is written, not what it is. */
const OF_WRITING: ReadonlySet<string> = new Set(['VALUE', 'CHARSET', 'ENCODING', 'LANGUAGE'])
/** Properties of several components, of which the last ones may be empty (RFC 6350, section 6.2), and those of several values. */
const STRUCTURED: ReadonlySet<string> = new Set(['N', 'ORG', 'ADR'])
const LISTS: ReadonlySet<string> = new Set(['CATEGORIES', 'NICKNAME', 'RESOURCES'])
const DEEPEST = 20
const LONGEST = 65_536

interface Component {
  readonly name: string
  readonly properties: { name: string; value: JsonValue; parameters: JsonObject }[]
  readonly components: Component[]
}

/** The forms of properties of one name in some component of a kind: they are read alike in all. */
interface Kind {
  readonly several: Set<string>
  readonly withParameters: Set<string>
}

/**
 * The parts of a component under their names: `{PRODID, VEVENT: [{UID, DTSTART, ATTENDEE: [{_text, PARTSTAT}]}]}`; cards as a list. A
 * property that stands several times is a list, and one with parameters an object, in all components of a kind where it is in one. Dates
 * as ISO 8601 writes them.
 */
function readCalendar(text: string): JsonValue {
  const roots = components(text)
  const kinds = new Map<string, Kind>()
  measure(roots, kinds)
  const values = roots.map((root) => valueOfComponent(root, kinds))
  return values.length === 1 && roots[0]?.name !== 'VCARD' ? (values[0] ?? null) : values
}

function components(text: string): Component[] {
  const root: Component = { name: '', properties: [], components: [] }
  const open = [root]
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const [, name, written = '', value = ''] = (line.length <= LONGEST && PROPERTY.exec(line)) || []
    const holder = open.at(-1) ?? root
    if (name === undefined) continue
    const upper = name.toUpperCase()
    if (upper === 'BEGIN' && open.length <= DEEPEST) {
      const begun: Component = { name: value.trim().toUpperCase(), properties: [], components: [] }
      holder.components.push(begun)
      open.push(begun)
    } else if (upper === 'END') {
      if (open.length > 1) open.pop()
    } else {
      const { zone, ...property } = read(upper, value, written)
      holder.properties.push({ name: upper, ...property })
      if (zone !== undefined) holder.properties.push({ name: `${upper}_TZID`, value: zone, parameters: {} })
    }
  }
  return root.components
}

/** The zone of a date stands beside it, as dates are compared by themselves. */
function read(
  name: string,
  value: string,
  written: string,
): { value: JsonValue; parameters: JsonObject; zone: JsonValue | undefined } {
  const parameters: JsonObject = {}
  for (const [, name = '', held] of written.matchAll(PARAMETER)) {
    const key = held === undefined ? 'TYPE' : name.toUpperCase()
    const said = held === undefined ? name : held.replaceAll('"', '')
    const before = own(parameters, key)
    if (!OF_WRITING.has(key))
      setOwn(parameters, key, before === undefined ? said : `${String(before)},${said}`)
  }
  const { TZID: zone, ...others } = parameters
  return { value: valueIn(name, value), parameters: others, zone }
}

function valueIn(name: string, value: string): JsonValue {
  if (LISTS.has(name)) return value.split(/(?<!\\),/).map((one) => unescaped(one.trim()))
  return dated(value) ?? exactNumber(value) ?? unescaped(STRUCTURED.has(name) ? withoutEmpty(value) : value)
}

function withoutEmpty(value: string): string {
  let end = value.length
  while (value[end - 1] === ';' && value[end - 2] !== '\\') end -= 1
  return value.slice(0, end)
}

/** `20240501T100000Z` as `2024-05-01T10:00:00Z`. */
function dated(value: string): string | undefined {
  const [, year, month, day, hour, minute, second, zone = ''] =
    /^((?:1[89]|2\d)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?:T([0-2]\d)([0-5]\d)([0-6]\d)(Z?))?$/.exec(value) ??
    []
  if (year === undefined) return undefined
  return `${year}-${month}-${day}${hour === undefined ? '' : `T${hour}:${minute}:${second}${zone}`}`
}

function unescaped(value: string): string {
  return value.replace(/\\([\\;,nN:])/g, (_, mark: string) => (mark === 'n' || mark === 'N' ? '\n' : mark))
}

function measure(all: readonly Component[], kinds: Map<string, Kind>): void {
  for (const { name, properties, components } of all) {
    const kind = kinds.get(name) ?? { several: new Set(), withParameters: new Set() }
    kinds.set(name, kind)
    const seen = new Set<string>()
    for (const property of properties) {
      if (seen.has(property.name)) kind.several.add(property.name)
      seen.add(property.name)
      if (Object.keys(property.parameters).length > 0) kind.withParameters.add(property.name)
    }
    measure(components, kinds)
  }
}

function valueOfComponent(
  { name, properties, components }: Component,
  kinds: ReadonlyMap<string, Kind>,
): JsonObject {
  const kind = kinds.get(name)
  const made: JsonObject = {}
  const add = (key: string, value: JsonValue, isList: boolean): void => {
    const before = own(made, key)
    if (!isList) setOwn(made, key, value)
    else if (Array.isArray(before)) before.push(...[value].flat())
    else setOwn(made, key, [value].flat())
  }
  for (const { name: key, value, parameters } of properties) {
    const held = kind?.withParameters.has(key) ? { _text: value, ...parameters } : value
    add(key, held, kind?.several.has(key) === true)
  }
  for (const part of components) add(part.name, valueOfComponent(part, kinds), true)
  return made
}

/** Never takes a text that does not begin with a calendar or a card, or in which nothing ends. */
export const calendar = defineFormat<true>({
  name: 'calendar',
  family: 'entries',
  line: 'text',
  kind: 'json',
  search: 'values',
  detect: (text) => {
    const [, name] = /^\s{0,40}BEGIN:(VCALENDAR|VCARD)\r?\n/i.exec(text.slice(0, BEGINNING)) ?? []
    return name !== undefined && /^END:/im.test(text) ? true : undefined
  },
  read: readCalendar,
})
