/** All formats in the order in which they are tried: from the strictest to the loosest. Plain text is what remains. */
import type { Document } from '../document.ts'
import type { Overview } from '../overview/overview.ts'
import { alike } from './alike.ts'
import { bibtex } from './bibtex.ts'
import { boxTree } from './box-tree.ts'
import { calendar } from './calendar.ts'
import { chat } from './chat.ts'
import { code } from './code.ts'
import { counted } from './counted.ts'
import { coverage } from './coverage.ts'
import { bareCsv, csv, csvTables } from './csv.ts'
import type { FormatDefinition } from './define.ts'
import { diagnostics, framedDiagnostics } from './diagnostics.ts'
import { diff } from './diff.ts'
import { extendedLog } from './extended-log.ts'
import { files } from './files.ts'
import { gitLines, gitLog } from './git.ts'
import { html } from './html.ts'
import { inspected } from './inspected.ts'
import { items } from './items.ts'
import { json } from './json.ts'
import { jsonCut } from './json-cut.ts'
import { listing } from './listing.ts'
import { log } from './log.ts'
import { mail } from './mail.ts'
import { markdown } from './markdown.ts'
import { metrics } from './metrics.ts'
import { namedJson } from './named-json.ts'
import { ndjson } from './ndjson.ts'
import { outcomes } from './outcomes.ts'
import { paths } from './paths.ts'
import { plan } from './plan.ts'
import { python } from './python.ts'
import { rowLists } from './row-lists.ts'
import { settings } from './settings.ts'
import { slowLog } from './slow-log.ts'
import { sqlDump } from './sql-dump.ts'
import { stanzas } from './stanzas.ts'
import { subtitles } from './subtitles.ts'
import { table } from './table.ts'
import { tagged } from './tagged.ts'
import { tap } from './tap.ts'
import { blocks, text } from './text.ts'
import { toml } from './toml.ts'
import { tree } from './tree.ts'
import { vertical } from './vertical.ts'
import { xml } from './xml.ts'
import { yaml } from './yaml.ts'

/** A format is added here, and nowhere else. Its evidence is what its own detection gives its own reader. */
export const FORMATS: readonly FormatDefinition[] = [
  json,
  ndjson,
  python,
  inspected,
  jsonCut,
  rowLists,
  namedJson,
  files,
  xml,
  html,
  mail,
  calendar,
  bibtex,
  tagged,
  sqlDump,
  slowLog,
  coverage,
  subtitles,
  tap,
  outcomes,
  vertical,
  plan,
  table,
  listing,
  metrics,
  extendedLog,
  toml,
  csvTables,
  csv,
  tree,
  yaml,
  boxTree,
  diff,
  gitLog,
  gitLines,
  framedDiagnostics,
  chat,
  log,
  settings,
  diagnostics,
  paths,
  code,
  markdown,
  items,
  stanzas,
  counted,
  alike,
  bareCsv,
  text,
  blocks,
] as FormatDefinition[]

const BY_NAME: ReadonlyMap<string, FormatDefinition> = new Map(FORMATS.map((format) => [format.name, format]))

/** The content of the preview of a document. */
export function overviewOf(document: Document): Overview {
  return (BY_NAME.get(document.traits.name) ?? text).overview(document)
}
