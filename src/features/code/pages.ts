/**
 * The pages of collections that a program got. If a tool gave a part and the program did not call it for the rest, the answer says so.
 * The result covers only that part.
 */
import { asksForLater } from '../../documents/paging/next.ts'
import { isPartial } from '../../documents/paging/standing.ts'
import type { Engine, Page } from '../../engine/contract.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Signal } from '../../protocol/message.ts'
import { formatPlural } from '../../text/format.ts'

/** A result of a tool. */
export interface Got {
  readonly tool: string
  readonly args: JsonObject
  /** The tool's input schema. */
  readonly schema?: JsonObject | undefined
  /** Whether it is all, where its pages were followed on the way. */
  readonly collected?: string | undefined
}

/** Those of one program. */
export interface Pages {
  /** Whether it is all, in words. Undefined: it does not tell. */
  standing(content: Uint8Array, got: Got): Promise<string | undefined>
  /** Notes a result, which is looked at while the program goes on. */
  note(content: Uint8Array, got: Got): void
  /** For each tool that gave a part of something a line that says so. */
  lines(): Promise<string[]>
}

/** Tools that are named. */
const MOST_LINES = 5

interface Noted {
  readonly args: JsonObject
  readonly page: Page
}

export function createPages(engine: Pick<Engine, 'page'>, signal: Signal): Pages {
  const looks: Promise<void>[] = []
  const byTool = new Map<string, Noted[]>()

  async function look(content: Uint8Array, { args, schema, collected }: Got): Promise<Page> {
    if (collected !== undefined) return { standing: collected }
    try {
      return await engine.page(content, { args, ...(schema && { schema }) }, signal)
    } catch {
      // A result that cannot be looked at does not tell.
      return {}
    }
  }

  return {
    standing: async (content, got) => (await look(content, got)).standing,
    note(content, got) {
      const { tool, args } = got
      const noted = byTool.get(tool) ?? []
      byTool.set(tool, noted)
      looks.push(look(content, got).then((page) => void noted.push({ args, page })))
    },
    async lines() {
      await Promise.all(looks)
      const open = [...byTool].flatMap(([tool, noted]) => {
        const parts = partsOf(noted)
        return parts.length === 0 ? [] : [{ tool, parts }]
      })
      const shown = open.slice(0, MOST_LINES).map(({ tool, parts: [first, ...others] }) => {
        const more = others.length === 0 ? '' : `, and ${formatPlural(others.length, 'more part')}`
        return `${tool} gave ${first}${more}: what is computed from it is not of all.`
      })
      const left = open.length - shown.length
      return left > 0 ? [...shown, `${formatPlural(left, 'more tool')} gave parts of something.`] : shown
    },
  }
}

/** A note for each page of a collection that was not read to its end. */
function partsOf(noted: readonly Noted[]): string[] {
  const called = new Set(noted.map(({ args }) => keyOf(args)))
  const led = new Set(noted.flatMap(({ page }) => page.rest?.calls.map(keyOf) ?? []))
  return noted.flatMap(({ args, page: { standing, rest } }) => {
    if (standing === undefined || !isPartial({ standing })) return []
    // The first one, or one that another led to.
    const isReached = !asksForLater(args) || led.has(keyOf(args))
    const isFollowed =
      rest === undefined ? led.has(keyOf(args)) : rest.calls.every((call) => called.has(keyOf(call)))
    return isReached && isFollowed ? [] : [standing]
  })
}

/** The same for arguments that ask for the same: in any order, numbers as texts. */
function keyOf(args: JsonObject): string {
  const written = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ])
  return JSON.stringify(written.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)))
}
