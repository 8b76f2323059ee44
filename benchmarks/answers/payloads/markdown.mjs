/** Markdown: its sections, each from a heading to the next. */

/** Headings inside fenced code are none. */
export function sectionsOf(text) {
  const sections = []
  let current = { title: '', level: 0, body: [] }
  let fence
  const close = () => {
    const { title, level, body } = current
    if (title !== '' || body.some((line) => line.trim() !== ''))
      sections.push({ title, level, text: body.join('\n').trim() })
  }
  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined ? mark !== undefined : mark?.startsWith(fence))
      fence = fence === undefined ? mark : undefined
    const heading = fence === undefined && /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line)
    if (heading) {
      close()
      current = { title: heading[2], level: heading[1].length, body: [] }
    } else current.body.push(line)
  }
  close()
  return sections
}

/** @returns {import('../contract.mjs').Payload[]} */
export function readMarkdown(name, text) {
  return [
    {
      name,
      kind: 'markdown',
      text,
      source: name,
      collections: [],
      lines: text.split(/\r?\n/),
      sections: sectionsOf(text),
    },
  ]
}
