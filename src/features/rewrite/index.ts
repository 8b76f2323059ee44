/** Filters and enriches text: in results, prompts and resources, in the descriptions of what is listed, in arguments. */

import type * as z from 'zod'
import { changeTexts } from '../../documents/change/change-result.ts'
import { defineModule } from '../../module-runtime/module.ts'
import { ALL_KINDS, patternsIn } from '../../module-runtime/patterns.ts'
import { messageOf, ProxyError } from '../../protocol/errors.ts'
import type { Exchange, ShowList } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { type Kind, namesAt, namesOf, tracked } from '../../protocol/lists.ts'
import { compileChange } from '../../text/change/change.ts'
import {
  type ChangeText,
  Tally,
  type TextChange,
  type TextRule,
  type TextSort,
} from '../../text/change/change-rules.ts'
import { matcherOf } from '../../text/patterns/glob.ts'
import { rewriteOptions } from './options.ts'

type Rule = z.output<typeof rewriteOptions>['rules'][number]
type Target = Rule['in'][number]

/** A rule where it is meant for. */
interface Placed {
  readonly written: readonly TextRule[]
  readonly isMeant: ((name: string) => boolean) | undefined
}

/** Selections of rules that stay at hand, more than any list of them has. */
const MAX_SELECTIONS = 1_000

export const rewrite = defineModule({
  name: 'rewrite',
  options: rewriteOptions,
  messages: ({ rules }) => [...new Set(rules.flatMap((rule) => rule.in.flatMap((place) => METHODS[place])))],
  patterns: ({ rules }) =>
    rules.flatMap((rule, index) =>
      patternsIn(`rules[${index}].only`, rule.only, [...new Set(rule.in.flatMap((place) => MEANT[place]))]),
    ),
  create({ rules }, { name: module, change, isOwnTool }) {
    const places = new Map<Target, Placed[]>()
    rules.forEach((rule, index) => {
      const written = textRules(rule, `rules[${index}]`, module)
      const isMeant = rule.only && matcherOf(rule.only)
      for (const place of rule.in) {
        const placed = places.get(place) ?? []
        placed.push({ written, isMeant })
        places.set(place, placed)
      }
    })
    const hasOnly = rules.some(({ only }) => only !== undefined)
    /** The same rules are the same list: what is compiled goes by that. */
    const selections = new Map<string, readonly TextRule[]>()
    const compiled = new WeakMap<readonly TextRule[], ChangeText>()

    /** The rules for texts of these names. Undefined: nothing. */
    function rulesOf(
      place: Target,
      names: readonly string[],
      shown?: string,
    ): readonly TextRule[] | undefined {
      const all = places.get(place)
      if (all === undefined) return undefined
      // Answers of the proxy's own tools come from results that were changed when they came.
      const isOwn = place === 'results' && shown !== undefined && isOwnTool(shown)
      const meant = all.filter(({ isMeant }) => (isMeant ? names.some(isMeant) : !isOwn))
      if (meant.length === 0) return undefined
      const key = `${place} ${meant.map((one) => all.indexOf(one)).join(' ')}`
      const known = selections.get(key)
      if (known) return known
      if (selections.size >= MAX_SELECTIONS) selections.clear()
      const selected = meant.flatMap(({ written }) => written)
      selections.set(key, selected)
      return selected
    }

    /** For the texts of one message. */
    function applied(written: readonly TextRule[]): (text: string, sort?: TextSort) => string {
      const apply = compiled.get(written) ?? compileChange(written)
      compiled.set(written, apply)
      const counts = new Tally()
      return (text, sort) => apply(text, counts, sort)
    }

    const list: ShowList = ({ kind, items }) => {
      const changed = items.map((item) => {
        const written = rulesOf('descriptions', namesOf(item, kind))
        return written ? withTexts(item, applied(written)) : item
      })
      return changed.every((item, at) => item === items[at]) ? items : changed
    }

    function asked({ method, params }: Exchange, names: readonly string[]): JsonObject {
      const written =
        method === 'tools/call' || method === 'prompts/get' ? rulesOf('arguments', names) : undefined
      const args = own(params, 'arguments')
      if (!written || !isObject(args)) return params
      const changed = changeTexts({ structuredContent: args }, 'texts', applied(written))
        .structuredContent as JsonValue
      return changed === args ? params : { ...params, arguments: changed }
    }

    return {
      list,
      wrap: (next, inside) => async (exchange) => {
        const shown = String(exchange.params.name ?? exchange.params.uri)
        const origin = hasOnly ? await inside.origin(exchange) : undefined
        const params = asked(exchange, namesAt(origin, shown))
        const { sent, place: ended } = tracked(
          params === exchange.params ? exchange : { ...exchange, params },
        )
        const result = await next(sent)
        const place = PLACES.get(exchange.method)
        const written = place && rulesOf(place, namesAt(ended() ?? origin, shown), shown)
        if (!written) return result
        const whole: TextChange = { where: 'texts', rules: written }
        return (await change(result, whole, exchange.signal)).result
      },
    }
  },
})

const PLACES = new Map<string, Target>([
  ['tools/call', 'results'],
  ['prompts/get', 'prompts'],
  ['resources/read', 'resources'],
])

/** The kinds that the names of `only` may mean, by the place. */
const MEANT: Readonly<Record<Target, readonly Kind[]>> = {
  results: ['tools'],
  prompts: ['prompts'],
  resources: ['resources', 'resourceTemplates'],
  arguments: ['tools', 'prompts'],
  descriptions: ALL_KINDS,
}

const METHODS: Readonly<Record<Target, readonly string[]>> = {
  results: ['tools/call'],
  prompts: ['prompts/get'],
  resources: ['resources/read'],
  arguments: ['tools/call', 'prompts/get'],
  descriptions: ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
}

/** A rule as changes of text. Throws ProxyError CONFIG_INVALID when its pattern is none. */
function textRules(rule: Rule, name: string, module: string): TextRule[] {
  const { pattern, text, before, after, ignoreCase } = rule
  const written: TextRule[] = []
  const put = rule.with ?? ''
  if (pattern !== undefined) written.push({ kind: 'pattern', name, pattern, with: put, ignoreCase })
  if (text !== undefined) written.push({ kind: 'text', name, text, with: put, ignoreCase })
  if (before !== undefined) written.push({ kind: 'before', name, text: before })
  if (after !== undefined) written.push({ kind: 'after', name, text: after })
  try {
    compileChange(written)
  } catch (error) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `${name} of the module \`${module}\` has a pattern that cannot be read: ${messageOf(error)}`,
      'Write a regular expression without lookaround and backreferences.',
    )
  }
  if (written.length > 0) return written
  throw new ProxyError(
    'CONFIG_INVALID',
    `${name} of the module \`${module}\` changes nothing.`,
    'Write "pattern" or "text" with "with", or "before", or "after".',
  )
}

/** The texts about an item. */
function withTexts(item: JsonObject, apply: (text: string) => string): JsonObject {
  let changed = item
  for (const key of ['title', 'description']) {
    const text = own(item, key)
    const now = typeof text === 'string' ? apply(text) : text
    if (now !== undefined && now !== text) changed = { ...changed, [key]: now }
  }
  return changed
}
