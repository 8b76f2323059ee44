/** The cost of a large result, by its way: whole, as a preview, as a file, and as the input of the next call. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokensOf } from '../answers/tokens.mjs'
import { seeded } from '../lib/measure.mjs'
import { installedServers, withFolder, withProxy } from './world.mjs'

const SIZES = [20_000, 100_000, 500_000, 5_000_000]

/** The file server reads each file of rows, and writes it again. */
export async function results() {
  return withFolder(async (folder) => {
    const rows = []
    const { filesystem } = installedServers(folder)
    const world = { folder, servers: { filesystem }, settings: { exposure: 'dispatch' } }
    await withProxy(world, async (proxy) => {
      for (const bytes of SIZES) rows.push(await one(folder, bytes, proxy))
    })
    return rows
  })
}

async function one(folder, bytes, { call, counted }) {
  const [source, copy, part, made] = ['source', 'copy', 'part', 'made'].map((name) =>
    join(folder, `${name}-${bytes}.json`),
  )
  writeFileSync(source, records(bytes))
  const inner = (tool, args, more = {}) =>
    call('proxy-dispatch', { action: 'call', tool, ...(args && { arguments: args }), ...more })
  const read = (more) => inner('read_text_file', { path: source }, more)
  const spent = async (run) => {
    counted.tokens = 0
    await run()
    return counted.tokens
  }
  const preview = await read()
  const file = await read({ resultToFile: true })
  const $from = preview._meta['mcp-rlm-proxy/cache-id']
  const byReference = await spent(async () => {
    await read({ resultToFile: true })
    await inner('write_file', { path: copy, content: { $from } })
  })
  const byPath = await spent(async () => {
    await read({ resultToFile: true })
    await inner('write_file', { path: part, content: { $from, path: '$[0:10]' } })
  })
  same(readFileSync(copy), readFileSync(source))
  same(readFileSync(part, 'utf8'), JSON.stringify(JSON.parse(readFileSync(source, 'utf8')).slice(0, 10)))
  writeFileSync(made, JSON.stringify({ path: copy, content: readFileSync(source, 'utf8') }))
  const byFile = await spent(async () => {
    const { resultFile } = await inner('read_text_file', { path: made }, { resultToFile: true })
    await inner('write_file', undefined, { argumentsFile: resultFile })
  })
  same(readFileSync(copy), readFileSync(source))
  const whole = tokensOf(readFileSync(source, 'utf8'))
  return {
    bytes,
    inline: whole,
    preview: preview.tokens,
    file: file.tokens,
    // The model reads the text, and writes it once more.
    carried: 2 * whole,
    byReference,
    byPath,
    byFile,
  }
}

function same(one, other) {
  if (!Buffer.from(one).equals(Buffer.from(other))) throw new Error('what was written is not what was read')
}

function records(bytes) {
  const random = seeded(7)
  const rows = []
  for (let length = 2; length < bytes; ) {
    const id = rows.length + 1
    const row = {
      id,
      customer: `customer ${Math.floor(random() * 900)}`,
      state: ['open', 'paid', 'sent'][id % 3],
      total: Math.round(random() * 100_000) / 100,
      placed: new Date(Date.UTC(2026, 0, 1) + id * 60_000).toISOString(),
    }
    rows.push(row)
    length += JSON.stringify(row).length + 1
  }
  return JSON.stringify(rows)
}
