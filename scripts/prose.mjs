/**
 * Checks what people and models read against the house style of CONTRIBUTING.md: pages, comments, texts of the program and names
 * of tests. No linter on npm reads all four places, so this is a table of rules and a reader for each kind of file.
 * Usage: node scripts/prose.mjs [FILE…] (without files: the whole project)
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'

/** The longest sentence, in words. The style asks for about 25. */
const MOST_WORDS = 26

/** A text with fewer words is a name or a part of one. */
const FEWEST_WORDS = 3

/** Words that are not written, and what to write in their place. `only`: the places that the rule holds in; without it all of them. */
export const RULES = [
  { not: /\bwhose\b/i, write: 'name the owner: "the server of the tool"' },
  { not: /\bnobody(?:'s)?\b/i, write: '"no client", "no user", or the active voice' },
  { not: /\b(?:who|what|which)soever\b|\bwhoever\b|\bwhomever\b/i, write: '"the client that", "a user who"' },
  { not: /\b(?:thereof|therein|whereupon|wherein|whereof|lest|whence)\b/i, write: 'a word of today' },
  { not: /\bthose (?:that|who|which|of whom)\b/i, write: 'the noun: "servers that", "users who"' },
  {
    not: /\b(?:what|that|which|as|than) there (?:is|are|was|were)\b/i,
    write: 'the noun: "the tools that exist"',
  },
  { not: /\b(?:this|that|it|which) is what\b/i, write: 'the noun, or the verb alone' },
  { not: /\bthat which\b|\bhe who\b|\bof them that\b/i, write: 'the noun' },
  {
    not: /\b(?:is|are|be|was|were) (?:to be had|of no use|for nothing)\b|\bit for nothing\b/i,
    write: 'the fact',
  },
  {
    not: /\bha(?:s|ve) (?:its|their) way\b|\bno one's\b|\bnone of (?:its|their) business\b/i,
    write: 'what happens',
  },
  { not: /\b(?:is|are|was|were) (?:not )?told of\b/i, write: '"is reported", and by which part' },
  { not: /(?<=^ ?|[.;] )Who (?![^.?!]*\?)/, write: '"A client that …", "A user who …"' },
  {
    not: /(?<=^ ?|[.;] )What (?![^.?!]*\?)/,
    only: ['comment'],
    write: 'the noun: "The parts that a call needs"',
  },
  { not: /(?<=^ ?|[.;] )Else,? /, write: '"Otherwise"' },
  { not: /\banew\b/i, write: '"again"' },
  { not: /\bbecomes? of\b/i, write: '"what happens to"' },
  { not: /\b(?:is|are|was|were) (?:an)?other than\b/i, write: '"differs from"' },
  // Names of the papers that the project was asked for by.
  { not: /\bseed S\d|\b(?:of|in) the seed\b/, write: 'the fact that it says' },
]

/** The passages of a page: paragraphs, items, cells and headings, without code, marks and generated parts. */
function passagesOfPage(text) {
  const passages = []
  let open
  let isCode = false
  let isGenerated = false
  for (const [index, raw] of text.split('\n').entries()) {
    if (/^\s*(?:```|~~~)/.test(raw)) isCode = !isCode
    if (/^<!-- \S+:start -->/.test(raw)) isGenerated = true
    if (/^<!-- \S+:end -->/.test(raw)) isGenerated = false
    const line = raw
      .replace(/<!--.*?-->|<[^>\s][^>]*>/g, ' ')
      .replace(/(`+).+?\1/g, 'CODE')
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/\*\*|__/g, '')
    if (isCode || isGenerated || /^\s*(?:```|~~~|$)/.test(raw)) open = undefined
    else if (/^\s*\|/.test(line)) {
      open = undefined
      for (const cell of line.split(/(?<!\\)\|/))
        passages.push({ place: 'page', parts: [[index, cell.trim()]] })
    } else if (open === undefined || /^\s*(?:[-*+]|\d+\.|#+|>) /.test(line)) {
      open = { place: 'page', parts: [[index, line.replace(/^\s*(?:[-*+]|\d+\.|#+|>) /, '')]] }
      passages.push(open)
      if (line.startsWith('#')) open = undefined
    } else open.parts.push([index, line.trim()])
  }
  return passages
}

/** The passages of a program: its comments, and its texts or, of a test, the names of its tests. */
function passagesOfCode(name, text) {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const passages = []
  const comments = new Map()
  const lineAt = (at) => source.getLineAndCharacterOfPosition(at).line
  const visit = (node) => {
    for (const range of [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ])
      comments.set(range.pos, range)
    if (isTextOf(name, node)) passages.push(literal(node, lineAt))
    ts.forEachChild(node, visit)
    if (node.kind === ts.SyntaxKind.SourceFile)
      for (const range of ts.getLeadingCommentRanges(text, node.endOfFileToken.pos) ?? [])
        comments.set(range.pos, range)
  }
  visit(source)
  let last
  for (const { pos, end, kind } of [...comments.values()].sort((one, other) => one.pos - other.pos)) {
    const line = lineAt(pos)
    const parts = text
      .slice(pos, end)
      .split('\n')
      .map((part, index) => [
        line + index,
        part
          .replace(/^\s*(?:\/\*\*?|\*(?!\/)|\/\/)?\s?/, '')
          .replace(/\*\/$/, '')
          .replace(/`[^`]*`/g, 'CODE')
          .trim(),
      ])
    const isNext = kind === ts.SyntaxKind.SingleLineCommentTrivia && last?.parts.at(-1)[0] === line - 1
    if (isNext) last.parts.push(...parts)
    else {
      last = { place: 'comment', parts }
      passages.push(last)
    }
  }
  return passages
}

const isTest = (name) => /\.test\.ts$|^test\/contract\//.test(name)

function isTextOf(name, node) {
  const isText =
    ts.isStringLiteral(node) ||
    ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateExpression(node) ||
    ts.isJsxText(node)
  if (!isText || ts.isImportDeclaration(node.parent)) return false
  return isTest(name) ? namesTest(node) : name.startsWith('src/')
}

/** `test('…')`, `describe.each(…)('…')`, `verifies('…', '…')`. */
function namesTest({ parent }) {
  if (!ts.isCallExpression(parent)) return false
  let called = parent.expression
  while (called.expression !== undefined) called = called.expression
  return ['test', 'it', 'describe', 'verifies'].includes(called.text)
}

function literal(node, lineAt) {
  const place = node.getSourceFile().fileName.startsWith('src/') ? 'text' : 'test name'
  const pieces = ts.isTemplateExpression(node)
    ? [node.head, ...node.templateSpans.map(({ literal: piece }) => piece)].map(({ text }) => text).join('x')
    : node.text
  return {
    place,
    parts: [[lineAt(node.getStart()), pieces.replaceAll('\n', ' ').replace(/`[^`]*`/g, 'CODE')]],
  }
}

/** The line, from 1, of a character of joined parts. */
function lineOf(parts, index) {
  let left = index
  for (const [line, part] of parts) {
    left -= part.length + 1
    if (left < 0) return line + 1
  }
  return parts[0][0] + 1
}

/** The findings in one file: `path:line: what is written (place): what to write`. `name` is its path from the root, with slashes. */
export function check(name, text) {
  const passages = name.endsWith('.md') ? passagesOfPage(text) : passagesOfCode(name, text)
  return passages.flatMap(({ place, parts }) => {
    const whole = parts.map(([, part]) => part).join(' ')
    if (whole.split(/\s+/).length < FEWEST_WORDS) return []
    const at = (index) => `${name}:${lineOf(parts, index)}`
    const found = RULES.flatMap(({ not, only, write }) => {
      if (only !== undefined && !only.includes(place)) return []
      const match = not.exec(whole)
      return match === null ? [] : [`${at(match.index)}: "${match[0].trim()}" (${place}). Write ${write}.`]
    })
    return place === 'test name' ? found : [...found, ...longIn(place, parts, at)]
  })
}

/** Sentences with too many words. `at`: the place of a character of the joined parts. */
function longIn(place, parts, at) {
  // In comments, a blank line, an item of a list and a tag of JSDoc begin a sentence.
  const begins = (part) => place === 'comment' && /^$|^[-*|@{]|^\d\./.test(part)
  const whole = parts
    .map(([, part], index) => `${index === 0 ? '' : begins(part) ? '\0' : ' '}${part}`)
    .join('')
  const found = []
  let start = 0
  for (const sentence of whole.split(/(?<=[.!?:]["')]?) +(?=[^a-z]|\w+: )|\0/)) {
    const words = sentence.split(/\s+/).filter((word) => /\w/.test(word)).length
    // A text of a program may be a list of words or a program.
    const isProse = place !== 'text' || /^[A-Z][^{}[\]|=]*$/.test(sentence)
    if (words > MOST_WORDS && isProse)
      found.push(
        `${at(start)}: a sentence of ${words} words ("${sentence.trim().slice(0, 40)}…"). Write two.`,
      )
    start += sentence.length + 1
  }
  return found
}

const root = fileURLToPath(new URL('..', import.meta.url))

/** Pages and programs of the project, by their path from the root. PERFORMANCE.md is made of texts in `scripts/`. */
function files() {
  const inside = ['src', 'test', 'scripts', 'benchmarks', 'docs', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path.split(sep).join('/')}`,
    ),
  )
  return [...readdirSync(root), ...inside].filter(
    (path) =>
      /\.(?:md|tsx?|mjs)$/.test(path) &&
      !/node_modules\/|^scripts\/\.|^PERFORMANCE\.md$|^benchmarks\/(?:results|answers\/data)\/|\/corpus\//.test(
        path,
      ),
  )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const named = process.argv.slice(2).map((path) => relative(root, path).split(sep).join('/'))
  const names = named.length > 0 ? named : files()
  const found = names.flatMap((name) => check(name, readFileSync(join(root, name), 'utf8')))
  for (const line of found) console.error(line)
  console.log(`prose: ${names.length} files, ${found.length} sentences to mend`)
  process.exitCode = found.length > 0 || names.length === 0 ? 1 : 0
}
