/** Mailboxes in the mbox format (RFC 4155): messages as records of their headers, body and attachments (RFC 5322, 2045–2047). */
import { type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { defineFormat } from './define.ts'

/** A line that begins a message, behind an empty one or at the start, with a header below it. */
const MESSAGE = /(?:^|\n\r?\n)From \S{1,320} [^\n]{0,80}\d{4}[^\n]{0,20}\r?\n(?=>?[A-Za-z][\w-]{0,80}:)/g
const HEADER = /^([A-Za-z][\w-]{0,80}):[ \t]*([\s\S]*)$/
/** How deep parts lie within parts, and how many of one message are read. */
const DEEPEST = 5
const MOST_PARTS = 200

/** Records of headers by their names, `body` and `attachments`. */
function readMail(text: string): JsonValue[] {
  const places = [...text.matchAll(MESSAGE)]
  return places.map(({ 0: line, index }, nth) =>
    message(text.slice(index + line.length, places[nth + 1]?.index ?? text.length)),
  )
}

function message(text: string): JsonObject {
  const { headers, body } = parted(text)
  const read: Content = { texts: [], pages: [], attachments: [], parts: 0 }
  collect(headers, body.replace(/^>(?=>*From )/gm, ''), read, 0)
  const held = read.texts.length > 0 ? read.texts : read.pages
  return {
    ...headers,
    body: held.join('\n').trim(),
    ...(read.attachments.length > 0 && { attachments: read.attachments }),
  }
}

interface Content {
  readonly texts: string[]
  /** Texts in HTML, read where there is no plain one. */
  readonly pages: string[]
  readonly attachments: JsonObject[]
  parts: number
}

function collect(headers: JsonObject, body: string, content: Content, depth: number): void {
  if (content.parts++ > MOST_PARTS) return
  const type = headerOf(headers, 'content-type')
  const boundary = parameter(type, 'boundary')
  if (boundary !== '' && depth < DEEPEST) {
    const [, ...parts] = body.split(`--${boundary}`)
    for (const part of parts) {
      if (part.startsWith('--')) break
      const inner = parted(part.replace(/^\r?\n/, ''))
      collect(inner.headers, inner.body, content, depth + 1)
    }
    return
  }
  const disposition = headerOf(headers, 'content-disposition')
  const filename = parameter(disposition, 'filename') || parameter(type, 'name')
  const kind = /^[\w.+/-]+/.exec(type)?.[0]?.toLowerCase() ?? 'text/plain'
  if (filename === '' && kind.startsWith('text/')) {
    const into = kind === 'text/html' ? content.pages : content.texts
    into.push(decoded(body, headers, type))
  } else {
    const isBase64 = /base64/i.test(headerOf(headers, 'content-transfer-encoding'))
    const bytes = isBase64 ? Math.floor((body.replace(/[\s=]/g, '').length * 3) / 4) : body.trim().length
    content.attachments.push({ filename: words(filename), type: kind, bytes })
  }
}

/** Headers, unfolded and decoded, repeated ones as a list; and the text below them. */
function parted(text: string): { headers: JsonObject; body: string } {
  const end = /\r?\n\r?\n|^\r?\n/.exec(text)
  const head = end === null ? text : text.slice(0, end.index)
  const headers: JsonObject = {}
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const [, name, written = ''] = HEADER.exec(line) ?? []
    if (name === undefined) continue
    const value = words(written.trim())
    const before = own(headers, name)
    setOwn(headers, name, before === undefined ? value : [before, value].flat())
  }
  return { headers, body: end === null ? '' : text.slice(end.index + end[0].length) }
}

function headerOf(headers: JsonObject, name: string): string {
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name)
  const value = found === undefined ? '' : headers[found]
  return typeof value === 'string' ? value : ''
}

/** A parameter of a header: `boundary` of `multipart/mixed; boundary="x"`. */
function parameter(header: string, name: string): string {
  const [, quoted, bare] =
    new RegExp(`;\\s*${name}\\*?=(?:"([^"]{0,300})"|([^\\s;]{0,300}))`, 'i').exec(header) ?? []
  return quoted ?? bare ?? ''
}

/** `=?utf-8?B?w6Q=?=` is one or more words in another set of characters; blanks between two are none. */
function words(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(
      /=\?([\w-]{1,40})\?([bq])\?([^?\s]{0,4000})\?=/gi,
      (_, set: string, kind: string, held: string) =>
        kind.toLowerCase() === 'b'
          ? texted(Buffer.from(held, 'base64'), set)
          : texted(unquoted(held.replaceAll('_', ' ')), set),
    )
}

function decoded(body: string, headers: JsonObject, type: string): string {
  const encoding = headerOf(headers, 'content-transfer-encoding').trim().toLowerCase()
  const set = parameter(type, 'charset')
  if (encoding === 'base64') return texted(Buffer.from(body, 'base64'), set)
  return encoding === 'quoted-printable' ? texted(unquoted(body.replace(/=\r?\n/g, '')), set) : body
}

/** The bytes of a text in which `=C3` is one. */
function unquoted(text: string): Buffer {
  const parts = text.split(/((?:=[\dA-F]{2})+)/i)
  return Buffer.concat(
    parts.map((part, at) => Buffer.from(at % 2 ? part.replaceAll('=', '') : part, at % 2 ? 'hex' : 'utf8')),
  )
}

function texted(bytes: Buffer, set: string): string {
  try {
    return new TextDecoder(set === '' ? 'utf-8' : set).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

/** Never takes a text that does not begin with `From address date` and a header. */
export const mail = defineFormat<true>({
  name: 'mail',
  family: 'entries',
  line: 'text',
  kind: 'json',
  search: 'values',
  detect: (text) =>
    (text.startsWith('From ') && new RegExp(MESSAGE.source).exec(text.slice(0, 1_000))?.index === 0) ||
    undefined,
  read: readMail,
})
