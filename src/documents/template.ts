/** Building templates: texts with holes for a handle that is not known yet. */
import type { JsonObject } from '../protocol/json.ts'
import { ellipsis } from '../text/shorten.ts'

/**
 * Text with holes for the handle of the kept document: `parts.join(handle)` is the text. Content may contain any
 * string, so a placeholder inside it would not be safe.
 */
export type Template = readonly string[]

/** A handle like most, by which tokens are counted before there is one. */
export const TYPICAL_HANDLE = 'ksc482dhw169'
/** A handle as long as any, by which characters are counted. */
export const LONGEST_HANDLE = 'catj72ijsppf8t77e7kso6wn4'

const HANDLE_LENGTH = LONGEST_HANDLE.length

/** A hole alone. */
export const HOLE: Template = ['', '']

/** Characters of the text once its holes are filled. */
export function lengthOf(template: Template): number {
  const text = template.reduce((sum, part) => sum + part.length, 0)
  return text + (template.length - 1) * HANDLE_LENGTH
}

/** One after the other, without anything between. */
export function concat(...templates: readonly (Template | string)[]): Template {
  const parts = ['']
  for (const template of templates) {
    const [first = '', ...others] = typeof template === 'string' ? [template] : template
    parts[parts.length - 1] += first
    parts.push(...others)
  }
  return parts
}

/** Each on a line of its own. */
export function lines(templates: readonly (Template | string)[]): Template {
  return concat(...templates.flatMap((template, index) => (index === 0 ? [template] : ['\n', template])))
}

/** At most `max` characters: the end is cut, and with it the holes that lie there. */
export function clip(template: Template, max: number): Template {
  if (lengthOf(template) <= max) return template
  const kept: string[] = []
  let room = max
  for (const [index, part] of template.entries()) {
    if (index > 0) {
      if (room < HANDLE_LENGTH) break
      room -= HANDLE_LENGTH
    }
    kept.push(part.length <= room ? part : ellipsis(part, room))
    if (part.length > room) break
    room -= part.length
  }
  return kept
}

/** How the proxy's tools are called: by their names, or as actions of the one tool there is. */
export type Dialect = 'tools' | 'dispatch'

const CALL = /proxy_(filter|search|explore) \{"cache_id":"$/
const ACTIONS: Readonly<Record<string, string>> = {
  filter: 'filter',
  search: 'search_result',
  explore: 'explore',
}

/** The suggested calls as they are made in this dialect. Nothing but a call ends in such words right before a handle. */
export function spoken(template: Template, dialect: Dialect | undefined): Template {
  if (dialect !== 'dispatch') return template
  return template.map((part, index) =>
    index === template.length - 1
      ? part
      : part.replace(CALL, (_, tool: string) => `proxy-dispatch {"action":"${ACTIONS[tool]}","cache_id":"`),
  )
}

/** A call a model can make as it stands: `proxy_filter {"cache_id":"…","limit":5}`. */
export function call(tool: string, parameters: JsonObject): Template {
  const rest = JSON.stringify(parameters).slice(1)
  return concat(`${tool} {"cache_id":"`, HOLE, rest === '}' ? '"}' : `",${rest}`)
}
