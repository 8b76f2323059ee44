/** What a text is. Formats are tried from the strictest to the loosest; plain text is what remains. */
import type { JsonValue } from '../protocol/json.ts'
import type { Document, Format } from './document.ts'
import { readBoxTree } from './formats/box-tree.ts'
import { readCounted } from './formats/counted.ts'
import { readCsv } from './formats/csv.ts'
import { readDiagnostics } from './formats/diagnostics.ts'
import { readDiff } from './formats/diff.ts'
import { readBlame, readOneLineLog } from './formats/git-lines.ts'
import { readGitLog } from './formats/git-log.ts'
import { looksLikeHtml, readHtml } from './formats/html.ts'
import { findJson } from './formats/json.ts'
import { readListing } from './formats/listing.ts'
import { readLog } from './formats/log.ts'
import { looksLikeMarkdown, readMarkdown } from './formats/markdown.ts'
import { readMetrics } from './formats/metrics.ts'
import { readNdjson } from './formats/ndjson.ts'
import { readSettings } from './formats/settings.ts'
import { readStanzas } from './formats/stanzas.ts'
import { readTable } from './formats/table.ts'
import { withoutCodes } from './formats/terminal.ts'
import { looksLikeTree, readTree } from './formats/tree.ts'
import { looksLikeXml, readXml } from './formats/xml.ts'

/** A text's format and how to read it as data. */
export interface Recognised {
  /** What a reader would see: without the control sequences of a terminal. */
  text: string
  kind: Document['kind']
  format: Format
  /** Undefined for prose. Called once at most, unless it is `renewed`. */
  json?: () => JsonValue | undefined
  /** `json` keeps the value by itself, while it is used; later it gives an equal one. */
  renewed?: true
  asides: readonly string[]
}

/** Recognises a text by its beginning and, for JSON, by parsing it. Linear in its length. */
export function recognise(written: string): Recognised {
  const text = withoutCodes(written)
  const found = formatOf(text)
  if (text.length >= written.length - 1) return { text, ...found }
  return { text, ...found, asides: [...found.asides, 'codes for colours, left out here'] }
}

function formatOf(text: string): Omit<Recognised, 'text'> {
  const json = findJson(text)
  if (json) return { kind: 'json', format: 'json', json: () => json.value, asides: json.asides }
  const read = readNdjson(text)
  if (read) return data('ndjson', read)
  const xml = looksLikeXml(text) ? readXml(text) : undefined
  if (xml) return markup('xml', () => xml)
  if (looksLikeHtml(text)) return markup('html', () => readHtml(text))
  const start = text.slice(0, BEGINNING)
  const table = readTable(text)
  if (table) return { kind: 'json', format: 'table', ...table }
  const listing = readListing(text)
  if (listing) return { kind: 'json', format: 'table', ...listing }
  const metrics = readMetrics(text)
  if (metrics) return data('table', metrics)
  const csv = readCsv(text, 'with header')
  if (csv) return { ...data('csv', csv), renewed: true }
  if (looksLikeTree(start)) return markup('tree', () => readTree(text))
  const drawn = readBoxTree(text)
  if (drawn) return markup('entries', drawn)
  const diff = readDiff(text)
  if (diff) return markup('entries', diff)
  const commits = readGitLog(text)
  if (commits) return markup('entries', commits)
  const lined = readBlame(text) ?? readOneLineLog(text)
  if (lined) return markup('entries', lined)
  const log = readLog(text)
  if (log) return { ...markup('log', log), renewed: true }
  const settings = readSettings(text)
  if (settings) return markup('entries', settings)
  const diagnostics = readDiagnostics(text)
  if (diagnostics) return markup('entries', diagnostics)
  if (looksLikeMarkdown(start)) return markup('markdown', () => readMarkdown(text))
  const stanzas = readStanzas(text)
  if (stanzas) return markup('entries', stanzas)
  const counted = readCounted(text)
  if (counted) return { kind: 'json', format: 'table', ...counted }
  const bare = readCsv(text, 'without header')
  if (bare) return { ...data('csv', bare), renewed: true }
  return { kind: 'text', format: 'text', asides: [] }
}

/** Formats are judged by this many characters. */
const BEGINNING = 65_536

function data(format: Format, json: () => JsonValue): Omit<Recognised, 'text'> {
  return { kind: 'json', format, json, asides: [] }
}

function markup(format: Format, json: () => JsonValue): Omit<Recognised, 'text'> {
  return { kind: 'text', format, json, asides: [] }
}
