/** The results that a caller keeps: as a list, and found by other words than a handle. */
import type { Dialect } from '../../documents/template.ts'
import type { Agent } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { listedNames, spellingsOf } from '../../protocol/spellings.ts'
import { isHandle } from '../../store/handles.ts'
import type { Recent, ResultStore } from '../../store/result-store.ts'
import { formatBytes, formatCount, formatPlural } from '../../text/format.ts'
import { ellipsis } from '../../text/shorten.ts'

/** Which of the proxy's tools asks. */
export type Asker = 'proxy_filter' | 'proxy_search' | 'proxy_explore'

/** All that is kept, in place of a handle. */
const ALL = '*'
const LAST: ReadonlySet<string> = new Set(['last', 'latest'])

/** Results and bytes that one question about everything looks at. */
const MOST_SEARCHED = 16
const MOST_SEARCHED_BYTES = 64 * 1024 * 1024

/** `told`: a line about what the words stood for; empty where they were handles. `answer`: why there is nothing to ask. */
export type Meant = { handles: readonly string[]; told: string } | { answer: string }

export interface KeptOptions {
  resultStore: Pick<ResultStore, 'recent'>
  /** Names of the proxy's own tools: their answers are kept as well, but are no results of a server's tool. */
  ownTools: ReadonlySet<string>
  /** How suggested calls are written. Default: as tools. */
  dialect?: Dialect | undefined
}

/** A call of one of the proxy's own tools, as a model makes it in this dialect. `inner`: members of its parameters, as JSON. */
export function askedBy(asker: Asker, inner: string, dialect: Dialect | undefined): string {
  if (dialect !== 'dispatch') return `${asker} {${inner}}`
  return `proxy-dispatch {"action": "${ACTIONS[asker]}"${inner === '' ? '' : `, ${inner}`}}`
}

const ACTIONS: Readonly<Record<Asker, string>> = {
  proxy_filter: 'filter',
  proxy_search: 'search_result',
  proxy_explore: 'explore',
}

/**
 * The handles that these words mean: handles themselves, `last`, a tool's name for its last result, and `*` for everything. An agent that
 * others share has handles alone: what the others keep must not be found by anything that can be guessed.
 */
export async function handlesMeant(
  words: readonly string[],
  asker: Asker,
  agent: Agent,
  { resultStore, ownTools, dialect }: KeptOptions,
): Promise<Meant> {
  if (!words.some((word) => !isHandle(word))) return { handles: words, told: '' }
  if (agent.kind === 'anonymous') return { answer: SHARED }
  const kept = (await resultStore.recent(agent)).filter(({ isEarlier }) => !isEarlier)
  const results = kept.filter(({ tool }) => !ownTools.has(tool))
  if (words.includes(ALL)) return everything(results, asker, dialect)
  const handles: string[] = []
  const told: string[] = []
  for (const word of words) {
    const isLast = LAST.has(word.toLowerCase())
    const found = isLast ? results[0] : isHandle(word) ? undefined : namedBy(word, kept)
    if (typeof found === 'string') return { answer: found }
    if (found === undefined && isLast)
      return {
        answer: nothingKept("No result of a server's tool is kept for you since the proxy started.", dialect),
      }
    handles.push(found?.handle ?? word)
    if (found !== undefined) told.push(`cache_id ${found.handle} is the last result of ${called(found)}.\n`)
  }
  return { handles, told: told.join('') }
}

const SHARED = `This proxy cannot tell you from its other clients without a token. All are one owner, so kept results are neither listed nor found by \
"last", "*" or a tool's name. The cache_id in a reply is the only key to its result: ask by that. Where you have none, call the tool again.`

function everything(results: readonly Recent[], asker: Asker, dialect: Dialect | undefined): Meant {
  if (results.length === 0)
    return {
      answer: nothingKept("No result of a server's tool is kept for you since the proxy started.", dialect),
    }
  if (asker !== 'proxy_search' && results.length > MOST_SEARCHED)
    return {
      answer: `${formatCount(results.length)} results are kept, and one question takes at most ${MOST_SEARCHED}. See them by ${askedBy('proxy_explore', '', dialect)}, then name those you mean: "cache_id": "${results
        .slice(0, 2)
        .map(({ handle }) => handle)
        .join(', ')}".`,
    }
  const chosen: Recent[] = []
  let bytes = 0
  for (const entry of results.slice(0, MOST_SEARCHED)) {
    bytes += entry.size
    if (bytes > MOST_SEARCHED_BYTES && chosen.length > 0) break
    chosen.push(entry)
  }
  const which = chosen.length === results.length ? 'all' : `the ${chosen.length} newest of`
  return {
    handles: chosen.map(({ handle }) => handle),
    told: `Asked of ${which} ${formatPlural(results.length, 'kept result')}${chosen.length === 1 ? ` (cache_id ${chosen[0]?.handle})` : ''}.\n`,
  }
}

