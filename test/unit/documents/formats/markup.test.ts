import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Document } from '../../../../src/documents/document.ts'
import { htmlText, scanHtml } from '../../../../src/documents/formats/html.ts'
import { fromRecognised, fromValue } from '../../../../src/documents/opening/derive.ts'
import { recognise } from '../../../../src/documents/opening/detect.ts'
import { select } from '../../../../src/processors/steps/select.ts'
import { where } from '../../../../src/processors/steps/where.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'

const read = (text: string) => {
  const { format, json } = recognise(text)
  return { format, value: json?.() as JsonObject }
}
const tables = (html: string) => (read(`<!doctype html>${html}`).value.tables as JsonValue[][])[0]

describe('character references', () => {
  test.each([
    ['caf&eacute; &Uuml;ber &szlig;', 'café Über ß'],
    ['&frac12; &sup2; &laquo;x&raquo; &ldquo;y&rdquo;', '½ ² «x» “y”'],
    ['a&nbsp;&ndash;&nbsp;b co&shy;operate', 'a – b cooperate'],
    ['&alpha;&Omega; &le; &rarr; &trade;', 'αΩ ≤ → ™'],
    ['&nosuch; &constructor; &#233; &#xe9; & &;', '&nosuch; &constructor; é é & &;'],
  ])('%s', (written, meant) => {
    expect(htmlText(`<p>${written}</p>`)).toBe(meant)
  })
})

describe('tables of pages', () => {
  test('several rows of headings name a column together; a cell that covers several places stands in each', () => {
    const html =
      '<table><tr><th rowspan=2>Year</th><th colspan=2>Count</th></tr><tr><th>m</th><th>f</th></tr>' +
      '<tr><td rowspan="2">2020</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>'
    expect(tables(html)).toEqual([
      { Year: '2020', 'Count m': '1', 'Count f': '2' },
      { Year: '2020', 'Count m': '3', 'Count f': '4' },
    ])
  })

  test('headings at the side name no column', () => {
    const html = '<table><tr><th>Born</th><td>1950</td></tr><tr><th>Died</th><td>2020</td></tr></table>'
    expect(tables(html)).toEqual([
      { column_1: 'Born', column_2: '1950' },
      { column_1: 'Died', column_2: '2020' },
    ])
  })

  test('the first row names the columns where nothing says so', () => {
    expect(tables('<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>')).toEqual([
      { a: '1', b: '2' },
    ])
  })

  test('lists of names and values are the rows of one table, with the heading above each', () => {
    const card = (nth: number, more = '') =>
      `<article><h3><a href="/flat/${nth}">Flat ${nth}</a></h3><dl><dt>Price<dd>${nth}21 €</dd>` +
      `<div><dt>City</dt><dd>K&ouml;ln</dd></div>${more}</dl><p>Words <a href="/x">more</a></p></article>`
    const page = `<main>${card(1)}${card(2, '<dt>Tag</dt><dd>a</dd><dd>b</dd>')}${card(3)}</main>`
    const { tables, links } = read(`<html><body>${page}</body></html>`).value
    expect(tables).toEqual([
      [
        { heading: 'Flat 1', href: '/flat/1', Price: '121 €', City: 'Köln' },
        { heading: 'Flat 2', href: '/flat/2', Price: '221 €', City: 'Köln', Tag: ['a', 'b'] },
        { heading: 'Flat 3', href: '/flat/3', Price: '321 €', City: 'Köln' },
      ],
    ])
    expect(links).toHaveLength(6)
    expect(
      read(`<html><dl><dt>A</dt><dd>1</dd></dl><dl><dt>B</dt><dd>2</dd></dl></html>`).value.tables,
    ).toEqual([])
  })

  test('spans cost no more than the cells that exist', () => {
    const html = `<table>${'<tr><td colspan=99999 rowspan=99999>x</td><td>y</td></tr>'.repeat(300)}</table>`
    expect(tables(html)).toHaveLength(299)
  })
})

