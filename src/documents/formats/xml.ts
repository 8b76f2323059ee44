/** XML as data: elements are fields, those that repeat are lists. */

import { SaxesParser } from 'saxes'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { overviewOfData } from '../overview/records.ts'
import { exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'

/** True for what may be XML, by its beginning, and is no page. */
export function looksLikeXml(text: string): boolean {
  const start = text.slice(0, 1024).trimStart()
  return /^<(?:[?!]|[\p{L}_])/u.test(start) && !/^(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+)?html\b/i.test(start)
}

/**
 * `{root: {…}}`. An element with attributes or elements in it is an object of them, any other is its text; a number stays
 * text where writing it would change it. What repeats in one element of a kind is a list in all of them. An attribute that
 * is called like an element inside is `@name`, text beside attributes or elements is `_text`. Undefined for what is not
 * well formed, and for a single element with nothing in it to ask about.
 */
export function readXml(text: string): JsonObject | undefined {
  const tree = new Tree()
  return scanXml(text, tree) ? tree.finish() : undefined
}

/** An element being read. Children of one name are together, in the order of their first. */
interface Element {
  name: string
  attributes: readonly (readonly [string, string])[]
  children: Map<string, Element[]>
  text: string
}

class Tree {
  readonly #open: Element[] = [{ name: '', attributes: [], children: new Map(), text: '' }]
  /** `parent child` of children that stand more than once in one of the parents of that name. */
  readonly #repeated = new Set<string>()

  clear(): void {
    this.#open.splice(0, this.#open.length, { name: '', attributes: [], children: new Map(), text: '' })
    this.#repeated.clear()
  }

  open(name: string, attributes: Element['attributes']): void {
    const parent = this.#top()
    const element = { name, attributes, children: new Map(), text: '' }
    const same = parent.children.get(name)
    if (same) {
      same.push(element)
      this.#repeated.add(`${parent.name} ${name}`)
    } else parent.children.set(name, [element])
    this.#open.push(element)
  }

  close(): void {
    this.#open.pop()
  }

  text(text: string): void {
    const element = this.#top()
    if (element.text !== '' || text.trim() !== '') element.text += text
  }

  finish(): JsonObject | undefined {
    const data = this.#valueOf(this.#top())
    const [root] = isObject(data) ? Object.values(data) : []
    return isObject(data) && isObject(root) && Object.values(root).some((value) => typeof value === 'object')
      ? data
      : undefined
  }

  #top(): Element {
    const top = this.#open.at(-1)
    if (!top) throw new Error('an element was closed that is not open')
    return top
  }

  #valueOf(element: Element): JsonValue {
    const text = element.text.trim()
    if (element.attributes.length === 0 && element.children.size === 0) return exactNumber(text) ?? text
    const value: JsonObject = {}
    for (const [name, written] of element.attributes)
      setOwn(value, element.children.has(name) ? `@${name}` : name, exactNumber(written) ?? written)
    for (const [name, children] of element.children) {
      const values = children.map((child) => this.#valueOf(child))
      const [first = null] = values
      setOwn(value, name, this.#repeated.has(`${element.name} ${name}`) ? values : first)
    }
    if (text !== '')
      setOwn(value, own(value, '_text') === undefined ? '_text' : '#text', exactNumber(text) ?? text)
    return value
  }
}

/** Tried before HTML, which is rarely well formed. Never takes a page, or an element with nothing in it to ask about. */
export const xml = defineFormat<JsonObject>({
  name: 'xml',
  family: 'xml',
  readable: (document) => document.json(),
  source: 'No value matches; these are lines of the XML source.',
  detect: (text) => (looksLikeXml(text) ? readXml(text) : undefined),
  read: (_, data) => data,
  overview: overviewOfData,
})

/** Deeper elements are no data that anyone asks questions about. */
const DEEPEST = 200

/** What other readers of XML pass over as well: names that a document type would have to tell, characters that are not allowed, `]]>` in a text. */
const TOLERATED = /undefined entity|disallowed character\.?$|string "\]\]>" is disallowed/
const ENTITY = /entity/

/**
 * Tells a tree the elements and texts of XML: strict, each character read once. References that only a document type explains stay as they
 * are written, so that none grows. False when the text is not one well-formed element.
 */
function scanXml(text: string, tree: Tree, written = text.trimStart()): boolean {
  const parser = new SaxesParser({ position: false })
  let depth = 0
  let loose = false
  parser.on('error', ({ message }) => {
    if (TOLERATED.test(message)) return
    loose = ENTITY.test(message)
    throw new Error(message)
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1
    if (depth > DEEPEST) throw new Error('too deep')
    tree.open(name, Object.entries(attributes))
  })
  parser.on('closetag', () => {
    depth -= 1
    tree.close()
  })
  parser.on('text', (words) => tree.text(words))
  parser.on('cdata', (words) => tree.text(words))
  try {
    parser.write(written).close()
    return true
  } catch {
    if (!loose || written !== text.trimStart()) return false
    tree.clear()
    return scanXml(text, tree, withReferences(written))
  }
}

/** An `&` that begins no reference means itself, as many writers have it; not in sections of characters. */
function withReferences(xml: string): string {
  return xml
    .split(/(<!\[CDATA\[[\s\S]*?\]\]>)/)
    .map((part, nth) =>
      nth % 2 === 1 ? part : part.replace(/&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z_][\w.-]{0,60});)/gi, '&amp;'),
    )
    .join('')
}
