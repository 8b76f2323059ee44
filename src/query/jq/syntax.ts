/** The syntax of jq (jq 1.7 manual, https://jqlang.org/manual/v1.7/): a program as a tree. */
import type { JsonValue } from '../../protocol/json.ts'

/** A part of a program. Names are those of the manual. */
export type Node =
  | { kind: 'identity' }
  | { kind: 'value'; value: JsonValue }
  | { kind: 'variable'; name: string }
  /** A text with values in it, each written as `format` has it. */
  | { kind: 'text'; parts: readonly (string | Node)[]; format: string }
  | { kind: 'array'; of: Node | undefined }
  | { kind: 'object'; entries: readonly (readonly [Node, Node])[] }
  /** `isOptional`: with `?` behind it, values that have no such place are left out. */
  | { kind: 'index'; of: Node; at: Node; isOptional: boolean }
  | { kind: 'slice'; of: Node; from: Node | undefined; to: Node | undefined; isOptional: boolean }
  | { kind: 'each'; of: Node; isOptional: boolean }
  | { kind: 'pipe' | 'comma' | 'and' | 'or' | 'alternative'; left: Node; right: Node }
  | { kind: 'binary'; operator: string; left: Node; right: Node }
  /** `|=`, and `+=` and so on with the operator before the sign. */
  | { kind: 'assign'; operator: string; left: Node; right: Node }
  | { kind: 'if'; condition: Node; then: Node; otherwise: Node }
  | { kind: 'try'; of: Node; caught: Node | undefined }
  | { kind: 'reduce'; source: Node; pattern: Pattern; start: Node; update: Node }
  | { kind: 'foreach'; source: Node; pattern: Pattern; start: Node; update: Node; extract: Node }
  | { kind: 'bind'; source: Node; patterns: readonly Pattern[]; body: Node }
  | { kind: 'define'; name: string; params: readonly string[]; body: Node; rest: Node }
  | { kind: 'call'; name: string; args: readonly Node[] }
  | { kind: 'label'; name: string; body: Node }
  | { kind: 'break'; name: string }

/** The left side of `as`: a variable, or the shape of a value with variables in it. */
export type Pattern =
  | { kind: 'variable'; name: string }
  | { kind: 'array'; items: readonly Pattern[] }
  | { kind: 'object'; entries: readonly { key: Node; own: string | undefined; value: Pattern | undefined }[] }

/** The program does not follow the grammar. */
export class SyntaxFault extends Error {
  override readonly name = 'SyntaxFault'
}

/** `.`. */
export const IDENTITY: Node = { kind: 'identity' }