test('any text is scanned as a page, each character once, and no words are lost', () => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '</',
    '<p',
    '<td ',
    '"',
    "'",
    '=',
    '&lt;',
    'word',
    ' ',
    '<!--',
    '-->',
    '<b>',
    '/',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const html = pieces.join('')
      let visits = 0
      const count = () => void visits++
      scanHtml(html, { open: count, close: count, text: count })
      expect(visits).toBeLessThanOrEqual(html.length * 2 + 1)
      expect(typeof htmlText(html)).toBe('string')
    }),
  )
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 20 }), (words) => {
      expect(htmlText(words.map((word) => `<li>${word}`).join('')).split('\n')).toEqual(
        words.map((word) => `- ${word}`),
      )
      expect(htmlText(`<p>${words.join(' ')}</p>`)).toBe(words.join(' '))
    }),
  )
})

describe('sheets with letters above their columns', () => {
  const rows = [
    ['1', 'Part', 'Left', 'Paid'],
    ['2', 'Bolt', '40', 'TRUE'],
    ['3', 'Nut', '7', 'FALSE'],
    ['4', 'Cog', '', 'TRUE'],
  ]
  const html = (of: readonly string[][]): string =>
    `<h2>Stock</h2>\n<table>\n<tr><th></th><th>B</th><th>C</th><th>D</th></tr>\n${of
      .map(([nth, ...cells]) => `<tr><th>${nth}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
      .join('\n')}\n</table>`
  const page = (of: readonly string[][]): string =>
    `# Stock\n\nAll of it.\n\n| | B | C | D |\n|---|---|---|---|\n${of.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`

  test.each([
    ['HTML', html],
    ['Markdown', page],
  ])('have the names of their first row in %s', (_, written) => {
    expect(fromRecognised(written(rows)).records()?.values).toEqual([
      { row: '2', Part: 'Bolt', Left: '40', Paid: 'TRUE' },
      { row: '3', Part: 'Nut', Left: '7', Paid: 'FALSE' },
      { row: '4', Part: 'Cog', Left: '', Paid: 'TRUE' },
    ])
    const values = [...rows.slice(1), ['5', 'Pin', '3', 'TRUE']]
    expect(fromRecognised(written(values)).records()?.values).toHaveLength(4)
  })
})

describe('names with a value each below headings', () => {
  const pairs = (kind: string, values: readonly string[]): string =>
    `## ${kind} (${values.length})\n\n${values.map((value, n) => `- **${kind}.n${n}**: ${value}`).join('\n')}\n`
  const above = '# All things\n\nIn all: 12\n\n'

  test('are records with their heading, and what stands in brackets is a remark', () => {
    const lamps = ['on (Hall)', 'off (Bath)', 'on', 'off (Attic)', 'on (Loft)', 'off']
    const text = `${above}${pairs('lamp', lamps)}\n${pairs('heat', ['21.5', '20 (Bath)', '19', '18', '17', '16'])}`
    const records = fromRecognised(text).records()
    expect(records?.path).toBe('$.records')
    expect(records?.values.slice(0, 8)).toEqual([
      { heading: 'lamp (6)', name: 'lamp.n0', value: 'on', remark: 'Hall', line: 7 },
      { heading: 'lamp (6)', name: 'lamp.n1', value: 'off', remark: 'Bath', line: 8 },
      { heading: 'lamp (6)', name: 'lamp.n2', value: 'on', line: 9 },
      { heading: 'lamp (6)', name: 'lamp.n3', value: 'off', remark: 'Attic', line: 10 },
      { heading: 'lamp (6)', name: 'lamp.n4', value: 'on', remark: 'Loft', line: 11 },
      { heading: 'lamp (6)', name: 'lamp.n5', value: 'off', line: 12 },
      { heading: 'heat (6)', name: 'heat.n0', value: 21.5, line: 16 },
      { heading: 'heat (6)', name: 'heat.n1', value: 20, remark: 'Bath', line: 17 },
    ])
  })

  test('prose behind names is none', () => {
    const said = Array.from(
      { length: 12 },
      (_, n) => `It is the ${n}th of all the reasons for which this is used by so many`,
    )
    expect(fromRecognised(above + pairs('why', said) + pairs('how', said)).records()?.path).toBe('$.sections')
  })
})

