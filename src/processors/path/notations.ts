/** Paths in other notations: JSON Pointer, the pipes of jq. */
import { closingParenthesis } from '../where/unwrap.ts'

/** `/items/0/name`, `#/definitions/Pet`, `items/0/name` with keys in brackets; undefined for anything else. */
export function fromPointer(source: string): string | undefined {
  const pointer =
    /^#?\/(.+)$/s.exec(source)?.[1] ??
    (/^[^/\s[\]?"']+(?:\/[^/\s[\]?"']+)+$/.test(source) ? source : undefined)
  if (pointer === undefined || pointer === '') return undefined
  return pointer
    .split('/')
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `[${JSON.stringify(part)}]`))
    .join('')
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** `.items[] | select(.a == 1) | .name` as `items[?.a == 1].name`; the same text when it has no such pipe. */
export function fromPipes(source: string): string {
  const parts = pipesOf(source)
  if (parts.length < 2 && !/^(?:map|select)\s*\(/.test(source)) return source
  let path = ''
  for (const part of parts) {
    const [, name, open] = /^(map|select|first|last)(\(?)/.exec(part) ?? []
    if (name === 'first' || name === 'last') path += name === 'first' ? '[0]' : '[-1]'
    else if (name !== undefined && open !== undefined) {
      const end = closingParenthesis(part, name.length)
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

/** At pipes outside of quotes, brackets and parentheses. */
function pipesOf(source: string): string[] {
  const parts: string[] = []
  let depth = 0
  let quote = ''
  let start = 0
  for (let at = 0; at < source.length; at++) {
    const char = source.charAt(at)
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if ('[({'.includes(char)) depth++
    else if ('])}'.includes(char)) depth--
    else if (char === '|' && depth === 0) {
      parts.push(source.slice(start, at).trim())
      start = at + 1
    }
  }
  return [...parts, source.slice(start).trim()].filter((part) => part !== '')
}
