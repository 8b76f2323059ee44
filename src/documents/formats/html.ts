/** HTML pages: title, headings, tables as records, links. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { attribute, scanHtml } from './html-scan.ts'
import { HtmlTables } from './html-tables.ts'

const TAG =
  /<(?:!doctype html|html|head|body|div|table|p|h[1-6]|ul|ol|span|a|section|article|main|br|tr|td|form)\b/i

/** True for a page or a fragment of one. */
export function looksLikeHtml(text: string): boolean {
  const start = text.slice(0, 4096).trimStart()
  if (!start.startsWith('<') || start.startsWith('<?xml')) return false
  return /^<(?:!doctype html|html)\b/i.test(start) || (TAG.test(start) && /<\/[a-z]/i.test(start))
}

/**
 * `{title, headings: [{level, text}], tables: [[record…]…], links: [{text, href}]}`. A table's first row names the
 * fields of its records.
 */
export function readHtml(html: string): JsonObject {
  const page = new Page()
  scanHtml(html, page)
  return page.finish()
}

/** Text is collected by whoever is open: the title, a heading, a link, a cell. */
class Page {
  readonly #tables = new HtmlTables()
  readonly #headings: JsonValue[] = []
  readonly #links: JsonValue[] = []
  #title: string | undefined
  #inTitle = false
  #heading: { level: number; text: string } | undefined
  #link: { href: string; text: string } | undefined

  open(tag: string, attributes: string): void {
    if (tag === 'title') this.#inTitle = this.#title === undefined
    else if (isHeading(tag)) {
      this.#endHeading()
      this.#heading = { level: Number(tag[1]), text: '' }
    } else if (tag === 'a') {
      this.#endLink()
      const href = attribute(attributes, 'href')
      if (href !== undefined) this.#link = { href, text: '' }
    } else if (tag === 'br' || tag === 'img') this.text(attribute(attributes, 'alt') ?? ' ')
    else this.#tables.open(tag, attributes)
  }

  close(tag: string): void {
    if (tag === 'title') this.#inTitle = false
    else if (isHeading(tag)) this.#endHeading()
    else if (tag === 'a') this.#endLink()
    else this.#tables.close(tag)
  }

  text(text: string): void {
    if (this.#inTitle) this.#title = (this.#title ?? '') + text
    if (this.#heading) this.#heading.text += text
    if (this.#link) this.#link.text += text
    this.#tables.text(text)
  }

  finish(): JsonObject {
    this.#endHeading()
    this.#endLink()
    const title = this.#title?.trim()
    return {
      ...(title ? { title } : {}),
      headings: this.#headings,
      tables: this.#tables.finish(),
      links: this.#links,
    }
  }

  #endHeading(): void {
    // Marks that link to the heading itself.
    const text = tidy((this.#heading?.text ?? '').replace(/[\s#§¶]+$/, ''))
    if (this.#heading && text !== '') this.#headings.push({ level: this.#heading.level, text })
    this.#heading = undefined
  }

  #endLink(): void {
    if (this.#link) this.#links.push({ text: tidy(this.#link.text), href: this.#link.href })
    this.#link = undefined
  }
}

function isHeading(tag: string): boolean {
  return tag.length === 2 && tag >= 'h1' && tag <= 'h6'
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