describe('Markdown', () => {
  test('underlined headings, links and fences of either kind', () => {
    const text = [
      'Guide',
      '=====',
      '',
      'See [the docs](https://a.b/c "t") and ![no](x.png).',
      '',
      '~~~',
      '```',
      '# no heading',
      '~~~',
      '',
      'Install',
      '-------',
      '',
      'Run.',
      '',
      '## Deeper',
    ].join('\n')
    const { format, value } = read(text)
    expect(format).toBe('markdown')
    expect(
      (value.sections as JsonObject[]).map(({ level, heading, line }) => [level, heading, line]),
    ).toEqual([
      [1, 'Guide', 1],
      [2, 'Install', 11],
      [2, 'Deeper', 16],
    ])
    expect(value.links).toEqual([{ text: 'the docs', href: 'https://a.b/c', line: 4 }])
  })

  test.each([
    '# a `b`\n#\n# c\nx 1\n',
    '# a `b`\n\nimport os\nimport re\n\n# c\n\ndef f(a):\n  - x\n\n## d\nclass B:\n',
    '#!/bin/sh\n# a\n\n# b\necho `x`\n',
    '"""\nshop.tax\n~~~~~~~~\n\nRates.\n"""\nimport os\nimport re\n\n# a `b`\n\ndef f(a):\n    # c\n\n    return a\n\n# d\nclass B:\n',
    '# first\nx = 1\n# second\ny = 2\n',
    '# services\nservices:\n  web:\n    image: "a/b"\n    ports:\n      - 80\n      - "90:90"\n    owner: ann\n',
    '## values\nname: web\nlist:\n  - name: a\n    size: 1\n  - name: b\n\n## more\nlast: `x`\n',
  ])('comments are no headings: %j', (text) => {
    expect(read(text).format).not.toBe('markdown')
  })
})

test('a cell that is emphasised as a whole is its text, in a table alone and in one below headings', () => {
  const rows = [
    '| **Region** | Sum | Note |',
    '|:--|--:|---|',
    '| **R1** | **10** | `--all` |',
    '| __R2__ | *20* | ***most*** |',
    '| *R3* | 30 | **a** and **b** |',
    '| ** R4 | 40 | `*x*` |',
    '| **`R5`** | 50 | ~~x~~ |',
  ]
  const cells = [
    { Region: 'R1', Sum: 10, Note: '--all' },
    { Region: '__R2__', Sum: 20, Note: 'most' },
    { Region: '*R3*', Sum: 30, Note: '**a** and **b**' },
    { Region: '** R4', Sum: 40, Note: '*x*' },
    { Region: 'R5', Sum: 50, Note: '~~x~~' },
  ]
  expect(recognise(rows.join('\n')).json?.()).toEqual(cells)
  const { value } = read(`# A\n\nWords.\n\n## B\n\n${rows.join('\n')}\n\n## C\n\nMore **words**.\n`)
  expect(value.tables).toEqual([cells.map((row) => ({ ...row, Sum: String(row.Sum) }))])
  const psql = ' glob  | n\n-------+---\n *.ts* | 1\n **/x  | 2\n'
  expect(recognise(psql).json?.()).toMatchObject([{ glob: '*.ts*' }, { glob: '**/x' }])
})

