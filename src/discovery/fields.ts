/**
 * The searched parts of a tool's definition, apart by how much they say. Properties are read directly, because that takes half the time.
 * The names asked for are none that every object inherits, or they come from the object itself.
 */
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { stemOf, stopWords } from '../text/words/words.ts'
import { isAction } from './actions.ts'

/** A tool as the search sees it. */
export interface SearchedTool {
  /** The name a client calls it by. */
  readonly name: string
  /** The name that its server gives it; absent: that of the definition. Words of the server count as such, not as the tool's. */
  readonly original?: string
  readonly server: string
  /** As its server lists it (MCP specification, server/tools, "Tool"). */
  readonly definition: JsonObject
}

/** Where a word of a definition stands. The description is with the title. */
export type Field = (typeof fieldNames)[number]

export const fieldNames = ['name', 'server', 'description', 'parameters'] as const

/** Longer descriptions are manuals: their later parts name everything and tell nothing apart. */
const longestDescription = 2_000
const longestTitle = 200
const mostParameters = 200
const mostChoices = 20
const mostValues = 50
/** Characters of all parameters of a tool. */
const longestParameters = 10_000
const deepest = 5

/** Takes a text of a definition. They come field by field, in the order of `fieldNames`; of one field the first is the main one. */
type FieldReader = (field: Field, said: string) => void

/** Gives the texts of a definition that are searched, hostile ones cut, without the parameters in `common`. */
export function readFields(tool: SearchedTool, read: FieldReader, common: ReadonlySet<string> = none): void {
  const { server, definition } = tool
  const description = text(definition.description).trim().slice(0, longestDescription)
  const annotations = definition.annotations
  const title = text(definition.title) || (isObject(annotations) ? text(annotations.title) : '')
  const name = nameOf(tool)
  read('name', name)
  const parts = partsOfName(name, description)
  if (parts.length > 0) read('name', parts.join(' '))
  read('server', server)
  if (title !== '') read('description', title.slice(0, longestTitle))
  read('description', description)
  gather({ read, common, left: longestParameters }, definition.inputSchema, 0)
}

/** The name of a tool without its server. */
export function nameOf({ original, definition }: SearchedTool): string {
  return original ?? text(definition.name)
}

const none: ReadonlySet<string> = new Set()

/** A server with fewer tools has no parameters that say nothing. */
const fewestTools = 4

/** Of each server the parameters that all of its tools have, as the one for the account: they tell no tool from another. */
export function commonParameters(tools: readonly SearchedTool[]): Map<string, ReadonlySet<string>> {
  const servers = new Map<string, SearchedTool[]>()
  for (const tool of tools) {
    const others = servers.get(tool.server)
    if (others) others.push(tool)
    else servers.set(tool.server, [tool])
  }
  const common = new Map<string, ReadonlySet<string>>()
  for (const [server, [first, ...others]] of servers) {
    if (first === undefined || others.length + 1 < fewestTools) continue
    let shared = Object.keys(propertiesOf(first)).slice(0, mostParameters)
    for (const tool of others) {
      if (shared.length === 0) break
      const properties = propertiesOf(tool)
      shared = shared.filter((name) => Object.hasOwn(properties, name))
    }
    if (shared.length > 0) common.set(server, new Set(shared))
  }
  return common
}

function propertiesOf({ definition: { inputSchema: schema } }: SearchedTool): JsonObject {
  const properties = isObject(schema) ? schema.properties : undefined
  return isObject(properties) ? properties : {}
}

/** Collects the texts of parameters, and counts the characters left. */
interface Gathering {
  read: FieldReader
  /** Parameters of the outermost level that say nothing. */
  common: ReadonlySet<string>
  left: number
}

/** Names, descriptions and allowed values of the parameters, nested and separately defined ones included. */
function gather(gathering: Gathering, schema: JsonValue | undefined, depth: number): void {
  if (!isObject(schema) || depth > deepest || gathering.left <= 0) return
  const properties = schema.properties
  const all = isObject(properties) ? Object.keys(properties) : []
  const { common } = gathering
  const names = depth === 0 && common.size > 0 ? all.filter((name) => !common.has(name)) : all
  // All of one level before what is nested in it: where there is no room for everything, that says more.
  for (let at = 0; at < names.length && at < mostParameters; at++) {
    const name = names[at] as string
    take(gathering, name)
    const property = (properties as JsonObject)[name]
    if (!isObject(property)) continue
    take(gathering, text(property.description), longestDescription)
    const values = property.enum
    if (Array.isArray(values)) takeValues(gathering, values)
  }
  for (let at = 0; at < names.length && at < mostParameters; at++)
    gather(gathering, (properties as JsonObject)[names[at] as string], depth + 1)
  gather(gathering, schema.items, depth + 1)
  const choices = schema.anyOf
  if (Array.isArray(choices))
    for (const choice of choices.slice(0, mostChoices)) gather(gathering, choice, depth + 1)
  const defined = schema.$defs
  if (isObject(defined))
    for (const name of Object.keys(defined).slice(0, mostParameters))
      gather(gathering, defined[name], depth + 1)
}

