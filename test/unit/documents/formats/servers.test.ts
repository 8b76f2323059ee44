import { describe, expect, test } from 'vitest'
import type { Document } from '../../../../src/documents/document.ts'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'
import { openResult } from '../../../../src/documents/opening/open.ts'
import { preview } from '../../../../src/documents/reply/preview.ts'
import { grep } from '../../../../src/processors/search/grep.ts'
import { where } from '../../../../src/processors/steps/where.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const records = (document: Document) => (document.records()?.values ?? []) as JsonObject[]
const shown = (document: Document) =>
  preview(document, { budget: 1_600, tool: 't', bytes: document.bytes, tokens: 9 }).join('0123456789ab')
const filter = (document: Document, ...conditions: string[]) =>
  where.process(document, { where: conditions }).content.records()?.values as JsonObject[]

describe('YAML', () => {
  const manifest = (name: string, replicas: number) =>
    `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${name}\n  labels: {tier: web}\nspec:\n  replicas: ${replicas}\n  template:\n    spec:\n      containers:\n        - name: app\n          image: "nginx:1.10"\n          args: ["--a"]\n`
  const document = fromRecognised([manifest('a', 3), manifest('b', 9), manifest('c', 8)].join('---\n'))

  test('of several documents is a list, and conditions reach below the first level', () => {
    expect(document.format).toBe('yaml')
    expect(
      filter(document, 'spec.replicas > 7').map(({ metadata }) => (metadata as JsonObject).name),
    ).toEqual(['b', 'c'])
    expect(shown(document)).toContain('3 records in $')
  })

  test('keeps numbers as they are written, and texts in quotes', () => {
    const text =
      'a:\n  version: 1.10\n  mode: 0755\n  port: 80\n  quoted: "80"\n  on: yes\n  ok: true\n  none: ~\n  sum: 1e3\n'
    expect(fromRecognised(text).json()).toEqual({
      a: {
        version: '1.10',
        mode: '0755',
        port: 80,
        quoted: '80',
        on: 'yes',
        ok: true,
        none: null,
        sum: '1e3',
      },
    })
  })

  test('puts aliases and merged maps in their places', () => {
    const text = 'base: &base\n  a: 1\n  b: 2\nother:\n  <<: *base\n  b: 3\nlist:\n  - *base\n'
    expect(fromRecognised(text).json()).toEqual({
      base: { a: 1, b: 2 },
      other: { a: 1, b: 3 },
      list: [{ a: 1, b: 2 }],
    })
  })
})

describe('JSON that its server cut', () => {
  const items = Array.from({ length: 200 }, (_, id) => ({ id, title: `Issue "${id}"`, labels: ['a', 'b'] }))
  test.each([undefined, 2])('is read up to the cut, indented by %s', (indent) => {
    const whole = JSON.stringify({ total: 200, items }, null, indent)
    for (const length of [0.5, 0.51, 0.52, 0.73, 0.99]) {
      const text = `Contents of https://x/y:\n${whole.slice(0, Math.floor(whole.length * length))}\n\n<error>Content truncated. Call again with a start_index.</error>`
      const document = fromRecognised(text)
      expect(document.traits.name).toBe('cut json')
      const read = records(document)
      expect(read.length).toBeGreaterThan(90)
      expect(read).toEqual(items.slice(0, read.length))
      const [first] = shown(document).split('\n')
      expect(first).toContain('cut off by the server')
    }
  })
})

