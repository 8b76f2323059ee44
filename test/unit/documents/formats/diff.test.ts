import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'
import { recognise } from '../../../../src/documents/opening/detect.ts'
import { preview } from '../../../../src/documents/reply/preview.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const read = (text: string) => {
  const { format, json } = recognise(text)
  return { format, records: json?.() as JsonObject[] | undefined }
}

const git = `diff --git a/src/a.ts b/src/a.ts
index 028ba9f..5ff7cca 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,5 @@
 one
-two
+2
+zwei
 three

@@ -20,2 +21,1 @@ export function main() {
-  gone
   stays
diff --git a/old name.md b/new name.md
similarity index 100%
rename from old name.md
rename to new name.md
diff --git a/logo.png b/logo.png
new file mode 100644
index 0000000..1111111
Binary files /dev/null and b/logo.png differ
diff --git a/gone.sql b/gone.sql
deleted file mode 100644
index e69de29..0000000
--- a/gone.sql
+++ /dev/null
@@ -1,2 +0,0 @@
--- a comment of SQL
--- another
\\ No newline at end of file
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
++++ counts as one line
`

test('hunks with their file, what happened to it, and how many lines were added and removed', () => {
  expect(read(git)).toEqual({
    format: 'entries',
    records: [
      {
        line: 5,
        file: 'src/a.ts',
        status: 'modified',
        hunk: '@@ -1,4 +1,5 @@',
        added: 2,
        removed: 1,
        patch: ' one\n-two\n+2\n+zwei\n three\n',
      },
      {
        line: 12,
        file: 'src/a.ts',
        status: 'modified',
        hunk: '@@ -20,2 +21,1 @@',
        section: 'export function main() {',
        added: 0,
        removed: 1,
        patch: '-  gone\n   stays',
      },
      { line: 15, file: 'new name.md', status: 'renamed', from: 'old name.md', added: 0, removed: 0 },
      { line: 19, file: 'logo.png', status: 'added, binary', added: 0, removed: 0 },
      {
        line: 28,
        file: 'gone.sql',
        status: 'deleted',
        hunk: '@@ -1,2 +0,0 @@',
        added: 0,
        removed: 2,
        patch: '--- a comment of SQL\n--- another\n\\ No newline at end of file',
      },
      {
        line: 36,
        file: 'new.txt',
        status: 'added',
        hunk: '@@ -0,0 +1 @@',
        added: 1,
        removed: 0,
        patch: '++++ counts as one line',
      },
    ],
  })
})

test('a commit above it, and diffs without git', () => {
  const commit = `commit ${'a'.repeat(40)}\nAuthor: Ann <a@x.org>\nDate:   Fri May 3 08:00:00 2024 +0200\n\n    Words\n\n${git}`
  expect(read(commit).records?.map(({ file }) => file)).toEqual(read(git).records?.map(({ file }) => file))
  const plain =
    '--- old/x.c\t2024-01-01 10:00:00\n+++ new/x.c\t2024-01-02 10:00:00\n@@ -1,1 +1,1 @@\n-a\n+b\n'
  expect(
    read(`Only in old: y.c\ndiff -ru old/x.c new/x.c\n${plain}${plain.replaceAll('x.c', 'z.c')}`).records,
  ).toMatchObject([
    { file: 'new/x.c', status: 'modified', added: 1, removed: 1, line: 5 },
    { file: 'new/z.c', added: 1, removed: 1, line: 10 },
  ])
})

test('a diff that is cut off at its end', () => {
  const cut = git.slice(0, git.indexOf('--- another'))
  expect(read(cut).records?.at(-1)).toMatchObject({
    file: 'gone.sql',
    removed: 1,
    patch: '--- a comment of SQL',
  })
})

describe('what only shows a diff is none', () => {
  const fenced = `# How to send a patch\n\nIt looks like this:\n\n\`\`\`diff\n${git}\`\`\`\n\nThank you.\n`
  test.each([
    ['Markdown with a block', fenced, 'markdown'],
    ['a hunk that does not have its lines', git.replace('-1,4 +1,5', '-1,9 +1,9'), 'text'],
    ['prose', 'He said --- and then\n+++ more\nnothing\n', 'text'],
    [
      'a long text with a little patch',
      `${'Words of a letter about it.\n'.repeat(100)}${git}${'More words.\n'.repeat(200)}`,
      'text',
    ],
  ])('%s', (_, text, format) => {
    expect(read(text).format).toBe(format)
  })
  test('commits with patches are commits', () => {
    const head = (letter: string) =>
      `commit ${letter.repeat(40)}\nAuthor: A <a@x.org>\nDate:   Fri May 3 08:00:00 2024 +0200\n\n    m\n\n`
    expect(read(`${head('a')}${git}\n${head('b')}${git}`).records).toMatchObject([
      { commit: 'a'.repeat(40) },
      { commit: 'b'.repeat(40) },
    ])
  })
})

test('a preview says how much was changed where', () => {
  const text = preview(fromRecognised(git.repeat(3)), { budget: 2_000, tool: 't', bytes: 1, tokens: 1 }).join(
    'H',
  )
  expect(text).toContain('5 files, +9 -12: src/a.ts +6 -6, gone.sql +0 -6, new.txt +3 -0')
})

test('any diff is read as it was written', () => {
  const content = fc.string({ maxLength: 12, unit: fc.constantFrom('a', ' ', '-', '+', '@', '\\', 'ä') })
  const hunk = fc.array(fc.tuple(fc.constantFrom(' ', '+', '-'), content), { minLength: 1, maxLength: 8 })
  const file = fc.tuple(
    fc.stringMatching(/^[a-z]{1,6}\.[a-z]{1,3}$/),
    fc.array(hunk, { minLength: 1, maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(file, { minLength: 1, maxLength: 4 }), (files) => {
      const expected: JsonObject[] = []
      const lines: string[] = []
      for (const [name, hunks] of files) {
        lines.push(`diff --git a/${name} b/${name}`, 'index 1..2 100644', `--- a/${name}`, `+++ b/${name}`)
        for (const body of hunks) {
          const count = (sign: string) => body.filter(([other]) => other === sign).length
          const [kept, added, removed] = [count(' '), count('+'), count('-')]
          lines.push(`@@ -1,${kept + removed} +1,${kept + added} @@`)
          const patch = body.map((parts) => parts.join('')).join('\n')
          expected.push({ line: lines.length, file: name, added, removed, patch })
          lines.push(patch)
          lines.splice(lines.length - 1, 1, ...patch.split('\n'))
        }
      }
      const { format, records } = read(`${lines.join('\n')}\n`)
      expect(format).toBe('entries')
      expect(records).toMatchObject(expected)
    }),
  )
})
