/** jq: `.[] | select(.a == 1)` around a condition, pipes within one, and pipes as a path. */
import { closingAt, splitAt } from '../scanner.ts'

/** The condition in `select(…)`, and `.title | test("x")` as `.title.test("x")`. */
export function fromJq(text: string, note: (text: string) => void): string {
  const enclosed = /^\[\s*(\.\S*\s*\|.+)\]$/s.exec(text)?.[1] ?? text
  const piped = enclosed.replace(/^(?:\.(?:[\w.[\]"]*\[\])?\s*\|\s*)(?=select\b|map\b)/, '')
  const call = /^(?:select|map|filter)\s*\(/.exec(piped)
  if (call) {
    const end = closingAt(piped, call[0].length - 1)
    const rest = piped.slice(end + 1).trim()
    if (end > 0 && (rest === '' || rest.startsWith('|'))) {
      if (rest !== '') note(`\`${rest.slice(0, 60)}\` was left out of \`where\`.`)
      return piped.slice(call[0].length, end).trim()
    }
  }
  return asMethods(enclosed)
}

/** A pipe within one condition: `.labels | length > 1` as `.labels.length() > 1`. */
function asMethods(text: string): string {
  const [, head, name, rest = ''] = /^([^|]*[^|\s])\s*\|\s*([a-z_]\w*)(?!\w)(.*)$/s.exec(text) ?? []
  if (head === undefined || name === undefined || /[=<>]/.test(head) || !/^(?:\.|[\w$@])/.test(head))
    return text
  if (!OF_VALUES.has(name)) return text
  return rest.startsWith('(') ? `${head}.${name}${rest}` : `${head}.${name}()${rest}`
}

/** Functions of jq that make a condition or a value of one. */
const OF_VALUES: ReadonlySet<string> = new Set(
  'length test match contains inside startswith endswith has any all tostring tonumber ascii_downcase ascii_upcase not type keys select IN index'.split(
    ' ',
  ),
)

/** `.items[] | select(.a == 1) | .name` as the path `items[?.a == 1].name`; the same text when it has no such pipe. */
export function fromPipes(source: string): string {
  const parts = splitAt(source, ['|'], { strict: true })
  if (parts.length < 2 && !/^(?:map|select)\s*\(/.test(source)) return source
  let path = ''
  for (const part of parts) {
    const [, name, open] = /^(map|select|first|last)(\(?)/.exec(part) ?? []
    if (name === 'first' || name === 'last') path += name === 'first' ? '[0]' : '[-1]'
    else if (name !== undefined && open !== undefined) {
      const end = closingAt(part, name.length)
      if (end < 0 || part.slice(end + 1).trim() !== '') return source
      const inner = part.slice(name.length + 1, end).trim()
      if (name === 'select') path = `${path.replace(/\[\*?\]$/, '')}[?${inner}]`
      else path += inner.startsWith('select(') ? `[?${inner.slice(7, -1)}]` : `[*]${joint(inner)}`
    } else if (/^(?:keys|length|add|unique|sort|to_entries|flatten|values|\[\.\[\])/.test(part)) return source
    else path += path === '' ? part.replace(/^\.(?=[\w"[])/, '') : joint(part)
  }
  return path
}

function joint(part: string): string {
  const bare = part.replace(/^\.(?=\[)/, '')
  return bare === '.' ? '' : /^[.[]/.test(bare) ? bare : `.${bare}`
}

/** The longest program, in characters. */
const LONGEST = 4_000

/** A program out of the call of the command, `jq -r '.items[]'`. Undefined for one that is too long. */
export function withoutCommand(text: string): string | undefined {
  const program = (/^jq\s+(?:-\w+\s+)*'(.+)'\s*$/s.exec(text.trim())?.[1] ?? text).trim()
  return program.length > LONGEST ? undefined : program
}