describe('JSON among words', () => {
  const items = Array.from({ length: 40 }, (_, id) => ({ id, status: id % 4 ? 'OK' : 'Alert' }))
  test('is read below an explanation of its fields, which a search reaches', () => {
    const legend = Array.from({ length: 40 }, (_, n) => `- [x] field_${n}: the field that says ${n}`).join(
      '\n',
    )
    const document = fromRecognised(
      `Please look at this.\n\n${legend}\n\n${JSON.stringify({ items }, null, 2)}`,
    )
    expect(records(document)).toEqual(items)
    const { content, metadata } = grep.process(document, { pattern: 'says 3[12]' })
    expect(metadata.notes).toContain('No value matches, but the text beside the data does.')
    expect(metadata).toMatchObject({ total: 2, matched: 2, unit: 'place' })
    expect(content.rows().items).toHaveLength(1)
    expect(JSON.stringify(content.rows().items)).toContain('field_31')
    // The label of these words is none of them.
    expect(grep.process(document, { pattern: 'text beside it' }).metadata.matched).toBe(0)
    expect(grep.process(document, { pattern: 'Alert|says 3' }).metadata.notes).toContain(
      '11 places in the text beside the data match too.',
    )
  })

  test('is a field for each value behind a label', () => {
    const text = `Monitors: ${JSON.stringify(items, null, 1)}\nSummary of monitors: {"alert": 10}`
    const document = fromRecognised(text)
    expect(document.json()).toEqual({ Monitors: items, 'Summary of monitors': { alert: 10 } })
    expect(filter(document, 'status = Alert')).toHaveLength(10)
    expect(fromRecognised(`A: {"a": 1}\nB: {"b": no}\n`).format).not.toBe('json')
    const settings = 'name: web\nimage: nginx\nports: [80, 443]\nenv: {"A": "1"}\n'
    expect(JSON.stringify(fromRecognised(settings).json() ?? 'name')).toContain('name')
  })

  test('is an example in a long page of Markdown', () => {
    const words = 'Words of the guide that say what it is about.\n'.repeat(20)
    const page = `# Guide\n\n${words}\n## Example\n\n\`\`\`json\n${JSON.stringify(items, null, 2)}\n\`\`\`\n`
    expect(fromRecognised(page).format).toBe('markdown')
  })
})

describe('several files in one text', () => {
  test('are an entry each, and what one holds can be asked for', () => {
    const document = fromRecognised(
      '/srv/a.json:\n{"a": 1}\n\n---\n/srv/b.md:\n# Title\n\ntext\n---\nmore\n\n---\n/srv/c.csv:\na,b\n1,2\n',
    )
    expect(records(document)).toEqual([
      { path: '/srv/a.json', line: 2, lines: 1, characters: 8, text: '{"a": 1}' },
      { path: '/srv/b.md', line: 6, lines: 5, characters: 22, text: '# Title\n\ntext\n---\nmore' },
      { path: '/srv/c.csv', line: 14, lines: 2, characters: 7, text: 'a,b\n1,2' },
    ])
    expect(shown(document)).toContain('/srv/b.md: 5 lines from line 6, 22 characters')
    expect(filter(document, 'path = /srv/c.csv')).toMatchObject([{ text: 'a,b\n1,2' }])
  })
})

test('a list of paths answers where a file is', () => {
  const document = fromRecognised(
    ['Found 5 files', 'src/a.ts', 'src/b/guard_paths.py', 'docs/c.md', 'docs/d.md', 'e.txt'].join('\n'),
  )
  expect(filter(document, 'name = guard_paths.py')).toEqual([
    { path: 'src/b/guard_paths.py', name: 'guard_paths.py', folder: 'src/b', extension: 'py' },
  ])
  expect(document.asides).toEqual(['text beside it: Found 5 files'])
  const { content } = grep.process(document, { pattern: 'guard' })
  expect(JSON.stringify(content.rows().items)).toContain('src/b/guard_paths.py')
})

test('snapshots of DevTools have references, roles, names and states', () => {
  const document = fromRecognised(
    '## Latest page snapshot\nuid=1_0 RootWebArea "Shop" url="http://x/"\n  uid=1_1 "Welcome"\n  uid=1_2 button "Buy" focusable focused\n  uid=1_3 heading "Items" level="2"\n  uid=1_4 link "Pen" url="/pen"\n',
  )
  expect(records(document)).toEqual([
    { line: 2, depth: 0, role: 'RootWebArea', name: 'Shop', uid: '1_0', url: 'http://x/' },
    { line: 3, depth: 1, role: 'text', name: 'Welcome', uid: '1_1' },
    { line: 4, depth: 1, role: 'button', name: 'Buy', uid: '1_2', focusable: true, focused: true },
    { line: 5, depth: 1, role: 'heading', name: 'Items', uid: '1_3', level: 2 },
    { line: 6, depth: 1, role: 'link', name: 'Pen', uid: '1_4', url: '/pen' },
  ])
  expect(shown(document)).toContain('button: "Buy" [1_2]')
})