/** The last result of the tool that a name means, among tools with kept results; a text where it may mean several. */
function namedBy(word: string, kept: readonly Recent[]): Recent | string | undefined {
  const names = [...new Set(kept.map(({ tool }) => tool))].map((name) => ({ name }))
  const meant = spellingsOf(names)(word)
  // The server's own name: what is kept knows the listed one alone.
  const found =
    meant.length > 0
      ? meant
      : names.filter(({ name }) => ['_', '-', '.', '/', ':'].some((mark) => name.endsWith(`${mark}${word}`)))
  const [only, another] = found
  if (another !== undefined)
    return `"${word.slice(0, 100)}" may mean results of several tools: ${listedNames(found)}. Write one of these names, or a cache_id.`
  return kept.find(({ tool }) => tool === only?.name)
}

/** The most results on a page of the list. */
const PAGE = 50

/** The results that the caller keeps, the newest first, a line each, in at most `budget` characters. */
export async function listKept(
  agent: Agent,
  offset: number,
  budget: number,
  { resultStore, dialect }: KeptOptions,
): Promise<string> {
  if (agent.kind === 'anonymous') return SHARED
  const kept = await resultStore.recent(agent)
  if (kept.length === 0) return nothingKept('Nothing is kept for you now.', dialect)
  if (offset >= kept.length)
    return `There are ${formatPlural(kept.length, 'kept result')}, and none at offset ${formatCount(offset)}: ${askedBy('proxy_explore', '"offset": 0', dialect)}`
  const lines: string[] = []
  let room = budget - FRAME
  for (const entry of kept.slice(offset, offset + PAGE)) {
    const line = lineOf(entry)
    room -= line.length + 1
    if (room < 0 && lines.length > 0) break
    lines.push(line)
  }
  const end = offset + lines.length
  const shown = lines.length === kept.length ? '' : `; ${offset + 1} to ${end} here`
  const next =
    end < kept.length ? [`Next page: ${askedBy('proxy_explore', `"offset": ${end}`, dialect)}`] : []
  return [
    `${formatPlural(kept.length, 'kept result')}, newest first${shown}:`,
    ...lines,
    ...next,
    `Ask about one by its cache_id: ${askedBy('proxy_filter', `"cache_id": "${kept[offset]?.handle}", …`, dialect)}`,
  ].join('\n')
}

/** Characters of the list around its lines. */
const FRAME = 320

function lineOf(entry: Recent): string {
  const { handle, size, tokens, shape, age, isEarlier, label, pinned } = entry
  const facts = [
    ...(label === undefined ? [] : [JSON.stringify(label)]),
    ...(pinned ? ['pinned'] : []),
    ...(shape === undefined ? [] : [shape]),
    tokens === undefined ? formatBytes(size) : `${formatCount(tokens)} tokens`,
    `${ago(age)}${isEarlier ? ', in an earlier run' : ''}`,
  ]
  return `${handle} ${called(entry)} · ${facts.join(' · ')}`
}

/** The call that gave it, in short. */
function called({ tool, arguments: args }: Recent): string {
  return `${ellipsis(tool, 80)} ${ellipsis(brief(args), 120)}`
}

/** Arguments in short; what is large in them is never written out. */
function brief(args: JsonObject): string {
  const members = Object.entries(args)
  const shown = members
    .slice(0, 8)
    .map(([name, value]) => `${JSON.stringify(name.slice(0, 40))}:${inShort(value)}`)
  return `{${shown.join(',')}${members.length > shown.length ? ',…' : ''}}`
}

function inShort(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(ellipsis(value, 60))
  if (Array.isArray(value))
    return value.length === 1 && typeof value[0] !== 'object'
      ? `[${inShort(value[0] ?? null)}]`
      : `[${value.length} elements]`
  return isObject(value)
    ? `{${Object.keys(value)
        .slice(0, 3)
        .map((key) => ellipsis(key, 20))
        .join(', ')}…}`
    : String(value)
}

/** `just now`, `5 min ago`, `3 h ago`, `2 d ago`. */
function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`
}

function nothingKept(first: string, dialect: Dialect | undefined): string {
  return `${first} A result that is too large for a reply is kept by itself, and its preview begins with its cache_id. To keep one \
on purpose: ${askedBy('proxy_explore', '"tool": "<tool name>", "arguments": {…}', dialect)}`
}
