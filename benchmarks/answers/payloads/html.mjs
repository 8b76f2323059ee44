/** HTML: the text of its sections, each from a heading to the next, as a reader of the page sees it. */

const BLOCK =
  /<\/?(?:p|div|section|article|header|footer|main|aside|nav|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|pre|blockquote|form|figure|hr|br|title)\b[^>]*>/gi
const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Text of a piece of HTML: blocks on lines of their own, tags gone, entities decoded. */
export function plain(html) {
  return html
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(BLOCK, '\n\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
    })
    .replace(/ *\n[ \n]*/g, '\n\n')
    .trim()
}

/** @returns {import('../contract.mjs').Payload[]} */
export function readHtml(name, text) {
  const visible = text
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<(script|style|svg|template|noscript)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/^[\s\S]*?<body\b[^>]*>/i, '')
  const parts = visible.split(/<h([1-6])\b[^>]*>([\s\S]*?)<\/h\1\s*>/i)
  const sections = []
  if (plain(parts[0]) !== '') sections.push({ title: '', level: 0, text: plain(parts[0]) })
  for (let at = 1; at + 2 < parts.length; at += 3) {
    sections.push({ title: plain(parts[at + 1]), level: Number(parts[at]), text: plain(parts[at + 2]) })
  }
  return [{ name, kind: 'html', text, source: name, collections: [], lines: text.split(/\r?\n/), sections }]
}