describe('what git shows', () => {
  test('of one commit: who, when and why stand beside the hunks', () => {
    const document = fromRecognised(
      `commit ${'a1'.repeat(20)}\nAuthor: Ann <a@x.org>\nDate:   Fri May 3 08:00:00 2024 +0200\n\n    Mend the parser\n\ndiff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,3 @@\n a\n+b\n c\n`,
    )
    expect(shown(document)).toMatch(
      /also: commit (?:a1){20} · Author: Ann <a@x.org> · Date: .* · Mend the parser/,
    )
  })

  test('of several commits: the files of each', () => {
    const commit = (nth: number, changes: string) =>
      `commit ${String(nth).repeat(40)}\nAuthor: Ann <a@x.org>\nDate:   Fri May 3 2024\n\n    Change ${nth}\n\n${changes}\n`
    const document = fromRecognised(
      [
        commit(
          1,
          ' src/a.ts | 2 +-\n b.png    | Bin 0 -> 9 bytes\n 2 files changed, 1 insertion(+), 1 deletion(-)',
        ),
        commit(2, 'M\tsrc/a.ts\nR100\told.ts\tnew.ts'),
        commit(3, 'src/c.ts\ndocs/d.md'),
        commit(4, 'diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b'),
      ].join('\n'),
    )
    expect(records(document).map(({ files, message }) => [message, files])).toEqual([
      ['Change 1', ['src/a.ts', 'b.png']],
      ['Change 2', ['src/a.ts', 'new.ts']],
      ['Change 3', ['src/c.ts', 'docs/d.md']],
      ['Change 4', ['x.ts']],
    ])
  })
})

describe('source code', () => {
  test.each<[string, string, unknown[]]>([
    [
      'TypeScript',
      'import a from "a"\n\n/** Doc. */\nexport class B extends C {\n  async run(x: number): Promise<void> {\n    if (x) {\n      return\n    }\n  }\n}\n\nexport const f = (a: string) => a\n\ntype T = { a: 1 }\n',
      [
        ['class', 'B', 4, 10, undefined],
        ['function', 'run', 5, 9, 'B'],
        ['function', 'f', 12, 12, undefined],
        ['type', 'T', 14, 14, undefined],
      ],
    ],
    [
      'Python',
      'import os\n\nclass A:\n    def b(self):\n        return 1\n\n    async def c(self):\n        return 2\n\ndef d():\n    pass\n',
      [
        ['class', 'A', 3, 8, undefined],
        ['function', 'b', 4, 5, 'A'],
        ['function', 'c', 7, 8, 'A'],
        ['function', 'd', 10, 11, undefined],
      ],
    ],
    [
      'Go',
      'package main\n\ntype A struct {\n\tB int\n}\n\nfunc (a *A) Run() error {\n\treturn nil\n}\n\nfunc main() {\n\trun()\n}\n',
      [
        ['type', 'A', 3, 5, undefined],
        ['function', 'Run', 7, 9, undefined],
        ['function', 'main', 11, 13, undefined],
      ],
    ],
    [
      'C',
      '#include <stdio.h>\n\nstatic int a(int b) {\n  return b;\n}\n\nint main(void)\n{\n  return a(1);\n}\n\nvoid c() {\n}\n',
      [
        ['function', 'a', 3, 5, undefined],
        ['function', 'main', 7, 10, undefined],
        ['function', 'c', 12, 13, undefined],
      ],
    ],
    [
      'GraphQL',
      'interface Node {\n  id: ID!\n}\n\ntype User implements Node {\n  id: ID!\n}\n\ninput NewUser {\n  name: String!\n}\n\nunion Found = User | Team\n\nenum Role {\n  ADMIN\n}\n',
      [
        ['interface', 'Node', 1, 3, undefined],
        ['type', 'User', 5, 7, undefined],
        ['input', 'NewUser', 9, 11, undefined],
        ['union', 'Found', 13, 13, undefined],
        ['enum', 'Role', 15, 17, undefined],
      ],
    ],
  ])('is told by its definitions: %s', (_, text, definitions) => {
    const document = fromRecognised(text)
    expect(document.format).toBe('code')
    expect(
      records(document).map(({ kind, name, line, end, within }) => [kind, name, line, end, within]),
    ).toEqual(definitions)
  })

  test('with the numbers of its lines, as readers of files print them', () => {
    const text = [
      'class A:',
      '    def b(self):',
      '        return 1',
      '',
      'def c():',
      '    return 2',
      '',
      'def d():',
      '    return 3',
    ]
    const document = fromRecognised(
      text.map((line, nth) => `${String(nth + 1).padStart(5)}→${line}`).join('\n'),
    )
    expect(records(document).map(({ name }) => name)).toEqual(['A', 'b', 'c', 'd'])
  })
})