test('sections of Markdown that say the same fields are records, and lists of items with fields are tables', () => {
  const part = (name: string, plan: string, n: number) =>
    `## ${name}\n\n- **Plan**: ${plan}\n- **MRR:** $${n}\n\nNote: ${name} wrote.\n`
  const text =
    `# Customers\n\n${part('Ann', 'pro', 5)}\n${part('Bo', 'free', 0)}\n${part('Cy', 'pro', 7)}\n## Open\n\n` +
    '1. **One**\n   - State: open\n   - Owner: ann\n2. **Two**\n   - State: shut\n   - Owner: bo\n3. **Three**\n   - State: open\n   - Owner: bo\n'
  const { format, value } = read(text)
  expect(format).toBe('markdown')
  expect(value.records).toEqual([
    { heading: 'Ann', Plan: 'pro', MRR: '$5', Note: 'Ann wrote.', line: 3 },
    { heading: 'Bo', Plan: 'free', MRR: '$0', Note: 'Bo wrote.', line: 10 },
    { heading: 'Cy', Plan: 'pro', MRR: '$7', Note: 'Cy wrote.', line: 17 },
  ])
  expect(value.sections).toMatchObject([
    { level: 1, heading: 'Customers', line: 1, text: '' },
    { level: 2, heading: 'Ann', line: 3, text: '- **Plan**: pro\n- **MRR:** $5\n\nNote: Ann wrote.' },
    { level: 2, heading: 'Bo' },
    { level: 2, heading: 'Cy' },
    { level: 2, heading: 'Open' },
  ])
  expect(value.tables).toEqual([
    [
      { line: 26, number: 1, title: 'One', State: 'open', Owner: 'ann' },
      { line: 29, number: 2, title: 'Two', State: 'shut', Owner: 'bo' },
      { line: 32, number: 3, title: 'Three', State: 'open', Owner: 'bo' },
    ],
  ])
  const found = where.process(fromRecognised(text), { where: ['State = open', 'Owner = bo'] })
  expect(found.content.rows().items).toMatchObject([{ line: 32, title: 'Three' }])
})

test('records of Markdown: what the text names comes first, some fields are of few, headings below are fields, others stay text', () => {
  const issue = (nth: number, more = ''): string =>
    `### ${nth}. [W-${nth}](https://a.b/${nth})\n\n**KeyError: bad ${nth}**\n**level**: ${nth % 2 ? 'fatal' : 'warn'}\n**line**: ${nth * 10}\n\n${more}\n`
  const text =
    '# Found "last week"\n\n## Query\n- Range: 14d\n\n## web\n\n' +
    issue(1, '**Tags (2):**\n- a\n- b\n') +
    issue(2, '**Tags (1):**\n- c\n\n#### Trace\n```\nlevel: none\n  at x\n```\n') +
    issue(3, '\n#### Notes\n- one\n- two\n\n#### Once\nLast words.\n') +
    '### 4. Bare\n\n## api\n\n' +
    issue(5, '#### Notes\n- three\n') +
    issue(6, '#### Notes\nfour\n\n**Owner**: bo\n') +
    issue(7, '#### Trace\n```\nat y\n\n\n\nat z\n```\n**Owner**: cy\n') +
    '## Next steps\n\nAsk for more.\n'
  const { value } = read(text)
  const href = (nth: number): string => `https://a.b/${nth}`
  expect(value.records).toMatchObject([
    {
      heading: '1. W-1',
      href: href(1),
      section: 'web',
      level: 'fatal',
      line: 10,
      Tags: ['a', 'b'],
      text: '**KeyError: bad 1**',
    },
    {
      heading: '2. W-2',
      level: 'warn',
      Tags: ['c'],
      text: '**KeyError: bad 2**\n\n#### Trace\n```\nlevel: none\n  at x\n```',
    },
    { Notes: ['one', 'two'], text: '**KeyError: bad 3**\n\n#### Once\nLast words.' },
    { heading: '4. Bare', section: 'web', line_2: text.split('\n').indexOf('### 4. Bare') + 1 },
    { section: 'api', Notes: ['three'] },
    { Notes: 'four', Owner: 'bo' },
    { Owner: 'cy', text: '**KeyError: bad 7**\n\n#### Trace\n```\nat y\n\n\n\nat z\n```' },
  ])
  expect(Object.keys((value.records as JsonObject[])[3] ?? {})).toEqual(['heading', 'section', 'line_2'])
  const count = where.process(fromRecognised(text), { where: ['level = fatal'] })
  expect(count.content.rows().items).toHaveLength(4)
})

