/** XML as data: elements are fields, repeated ones are lists. */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { asideOf, exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'
import { type MarkupTokens, readMarkup } from './markup-tokens.ts'
import { type BelowWords, belowWords } from './words-above.ts'

/** True for what may be XML, by its beginning, and is no page. */
export function looksLikeXml(text: string): boolean {
  const start = text.slice(0, 1024).trimStart()
  return /^<(?:[?!]|[\p{L}_])/u.test(start) && !/^(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+)?html\b/i.test(start)
}

/**
 * `{root: {…}}`. An element with attributes or elements in it is an object of them, and any other is its text. A number stays text where
 * writing it would change it. An element that repeats in one element of a kind is a list in all of them. An attribute that is called like
 * an element inside is `@name`, text beside attributes or elements is `_text`. Undefined for what is not well formed, and for a single
 * element with nothing in it to ask about.
 */
export function readXml(text: string): JsonObject | undefined {
  const start = rootStart(text)
  if (start < 0) return undefined
  const tree = new Tree(start === 0 ? text : text.slice(start))
  return tree.read() ? tree.finish() : undefined
}

/** Where the one element begins: after the declaration, comments and a document type; -1 where one of them has no end. */
function rootStart(text: string): number {
  const head = /[\s\ufeff]*/y
  for (let at = 0; ; ) {
    head.lastIndex = at
    at += head.exec(text)?.[0].length ?? 0
    const next = text.startsWith('<!--', at)
      ? after(text, '-->', at + 4)
      : text.startsWith('<?', at)
        ? after(text, '?>', at + 2)
        : text.startsWith('<!DOCTYPE', at)
          ? typeEnd(text, at)
          : at
    if (next <= at) return next
    at = next
  }
}

/** The end of a document type. Its declarations stand in brackets and are not read. */
function typeEnd(text: string, at: number): number {
  const [subset, end] = [text.indexOf('[', at), text.indexOf('>', at)]
  if (subset < 0 || subset > end) return end < 0 ? -1 : end + 1
  const close = /\]\s*>/g
  close.lastIndex = subset
  return close.exec(text) ? close.lastIndex : -1
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? -1 : at + mark.length
}

/** Deeper elements are no data that anyone asks questions about. */
const DEEPEST = 200

const NAME = /^[\p{L}_:][\p{L}\p{N}_:.·-]*$/u

/** The facts that hold for all elements of a name. */
interface Kind {
  readonly name: string
  /** Children that stand more than once in one element of this name. */
  readonly repeated: Set<string>
  /** The element that was opened after the last one of these: most elements come as they came before. */
  next?: Kind
}

class Element {
  kind: Kind
  /** Names and values in turn; undefined where there is none. */
  attributes: string[] | undefined
  /** The kinds of its children in the order in which they stand. */
  kinds: Kind[] | undefined
  /** The children; of one with nothing but text its text. */
  readonly children: (Element | string)[] = []
  text = ''
  /** Kinds of its first `looked` children, where there are many. */
  seen: Set<Kind> | undefined
  looked = 0

  constructor(kind: Kind) {
    this.kind = kind
  }
}

/** Values of attributes in quotes, as the tokens of htmlparser2 tell them. */
const QUOTED = 2

class NotWellFormed extends Error {}

/** Makes elements of tokens, and checks what these do not: names, quotes, ends, depth. Nothing is fetched, and no entity of a document type replaced. */
class Tree implements MarkupTokens {
  readonly #xml: string
  readonly #kinds = new Map<string, Kind>()
  readonly #root = new Element({ name: '', repeated: new Set() })
  readonly #open: Element[] = [this.#root]
  #last = this.#root.kind
  #top = this.#root
  /** One that had nothing but text, to be the next. */
  #spare: Element | undefined
  #inTag = false
  #value = ''

  constructor(xml: string) {
    this.#xml = xml
  }

