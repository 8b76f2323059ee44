/** JSON with comments, read with positions, so that every message can say where. */
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type JsonObject, type JsonValue, setOwn } from '../protocol/json.ts'
import { formatPath, type Path, type Problem } from './report.ts'

export interface JsoncFile {
  /** Undefined when the text is broken: `problems` says where. */
  value: JsonValue | undefined
  /** Broken syntax and keys given twice. */
  problems: Problem[]
  /** `mcp.json:7:15`, the value at the path or the nearest thing around it. */
  locate(path: Path): string
}

const MAX_SYNTAX_PROBLEMS = 3

/** Reads the text of a file that is called `name` in messages. Comments and trailing commas are allowed. */
export function readJsonc(source: string, name: string): JsoncFile {
  const text = source.replace(/^\uFEFF/, '')
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const at = (offset: number): string => `${name}:${position(text, offset)}`
  const locate = (path: Path): string => {
    for (let length = path.length; root !== undefined && length > 0; length--) {
      const node = findNodeAtLocation(root, path.slice(0, length))
      if (node !== undefined) return at(node.offset)
    }
    return name
  }
  if (errors.length > 0 || root === undefined) {
    const found = errors.map(({ error, offset }) => broken(printParseErrorCode(error), offset))
    // Where several brackets are open the end of the file lacks them all.
    const different = new Map(found.map((one) => [`${one.place} ${one.message}`, one]))
    const problems =
      different.size > 0 ? [...different.values()].slice(0, MAX_SYNTAX_PROBLEMS) : [broken('Empty', 0)]
    return { value: undefined, problems, locate }
  }
  const problems: Problem[] = []
  const value = read(root, [], (node, path) => {
    const key = formatPath(path)
    problems.push({
      severity: 'error',
      place: at(node.offset),
      path: key,
      message: 'is there twice',
      remedy: 'Rename or remove one of the two.',
    })
  })
  return { value, problems, locate }

  function broken(kind: string, offset: number): Problem {
    const words = SYNTAX[kind] ?? { message: 'this is not valid JSON', remedy: 'Mend the JSON here.' }
    return { severity: 'error', place: at(offset), path: '', ...words }
  }
}

/** Line and column, both counted from 1, columns in UTF-16 units as editors do. */
function position(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return `${before.split('\n').length}:${offset - lineStart + 1}`
}

function read(node: Node, path: Path, twice: (node: Node, path: Path) => void): JsonValue {
  const children = node.children ?? []
  if (node.type === 'array') return children.map((child, index) => read(child, [...path, index], twice))
  if (node.type !== 'object') return node.value
  const object: JsonObject = {}
  for (const property of children) {
    const [key, value] = property.children ?? []
    if (key === undefined || value === undefined) continue
    const name = String(key.value)
    if (Object.hasOwn(object, name)) twice(key, [...path, name])
    setOwn(object, name, read(value, [...path, name], twice))
  }
  return object
}

/** By the parser's name for what it missed. */
const SYNTAX: Readonly<Record<string, { message: string; remedy: string }>> = {
  Empty: { message: 'the file is empty', remedy: 'Write a first one with: mcp-rlm-proxy init' },
  CommaExpected: { message: 'a comma is missing', remedy: 'Put "," before this.' },
  ColonExpected: {
    message: 'a colon is missing',
    remedy: 'Put ":" between name and value.',
  },
  CloseBraceExpected: { message: 'a } is missing', remedy: 'Close the object with }.' },
  CloseBracketExpected: { message: 'a ] is missing', remedy: 'Close the list with ].' },
  ValueExpected: { message: 'a value is missing', remedy: 'Write a value here.' },
  PropertyNameExpected: {
    message: 'a name in double quotes is missing',
    remedy: 'Write "name": value.',
  },
  UnexpectedEndOfString: { message: 'a text does not end', remedy: 'Close it with ".' },
  InvalidEscapeCharacter: {
    message: 'a backslash stands before a character that needs none',
    remedy: 'Write "\\\\" for a backslash, as in "C:\\\\data".',
  },
  EndOfFileExpected: {
    message: 'something follows the end of the object',
    remedy: 'Remove it; the file is one object { … }.',
  },
  InvalidSymbol: {
    message: 'this is not JSON',
    remedy: 'Put texts in double quotes; other values are numbers, true, false and null.',
  },
}
