/** YAML: settings, manifests of Kubernetes, descriptions of interfaces; one document or several. */
import { createRequire } from 'node:module'
import type { Node, Pair } from 'yaml'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { withoutEnd } from '../../text/trim.ts'
import { exactNumber } from './cells.ts'
import { BEGINNING, defineFormat } from './define.ts'

/** Characters of a text that takes the library, which needs a second for a megabyte. */
const LONGEST = 1_500_000
/** Values that aliases may make of a text, and levels of them. */
const MOST_VALUES = 500_000
const DEEPEST = 100
/** The least number of lines, and the share of lines that YAML must have. */
const LEAST = 5
const MOSTLY = 0.9

/** `name:`, `name: value`, `- name: value`; names in quotes, or without blanks. */
const PAIR =
  /^( *)((?:- +)*)(?:"[^"]{1,100}"|'[^']{1,100}'|[A-Za-z_$@/.\d~][\w.$/@+~*-]{0,100}):(?: +(\S.*))?$/
const ITEM = /^( *)-(?: +(\S.*))?$/
const QUIET = /^(?:\s*#.*|---.*|\.\.\.|%YAML .*|\s*)$/
/** The mark that begins a text of several lines. */
const BLOCK = /(?:^|\s)[|>][-+\d]{0,2}(?:\s+#.*)?$/

/**
 * True for lines of names, values and items, if at least one stands below another. Other formats also recognise names with values alone.
 * Judged by the beginning.
 */
function looksLikeYaml(text: string): boolean {
  const start = text.slice(0, BEGINNING)
  if (/^\s*[[{<]/.test(start)) return false
  const lines = indexLines(start)
  const count = start.length < text.length ? lines.count - 1 : lines.count
  let [written, fitting, nested] = [0, 0, 0]
  /** How far in the last name stood that has nothing beside it. */
  let open = -1
  /** How far in a text of several lines must be. */
  let block = -1
  for (let index = 0; index < count; index++) {
    const line = lines.at(index)
    const indent = line.length - line.trimStart().length
    if (block >= 0 && (indent > block || line.trim() === '')) continue
    block = -1
    if (QUIET.test(line)) continue
    written += 1
    const [, before = '', dashes = '', value] = PAIR.exec(line) ?? []
    const item = value === undefined && dashes === '' ? ITEM.exec(line) : null
    const isPair = PAIR.test(line)
    const at = before.length + dashes.length
    if (isPair || item) {
      fitting += 1
      const within = item || dashes !== '' ? indent >= open : indent > open
      if (open >= 0 && within) nested += 1
      const held = isPair ? value : item?.[2]
      // Items in braces hold names of their own.
      if (item && /^[{[].*[}\]]$/.test(held ?? '')) nested += 1
      open = isPair && held === undefined ? (dashes === '' ? indent : at) : -1
      if (held !== undefined && BLOCK.test(held)) block = indent
      // A text may go on in the next lines, further in.
      else if (held !== undefined && /^["']/.test(held) && !/["']\s*(?:#.*)?$/.test(held.slice(1)))
        block = indent
    } else if (indent > 0 && fitting > 0) fitting += 0.5
  }
  return written >= LEAST && nested > 0 && fitting >= written * MOSTLY
}

const load = createRequire(import.meta.url)
// Loaded with the first text that looks so: no start of a worker waits for it.
let yamlLibrary: typeof import('yaml') | undefined

/**
 * The value of one document, a list of those of several. Numbers stay texts where writing them would change them (`1.10`, `0755`); dates are
 * texts. Undefined where the text is not well formed, or aliases make too much of it.
 */
function readYaml(text: string): JsonValue | undefined {
  return readPlainYaml(text) ?? (text.length > LONGEST ? undefined : readAnyYaml(text))
}

/** Reads all that YAML allows. */
export function readAnyYaml(text: string): JsonValue | undefined {
  yamlLibrary ??= load('yaml') as typeof import('yaml')
  const { parseAllDocuments } = yamlLibrary
  try {
    const documents = parseAllDocuments(text.replace(/^\ufeff/, ''), {
      schema: 'failsafe',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
      stringKeys: false,
    })
    if (!Array.isArray(documents)) return undefined
    const values: JsonValue[] = []
    const work = { left: MOST_VALUES }
    for (const { contents, errors, anchors } of documents.map((document) => ({
      contents: document.contents as Node | null,
      errors: document.errors,
      anchors: anchorsOf(document.contents as Node | null),
    }))) {
      if (errors.length > 0) return undefined
      if (contents !== null) values.push(valueOfNode(contents, anchors, work, 0))
    }
    // Words alone are no data.
    if (values.length === 0 || values.some((value) => typeof value !== 'object')) return undefined
    return values.length === 1 ? values[0] : values
  } catch {
    return undefined
  }
}

/** The node at each anchor. */
function anchorsOf(root: Node | null): ReadonlyMap<string, Node> {
  const found = new Map<string, Node>()
  if (root !== null)
    yamlLibrary?.visit(root, {
      Node(_, node) {
        if ('anchor' in node && typeof node.anchor === 'string') found.set(node.anchor, node)
      },
    })
  return found
}

/** Throws where there is more than is read. */
function valueOfNode(
  node: unknown,
  anchors: ReadonlyMap<string, Node>,
  work: { left: number },
  depth: number,
): JsonValue {
  if (--work.left < 0 || depth > DEEPEST) throw new Error('too much')
  const { isAlias, isMap, isScalar, isSeq } = yamlLibrary as typeof import('yaml')
  if (isAlias(node)) return valueOfNode(anchors.get(node.source) ?? null, anchors, work, depth + 1)
  if (isSeq(node)) return node.items.map((item) => valueOfNode(item, anchors, work, depth + 1))
  if (isMap(node)) {
    const object: JsonObject = {}
    // Without the merged ones, which may be written over.
    const names = new Set<string>()
    for (const { key, value } of node.items as Pair[]) {
      const name = valueOfNode(key, anchors, work, depth + 1)
      const held = valueOfNode(value, anchors, work, depth + 1)
      const written =
        typeof name === 'object' && name !== null ? JSON.stringify(name) : String(name ?? 'null')
      if (names.has(written)) throw new Error('a name stands twice')
      names.add(written)
      if (written !== '<<') setOwn(object, written, held)
      else
        for (const merged of Array.isArray(held) ? held : [held])
          if (isObject(merged))
            for (const inner of Object.keys(merged))
              if (!Object.hasOwn(object, inner)) setOwn(object, inner, own(merged, inner) ?? null)
    }
    return object
  }
  if (!isScalar(node)) return null
  const text = String(node.value ?? '')
  return node.type === 'PLAIN' ? plain(text) : text
}

/** The value of a word without quotes. */
function plain(text: string): JsonValue {
  if (text === '' || text === '~' || /^null$/i.test(text)) return null
  if (/^true$/i.test(text)) return true
  if (/^false$/i.test(text)) return false
  return exactNumber(text) ?? text
}

// Names, values and items each on a line, which is how programs write YAML: read line by line in a fiftieth of the time.

/** The texts that the reader leaves to the library. */
class NotPlain extends Error {}

/** A name in quotes or without, and what stands behind the colon. */
const PLAIN_PAIR =
  /^(?:"([^"\\]{1,200})"|'([^']{1,200})'|([A-Za-z_\d][\w.$/@+-]*(?: [\w.$/@+-]+)*)):(?: +(\S.*))?$/
/** Signs with a meaning of their own at the beginning of a value. */
const SIGNS = /^(?:[&*!|>%@`{}[\],?#"':]|-(?: |$))/
/** Characters that YAML does not allow, or that end a line. */
const ODD = /[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u
const SEPARATOR = /^---(?: +#.*)?$/

/** The same as `readAnyYaml`; undefined where one line takes more than this reader knows. Linear. */
export function readPlainYaml(text: string): JsonValue | undefined {
  if (ODD.test(text)) return undefined
  try {
    const values = new PlainYaml(text).read()
    return values.length === 1 ? values[0] : values.length === 0 ? undefined : values
  } catch (error) {
    if (error instanceof NotPlain) return undefined
    throw error
  }
}

class PlainYaml {
  readonly #lines: LineIndex
  /** The line that is read next; behind the last one its indent is that of no line. */
  #at = -1
  #indent = -1
  /** The text of the line, without the part that was read already. */
  #content = ''

  constructor(text: string) {
    this.#lines = indexLines(text)
  }

  read(): JsonValue[] {
    const values: JsonValue[] = []
    this.#next()
    while (this.#at < this.#lines.count) {
      if (this.#isSeparator()) {
        this.#next()
        if (this.#at < this.#lines.count && !this.#isSeparator()) continue
        // A document with nothing in it.
        values.push(null)
        continue
      }
      values.push(this.#node(0))
      if (this.#at < this.#lines.count && !this.#isSeparator()) throw new NotPlain()
    }
    return values
  }

  #isSeparator(): boolean {
    return this.#indent === 0 && this.#content.startsWith('---')
  }

  /** Goes to the next line that says something. */
  #next(): void {
    for (this.#at += 1; this.#at < this.#lines.count; this.#at++) {
      const line = this.#lines.at(this.#at).trimEnd()
      const content = line.trimStart()
      if (content === '' || content.startsWith('#')) continue
      if (line.includes('\t')) throw new NotPlain()
      this.#indent = line.length - content.length
      this.#content = content
      const isMark = this.#indent === 0 && /^(?:---|\.\.\.|%)/.test(content)
      if (isMark && !SEPARATOR.test(content)) throw new NotPlain()
      return
    }
    this.#indent = -1
    this.#content = ''
  }

  #isItem(): boolean {
    return !this.#isSeparator() && (this.#content === '-' || this.#content.startsWith('- '))
  }

  #node(depth: number): JsonValue {
    if (depth > DEEPEST) throw new NotPlain()
    return this.#isItem() ? this.#list(depth) : this.#map(depth)
  }

  #list(depth: number): JsonValue[] {
    const indent = this.#indent
    const values: JsonValue[] = []
    while (this.#indent === indent && this.#isItem()) {
      const rest = this.#content.slice(1).trimStart()
      if (rest === '' || (!rest.startsWith('- ') && rest !== '-' && !PLAIN_PAIR.test(rest))) {
        values.push(this.#value(rest, indent, depth))
        continue
      }
      // The text behind the dash is the first line of the item.
      this.#indent += this.#content.length - rest.length
      this.#content = rest
      values.push(this.#node(depth + 1))
    }
    if (this.#indent > indent) throw new NotPlain()
    return values
  }

  #map(depth: number): JsonObject {
    const indent = this.#indent
    const object: JsonObject = {}
    while (this.#indent === indent && !this.#isItem() && !this.#isSeparator()) {
      const [whole, double, single, bare = '', rest = ''] = PLAIN_PAIR.exec(this.#content) ?? []
      if (whole === undefined) throw new NotPlain()
      const name = double ?? single ?? String(plain(bare) ?? 'null')
      // Names of a map are unique (YAML 1.2.2, 3.2.1.1): of two values one would be lost.
      if (Object.hasOwn(object, name)) throw new NotPlain()
      setOwn(object, name, this.#value(rest, indent, depth, true))
    }
    if (this.#indent > indent) throw new NotPlain()
    return object
  }

  /** The value behind a name or a dash at this indent, or below it. Goes on behind it. */
  #value(written: string, indent: number, depth: number, inMap = false): JsonValue {
    if (written === '|' || written === '|-') return this.#block(indent, written === '|')
    const value = written === '' || written.startsWith('#') ? undefined : scalar(written)
    this.#next()
    const isBelow = this.#indent > indent || (inMap && this.#indent === indent && this.#isItem())
    if (value === undefined) return isBelow ? this.#node(depth + 1) : null
    // A value that goes on in the next line.
    if (this.#indent > indent) throw new NotPlain()
    return value
  }

  /** A text of several lines, all further in than `indent`. */
  #block(indent: number, ends: boolean): string {
    const lines: string[] = []
    let inner = -1
    let at = this.#at + 1
    for (; at < this.#lines.count; at++) {
      const line = this.#lines.at(at)
      const isBlank = line.trim() === ''
      const start = line.length - line.trimStart().length
      if (isBlank && (inner < 0 ? line !== '' : line.length > inner)) throw new NotPlain()
      if (!isBlank && start <= indent) break
      if (!isBlank && inner < 0) inner = start
      if (!isBlank && (start < inner || line.slice(0, inner).trim() !== '' || line.includes('\t')))
        throw new NotPlain()
      lines.push(line.slice(Math.max(0, inner)))
    }
    if (inner < 0) throw new NotPlain()
    this.#at = at - 1
    this.#next()
    return withoutEnd(lines.join('\n'), /\n/) + (ends ? '\n' : '')
  }
}

/** A value on one line. */
function scalar(written: string): JsonValue {
  if (written === '{}') return {}
  if (written === '[]') return []
  const [, double, single] = /^(?:"([^"\\]*)"|'([^']*)')$/.exec(written) ?? []
  const quoted = double ?? single
  if (quoted !== undefined) return quoted
  if (SIGNS.test(written) || /:(?: |$)/.test(written)) throw new NotPlain()
  const comment = written.indexOf(' #')
  return plain(comment < 0 ? written : written.slice(0, comment).trimEnd())
}

/** Tried after trees: their lines are items as well. Never takes flat pairs, prose, Markdown below its head, or what is not well formed. */
export const yaml = defineFormat<{ value: JsonValue }>({
  name: 'yaml',
  family: 'yaml',
  kind: 'json',
  readable: (document) => document.json(),
  source: 'No value matches; these are lines of the YAML source.',
  detect(text) {
    const value = looksLikeYaml(text) ? readYaml(text) : undefined
    return value === undefined ? undefined : { value }
  },
  read: (_, { value }) => value,
})
