/** Works on results of which the time is measured: opening, previewing and asking. */
import type { Query, Source } from '../../src/engine/contract.ts'
import { digest } from '../../src/engine/digest.ts'
import { query } from '../../src/engine/query.ts'
import { createViews, type Views } from '../../src/engine/views.ts'
import type { JsonObject } from '../../src/protocol/json.ts'

let sources = 0
function sourceOf(text: string): Source {
  const content = Buffer.from(JSON.stringify({ content: [{ type: 'text', text }] }))
  return { handle: 'aaaaaaaaaaaa', hash: String(++sources), content, tool: 'shop_orders' }
}
export const fresh = (): Views => createViews(1e9)
const LARGE = { maxResponseSize: 1000, maxErrorSize: 1000, previewSize: 4000, always: true, readAhead: false }
export const previewing = (text: string): (() => void) => {
  const source = sourceOf(text)
  return () => void digest(fresh(), source, LARGE)
}
/** Asks about texts that are opened again each time, or in `views`. */
export const asking = (
  kind: Query['kind'],
  params: JsonObject,
  texts: readonly string[],
  views?: Views,
): (() => void) => {
  const from = texts.map(sourceOf)
  return () => void query(views ?? fresh(), from, { kind, params, budget: 4000 })
}

export const records = (count: number, of: (id: number) => JsonObject): string =>
  JSON.stringify(Array.from({ length: count }, (_, id) => of(id)))
export const orders = (count: number): string =>
  records(count, (id) => ({
    id,
    parent: id >> 1,
    name: `name ${id} of ${id % 7}`,
    day: new Date(1.7e12 + id * 1e6).toISOString(),
    price: id * 1.5,
    tags: [`t${id}`, 'b', 'c'],
    user: { login: `u${id % 100}`, teams: [{ name: `n${id}` }] },
  }))