test('items with a name each below headings are no YAML, and a rule below a record is none of its text', () => {
  for (const between of ['', '\n', '\n---\n\n']) {
    const pages = Array.from({ length: 12 }, (_, n) => `## Page ${n}\n\n- id: ${n}\n- status: ok\n${between}`)
    const { format, value } = read(`# Pages\n\n${pages.join('')}`)
    expect(format).toBe('markdown')
    const { length } = `## Page 0\n\n- id: 0\n- status: ok\n${between}`.split('\n')
    expect((value.records as JsonObject[])[11]).toEqual({
      heading: 'Page 11',
      id: 11,
      status: 'ok',
      line: 3 + 11 * (length - 1),
    })
  }
  const yaml = Array.from({ length: 12 }, (_, n) => `## host ${n}\n- name: h${n}\n  port: ${n}\n`).join('')
  expect(read(`# hosts\n${yaml}`).format).not.toBe('markdown')
})

test('pages that were found are records, be there headings in their texts', () => {
  const page = (nth: number): string =>
    `Title: Page ${nth}\nURL: https://a.b/${nth}\nContent: words\nRaw Content: # Guide ${nth}\nWords.\n\n## More\n- a \`b\`\n\n`
  const { format, value } = read(`Detailed Results:\n\n${[1, 2, 3, 4].map(page).join('')}`)
  expect(format).toBe('entries')
  expect(value).toMatchObject(
    [1, 2, 3, 4].map((nth) => ({ Title: `Page ${nth}`, URL: `https://a.b/${nth}` })),
  )
  expect(
    read('Title: Guide\nAuthor: ann\n\n# One\n- Title: `x`\nWords.\n\n## Two\nMore words.\nTitle: y\n')
      .format,
  ).toBe('markdown')
})

test('a note with fields of its own before its text is Markdown, be there fields in its sections', () => {
  const part = (nth: number): string =>
    `## Meeting ${nth}\n\nDate:: 2025-03-0${nth}\nAttendees:: [[Ann]]\n\n- Decision: wait\n\nWords of it.\n\n`
  const { format, value } = read(
    `---\ntags: [a, b]\ncreated: 2025-03-01\n---\n\n# Log\n\n${[1, 2, 3, 4, 5].map(part).join('')}`,
  )
  expect(format).toBe('markdown')
  expect(JSON.stringify(value)).toContain('"heading":"Meeting 3"')
})

test('a list in the code of Markdown is no table', () => {
  const list = [1, 2, 3].map((nth) => `- name: n${nth}\n  image: i${nth}\n`).join('')
  const { value } = read(`# Guide\n\nWrite this:\n\n\`\`\`yaml\n${list}\`\`\`\n\n## More\n\nWords.\n`)
  expect(value.tables).toEqual([])
})

test('nodes of a snapshot have their states and addresses, and names without escapes', () => {
  const text = [
    '- link "Home" [ref=e1] [cursor=pointer]:',
    '  - /url: /start',
    '- checkbox "I \\"agree\\"" [checked] [ref=e2]',
    '- \'heading "Note: fees" [level=2] [ref=e3]\'',
    '- spinbutton "Quantity" [disabled] [ref=e4]: "2"',
    '- button "Go" [ref=e5]',
  ].join('\n')
  expect(read(text)).toEqual({
    format: 'tree',
    value: [
      { line: 1, depth: 0, role: 'link', name: 'Home', ref: 'e1', cursor: 'pointer', url: '/start' },
      { line: 3, depth: 0, role: 'checkbox', name: 'I "agree"', checked: true, ref: 'e2' },
      { line: 4, depth: 0, role: 'heading', name: 'Note: fees', level: 2, ref: 'e3' },
      { line: 5, depth: 0, role: 'spinbutton', name: 'Quantity', disabled: true, ref: 'e4', text: '2' },
      { line: 6, depth: 0, role: 'button', name: 'Go', ref: 'e5' },
    ],
  })
})

