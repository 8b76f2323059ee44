/** XPath (https://www.w3.org/TR/xpath-31/), as models write it for XML: `//book[@id='b2']/title`, `/catalog/book[1]`. */
import { closingAt } from '../scanner.ts'

/** Begins as a path of XPath, and is no JSON Pointer. */
const BEGINNING = /^\.?\/(?:\/|(?=.*(?:[[*]|\(\)|::)))/s
/** Before a step: the axis with its slashes. */
const AXIS = /(\/\/|\/)(?:(child|descendant|descendant-or-self|attribute|self)::)?/y
const STEP = /(?:text|node)\(\)|@?(?:[\w.-]+:)?[\p{L}_][\w.-]*(?![\w.(-])|\*|\./uy

/** A path as the other steps read it: `$..book[?(id = 'b2')].title`. Undefined for all else. */
export function fromXPath(source: string): string | undefined {
  if (!BEGINNING.test(source)) return undefined
  let path = '$'
  let at = source.startsWith('.') ? 1 : 0
  while (at < source.length) {
    AXIS.lastIndex = at
    const [slashes, , axis = ''] = AXIS.exec(source) ?? []
    if (slashes === undefined) return undefined
    at += slashes.length
    STEP.lastIndex = at
    const [step] = STEP.exec(source) ?? []
    if (step === undefined) return undefined
    at += step.length
    const isDeep = slashes.startsWith('//') || axis.startsWith('descendant')
    path += named(step, isDeep)
    while (source[at] === '[') {
      const end = closingAt(source, at)
      if (end < 0) return undefined
      path += predicate(source.slice(at + 1, end).trim())
      at = end + 1
    }
  }
  return path
}

function named(step: string, isDeep: boolean): string {
  if (step === 'text()' || step === 'node()' || step === '.') return ''
  if (step === '*') return isDeep ? '..*' : '.*'
  const name = step.replace(/^@/, '')
  return (
    (isDeep ? '..' : '') + (/^\w+$/.test(name) ? (isDeep ? name : `.${name}`) : `[${JSON.stringify(name)}]`)
  )
}

/** Places are counted from 1 in XPath. */
function predicate(inner: string): string {
  const [, place] = /^(?:position\(\)\s*=\s*)?(\d+)$/.exec(inner) ?? []
  if (place !== undefined) return `[${Number(place) - 1}]`
  const [, back = '0'] = /^last\(\)(?:\s*-\s*(\d+))?$/.exec(inner) ?? []
  if (inner.startsWith('last()') && /^last\(\)(?:\s*-\s*\d+)?$/.test(inner)) return `[-${Number(back) + 1}]`
  const [, sign, most] = /^position\(\)\s*(<=?)\s*(\d+)$/.exec(inner) ?? []
  if (most !== undefined) return `[:${sign === '<' ? Number(most) - 1 : most}]`
  const condition = inner.replaceAll(/"[^"]*"|'[^']*'|[^"']+/g, (part) =>
    /^["']/.test(part)
      ? part
      : part
          .replaceAll(/(?<![\w.])\.\/(?=[@\p{L}_])/gu, '')
          .replaceAll(/(?<=[\w\])])\/@?(?=[\p{L}_])/gu, '.')
          .replaceAll(/(?<![\w.])@(?=[\w*])/g, '')
          .replaceAll(/\b(?:normalize-space|string|data)\(\s*([^()]*)\s*\)/g, '$1')
          .replaceAll(/\btext\(\)|(?<![\w.])\.(?![\w.])/g, '@')
          .replaceAll('starts-with(', 'starts_with(')
          .replaceAll('ends-with(', 'ends_with('),
  )
  return `[?(${condition})]`
}
