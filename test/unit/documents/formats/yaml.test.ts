import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { readAnyYaml, readPlainYaml } from '../../../../src/documents/formats/yaml.ts'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'

const lines = fc.constantFrom(
  ...[
    'a: 1',
    'b:',
    'c: word of it',
    '- x',
    '- a: 1',
    '-',
    '- - y',
    'd: "q: #"',
    "e: 'x'",
    'f: |',
    'g: |-',
    '---',
  ],
  ...[
    'h: {}',
    'i: []',
    'j: [1, 2]',
    'k: &x 1',
    'l: *x',
    'm: ~',
    'n: x # said',
    '# said',
    '',
    ' ',
    'o: - p',
    '1.10: 007',
  ],
  ...[
    'q: a: b',
    'text',
    'r:s',
    '"t": u',
    'null: true',
    'v: >',
    'w:  two',
    '...',
    '--- # s',
    '- |',
    '- #c',
    'x: #c',
    '? y',
    '-z',
  ],
  ...[
    'a b: c',
    'y: -1.5',
    '<<: z',
    '\ttab',
    'it\'s: "it\\n"',
    '! t',
    'key: value ',
    '- "a": b',
    "- 'c'",
    '- d: e: f',
  ],
)
const indented = fc
  .tuple(fc.constantFrom(0, 0, 2, 2, 4, 1), lines)
  .map(([indent, line]) => ' '.repeat(indent) + line)

test('what is read line by line is what the library reads', () => {
  let plain = 0
  fc.assert(
    fc.property(fc.array(indented, { minLength: 1, maxLength: 9 }), (all) => {
      const text = all.join('\n')
      const read = readPlainYaml(text)
      if (read === undefined) return
      plain += 1
      expect(read).toEqual(readAnyYaml(text))
    }),
    { numRuns: 5000 },
  )
  expect(plain).toBeGreaterThan(50)
})

test('what the library writes is read line by line as what it was, or left to the library', () => {
  const value = fc.object({
    maxDepth: 3,
    values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)],
  })
  fc.assert(
    fc.property(value, (written) => {
      const text = stringify(written, { aliasDuplicateObjects: false })
      const read = readPlainYaml(text)
      if (read !== undefined) expect(read).toEqual(readAnyYaml(text))
    }),
    { numRuns: 2000 },
  )
})

test('items in braces are records', () => {
  const text = Array.from(
    { length: 6 },
    (_, n) => `- { id: ${n}, name: { first: 'a, b' }, tags: [x, y] }`,
  ).join('\n')
  const document = fromRecognised(text)
  expect(document.format).toBe('yaml')
  expect(document.records()?.values[2]).toEqual({ id: 2, name: { first: 'a, b' }, tags: ['x', 'y'] })
})

test('YAML of megabytes is data', () => {
  const item = (id: number) =>
    `- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: pod-${id}\n    labels:\n      app: "web"\n  spec:\n    containers:\n    - name: main\n      image: nginx:1.${id}\n      args:\n      - --port=80\n  note: |\n    first line\n      second\n`
  const text = `items:\n${Array.from({ length: 12_000 }, (_, id) => item(id)).join('')}`
  expect(text.length).toBeGreaterThan(2_000_000)
  const document = fromRecognised(text)
  expect(document.format).toBe('yaml')
  expect(document.records()?.values).toHaveLength(12_000)
  expect(document.records()?.values[7]).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'pod-7', labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'nginx:1.7', args: ['--port=80'] }] },
    note: 'first line\n  second\n',
  })
})