/** Powers of the operators between two operands, and which of two equal ones binds first. */
const OPERATORS: Readonly<Record<string, readonly [power: number, side: 'left' | 'right' | 'none']>> = {
  '//': [2, 'right'],
  '=': [3, 'none'],
  '|=': [3, 'none'],
  '+=': [3, 'none'],
  '-=': [3, 'none'],
  '*=': [3, 'none'],
  '/=': [3, 'none'],
  '%=': [3, 'none'],
  '//=': [3, 'none'],
  or: [4, 'left'],
  and: [5, 'left'],
  '==': [6, 'none'],
  '!=': [6, 'none'],
  '<=': [6, 'none'],
  '>=': [6, 'none'],
  '<': [6, 'none'],
  '>': [6, 'none'],
  '+': [7, 'left'],
  '-': [7, 'left'],
  '*': [8, 'left'],
  '/': [8, 'left'],
  '%': [8, 'left'],
}
const OPERATOR = /\|=|\/\/=|\/\/|[=!<>+\-*/%]=|[=<>+\-*/%]|(?:and|or)\b/y
const BLANK = /(?:\s+|#[^\n]*)*/y
const NAME = /(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*/y
const FIELD = /[A-Za-z_]\w*/y
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y
const DEEPEST = 200

/**
 * Reads a program.
 *
 * @throws SyntaxFault where it does not follow the grammar
 */
export function parseJq(source: string): Node {
  return new Parser(source).program()
}

class Parser {
  readonly #source: string
  #at = 0
  #depth = 0

  constructor(source: string) {
    this.#source = source
  }

  program(): Node {
    const whole = this.#pipe()
    this.#blanks()
    if (this.#at < this.#source.length) throw this.#fault()
    return whole
  }

  // ---- Characters ---------------------------------------------------------------------------------------------------

  #fault(): SyntaxFault {
    const rest = this.#source.slice(this.#at, this.#at + 20)
    return new SyntaxFault(rest === '' ? 'it ends too early' : `\`${rest}\` is not understood there`)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #blanks(): void {
    this.#match(BLANK)
  }

  #next(): string {
    this.#blanks()
    return this.#source[this.#at] ?? ''
  }

  #take(sign: string): boolean {
    this.#blanks()
    if (!this.#source.startsWith(sign, this.#at)) return false
    this.#at += sign.length
    return true
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) throw this.#fault()
  }

  /** A word that is not the beginning of a longer one. */
  #word(word: string): boolean {
    this.#blanks()
    const end = this.#at + word.length
    if (!this.#source.startsWith(word, this.#at) || /[\w:]/.test(this.#source[end] ?? '')) return false
    this.#at = end
    return true
  }

  #variable(): string {
    this.#expect('$')
    return this.#match(NAME) ?? this.#failed()
  }

  /** The value of a variable; `$__loc__` is the place in the program. */
  #named(): Node {
    const line = this.#source.slice(0, this.#at).split('\n').length
    const name = this.#variable()
    if (name === '__loc__') return { kind: 'value', value: { file: '<top-level>', line } }
    return { kind: 'variable', name }
  }

  #failed(): never {
    throw this.#fault()
  }

  // ---- Pipes and operators --------------------------------------------------------------------------------------------

  /** `def f: …; a | b`, `a as $x | b`, `label $out | b`. `noComma`: within the value of an object. */
  #pipe(noComma = false): Node {
    if (++this.#depth > DEEPEST) throw new SyntaxFault('it is nested too deeply')
    try {
      if (this.#word('def')) return this.#definition(noComma)
      if (this.#word('label')) {
        const name = this.#variable()
        this.#expect('|')
        return { kind: 'label', name, body: this.#pipe(noComma) }
      }
      const left = noComma ? this.#operation(0) : this.#comma()
      if (this.#next() !== '|' || this.#source[this.#at + 1] === '=') return left
      this.#at++
      return { kind: 'pipe', left, right: this.#pipe(noComma) }
    } finally {
      this.#depth--
    }
  }

  #definition(noComma: boolean): Node {
    this.#blanks()
    const name = this.#match(NAME) ?? this.#failed()
    const params: string[] = []
    if (this.#take('('))
      do {
        const sign = this.#take('$') ? '$' : ''
        this.#blanks()
        params.push(sign + (this.#match(NAME) ?? this.#failed()))
      } while (this.#take(';'))
    if (params.length > 0) this.#expect(')')
    this.#expect(':')
    const body = this.#pipe()
    this.#expect(';')
    return { kind: 'define', name, params, body, rest: this.#pipe(noComma) }
  }

  #comma(): Node {
    let left = this.#operation(0)
    while (this.#take(',')) left = { kind: 'comma', left, right: this.#operation(0) }
    return left
  }

  #operation(least: number): Node {
    let left = this.#bound()
    for (let last = ''; ; ) {
      this.#blanks()
      const start = this.#at
      const operator = this.#match(OPERATOR)
      const [power, side] = (operator === undefined ? undefined : OPERATORS[operator]) ?? [-1, 'none']
      const isAgain = side === 'none' && OPERATORS[last]?.[0] === power
      if (operator === undefined || power < least || isAgain) {
        this.#at = start
        return left
      }
      const right = this.#operation(side === 'right' ? power : power + 1)
      left = joined(operator, left, right)
      last = operator
    }
  }

  // ---- Terms ----------------------------------------------------------------------------------------------------------

  /** `.items[] as $i | …` binds tighter than an operator. */
  #bound(): Node {
    this.#blanks()
    const start = this.#at
    if (this.#word('def') || this.#word('label')) {
      this.#at = start
      return this.#pipe()
    }
    const source = this.#term()
    if (!this.#word('as')) return source
    const patterns = [this.#pattern()]
    while (this.#take('?//')) patterns.push(this.#pattern())
    this.#expect('|')
    return { kind: 'bind', source, patterns, body: this.#pipe() }
  }

  #term(): Node {
    let term = this.#head()
    for (;;) {
      const next = this.#next()
      const after = this.#source[this.#at + 1] ?? ''
      if (next === '[') term = this.#bracket(term)
      else if (next === '.' && after === '[') {
        this.#at++
        term = this.#bracket(term)
      } else if (next === '.' && /[A-Za-z_"@]/.test(after)) {
        this.#at++
        term = this.#key(term)
      } else if (this.#optional()) term = { kind: 'try', of: term, caught: undefined }
      else return term
    }
  }

  #optional(): boolean {
    return this.#next() === '?' && !this.#source.startsWith('?//', this.#at) && this.#take('?')
  }

  /** A name or a text behind a dot. */
  #key(of: Node): Node {
    const name = this.#match(FIELD)
    const at: Node = name === undefined ? this.#text() : { kind: 'value', value: name }
    return { kind: 'index', of, at, isOptional: this.#optional() }
  }

  #bracket(of: Node): Node {
    this.#expect('[')
    if (this.#take(']')) return { kind: 'each', of, isOptional: this.#optional() }
    const at = this.#next() === ':' ? undefined : this.#pipe()
    if (at !== undefined && this.#take(']')) return { kind: 'index', of, at, isOptional: this.#optional() }
    this.#expect(':')
    const to = at !== undefined && this.#next() === ']' ? undefined : this.#pipe()
    this.#expect(']')
    return { kind: 'slice', of, from: at, to, isOptional: this.#optional() }
  }

  #head(): Node {
    const next = this.#next()
    const after = this.#source[this.#at + 1] ?? ''
    if (next === '"' || next === '@') return this.#text()
    if (/\d/.test(next) || (next === '.' && /\d/.test(after)))
      return { kind: 'value', value: Math.min(Number(this.#match(NUMBER)), Number.MAX_VALUE) }
    if (next === '.') {
      this.#at++
      if (after === '.') {
        this.#at++
        return { kind: 'call', name: 'recurse', args: [] }
      }
      if (/[A-Za-z_"@]/.test(after)) return this.#key(IDENTITY)
      return IDENTITY
    }
    if (next === '$') return this.#named()
    if (next === '-') {
      this.#at++
      return { kind: 'binary', operator: '-', left: { kind: 'value', value: 0 }, right: this.#bound() }
    }
    if (this.#take('(')) {
      const inner = this.#pipe()
      this.#expect(')')
      return inner
    }
    if (this.#take('[')) {
      const of = this.#next() === ']' ? undefined : this.#pipe()
      this.#expect(']')
      return { kind: 'array', of }
    }
    if (next === '{') return this.#object()
    return this.#keyword() ?? this.#call()
  }

  #keyword(): Node | undefined {
    if (this.#word('if')) return this.#choice()
    if (this.#word('try')) {
      const of = this.#term()
      return { kind: 'try', of, caught: this.#word('catch') ? this.#term() : undefined }
    }
    if (this.#word('break')) return { kind: 'break', name: this.#variable() }
    const isReduce = this.#word('reduce')
    if (!isReduce && !this.#word('foreach')) return undefined
    const source = this.#term()
    if (!this.#word('as')) throw this.#fault()
    const pattern = this.#pattern()
    this.#expect('(')
    const parts = [this.#pipe()]
    while (this.#take(';')) parts.push(this.#pipe())
    this.#expect(')')
    const [start, update, extract] = parts
    if (start === undefined || update === undefined || parts.length > (isReduce ? 2 : 3)) throw this.#fault()
    if (isReduce) return { kind: 'reduce', source, pattern, start, update }
    return { kind: 'foreach', source, pattern, start, update, extract: extract ?? IDENTITY }
  }

  #choice(): Node {
    const condition = this.#pipe()
    if (!this.#word('then')) throw this.#fault()
    const then = this.#pipe()
    if (this.#word('elif')) return { kind: 'if', condition, then, otherwise: this.#choice() }
    const otherwise = this.#word('else') ? this.#pipe() : IDENTITY
    if (!this.#word('end')) throw this.#fault()
    return { kind: 'if', condition, then, otherwise }
  }

  #call(): Node {
    const name = this.#match(NAME) ?? this.#failed()
    if (RESERVED.has(name)) {
      this.#at -= name.length
      throw this.#fault()
    }
    if (name === 'null' || name === 'true' || name === 'false')
      return { kind: 'value', value: name === 'null' ? null : name === 'true' }
    const args: Node[] = []
    if (this.#source[this.#at] === '(') {
      this.#at++
      do args.push(this.#pipe())
      while (this.#take(';'))
      this.#expect(')')
    }
    return { kind: 'call', name, args }
  }

  /** `{a, "b": 1, (.c): 2, $d, @base64 "e": 3}`; a name alone is the field of that name. */
  #object(): Node {
    this.#expect('{')
    const entries: [Node, Node][] = []
    while (!this.#take('}')) {
      const next = this.#next()
      let key: Node
      let own: Node
      if (next === '$') {
        own = this.#named()
        key = { kind: 'value', value: own.kind === 'variable' ? own.name : '__loc__' }
      } else {
        key = this.#objectKey()
        own = { kind: 'index', of: IDENTITY, at: key, isOptional: false }
      }
      entries.push([key, this.#take(':') ? this.#pipe(true) : own])
      if (this.#take(',')) continue
      if (this.#next() !== '}') throw this.#fault()
    }
    return { kind: 'object', entries }
  }

  #objectKey(): Node {
    if (this.#take('(')) {
      const key = this.#pipe()
      this.#expect(')')
      return key
    }
    const next = this.#next()
    if (next === '"' || next === '@') return this.#text()
    return { kind: 'value', value: this.#match(NAME) ?? this.#match(NUMBER) ?? this.#failed() }
  }

  #pattern(): Pattern {
    const next = this.#next()
    if (next === '$') return { kind: 'variable', name: this.#variable() }
    if (this.#take('[')) {
      const items = [this.#pattern()]
      while (this.#take(',')) items.push(this.#pattern())
      this.#expect(']')
      return { kind: 'array', items }
    }
    this.#expect('{')
    const entries: { key: Node; own: string | undefined; value: Pattern | undefined }[] = []
    do {
      const own = this.#next() === '$' ? this.#variable() : undefined
      const key: Node = own === undefined ? this.#objectKey() : { kind: 'value', value: own }
      entries.push({ key, own, value: this.#take(':') ? this.#pattern() : undefined })
    } while (this.#take(','))
    this.#expect('}')
    return { kind: 'object', entries }
  }

  /** `"a \(.b)"`, `@csv`, `@uri "a/\(.b)"`. */
  #text(): Node {
    const format = this.#match(/@\w+/y)?.slice(1)
    if (format !== undefined && this.#next() !== '"') return { kind: 'text', parts: [IDENTITY], format }
    this.#expect('"')
    const parts: (string | Node)[] = []
    for (;;) {
      const plain = this.#match(/(?:[^"\\]|\\[^(])*/y) ?? ''
      if (plain !== '') parts.push(this.#unescaped(plain))
      if (this.#source[this.#at] === '"') {
        this.#at++
        return { kind: 'text', parts, format: format ?? 'text' }
      }
      if (!this.#source.startsWith('\\(', this.#at)) throw new SyntaxFault('a text has no end')
      this.#at += 2
      parts.push(this.#pipe())
      this.#expect(')')
    }
  }

  #unescaped(written: string): string {
    try {
      return JSON.parse(
        `"${written.replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')}"`,
      )
    } catch {
      throw new SyntaxFault(`\`${written.slice(0, 40)}\` has an escape that is none`)
    }
  }
}

const RESERVED: ReadonlySet<string> = new Set(
  'and or then elif else end as def reduce foreach if try catch label import include __loc__'.split(' '),
)

function joined(operator: string, left: Node, right: Node): Node {
  if (operator === 'and' || operator === 'or') return { kind: operator, left, right }
  if (operator === '//') return { kind: 'alternative', left, right }
  if (OPERATORS[operator]?.[0] === 3) return { kind: 'assign', operator: operator.slice(0, -1), left, right }
  return { kind: 'binary', operator, left, right }
}

/** Members of the objects that filters of jq give. */
const GIVEN = ['key', 'value', 'name', 'offset', 'length', 'string', 'captures']

/** The names that a program reads in data. Names of its own are left out. */
export function fieldsRead(program: Node): string[] {
  const made = new Set<string>(GIVEN)
  const read = namesRead(program, made)
  return [...read].filter((name) => !made.has(name))
}

/** `made`: gets the names of members that are made of anything but the field of that name. */
function namesRead(part: unknown, made: Set<string>): Set<string> {
  const read = new Set<string>()
  if (typeof part !== 'object' || part === null) return read
  const node = part as Partial<Node>
  for (const [at, inner] of Object.values(part).entries()) {
    const names = namesRead(inner, made)
    for (const name of names) read.add(name)
    // The members of an object are pairs of a name and its value.
    const [key] = Array.isArray(part) && at === 1 ? (part as [Partial<Node>]) : []
    if (key?.kind === 'value' && typeof key.value === 'string' && !names.has(key.value)) made.add(key.value)
  }
  if (node.kind === 'index' && node.at?.kind === 'value' && typeof node.at.value === 'string')
    read.add(node.at.value)
  if (node.kind === 'assign' && node.left?.kind === 'index' && node.left.at.kind === 'value')
    made.add(String(node.left.at.value))
  return read
}
