/** Tags and text of HTML, forgiving and linear: whatever a page holds, each character is read once. */
import { ENTITIES } from './html-entities.ts'

/** What a page is made of, in order. Text is decoded and its white space is single. */
export interface HtmlSink {
  open(tag: string, attributes: string): void
  close(tag: string): void
  text(text: string): void
}

/** Elements whose content is no text of the page. */
const RAW: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg'])
/** Attributes of one tag are read up to this length. */
const LONGEST_TAG = 4096

export function scanHtml(html: string, sink: HtmlSink): void {
  let at = 0
  while (at < html.length) {
    const tag = html.indexOf('<', at)
    if (tag !== at) sink.text(decodeText(html.slice(at, tag < 0 ? html.length : tag)))
    if (tag < 0) return
    at = html.startsWith('<!--', tag) ? after(html, '-->', tag + 4) : readTag(html, tag, sink)
  }
}

/** Reads the tag at `from`; answers the offset after it, and after its content when that is raw. */
function readTag(html: string, from: number, sink: HtmlSink): number {
  const name = /^<(\/?)([A-Za-z][\w:-]{0,40})/.exec(html.slice(from, from + 48))
  if (!name) {
    if (html[from + 1] === '!' || html[from + 1] === '?') return after(html, '>', from)
    sink.text('<')
    return from + 1
  }
  const end = tagEnd(html, from + name[0].length)
  const tag = (name[2] ?? '').toLowerCase()
  if (name[1] === '/') {
    sink.close(tag)
    return end
  }
  sink.open(tag, html.slice(from + name[0].length, Math.min(end, from + LONGEST_TAG)))
  return RAW.has(tag) && html[end - 2] !== '/' ? rawEnd(html, tag, end) : end
}

/** The offset after the `>` that ends a tag; one inside a quoted attribute does not. */
function tagEnd(html: string, from: number): number {
  let quote = ''
  for (let at = from; at < html.length; at++) {
    const character = html[at]
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (at - from > LONGEST_TAG) return after(html, '>', at)
    } else if (character === '>') return at + 1
    else if (character === '"' || character === "'") quote = character
  }
  return html.length
}

function rawEnd(html: string, tag: string, from: number): number {
  const close = new RegExp(`</${tag}`, 'gi')
  close.lastIndex = from
  const match = close.exec(html)
  return match ? after(html, '>', match.index) : html.length
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at < 0 ? html.length : at + mark.length
}

/** Character references decoded, white space single. Unknown references stay as they are. */
export function decodeText(text: string): string {
  return decodeReferences(text).replace(/\s+/g, ' ')
}

/** Character references decoded and nothing else. */
export function decodeReferences(text: string): string {
  return text.includes('&') ? text.replace(/&(#x?[\da-f]{1,6}|[a-z][a-z\d]{1,7});/gi, reference) : text
}

function reference(whole: string, name: string): string {
  if (!name.startsWith('#')) return ENTITIES.get(name) ?? whole
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
  const valid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return valid ? String.fromCodePoint(code) : whole
}

/** The value of one attribute, decoded. */
export function attribute(attributes: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    attributes,
  )
  const value = match?.[1] ?? match?.[2] ?? match?.[3]
  return value === undefined ? undefined : decodeText(value)
}