function take(gathering: Gathering, said: string, longest = said.length): void {
  if (gathering.left <= 0 || said === '') return
  const room = Math.min(longest, gathering.left)
  gathering.read('parameters', said.length > room ? said.slice(0, room) : said)
  gathering.left -= Math.min(said.length, room) + 1
}

function takeValues(gathering: Gathering, values: readonly JsonValue[]): void {
  for (let at = 0; at < values.length && at < mostValues; at++) take(gathering, text(values[at]))
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

// Names with words written together: `listissues`, `getuserbyid`.

/** Letters. */
const shortestPart = 3
const longestName = 40
/** Words after the action. */
const mostParts = 3

/**
 * The parts of a name that consists of words of its description, as written there. `others` are the words of the description. The first
 * part may be an action that is not among them. None where it is not.
 */
export function partsOfName(name: string, others: string): string[] {
  if (name.length > longestName || !/^[A-Z]?[a-z]+$/.test(name)) return []
  const whole = name.toLowerCase()
  // The name in its own description is no word, and `e-mail` is one.
  const words = new Set(
    others
      .toLowerCase()
      .replaceAll(/\b([a-z]{1,2})-(?=[a-z]{3})/g, '$1')
      .match(/[a-z]{3,40}/g),
  )
  words.delete(whole)
  for (let end = shortestPart; end <= whole.length - shortestPart; end++) {
    const action = whole.slice(0, end)
    if (!isActionWord(action)) continue
    const rest = split(whole.slice(end), words)
    if (rest.length > 0) return [action, ...rest]
  }
  const parts = split(whole, words)
  return parts.length > 1 ? parts : []
}

/** The two words, both known, that a word is written of; none where there are none. Those in the middle come first. */
export function halvesOf(word: string, isKnown: (part: string) => boolean): readonly string[] {
  if (word.length > longestName || !/^[a-z]+$/.test(word)) return []
  const ends = Array.from(
    { length: Math.max(0, word.length - 2 * shortestPart + 1) },
    (_, at) => at + shortestPart,
  )
  ends.sort((a, b) => Math.abs(a - word.length / 2) - Math.abs(b - word.length / 2))
  for (const end of ends) {
    const halves = [word.slice(0, end), word.slice(end)]
    if (halves.every(isKnown)) return halves
  }
  return []
}

/**
 * The words that two neighbours of a question form together (`send email` as `sendemail`, `e-mail` as `email`), with both.
 * Words that say nothing are joined where a hyphen joins them (`log-in`).
 */
export function joinedIn(question: string): readonly { whole: string; parts: readonly string[] }[] {
  const found: { whole: string; parts: readonly string[] }[] = []
  const words = [...question.toLowerCase().matchAll(/[a-z]+/g)].slice(0, mostNeighbours)
  for (let at = 0; at + 1 < words.length; at++) {
    const [one, other] = [words[at] as RegExpExecArray, words[at + 1] as RegExpExecArray]
    const between = question.slice(one.index + one[0].length, other.index)
    const isHyphen = between === '-'
    const whole = one[0] + other[0]
    if (!(isHyphen || /^[ _]$/.test(between)) || whole.length > longestName) continue
    if (isHyphen || (!stopWords.has(one[0]) && !stopWords.has(other[0])))
      found.push({ whole, parts: [one[0], other[0]] })
  }
  return found
}

const mostNeighbours = 100

function isActionWord(word: string): boolean {
  const before = known.get(word)
  if (before !== undefined) return before
  const action = isAction(stemOf(word))
  if (known.size < mostKnown) known.set(word, action)
  return action
}

/** Beginnings of names. A stem takes longer than all else here. */
const known = new Map<string, boolean>()
const mostKnown = 20_000

/** The fewest words that a text is written of, each of them or its plural in the list; none where it is not. */
function split(text: string, words: ReadonlySet<string>, most = mostParts): string[] {
  const known = (part: string): boolean =>
    words.has(part) || words.has(`${part}s`) || (part.endsWith('s') && words.has(part.slice(0, -1)))
  if (known(text)) return [text]
  if (most === 1) return []
  for (let end = text.length - shortestPart; end >= shortestPart; end--) {
    if (!known(text.slice(0, end))) continue
    const rest = split(text.slice(end), words, most - 1)
    if (rest.length > 0) return [text.slice(0, end), ...rest]
  }
  return []
}
