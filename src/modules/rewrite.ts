/** Filters and enriches text: in results, prompts and resources, in the descriptions of what is listed, in arguments. */
import type * as z from 'zod'
import { rewriteOptions } from '../config/modules/rewrite.ts'
import { changeTexts } from '../documents/change-result.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import type { Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { type ChangeText, compileChange, type TextChange, type TextRule } from '../text/change.ts'
import { matcherOf } from '../text/glob.ts'
import { defineModule } from './module.ts'
import { createRoster, kindOfList, namesOf } from './roster.ts'

type Rule = z.output<typeof rewriteOptions>['rules'][number]
type Place = Rule['in'][number]

/** The rules of one place. */
interface Placed {
  rules: readonly { written: TextRule[]; isMeant: ((name: string) => boolean) | undefined }[]
}

export const rewrite = defineModule({
  name: 'rewrite',
  options: rewriteOptions,
  messages: ({ rules }) => [...new Set(rules.flatMap((rule) => rule.in.flatMap((place) => METHODS[place])))],
  create({ rules }, { name: module, change }) {
    const places = new Map<Place, Placed>()
    rules.forEach((rule, index) => {
      const written = textRules(rule, `rules[${index}]`, module)
      for (const place of rule.in) {
        const before = places.get(place)?.rules ?? []
        const isMeant = rule.only && matcherOf(rule.only)
        places.set(place, { rules: [...before, { written, isMeant }] })
      }
    })
    const roster = createRoster()
    const compiled = new Map<string, ChangeText>()

    /** What is to be done with texts of these names. Undefined: nothing. */
    function rulesOf(place: Place, names: readonly string[]): readonly TextRule[] | undefined {
      const meant = (places.get(place)?.rules ?? []).filter(({ isMeant }) => !isMeant || names.some(isMeant))
      return meant.length === 0 ? undefined : meant.flatMap(({ written }) => written)
    }

    function applied(written: readonly TextRule[]): (text: string, isData?: boolean) => string {
      const key = JSON.stringify(written)
      const apply = compiled.get(key) ?? compileChange(written)
      compiled.set(key, apply)
      return (text, isData) => apply(text, new Map(), isData)
    }

    function described(
      exchange: Exchange,
      passing: JsonObject,
      kind: NonNullable<ReturnType<typeof kindOfList>>,
    ): JsonObject {
      const { result, items } = roster.learn(kind, passing, exchange.client)
      const changed = items.map((item) => {
        const written = rulesOf('descriptions', namesOf(item, kind))
        return written ? withTexts(item, applied(written)) : item
      })
      return changed.every((item, at) => item === items[at]) ? result : { ...result, [kind]: changed }
    }

    function asked({ method, params }: Exchange): JsonObject {
      const written =
        method === 'tools/call' || method === 'prompts/get'
          ? rulesOf('arguments', [String(params.name)])
          : undefined
      const args = own(params, 'arguments')
      if (!written || !isObject(args)) return params
      const changed = changeTexts({ structuredContent: args }, 'texts', applied(written))
        .structuredContent as JsonValue
      return changed === args ? params : { ...params, arguments: changed }
    }

    return {
      wrap: (next) => async (exchange) => {
        const kind = kindOfList(exchange.method)
        if (kind !== undefined) {
          const result = await next(exchange)
          return places.has('descriptions') && isObject(result) ? described(exchange, result, kind) : result
        }
        const params = asked(exchange)
        const result = await next(params === exchange.params ? exchange : { ...exchange, params })
        const place = PLACES.get(exchange.method)
        const name = String(exchange.params.name ?? exchange.params.uri)
        const written = place && rulesOf(place, [name])
        if (!written) return result
        const whole: TextChange = { where: 'texts', rules: written }
        return (await change(result, whole, exchange.signal)).result
      },
    }
  },
})

const PLACES = new Map<string, Place>([
  ['tools/call', 'results'],
  ['prompts/get', 'prompts'],
  ['resources/read', 'resources'],
])

const METHODS: Readonly<Record<Place, readonly string[]>> = {
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
