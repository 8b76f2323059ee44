/** Documents of a given size by seed: records as JSON, and a log. Both are what servers send: one text block. */
import { createHash } from 'node:crypto'
import { seeded } from '../lib/measure.mjs'

const WORDS =
  'request handler cache index token retry queue stream worker socket buffer schema record session window cursor filter lookup broker replica shard metric tracing payload gateway upstream downstream latency'.split(
    ' ',
  )
const STATES = ['open', 'closed', 'merged', 'draft']
const LEVELS = ['DEBUG', 'INFO', 'INFO', 'INFO', 'INFO', 'INFO', 'WARN', 'ERROR']

/** @returns {string} JSON of about `bytes` bytes: an array of records. */
export function records(bytes, seed = 1) {
  const random = seeded(seed)
  const pick = (list) => list[Math.floor(random() * list.length)]
  const all = []
  for (let length = 2; length < bytes; ) {
    const id = all.length
    const json = JSON.stringify({
      id,
      title: `${pick(WORDS)} ${pick(WORDS)} ${id}`,
      state: pick(STATES),
      score: Math.floor(random() * 1000),
      created_at: new Date(1_700_000_000_000 + Math.floor(random() * 3e10)).toISOString(),
      owner: { login: `user${Math.floor(random() * 97)}`, admin: random() < 0.1 },
      tags: [pick(WORDS), pick(WORDS)],
      body: sentence(random, pick),
    })
    all.push(json)
    length += json.length + 1
  }
  return `[${all.join(',')}]`
}

/** @returns {string} a log of about `bytes` bytes. */
export function log(bytes, seed = 2) {
  const random = seeded(seed)
  const pick = (list) => list[Math.floor(random() * list.length)]
  const lines = []
  for (let length = 0; length < bytes; ) {
    const time = new Date(1_700_000_000_000 + lines.length * 731).toISOString()
    const level = pick(LEVELS)
    const what =
      level === 'ERROR' ? `failed: connection timeout after ${Math.floor(random() * 30_000)} ms` : 'done'
    const line = `${time} ${level} app.${pick(WORDS)} - ${pick(WORDS)} ${pick(WORDS)} user=user${Math.floor(random() * 97)} duration=${Math.floor(random() * 5000)} ${what}`
    lines.push(line)
    length += line.length + 1
  }
  return `${lines.join('\n')}\n`
}

function sentence(random, pick) {
  const words = Array.from({ length: 8 + Math.floor(random() * 8) }, () => pick(WORDS))
  if (random() < 0.01) words[3] = 'deadlock'
  if (random() < 0.002) words[5] = 'checksum'
  return words.join(' ')
}

/** A text as a server's result, as it is kept: bytes that threads share. */
export function kept(text) {
  const json = Buffer.from(JSON.stringify({ content: [{ type: 'text', text }] }))
  const content = new Uint8Array(new SharedArrayBuffer(json.length))
  content.set(json)
  return {
    handle: '0123456789ab',
    hash: createHash('sha256').update(content).digest('hex'),
    content,
    tool: 'big',
  }
}
