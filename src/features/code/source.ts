/**
 * Makes the body of an async function from what models write as code. It removes fences, blanks types, and calls a function. The value of
 * a last expression is the answer. Positions stay those of what was written.
 */
import { tsPlugin } from '@sveltejs/acorn-typescript'
import { Parser } from 'acorn'
import { LONGEST_CODE } from './protocol.ts'

/** A program that can be run. */
export interface Prepared {
  /** The body of an async function. */
  readonly body: string
  /** Where something was put in, so that columns can be told as they were written. */
  readonly inserted: readonly { readonly line: number; readonly column: number; readonly length: number }[]
  /** Lines before the code in what the model sent. */
  readonly above: number
}

/** Why it cannot be run, for the model. */
export interface Unreadable {
  readonly error: string
}

/** A node of the tree as it is read here: acorn's types do not know those of TypeScript. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

const OPTIONS = {
  ecmaVersion: 'latest',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowSuperOutsideMethod: false,
} as const

/** The constraint that every program is under, in a sentence. */
export const CONSTRAINT =
  'A program is JavaScript without import, require, fetch, files or processes; `help()` prints what it may use.'

/** `keeps`: variables at the top are those of a session, which the next program finds. */
export function prepare(written: string, keeps = false): Prepared | Unreadable {
  const { code, above } = withoutFence(written)
  if (code.trim() === '') return { error: `There is no code. ${CONSTRAINT}\n${EXAMPLE}` }
  if (code.length > LONGEST_CODE)
    return { error: `The code has ${code.length} characters; ${LONGEST_CODE} are the most.` }
  let tree: Node
  try {
    tree = parse(code)
  } catch (error) {
    return { error: unreadable(error, code, above) }
  }
  const text = [...code]
  // Positions of the parser count UTF-16 code units.
  const units = text.length === code.length ? text : code.split('')
  const statements = tree.body as Node[]
  const refused = statements.find(({ type }) => type === 'ImportDeclaration') ?? blankTypes(tree, units)
  if (refused !== undefined) return { error: refusal(refused, code, above) }
  const inserts = new Map<number, string>()
  answering(statements, units, inserts)
  if (keeps) lasting(statements, units, inserts)
  return { ...assembled(code, units, inserts), above }
}

function parse(code: string): Node {
  try {
    return TypeScript.parse(code, { ...OPTIONS, sourceType: 'module', locations: true }) as unknown as Node
  } catch (error) {
    if (error instanceof Tangled) throw error
    try {
      // A script may have syntax that modules forbid.
      return Parser.parse(code, { ...OPTIONS, sourceType: 'script', locations: true }) as unknown as Node
    } catch {
      throw error
    }
  }
}

type Plugin = (parser: typeof Parser) => typeof Parser

const TypeScript = Parser.extend(tsPlugin() as unknown as Plugin, bounded as unknown as Plugin)

/** Tokens that the parser may read: so many for each character, and some for short programs. Those of models need less than one. */
const TOKENS_PER_CHARACTER = 4
const TOKENS = 20_000

class Tangled extends Error {}

/**
 * Where `<` may begin type arguments the parser tries both ways, and both ways again in what is inside: twice the tokens for each level.
 * This one gives up.
 */
function bounded(
  parser: new (options: object, input: string) => { input: string; nextToken(): void },
): typeof parser {
  return class extends parser {
    #tokens = 0
    override nextToken(): void {
      if (++this.#tokens > TOKENS + TOKENS_PER_CHARACTER * this.input.length)
        throw new Tangled('too many `<` inside one another, each of which may begin a type')
      super.nextToken()
    }
  }
}

const FENCE = /^[ \t]*(?:```|~~~)[^\n]*\n([\s\S]*?)(?:\n[ \t]*(?:```|~~~)[ \t]*(?:\n|(?![\s\S]))|(?![\s\S]))/m

