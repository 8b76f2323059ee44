/** The figures in docs/performance.md and in the picture of the README, from the recorded output of the benchmarks. */

const number = (value) => value.toLocaleString('en')

/** Figures of the systems of `answers.json` by their names. */
const byName = (answers) => Object.fromEntries(answers.systems.map((row) => [row.system, row]))

/** Markdown: the figures that most readers look for. */
export function summaryTable({ answers, dispatch, overhead }) {
  const { raw, grep, 'proxy (expert)': expert } = byName(answers)
  const { published, results } = dispatch
  const { direct, 'mcp-rlm-proxy': proxied } = overhead.ways.stdio
  const large = results.at(-1)
  const rows = [
    ['tokens for a correct answer about a large result', number(raw.perCorrect), number(expert.perCorrect)],
    [
      'questions answered correctly, of all',
      `${raw.recovered} % (grep over a file: ${grep.recovered} %)`,
      `${expert.recovered} %`,
    ],
    [
      `tokens of the definitions of ${published.tools} tools`,
      number(published.direct),
      `${number(published.dispatch)} (\`dispatch\`)`,
    ],
    [
      `tokens to hand ${number(large.bytes / 1000)} KB from tool to tool`,
      number(large.carried),
      number(large.byReference),
    ],
    ['a small call over standard input and output, median ms', direct.p50, proxied.p50],
  ]
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(['what', 'without', 'with the proxy']), line(['---', '---:', '---:']), ...rows.map(line)].join(
    '\n',
  )
}

const FONT = 'font-family="ui-sans-serif, system-ui, Segoe UI, Helvetica, Arial, sans-serif"'

/** SVG: the tokens of one question, before and after, in bars to scale. Readable on light and on dark pages. */
export function tokensPicture({ answers }) {
  const { raw, 'proxy (expert)': after } = byName(answers)
  const most = 560
  const [before, now] = [raw.medianTokens, after.medianTokens]
  const bar = (y, name, tokens, correct, colour) => {
    const width = Math.max(3, Math.round((tokens / before) * most))
    return `  <text x="20" y="${y - 10}" font-size="15" fill="#24292f">${name}</text>
  <rect x="20" y="${y}" width="${width}" height="30" rx="4" fill="${colour}"/>
  <text x="${width + 32}" y="${y + 21}" font-size="17" font-weight="600" fill="#24292f">${number(tokens)} tokens</text>
  <text x="${width + 32}" y="${y + 40}" font-size="12" fill="#57606a">${correct} % answered correctly</text>`
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 230" role="img" ${FONT} aria-label="Tokens of a question about a large result: ${number(before)} without the proxy, ${number(now)} with it">
  <rect width="760" height="230" rx="8" fill="#ffffff" stroke="#d0d7de"/>
  <text x="20" y="34" font-size="17" font-weight="600" fill="#24292f">One question about a large result: all tokens that the model reads and writes</text>
${bar(76, 'Before: the whole result in the context', before, raw.recovered, '#cf222e')}
${bar(154, 'After: a preview, then a query', now, after.recovered, '#1a7f37')}
  <text x="20" y="216" font-size="12" fill="#57606a">Medians of ${number(answers.questions)} questions about ${answers.payloads.length} results, by a scripted agent. PERFORMANCE.md says how.</text>
</svg>
`
}
