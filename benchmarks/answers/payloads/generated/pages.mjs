/** Generated pages: a wiki, documentation as HTML, what a browser sees of a page. */

const range = (count, make) => Array.from({ length: count }, (_, at) => make(at))

export function wiki(count, random, say) {
  const sections = range(count, (at) => {
    const list = random.often(0.4)
      ? `\n\n${range(random.between(2, 6), () => `- ${say.sentence()}`).join('\n')}`
      : ''
    const code = random.often(0.2)
      ? `\n\n\`\`\`sh\n${say.noun()} --${say.noun()}=${say.hex(6)} # ${say.sentence()}\n\`\`\``
      : ''
    const table = random.often(0.2)
      ? `\n\n| name | value |\n|---|---|\n${range(4, () => `| ${say.noun()} | ${random.below(5000)} |`).join('\n')}`
      : ''
    return `${'#'.repeat(at % 4 === 0 ? 2 : 3)} ${say.title()}\n\n${say.paragraphs(1, 4)}${list}${code}${table}`
  })
  return `# ${say.title()}\n\n${say.paragraph()}\n\n${sections.join('\n\n')}\n`
}

export function documentation(count, random, say) {
  const sections = range(count, (at) => {
    const rows = range(
      random.between(3, 8),
      () =>
        `<tr><td><code>${say.noun()}_${say.hex(3)}</code></td><td>${say.sentence()}</td><td>${random.below(900)}</td></tr>`,
    )
    const table = random.often(0.4)
      ? `<table class="options">\n<thead><tr><th>Option</th><th>Meaning</th><th>Default</th></tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody></table>\n`
      : ''
    return `<section id="s${at}">\n<h2>${say.title()}</h2>\n${range(random.between(1, 3), () => `<p>${say.paragraph(2, 5)} See <a href="#s${random.below(count)}">${say.phrase()}</a> &amp; more.</p>`).join('\n')}\n${table}</section>`
  })
  return `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${say.title()}</title>\n<style>body { font: 16px sans-serif }</style>\n<script>console.log("${say.hex(8)}")</script></head>\n<body>\n<nav><ul>${range(count, (at) => `<li><a href="#s${at}">${say.phrase()}</a></li>`).join('')}</ul></nav>\n<main>\n<h1>${say.title()}</h1>\n${sections.join('\n')}\n</main>\n</body>\n</html>\n`
}

/** The accessibility tree of a page, as browser tools print it. */
export function snapshot(count, random, say) {
  let reference = 1
  const ref = () => `[ref=e${++reference}]`
  const leaf = (indent) => {
    const pad = ' '.repeat(indent)
    return random.pick([
      () => `${pad}- button "${say.capital(say.verb())} ${say.noun()}" ${ref()}`,
      () => `${pad}- link "${say.title()}" ${ref()}:\n${pad}  - /url: /${say.noun()}/${say.hex(6)}`,
      () => `${pad}- textbox "${say.capital(say.noun())}" ${ref()}: ${say.phrase()}`,
      () =>
        `${pad}- checkbox "${say.capital(say.phrase())}"${random.often(0.5) ? ' [checked]' : ''} ${ref()}`,
      () => `${pad}- paragraph ${ref()}: ${say.sentence()}`,
    ])()
  }
  const groups = range(
    count,
    () =>
      `  - region "${say.title()}" ${ref()}:\n    - heading "${say.title()}" [level=2] ${ref()}\n${range(random.between(3, 9), () => leaf(4)).join('\n')}`,
  )
  return `- document ${ref()}:\n${groups.join('\n')}\n`
}
