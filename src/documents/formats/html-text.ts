/** The words of a page as a reader sees them: what is searched in place of its tags. */
import { attribute, type HtmlSink, scanHtml } from './html-scan.ts'

/** Elements that begin on a line of their own. */
const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form header hr legend li main nav ol option p pre section select summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
)
const HEADING = /^h[1-6]$/
/** Elements around which a line is left empty, so that passages end there. */
const APART = /^(?:h[1-6]|p|table|ul|ol|dl|pre|section|article|nav|main|aside|header|footer|form|blockquote)$/

/**
 * Headings as `## Heading`, list items as `- item`, rows of tables as `a | b`, controls as `<button submit> Send`. Scripts
 * and styles are left out. Linear in the length of the page.
 */
export function htmlText(html: string): string {
  const page = new PageText()
  scanHtml(html, page)
  return page.finish()
}

class PageText implements HtmlSink {
  readonly #lines: string[] = []
  #line = ''
  #cells = 0
  #inTitle = false

  open(tag: string, attributes: string): void {
    if (APART.test(tag)) this.#gap()
    else if (BLOCKS.has(tag)) this.#break()
    if (HEADING.test(tag)) this.#line = `${'#'.repeat(Number(tag[1]))} `
    else if (tag === 'li') this.#line = '- '
    else if (tag === 'title') {
      this.#inTitle = true
      this.#break()
    } else if (tag === 'tr') this.#cells = 0
    else if (tag === 'td' || tag === 'th') {
      if (this.#cells++ > 0) this.#line += ' | '
    } else if (tag === 'img') this.#add(attribute(attributes, 'alt') ?? '')
    else if (tag === 'input' || tag === 'button' || tag === 'textarea' || tag === 'select')
      this.#control(tag, attributes)
  }

  close(tag: string): void {
    if (tag === 'title' && this.#inTitle) {
      this.#inTitle = false
      this.#gap()
    } else if (APART.test(tag)) this.#gap()
    else if (BLOCKS.has(tag)) this.#break()
  }

  text(text: string): void {
    this.#add(text)
  }

  finish(): string {
    this.#break()
    return this.#lines.join('\n').trim()
  }

  #control(tag: string, attributes: string): void {
    const said = ['type', 'name', 'placeholder', 'value', 'aria-label'].flatMap((name) => {
      const value = attribute(attributes, name)
      return value === undefined || value === ''
        ? []
        : [name === 'type' ? value : `${name}=${JSON.stringify(value)}`]
    })
    if (attribute(attributes, 'type')?.toLowerCase() !== 'hidden')
      this.#add(` <${[tag, ...said].join(' ')}> `)
  }

  #add(text: string): void {
    this.#line += /\s$/.test(this.#line) || this.#line === '' ? text.trimStart() : text
  }

  #break(): void {
    const whole = this.#line.trim()
    // Marks that link to the heading itself, and its buttons.
    const line = /^#{1,6} /.test(whole)
      ? whole.replace(/ ?<button[^>]*> ?/g, ' ').replace(/[\s#§¶]+$/, '')
      : whole
    if (line !== '' && line !== '-' && !/^(?:#+|[| ]+)$/.test(line)) this.#lines.push(line)
    this.#line = ''
  }

  #gap(): void {
    this.#break()
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('')
  }
}
