/** Tags and text of XML, strict and linear: what is not well formed is no XML. Entities of a DTD stay as they are written. */
import { decodeReferences } from './html-scan.ts'

/** What a file is made of, in order. Text is decoded, its white space as written. */
export interface XmlSink {
  open(name: string, attributes: readonly (readonly [name: string, value: string])[]): void
  close(): void
  text(text: string): void
}

/** Deeper elements are no data that anyone asks questions about. */
const DEEPEST = 200

const NAME = /[\p{L}_:][\p{L}\p{N}_:.·-]*/uy
const ATTRIBUTE = /\s+([\p{L}_:][\p{L}\p{N}_:.·-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/uy
const TAG_END = /\s*(\/?)>/y

/** False when the text is not one well-formed element with, at most, a prologue before it and comments around it. */
export function scanXml(xml: string, sink: XmlSink): boolean {
  const open: string[] = []
  let roots = 0
  let at = xml.charCodeAt(0) === 0xfeff ? 1 : 0
  while (at < xml.length) {
    const tag = xml.indexOf('<', at)
    const text = xml.slice(at, tag < 0 ? xml.length : tag)
    if (open.length > 0) sink.text(decodeReferences(text))
    else if (text.trim() !== '') return false
    if (tag < 0) break
    const special = endOfSpecial(xml, tag)
    if (special === -1) return false
    if (special !== undefined) {
      if (xml.startsWith('<![CDATA[', tag)) {
        if (open.length === 0) return false
        sink.text(xml.slice(tag + '<![CDATA['.length, special - ']]>'.length))
      }
      at = special
    } else if (xml[tag + 1] === '/') {
      const name = match(NAME, xml, tag + 2)
      const end = name && match(TAG_END, xml, tag + 2 + name[0].length)
      if (!name || !end || end[1] !== '' || open.pop() !== name[0]) return false
      sink.close()
      at = tag + 2 + name[0].length + end[0].length
    } else {
      if (open.length === 0 && ++roots > 1) return false
      const read = readTag(xml, tag + 1)
      if (!read || open.length >= DEEPEST) return false
      sink.open(read.name, read.attributes)
      if (read.empty) sink.close()
      else open.push(read.name)
      at = read.end
    }
  }
  return roots === 1 && open.length === 0
}

interface Tag {
  name: string
  attributes: [string, string][]
  empty: boolean
  end: number
}

/** The opening tag whose name begins at `from`. */
function readTag(xml: string, from: number): Tag | undefined {
  const name = match(NAME, xml, from)?.[0]
  if (name === undefined) return undefined
  const attributes: [string, string][] = []
  let at = from + name.length
  for (let found = match(ATTRIBUTE, xml, at); found; found = match(ATTRIBUTE, xml, at)) {
    attributes.push([found[1] ?? '', decodeReferences(found[2] ?? found[3] ?? '')])
    at += found[0].length
  }
  const end = match(TAG_END, xml, at)
  return end ? { name, attributes, empty: end[1] === '/', end: at + end[0].length } : undefined
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** The offset after a comment, CDATA, an instruction or a document type; -1 when it has no end, undefined for other tags. */
function endOfSpecial(xml: string, at: number): number | undefined {
  if (xml.startsWith('<!--', at)) return after(xml, '-->', at + 4)
  if (xml.startsWith('<![CDATA[', at)) return after(xml, ']]>', at + 9)
  if (xml.startsWith('<?', at)) return after(xml, '?>', at + 2)
  if (!xml.startsWith('<!DOCTYPE', at)) return undefined
  const subset = xml.indexOf('[', at)
  const end = xml.indexOf('>', at)
  if (subset < 0 || subset > end) return end < 0 ? -1 : end + 1
  const close = /\]\s*>/g
  close.lastIndex = subset
  return close.exec(xml) ? close.lastIndex : -1
}

function after(xml: string, mark: string, from: number): number {
  const at = xml.indexOf(mark, from)
  return at < 0 ? -1 : at + mark.length
}
