/** The part of `proxy_code` that models see: its description, its parameters, and other names that models write for these. */
import * as z from 'zod'
import { annotationsOf } from '../../protocol/effects.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { findable, PROXY_CODE } from '../../proxy/own-tools.ts'
import { listedByCommas, publicSchema, saysNothing, unlessNothing } from '../../proxy/parameters.ts'
import type { CodeSettings } from './options.ts'
import { LONGEST_CODE } from './protocol.ts'

const DESCRIPTION = `Run a JavaScript program over kept results and tools: several steps at once, joins, computing, loops. Body of an async \
function; \`return\` is the answer (small; a large one is kept). d is the result of cache_id, doc(id) another: await d.count(where), \
d.rows({where, fields, sort, limit}), d.group(by, "sum(price)"), d.each(fn), d.search(pattern), d.text(), d.at(path). tools.search(words), \
tools.call(name, args) for tools that only read. keep(value) gives a cache_id. help() tells all. No import, fetch, files.
{"cache_id":"…","code":"const rows = await d.rows({where:['state = open'],fields:['price']}); return rows.reduce((s,r)=>s+r.price,0)"}`

function descriptionOf({ calls, ask }: CodeSettings): string {
  const reading = calls === 'all' ? DESCRIPTION.replace(' for tools that only read', '') : DESCRIPTION
  return ask.by === 'nobody' ? reading : reading.replace('keep(value)', `${ASKS} keep(value)`)
}

const ASKS = 'ask(prompt, data), askEach(rows, prompt, {schema}) ask a model.'

export const params = z.strictObject({
  code: z
    .string()
    .max(LONGEST_CODE * 2)
    .meta({ type: 'string', description: '' }),
  cache_id: unlessNothing(
    z.preprocess(
      (value) => {
        const read = listedByCommas(value)
        return Array.isArray(read) ? read.filter((one) => !saysNothing(one)) : read
      },
      z.array(z.string().max(200)).min(1).max(16),
    ),
  ).meta({ type: 'string', description: 'What d is; several: "a, b".' }),
  session: unlessNothing(z.string().max(100)).meta({
    type: 'string',
    description: 'A name: variables last.',
  }),
  timeout_ms: z
    .preprocess((value) => (typeof value === 'string' ? Number(value) : value), z.number().min(1))
    .optional()
    .meta({ type: 'integer', description: '' }),
})

export type Params = z.output<typeof params>

/** The names that models write for them. */
export const OTHER_NAMES = {
  script: 'code',
  program: 'code',
  javascript: 'code',
  js: 'code',
  source: 'code',
  cacheId: 'cache_id',
  cache_ids: 'cache_id',
  handle: 'cache_id',
  timeout: 'timeout_ms',
  timeoutMs: 'timeout_ms',
  session_id: 'session',
}

/** As `tools/list` shows it. */
export function definitionOf(settings: CodeSettings): JsonObject {
  return {
    name: PROXY_CODE,
    title: 'Run a program over kept results',
    description: descriptionOf(settings),
    inputSchema: { ...publicSchema(params), required: ['code'] },
    annotations:
      settings.calls === 'all' ? annotationsOf('destructive', 'open') : annotationsOf('read', 'open'),
    _meta: findable(
      'run code, JavaScript, program over large results; join, compute, several steps, loops over tools in one call',
    ),
  }
}