/** The first fenced block, where there is one; `above`: lines before it. */
function withoutFence(written: string): { code: string; above: number } {
  const match = FENCE.exec(written.length > LONGEST_CODE ? written.slice(0, LONGEST_CODE) : written)
  if (match === null) return { code: written, above: 0 }
  const before = written.slice(0, match.index)
  // A fence in a template of the program is part of it.
  if (/[`'"(=;{]/.test(before)) return { code: written, above: 0 }
  return { code: match[1] ?? '', above: before.split('\n').length }
}

// Types.

/** Nodes that are types alone. */
const TYPES = new Set([
  'TSTypeAnnotation',
  'TSTypeParameterDeclaration',
  'TSTypeParameterInstantiation',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
  'TSAbstractMethodDefinition',
])

/** Nodes that do something and are no JavaScript. */
const NO_TYPES: Readonly<Record<string, string>> = {
  TSEnumDeclaration: 'an enum',
  TSModuleDeclaration: 'a namespace',
  TSParameterProperty: 'a property as a parameter',
  TSImportEqualsDeclaration: 'an import',
  TSExportAssignment: 'an export',
  ExportNamedDeclaration: 'an export',
  ExportAllDeclaration: 'an export',
  ImportExpression: 'an import',
  Decorator: 'a decorator',
}

/** Blanks what is a type. Answers a node that cannot be run. */
function blankTypes(tree: Node, units: string[]): Node | undefined {
  const blank = (from: number, to: number): void => {
    for (let at = from; at < to; at++) if (units[at] !== '\n' && units[at] !== '\r') units[at] = ' '
  }
  const left: unknown[] = [tree]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (Array.isArray(node)) {
      for (const one of node) if (one !== undefined && one !== null) left.push(one)
      continue
    }
    if (!isNode(node)) continue
    const { type, start, end } = node
    if (type in NO_TYPES) return node
    if (TYPES.has(type) || (node.declare === true && type.endsWith('Declaration'))) {
      blank(start, end)
      continue
    }
    const inner = node.expression
    if (isNode(inner)) {
      if (type === 'TSAsExpression' || type === 'TSSatisfiesExpression') blank(inner.end, end)
      if (type === 'TSNonNullExpression') blank(end - 1, end)
      if (type === 'TSTypeAssertion') blank(start, inner.start)
      if (type === 'TSInstantiationExpression') blank(inner.end, end)
    }
    if (type === 'Identifier' && node.optional === true) {
      const mark = units.indexOf('?', start + String(node.name).length)
      if (mark >= 0 && mark < end) blank(mark, mark + 1)
    }
    if (type === 'VariableDeclarator' && node.definite === true) {
      const mark = units.indexOf('!', start)
      if (mark >= 0 && mark < end) blank(mark, mark + 1)
    }
    if (typeof node.accessibility === 'string' || node.readonly === true || node.override === true) {
      const key = node.key
      if (isNode(key)) blankWords(units, start, key.start, MODIFIER)
    }
    if (Array.isArray(node.implements) && node.implements.length > 0 && isNode(node.body)) {
      const word = units.slice(start, node.body.start).join('').lastIndexOf('implements')
      if (word >= 0) blank(start + word, node.body.start)
    }
    for (const [name, value] of Object.entries(node))
      if (name !== 'loc' && typeof value === 'object' && value !== null) left.push(value)
  }
  return undefined
}

const MODIFIER = /\b(?:public|private|protected|readonly|override)\b/g

function blankWords(units: string[], from: number, to: number, words: RegExp): void {
  for (const { 0: found, index } of units.slice(from, to).join('').matchAll(words))
    for (let at = index; at < index + found.length; at++)
      if (found[at - index] !== '\n') units[from + at] = ' '
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

// The answer.

const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'])

/** The arguments of a function that is the whole program, with any names of its own: one for each name, or all in one object. */
const HANDED = ['d', 'doc', 'tools', 'keep', 'help', 'console']
const ALL_HANDED = '{ get d() { return d }, doc, tools, keep, help, console }'

function handedTo(fn: Node): string {
  const list = (fn.params as Node[]).map(({ type, name }) =>
    type === 'Identifier' && HANDED.includes(String(name)) ? String(name) : ALL_HANDED,
  )
  return `(${list.join(', ')})`
}

/** Where no statement returns anything, the last expression is what is returned; a program that is a function is called. */
function answering(statements: readonly Node[], units: string[], inserts: Map<number, string>): void {
  const insert = (at: number, text: string): void => void inserts.set(at, (inserts.get(at) ?? '') + text)
  const last = statements.at(-1)
  if (last === undefined) return
  const exported = last.type === 'ExportDefaultDeclaration'
  const inner = exported
    ? last.declaration
    : last.type === 'ExpressionStatement'
      ? last.expression
      : undefined
  const end = units[last.end - 1] === ';' ? last.end - 1 : last.end
  if (exported) blankWords(units, last.start, end, /^export\s+default\b/g)
  else if (statements.some(returns)) return
  if (isNode(inner)) {
    if (inner.type === 'ClassDeclaration') return
    const isCalled = FUNCTIONS.has(inner.type) && (statements.length === 1 || exported)
    insert(last.start, isCalled ? 'return await (' : 'return (')
    insert(end, isCalled ? `)${handedTo(inner)};` : ');')
  } else if (last.type === 'FunctionDeclaration' && statements.length === 1 && isNode(last.id)) {
    insert(last.end, `;return await ${String(last.id.name)}${handedTo(last)};`)
  }
}

/** True for a statement that returns, itself or in its blocks; not in functions within it. */
function returns(statement: unknown): boolean {
  if (Array.isArray(statement)) return statement.some(returns)
  if (!isNode(statement)) return false
  if (statement.type === 'ReturnStatement') return true
  if (FUNCTIONS.has(statement.type) || /Expression$|^Class|Declaration$/.test(statement.type)) return false
  return Object.entries(statement).some(
    ([name, value]) => name !== 'loc' && typeof value === 'object' && value !== null && returns(value),
  )
}

/** Declarations at the top become variables of the machine: what declares a name assigns to it. */
function lasting(statements: readonly Node[], units: string[], inserts: Map<number, string>): void {
  const insert = (at: number, text: string): void => void inserts.set(at, (inserts.get(at) ?? '') + text)
  for (const statement of statements) {
    if (statement.type === 'VariableDeclaration' && statement.declare !== true) {
      const declarators = statement.declarations as Node[]
      const [first] = declarators
      if (first === undefined) continue
      for (let at = statement.start; at < first.start; at++) if (units[at] !== '\n') units[at] = ' '
      insert(first.start, ';(')
      for (const { init, end } of declarators) if (init === null) insert(end, ' = undefined')
      const end = declarators.at(-1)?.end ?? first.end
      insert(end, ');')
      if (units[end] === ';') units[end] = ' '
    }
    if (statement.type === 'ClassDeclaration' && isNode(statement.id))
      insert(statement.start, `${String(statement.id.name)} = `)
    if (statement.type === 'FunctionDeclaration' && isNode(statement.id)) {
      const name = String(statement.id.name)
      // It is there before its line.
      inserts.set(0, `globalThis.${name} = ${name};${inserts.get(0) ?? ''}`)
    }
  }
}

function assembled(
  code: string,
  units: readonly string[],
  inserts: ReadonlyMap<number, string>,
): Pick<Prepared, 'body' | 'inserted'> {
  const places = [...inserts].sort(([one], [other]) => one - other)
  const inserted: { line: number; column: number; length: number }[] = []
  let body = ''
  let from = 0
  for (const [at, text] of places) {
    body += units.slice(from, at).join('') + text
    from = at
    inserted.push({ ...placeOf(code, at), length: text.length })
  }
  return { body: body + units.slice(from).join(''), inserted }
}

/** Line and column, both from 1. */
function placeOf(code: string, at: number): { line: number; column: number } {
  const before = code.slice(0, at)
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: at - start + 1 }
}

/** Where a place of the program stands in what the model wrote. */
export function writtenPlace(
  { inserted, above }: Prepared,
  line: number,
  column: number,
): { line: number; column: number } {
  let real = column
  for (const one of inserted)
    if (one.line === line && one.column < real) real = Math.max(one.column, real - one.length)
  return { line: line + above, column: real }
}

// Code that is no JavaScript.

export const EXAMPLE =
  'Example: const open = await d.rows({ where: ["state = open"], fields: ["id", "price"] }); return open.reduce((sum, row) => sum + row.price, 0)'

const PYTHON =
  /^[ \t]*(?:def \w+\(.*\)\s*(?:->.*)?:|import \w+(?:\.\w+)*(?: as \w+)?\s*$|from \w+(?:\.\w+)* import |for \w+(?:, *\w+)* in .+:\s*$|if .+:\s*$|elif |with open\(|print\(f?["'])/m
const SHELL =
  /^[ \t]*(?:\$ |#!|(?:curl|cat|grep|jq|ls|cd|awk|sed|echo|head|tail|wc|python3?|node|npx|npm|bash)\s+[^=(])/m

function unreadable(error: unknown, code: string, above: number): string {
  const { loc, message } = error as { loc?: { line: number; column: number }; message?: string }
  if (SHELL.test(code) && !/[;{}]\s*$/m.test(code))
    return `This looks like a shell command, and there is no shell. ${CONSTRAINT}\n${inJavaScript(code)}`
  if (PYTHON.test(code)) return `This looks like Python. ${CONSTRAINT}\n${inJavaScript(code)}`
  const where = loc ? ` at line ${loc.line + above}, column ${loc.column + 1}` : ''
  const what = String(message ?? error)
    .replace(/\s*\(\d+:\d+\)$/, '')
    .slice(0, 300)
  const line = loc ? code.split('\n')[loc.line - 1]?.slice(0, 200) : undefined
  return `The code cannot be read${where}: ${what}.${line === undefined ? '' : `\n${line}`}`
}

function refusal({ type, start }: Node, code: string, above: number): string {
  const { line, column } = placeOf(code, start)
  const what = type === 'ImportDeclaration' ? 'an import' : (NO_TYPES[type] ?? type)
  return `Line ${line + above}, column ${column}: ${what} cannot be used here. ${CONSTRAINT}`
}

/** The same thing in JavaScript, where what was written is simple; else an example. */
function inJavaScript(code: string): string {
  const [, filter] = /\bjq\s+(?:-\w+\s+)*(['"])?(\.[\w.[\]]*)/.exec(code)?.slice(1) ?? []
  if (filter !== undefined) return `The same here: return await d.at("$${filter === '.' ? '' : filter}")`
  const grep = /\bgrep\s+(?:-\w+\s+)*(['"]?)([^'"|\s]+)\1/.exec(code)?.[2]
  if (grep !== undefined) return `The same here: return await d.search(${JSON.stringify(grep)})`
  const count = /\blen\((\w+)\)|\bwc -l/.exec(code)
  if (count !== null && code.length < 200) return 'The same here: return await d.count()'
  const sum = /\bsum\(\s*\w+\[["'](\w+)["']\]\s+for /.exec(code)?.[1]
  if (sum !== undefined)
    return `The same here: return (await d.rows({ fields: [${JSON.stringify(sum)}] })).reduce((sum, row) => sum + row[${JSON.stringify(sum)}], 0)`
  return EXAMPLE
}