test('what Python prints is data', () => {
  const document = fromRecognised(
    "[(1, 'Ann', Decimal('1.20'), datetime.date(2024, 5, 1)), (2, \"Bob's\", None, datetime.datetime(2024, 5, 1, 12, 0))]",
  )
  expect(document.json()).toEqual([
    [1, 'Ann', '1.20', '2024-05-01'],
    [2, "Bob's", null, '2024-05-01T12:00:00'],
  ])
})

test('a hit in a tree of folders says the whole path of the file', () => {
  const file = (name: string) => ({ name, type: 'file' })
  const folder = (name: string, children: JsonObject[]): JsonObject => ({ name, type: 'directory', children })
  const tree = [
    folder('docs', [file('a.md')]),
    folder('examples', [
      file('b.ts'),
      folder('modules', [folder('guard', [file('guard_paths.py'), file('README.md')])]),
    ]),
    file('README.md'),
  ]
  const document = fromRecognised(JSON.stringify(tree))
  const { content } = grep.process(document, { pattern: 'guard_paths' })
  expect(content.rows().items).toMatchObject([
    { at: '$[1]', paths: ['examples/modules/guard/guard_paths.py'] },
  ])
  expect(JSON.stringify(grep.process(document, { pattern: 'README' }).content.rows().items)).toContain(
    '"paths":["examples/modules/guard/README.md"]',
  )
})

test('a condition that a nested node fulfils gives its whole path', () => {
  const tree = [
    { name: 'docs', type: 'directory', children: [{ name: 'a.md', type: 'file' }] },
    {
      name: 'src',
      type: 'directory',
      children: [{ name: 'lib', type: 'directory', children: [{ name: 'b.ts', type: 'file' }] }],
    },
    { name: 'c', type: 'directory', children: [] },
  ]
  expect(filter(fromRecognised(JSON.stringify(tree)), 'name = b.ts')).toEqual([
    { _path: 'src/lib/b.ts', name: 'b.ts', type: 'file' },
  ])
})

test('definitions and files that are left out of a preview are counted', () => {
  const code = Array.from(
    { length: 90 },
    (_, nth) => `export function name${nth}(a) {\n  return a\n}\n`,
  ).join('\n')
  const [, said = '', total] = /… (\d+) of (\d+) definitions left out/.exec(shown(fromRecognised(code))) ?? []
  expect(total).toBe('90')
  expect(shown(fromRecognised(code)).match(/function name/g)?.length).toBe(90 - Number(said))
  const files = Array.from({ length: 90 }, (_, nth) => `==> src/f${nth}.txt <==\nline\n`).join('\n')
  expect(shown(fromRecognised(files))).toMatch(/… \d+ of 90 files left out/)
})

test('embedded files of one result are blocks with their names', () => {
  const resource = (uri: string, text: string) => ({ type: 'resource', resource: { uri, text } })
  const result = {
    content: [resource('file:///a.md', '# A\n\nwords'), resource('file:///b.ts', 'const b = 1')],
  }
  const document = openResult(result, 200)
  expect(document.json()).toEqual([
    { block: 1, name: 'file:///a.md', text: '# A\n\nwords' },
    { block: 2, name: 'file:///b.ts', text: 'const b = 1' },
  ])
  expect(document.text).toContain('--- block 2 of 2: file:///b.ts ---\nconst b = 1')
  expect(shown(document)).toContain('block 1 file:///a.md, 10 characters')
})
