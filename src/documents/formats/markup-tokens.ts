/** The tokens of HTML and XML, by htmlparser2; most tags and texts are found without looking at every character in turn. */
import { createRequire } from 'node:module'
import type { Tokenizer } from 'htmlparser2'

/** Told what is read, in order, by its places in the text. */
export type MarkupTokens = ConstructorParameters<typeof Tokenizer>[1]

const load = createRequire(import.meta.url)
// Loaded with the first file: no start of a worker waits for it.
let parser: typeof import('htmlparser2') | undefined

/**
 * Reads a text whole. An exception from `tokens` ends the reading. `shortcuts` false: htmlparser2 alone reads, and tells the same.
 * Linear.
 */
export function readMarkup(text: string, kind: 'html' | 'xml', tokens: MarkupTokens, shortcuts = true): void {
  parser ??= load('htmlparser2') as typeof import('htmlparser2')
  const tokenizer = new parser.Tokenizer({ xmlMode: kind === 'xml' }, tokens)
  if (shortcuts) takeShortcuts(tokenizer as unknown as Reader, new PlainTags(text, kind, tokens), text)
  tokenizer.write(text)
  tokenizer.end()
}

/** The used part of a tokenizer that its types hide. */
interface Reader {
  index: number
  /** Where the text begins that was not told yet. */
  sectionStart: number
  /** Reads a character between tags. */
  stateText(code: number): void
}

const [LESS, GREATER, AMPERSAND, SLASH, EQUALS] = [0x3c, 0x3e, 0x26, 0x2f, 0x3d]
const [DOUBLE, SINGLE] = [0x22, 0x27]

/** Between tags the reader goes from one mark to the next; what is no plain tag it reads as ever. */
function takeShortcuts(reader: Reader, tags: PlainTags, text: string): void {
  const readCharacter = reader.stateText.bind(reader)
  reader.stateText = () => {
    for (let at = reader.index; ; ) {
      const tag = text.indexOf('<', at)
      const entity = tags.nextEntity(at)
      if (entity < (tag < 0 ? text.length : tag)) {
        reader.index = entity
        return readCharacter(AMPERSAND)
      }
      if (tag < 0) {
        reader.index = text.length - 1
        return
      }
      const end = tags.read(tag, reader.sectionStart)
      if (end < 0) {
        reader.index = tag
        return readCharacter(LESS)
      }
      reader.sectionStart = end
      reader.index = end - 1
      if (end === text.length) return
      at = end
    }
  }
}

const [FIRST, LATER, BLANK] = [1, 2, 4]
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return (
    (/[A-Za-z]/.test(character) ? FIRST : 0) |
    (/[\w.:-]/.test(character) ? LATER : 0) |
    (/[ \t\n\f\r]/.test(character) ? BLANK : 0)
  )
})

/** Elements of HTML with content that is read in a way of its own. */
const SPECIAL = /^(?:script|style|title|textarea|noembed|noframes|noscript|iframe|xmp|plaintext)$/i

/** As htmlparser2 counts them. */
const [IN_SINGLE, IN_DOUBLE] = [2, 3] as const
/** Attributes of a plain tag at most. */
const MOST_ATTRIBUTES = 40

/** Tags of ASCII with quoted attributes and no entities: nearly all tags. */
class PlainTags {
  readonly #text: string
  readonly #isXml: boolean
  readonly #tokens: MarkupTokens
  #entity = -1
  /** Of each attribute: where its name begins and ends, and its value. */
  readonly #places = new Int32Array(MOST_ATTRIBUTES * 4)

  constructor(text: string, kind: 'html' | 'xml', tokens: MarkupTokens) {
    this.#text = text
    this.#isXml = kind === 'xml'
    this.#tokens = tokens
  }

  /** The first ampersand from a place on; the end of the text when there is none. */
  nextEntity(from: number): number {
    if (this.#entity < from) {
      const found = this.#text.indexOf('&', from)
      this.#entity = found < 0 ? this.#text.length : found
    }
    return this.#entity
  }

  /** Tells the text from `start` up to the tag at `tag`, and the tag. The offset behind it; -1: it is not plain, and nothing was told. */
  read(tag: number, start: number): number {
    const text = this.#text
    const isEnd = text.charCodeAt(tag + 1) === SLASH
    const name = isEnd ? tag + 2 : tag + 1
    let at = this.#nameEnd(name)
    if (at < 0) return -1
    const nameEnd = at
    let attributes = 0
    if (!isEnd) {
      if (!this.#isXml && SPECIAL.test(text.slice(name, nameEnd))) return -1
      for (at = this.#behindBlanks(at); this.#is(at, FIRST); at = this.#behindBlanks(at)) {
        at = attributes < MOST_ATTRIBUTES ? this.#attribute(at, attributes++) : -1
        if (at < 0) return -1
      }
    }
    const isEmpty = !isEnd && this.#isXml && text.charCodeAt(at) === SLASH
    if (isEmpty) at += 1
    if (text.charCodeAt(at) !== GREATER) return -1
    if (tag > start) this.#tokens.ontext(start, tag)
    if (isEnd) {
      this.#tokens.onclosetag(name, nameEnd)
      return at + 1
    }
    this.#tokens.onopentagname(name, nameEnd)
    for (let index = 0; index < attributes; index++) this.#tell(index * 4)
    if (isEmpty) this.#tokens.onselfclosingtag(at)
    else this.#tokens.onopentagend(at)
    return at + 1
  }

  #tell(index: number): void {
    const places = this.#places
    const end = places[index + 3] as number
    this.#tokens.onattribname(places[index] as number, places[index + 1] as number)
    this.#tokens.onattribdata(places[index + 2] as number, end)
    this.#tokens.onattribend(this.#text.charCodeAt(end) === DOUBLE ? IN_DOUBLE : IN_SINGLE, end + 1)
  }

  /** Keeps the places of an attribute. The offset behind it; -1: it is not plain. */
  #attribute(from: number, index: number): number {
    const text = this.#text
    const nameEnd = this.#nameEnd(from)
    const quote = text.charCodeAt(nameEnd + 1)
    if (nameEnd < 0 || text.charCodeAt(nameEnd) !== EQUALS || (quote !== DOUBLE && quote !== SINGLE))
      return -1
    const end = text.indexOf(quote === DOUBLE ? '"' : "'", nameEnd + 2)
    if (end < 0 || this.nextEntity(from) < end) return -1
    const places = this.#places
    places[index * 4] = from
    places[index * 4 + 1] = nameEnd
    places[index * 4 + 2] = nameEnd + 2
    places[index * 4 + 3] = end
    return end + 1
  }

  /** Behind the name that begins here; -1: none does. */
  #nameEnd(from: number): number {
    if (!this.#is(from, FIRST)) return -1
    let end = from + 1
    while (this.#is(end, LATER)) end += 1
    return end
  }

  #behindBlanks(from: number): number {
    let at = from
    while (this.#is(at, BLANK)) at += 1
    return at
  }

  #is(at: number, what: number): boolean {
    const code = this.#text.charCodeAt(at)
    return code < 128 && ((CLASSES[code] as number) & what) !== 0
  }
}
