/** A folder of files as payloads. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readCsv } from './csv.mjs'
import { readHtml } from './html.mjs'
import { readJson } from './json.mjs'
import { formatOf, readLog } from './log.mjs'
import { readMarkdown } from './markdown.mjs'
import { looksLikeNdjson, readNdjson } from './ndjson.mjs'
import { readText } from './text.mjs'

const READERS = {
  json: readJson,
  ndjson: readNdjson,
  csv: readCsv,
  log: readLog,
  markdown: readMarkdown,
  html: readHtml,
  text: readText,
}

/** The kind a file most likely is, by its extension and what it holds. */
export function kindOf(name, text) {
  const start = text.slice(0, 2_000).trimStart()
  if (/^[[{]/.test(start) && !/\.(md|markdown|html?|csv|tsv|tab|psv)$/i.test(name)) {
    if (looksLikeNdjson(text)) return 'ndjson'
    try {
      JSON.parse(text)
      return 'json'
    } catch {
      // A log may begin with a bracket.
    }
  }
  if (/\.(csv|tsv|tab|psv)$/i.test(name)) return 'csv'
  if (/\.(md|markdown|mdx)$/i.test(name)) return 'markdown'
  if (/\.x?html?$/i.test(name) || /^<(!doctype html|html)\b/i.test(start)) return 'html'
  if (formatOf(text) !== undefined) return 'log'
  return 'text'
}

/**
 * The payloads of one file: two for JSON, else one. Throws when it cannot be read as what it seems to be; a table without a header is text.
 * @param {string} name
 * @param {string} raw its text
 * @param {import('../contract.mjs').Payload['kind']} [kind] where it is known; a table then has a header
 * @returns {import('../contract.mjs').Payload[]}
 */
export function readPayload(name, raw, kind) {
  const text = raw.startsWith('\uFEFF') ? raw.slice(1) : raw
  const is = kind ?? kindOf(name, text)
  try {
    return READERS[is](name, text, { header: kind === 'csv' })
  } catch (error) {
    // Rows without names of columns are asked about as lines.
    if (is !== 'csv' || kind !== undefined) throw error
    process.stderr.write(`payload ${name} read as lines: ${error.message}\n`)
    return readText(name, text)
  }
}

/**
 * Every file of a folder that can be read, by name; what cannot is said on stderr and left out.
 * @param {string} dir
 * @param {{maxBytes?: number}} [limits] larger files are left out
 * @returns {import('../contract.mjs').Payload[]}
 */
export function loadPayloads(dir, { maxBytes = 64 * 1024 * 1024 } = {}) {
  const payloads = []
  const skip = (name, why) => process.stderr.write(`payload ${name} left out: ${why}\n`)
  for (const name of readdirSync(dir).sort()) {
    const file = join(dir, name)
    try {
      const status = statSync(file)
      if (!status.isFile() || /^(readme|\.)/i.test(name)) continue
      if (status.size === 0) skip(name, 'empty')
      else if (status.size > maxBytes) skip(name, `${status.size} bytes, more than ${maxBytes}`)
      else
        payloads.push(
          ...readPayload(name, new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))),
        )
    } catch (error) {
      skip(name, error instanceof Error ? error.message : String(error))
    }
  }
  return payloads
}