test('a question without a path is about the sections of Markdown, and the largest table of a page', () => {
  const table = (name: string, rows: number) =>
    `| ${name} | b |\n|---|---|\n${Array.from({ length: rows }, (_, row) => `| ${row} | x |`).join('\n')}\n`
  const guide = fromRecognised(
    `# Guide\n\nWords.\n\n${['a', 'b', 'c', 'd'].map((name) => `## ${name}\n\n${table(name, 9)}`).join('\n')}`,
  )
  expect(guide.records()?.path).toBe('$.sections')
  const cells = (rows: number) => '<tr><td>1</td><td>2</td></tr>'.repeat(rows)
  const page = (columns: readonly string[]): Document =>
    fromRecognised(
      `<!doctype html>${[3, 9, 4, 2, 5].map((rows, at) => `<table><tr><th>${columns[at]}</th><th>b</th></tr>${cells(rows)}</table>`).join('')}`,
    )
  expect(page(['a', 'c', 'd', 'e', 'f']).records()).toMatchObject({
    path: '$.tables[1]',
    values: { length: 9 },
  })
  // Tables with the same columns are one.
  expect(page(['a', 'a', 'a', 'a', 'a']).records()).toMatchObject({
    path: '$.tables[*]',
    values: { length: 23 },
  })
  expect(page(['a', 'c', 'a', 'd', 'a']).records()).toMatchObject({
    path: '$.tables[0,2,4]',
    values: { length: 12 },
  })
})

test('tables of one kind are one list although a row lacks a column, and many tables or single rows lose nothing', () => {
  const main = (tables: JsonValue) => fromValue({ tables }).records()
  expect(
    main([[{ a: 1, b: 1, c: 1 }], [{ a: 2, b: 2 }], [{ a: 3, b: 3, c: 3 }], [{ a: 4, c: 4 }]])?.values,
  ).toHaveLength(4)
  expect(main([[{ a: 1 }], [{ b: 2 }]])).toMatchObject({ path: '$.tables', values: { length: 2 } })
  // Traces of several requests: the lists are the whole.
  const traces = fromValue([
    [
      { id: 1, ms: 5 },
      { id: 2, ms: 6, error: 'x' },
    ],
    [],
    [{ id: 3, ms: 7 }],
  ])
  expect(traces.records()).toMatchObject({ path: '$[*]', values: { length: 3 } })
  const row = '<tr><td>1</td><td>2</td></tr>'
  const page = Array.from(
    { length: 60 },
    (_, at) => `<table><tr><th>a</th><th>b</th></tr>${row.repeat(at === 7 ? 9 : 2)}</table>`,
  )
  expect(fromRecognised(`<!doctype html>${page.join('')}`).records()).toMatchObject({
    path: '$.tables[7]',
    values: { length: 9 },
  })
})

test.each(['$.tables[*]', '$.tables[0,1]'])('the rows of several tables are the records at %s', (path) => {
  const json = { tables: [[{ a: 1 }, { a: 2 }], [{ a: 3 }], [{ b: 1 }]] }
  const { content } = select.process(fromValue(json), { path })
  expect(content.rows().items.length).toBe(path.includes('*') ? 4 : 3)
})

test('tasks of all sections are told, be there one in a section', () => {
  const text = `# Notes\n\n## A\n- [x] one\n- [ ] two\n- [ ] three\n\n## B\n- [ ] four\n\n## C\nWords alone.\n`
  const { content } = select.process(fromRecognised(text), { path: '$.tables[*]' })
  expect(content.rows().items.map((row) => (row as { title: string }).title)).toEqual([
    'one',
    'two',
    'three',
    'four',
  ])
})