  /** False when the text is not one well-formed element with nothing but comments behind it. */
  read(): boolean {
    try {
      readMarkup(this.#xml, 'xml', this)
    } catch (error) {
      if (error instanceof NotWellFormed) return false
      throw error
    }
    return !this.#inTag && this.#top === this.#root && this.#root.kinds?.length === 1
  }

  finish(): JsonObject | undefined {
    const data = valueOfElement(this.#root)
    const [root] = isObject(data) ? Object.values(data) : []
    return isObject(data) && isObject(root) && Object.values(root).some((value) => typeof value === 'object')
      ? data
      : undefined
  }

  ontext(start: number, end: number): void {
    const top = this.#top
    const first = this.#xml.charCodeAt(start)
    // White space between elements is most of what stands there.
    if (top.text === '' && first <= 32 && this.#xml.slice(start, end).trim() === '') return
    if (top === this.#root) throw new NotWellFormed()
    top.text += this.#xml.slice(start, end)
  }

  ontextentity(code: number): void {
    if (this.#top === this.#root) throw new NotWellFormed()
    this.#top.text += String.fromCodePoint(code)
  }

  oncdata(start: number, end: number, mark: number): void {
    if (mark === 0 || this.#top === this.#root) throw new NotWellFormed()
    this.#top.text += this.#xml.slice(start, end - mark)
  }

  onopentagname(start: number, end: number): void {
    const parent = this.#top
    if (this.#open.length > DEEPEST || (parent === this.#root && parent.kinds)) throw new NotWellFormed()
    const kind = this.#nextKind(start, end)
    const element = this.#spare ?? new Element(kind)
    this.#spare = undefined
    element.kind = kind
    const { kinds } = parent
    if (kinds === undefined) parent.kinds = [kind]
    else {
      if (!parent.kind.repeated.has(kind.name) && isAmong(parent, kinds, kind))
        parent.kind.repeated.add(kind.name)
      kinds.push(kind)
    }
    this.#open.push(element)
    this.#top = element
    this.#inTag = true
  }

  onattribname(start: number, end: number): void {
    this.#top.attributes ??= []
    this.#top.attributes.push(this.#kindOf(this.#xml.slice(start, end)).name)
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    const data = this.#xml.slice(start, end)
    if (data.includes('<')) throw new NotWellFormed()
    this.#value += data
  }

  onattribentity(code: number): void {
    this.#value += String.fromCodePoint(code)
  }

  onattribend(quote: number): void {
    if (quote < QUOTED) throw new NotWellFormed()
    this.#top.attributes?.push(this.#value)
  }

  onopentagend(): void {
    this.#inTag = false
  }

  onselfclosingtag(): void {
    this.#inTag = false
    this.#close()
  }

  onclosetag(start: number, end: number): void {
    const { name } = this.#top.kind
    if (end - start !== name.length || !this.#xml.startsWith(name, start) || this.#top === this.#root)
      throw new NotWellFormed()
    this.#close()
  }

  oncomment(_: number, __: number, mark: number): void {
    if (mark === 0) throw new NotWellFormed()
  }

  ondeclaration(): void {
    throw new NotWellFormed()
  }

  onprocessinginstruction(): void {}
  onend(): void {}

  #close(): void {
    const element = this.#top
    this.#open.pop()
    this.#top = this.#open.at(-1) ?? this.#root
    if (element.attributes !== undefined || element.kinds !== undefined) {
      this.#top.children.push(element)
      return
    }
    this.#top.children.push(element.text)
    element.text = ''
    this.#spare = element
  }

  #nextKind(start: number, end: number): Kind {
    const expected = this.#last.next
    const isExpected =
      expected !== undefined &&
      expected.name.length === end - start &&
      this.#xml.startsWith(expected.name, start)
    const kind = isExpected ? expected : this.#kindOf(this.#xml.slice(start, end))
    this.#last.next = kind
    this.#last = kind
    return kind
  }

  /** One for each name, so that a name is checked once and held once. */
  #kindOf(name: string): Kind {
    const known = this.#kinds.get(name)
    if (known) return known
    if (!NAME.test(name)) throw new NotWellFormed()
    const kind: Kind = { name, repeated: new Set<string>() }
    this.#kinds.set(name, kind)
    return kind
  }
}

/** Whether an element has a child of this kind already. Those of a list stand one after the other: the last one is looked at first. */
function isAmong(parent: Element, kinds: readonly Kind[], kind: Kind): boolean {
  if (kinds[kinds.length - 1] === kind) return true
  if (kinds.length < FEW) return kinds.includes(kind)
  parent.seen ??= new Set()
  for (; parent.looked < kinds.length; parent.looked++) parent.seen.add(kinds[parent.looked] as Kind)
  return parent.seen.has(kind)
}

/** So many children are looked through one by one. */
const FEW = 16

function valueOfText(written: string): JsonValue {
  const text = written.trim()
  return exactNumber(text) ?? text
}

function valueOfElement(element: Element): JsonValue {
  const { attributes, kinds } = element
  const text = element.text.trim()
  const value: JsonObject = {}
  if (kinds === undefined) fillAttributes(value, attributes)
  else fill(value, element, kinds)
  if (text !== '') put(value, Object.hasOwn(value, '_text') ? '#text' : '_text', exactNumber(text) ?? text)
  return value
}

function fillAttributes(
  value: JsonObject,
  attributes: readonly string[] = [],
  taken?: ReadonlySet<string>,
): void {
  for (let at = 0; at + 1 < attributes.length; at += 2) {
    const [name, written] = [attributes[at] ?? '', attributes[at + 1] ?? '']
    put(value, taken?.has(name) ? `@${name}` : name, exactNumber(written) ?? written)
  }
}

/** Children of one name are together, in the order of their first. */
function fill(value: JsonObject, { kind, attributes, children }: Element, kinds: readonly Kind[]): void {
  if (attributes) fillAttributes(value, attributes, new Set(kinds.map(({ name }) => name)))
  let lists: Map<string, JsonValue[]> | undefined
  for (let index = 0; index < children.length; index++) {
    const child = children[index] ?? ''
    const { name } = kinds[index] as Kind
    const held = typeof child === 'string' ? valueOfText(child) : valueOfElement(child)
    if (!kind.repeated.has(name)) put(value, name, held)
    else {
      lists ??= new Map()
      const list = lists.get(name)
      if (list) list.push(held)
      else {
        const started = [held]
        lists.set(name, started)
        put(value, name, started)
      }
    }
  }
}

function put(object: JsonObject, name: string, value: JsonValue): void {
  if (name === '__proto__') setOwn(object, name, value)
  else object[name] = value
}

const LONGEST_END = 256
const CLOSED = /<\/[\p{L}_][^\s<>]{0,120}>\s{0,64}$/u
/** The element that a document begins with: one that words stand before has its declaration or its end at the end of the text. */
const BEGUN = /^(?:<\?xml\b[^>]{0,500}>\s{0,64})?(?:<!--|<([\p{L}_][^\s<>/]{0,120})(?=[\s>]))/u

/** Pieces of pages stand in Markdown as well. */
const OF_PAGES =
  /^(?:html|head|body|div|details|table|p|pre|code|ul|ol|dl|span|section|article|main|blockquote|center|form|a|svg|img|picture|figure|br|sub|sup|kbd|h[1-6]|b|i|em|strong|small|script|style)$/i

/** True where the element that begins here ends with the text. */
function isClosed(rest: string, text: string): boolean {
  const [begun, name] = rest.startsWith('<') ? (BEGUN.exec(rest) ?? []) : []
  if (begun === undefined) return false
  if (name === undefined) return begun.startsWith('<?xml')
  return !OF_PAGES.test(name) && text.slice(-LONGEST_END).trimEnd().endsWith(`</${name}>`)
}

/** Tried before HTML, which is rarely well formed. Never takes a page, or an element with nothing in it to ask about. */
export const xml = defineFormat<BelowWords<JsonObject>>({
  name: 'xml',
  family: 'xml',
  readable: (document) => document.json(),
  source: 'No value matches; these are lines of the XML source.',
  detect(text) {
    const evidence = looksLikeXml(text) ? readXml(text) : undefined
    if (evidence !== undefined) return { evidence, above: [] }
    return CLOSED.test(text.slice(-LONGEST_END))
      ? belowWords(text, (rest) => isClosed(rest, text), readXml)
      : undefined
  },
  read: (_, { evidence }) => evidence,
  asides: (_, { above }) => above.map(asideOf),
})
