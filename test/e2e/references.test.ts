/** References in arguments, in each exposure: only the server gets the value. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { fixture, handleOf, startProxy, textOf } from './support/world.ts'

type Args = Record<string, unknown>

interface Exposure {
  exposure: string
  /** A call of the fixture's tool, as a client makes it. */
  call(tool: string, args: Args): [name: string, args: Args]
  /** A query that makes a call of its own. */
  search(args: Args): [name: string, args: Args]
}

const EXPOSURES: Exposure[] = [
  {
    exposure: 'passthrough',
    call: (tool, args) => [`f_${tool}`, args],
    search: (args) => ['proxy_search', args],
  },
  {
    exposure: 'retrieve',
    call: (tool, args) => ['call_tool', { name: `f_${tool}`, arguments: args }],
    search: (args) => ['proxy_search', args],
  },
  {
    exposure: 'dispatch',
    call: (tool, args) => ['proxy-dispatch', { action: 'call', tool, arguments: args }],
    search: (args) => ['proxy-dispatch', { action: 'search_result', ...args }],
  },
]

const answer = (text: unknown): Args => ({ result: { content: [{ type: 'text', text }] } })

describe.each(EXPOSURES)('in the exposure $exposure', ({ exposure, ...made }) => {
  verifies(
    'S4.30',
    'a part of a result becomes an argument of the next call, is checked, and is not kept',
    async () => {
      const settings = { exposure, log: { level: 'debug' } }
      const proxy = await startProxy({ servers: { f: fixture('f') }, settings })
      const call = (tool: string, args: Args) => proxy.call(...made.call(tool, args))
      const kept = await call('records', { count: 300 })
      const $from = handleOf(kept)
      // How it is passed on is a form: no tool is suggested that may write or send.
      expect(textOf(kept).split('\n').at(-1)).toBe(
        `to pass it on: {"$from":"${$from}"} in any argument of another tool`,
      )

      expect(textOf(await call('give', answer({ $from, path: '$[297].name' })))).toBe('name 297')
      const template = { $template: '{who} of {all}', who: { $from, path: '$[297].owner.login' }, all: '300' }
      expect(textOf(await call('give', answer(template)))).toBe('user0 of 300')
      expect(textOf(await call('give', answer(`{"$from":"${$from}","path":"$[3].state"}`)))).toBe('open')
      expect(textOf(await call('text', { size: { $from, path: '$[17].id' } }))).toBe('a'.repeat(17))

      const refused = await call('text', { size: { $from, path: '$[17].name' } })
      expect(refused).toMatchObject({ isError: true })
      expect(textOf(refused)).toMatch(/not called.*size must be number/)
      const unknown = await call('text', { size: { $from: '0123456789ab' } })
      expect(textOf(unknown)).toMatch(/not called.*No kept result has cache_id "0123456789ab"/)

      const size = { $from, path: '$[299].id' }
      const found = await proxy.call(...made.search({ tool: 'f_text', arguments: { size }, pattern: 'a' }))
      expect(textOf(found)).toMatch(/cache_id [0-9a-z]{12}/)
      await proxy.close()
      await expect
        .poll(() => files(join(proxy.directory, 'data')))
        .toContain(`{"size":${JSON.stringify(size)}}`)
      expect(proxy.stderr()).not.toMatch(/name 297|user0/)
    },
  )
})

/** All that lies in a folder. */
function files(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return names.map((name) => (statSync(name).isFile() ? readFileSync(name, 'latin1') : '')).join('\n')
}
