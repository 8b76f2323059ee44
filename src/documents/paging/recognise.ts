/**
 * Reads from a result which part of a collection it is: the number of all items, whether more follow, and the arguments for the next
 * part. One table of names and one of words; what a name means does not depend on who wrote it.
 */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import type { Document } from '../document.ts'

/** A part of a collection, as far as the result itself tells. */
export interface Part {
  /** Names from the root to the list of records. Undefined: a text, or no list. */
  readonly place: readonly (string | number)[] | undefined
  /** Records in it, where that is known. */
  readonly shown: number | undefined
  /** Records in all. */
  readonly total?: number
  /** True: more follow. False: none do. */
  readonly more?: boolean
  /** The number of this page, of the next one, and of the last one or how many there are. */
  readonly page?: number
  readonly nextPage?: number
  readonly pages?: number
  /** Where this part begins, and the next one. */
  readonly offset?: number
  readonly nextOffset?: number
  /** Records of a full page. */
  readonly size?: number
  /** The cursor that asks for the next part, and the plain name under which it stood. */
  readonly cursor?: { readonly name: string; readonly value: string | number }
  /** Parameters of the address of the next part, and of the last one. */
  readonly next?: Readonly<Record<string, string>>
  readonly last?: Readonly<Record<string, string>>
  /** The id of the last record, for servers that are asked for the records behind it. */
  readonly lastId?: string | number
}

type Fact = Exclude<keyof Part, 'place' | 'shown' | 'lastId'>

/** Names in small letters without signs between. The first that is there counts. */
const NAMES: Readonly<Record<Fact | 'end' | 'vagueTotal', readonly string[]>> = {
  total: [
    'totalcount',
    'totalresults',
    'totalitems',
    'totalrecords',
    'totalhits',
    'totalelements',
    'totalsize',
    'totalrows',
    'totalmatches',
    'numfound',
    'resultcount',
    'numbermatched',
  ],
  // These may as well be a sum of money: they count beside other signs of pages.
  vagueTotal: ['total', 'count', 'hits', 'matches', 'value'],
  more: [
    'hasmore',
    'hasnextpage',
    'hasnext',
    'hasmoreitems',
    'hasmoreresults',
    'morerecords',
    'more',
    'istruncated',
    'truncated',
  ],
  end: ['islast', 'islastpage', 'last', 'done', 'exhausted'],
  page: ['page', 'currentpage', 'pagenumber', 'pageno', 'pageindex'],
  nextPage: ['nextpage', 'nextpagenumber'],
  pages: ['totalpages', 'pagecount', 'numpages', 'lastpage', 'pages'],
  offset: ['offset', 'startat', 'startindex', 'skip', 'from', 'start'],
  nextOffset: ['nextoffset', 'nextstart', 'nextstartat', 'nextskip'],
  size: [
    'perpage',
    'pagesize',
    'limit',
    'maxresults',
    'itemsperpage',
    'resultsperpage',
    'size',
    'rows',
    'top',
  ],
  cursor: [
    'nextcursor',
    'nextpagetoken',
    'nexttoken',
    'nextcontinuationtoken',
    'continuationtoken',
    'endcursor',
    'nextmarker',
    'nextpagekey',
    'nextpageid',
    'nextstartingafter',
    'after',
    'scrollid',
    'bookmark',
    'cursor',
  ],
  next: [
    'next',
    'nextlink',
    'odatanextlink',
    'nexturl',
    'nextpageurl',
    'nexthref',
    'nextpage',
    'nextpagelink',
  ],
  last: ['last', 'lastlink', 'lasturl', 'lastpageurl'],
}

/** Objects beside a list that say something of it. */
const ENVELOPES: ReadonlySet<string> = new Set([
  'pagination',
  'paging',
  'pageinfo',
  'page',
  'meta',
  'metadata',
  'responsemetadata',
  'links',
  'cursors',
  'cursor',
  'next',
  'hits',
  'info',
])

/** Objects in these that are called like a list: `meta.results` of openFDA has `skip`, `limit` and `total`. */
const WITHIN_ENVELOPES: ReadonlySet<string> = new Set([...ENVELOPES, 'results', 'resultset'])

/** Members of an object that are looked at, and characters of a cursor or an address. */
const MOST_MEMBERS = 60
const LONGEST = 8_000

/** @param isPaged the call was made with, or its tool has, parameters that ask for a part */
export function recognisePart(document: Document, isPaged: boolean): Part | undefined {
  const { value: root, records: collection } = document.glimpse()
  const isList = collection !== undefined && collection.keys === undefined
  const found = isList ? placeOf(root, collection.values) : undefined
  const objects = isObject(root) ? envelopes(root, found ?? []) : []
  const facts = factsIn(objects, isPaged || objects.some(tellsOfPages))
  const said = { ...wordsIn(textsAround(document, root, collection?.values)), ...facts }
  const shown = isList ? collection.values.length : said.shown
  if (Object.keys(said).length === 0 && !(isPaged && isList)) return undefined
  if (said.total !== undefined && said.total < (shown ?? 0)) delete said.total
  const lastId = isList ? idOf(collection.values.at(-1)) : undefined
  return { ...said, place: found, shown, ...(lastId !== undefined && { lastId }) }
}

/** The name in small letters, without signs. */
export function bareName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

type Facts = { -readonly [K in keyof Part]?: Part[K] }

/** Steps from the root to this list; undefined: it is not below the root as it is. */
function placeOf(root: JsonValue | undefined, values: readonly JsonValue[]): (string | number)[] | undefined {
  let level: { place: (string | number)[]; value: JsonValue }[] = [{ place: [], value: root ?? null }]
  for (let depth = 0, visits = 0; depth < 8 && level.length > 0; depth++) {
    const next: typeof level = []
    for (const { place, value } of level) {
      if (value === values) return place
      if (visits++ > 2_000) return undefined
      if (Array.isArray(value) && value.length <= 3)
        value.forEach((item, index) => {
          next.push({ place: [...place, index], value: item })
        })
      else if (isObject(value))
        for (const name of Object.keys(value).slice(0, MOST_MEMBERS))
          next.push({ place: [...place, name], value: own(value, name) ?? null })
    }
    level = next
  }
  return undefined
}

/** Objects that may say something of the list: those on the way to it, the nearest first, each with what it says it in. */
function envelopes(root: JsonObject, place: readonly (string | number)[]): JsonObject[] {
  const way: JsonObject[] = []
  let at: JsonValue | undefined = root
  for (const step of [...place, '']) {
    if (isObject(at)) way.unshift(at)
    at = Array.isArray(at) ? at[Number(step)] : isObject(at) ? own(at, String(step)) : undefined
  }
  return way.flatMap((object) => [object, ...inner(object, 2, ENVELOPES)])
}

function inner(object: JsonObject, depth: number, names: ReadonlySet<string>): JsonObject[] {
  if (depth === 0) return []
  return Object.keys(object)
    .slice(0, MOST_MEMBERS)
    .flatMap((name) => {
      const value = names.has(bareName(name)) ? own(object, name) : undefined
      return isObject(value) ? [value, ...inner(value, depth - 1, WITHIN_ENVELOPES)] : []
    })
}

const OF_PAGES: ReadonlySet<string> = new Set(['pagination', 'paging', 'pageinfo'])

function tellsOfPages(object: JsonObject): boolean {
  return Object.keys(object)
    .slice(0, MOST_MEMBERS)
    .some((name) => OF_PAGES.has(bareName(name)))
}

function factsIn(objects: readonly JsonObject[], isPaged: boolean): Facts {
  const members = new Map<string, JsonValue>()
  let isRanged = false
  for (const object of objects)
    for (const name of Object.keys(object).slice(0, MOST_MEMBERS)) {
      const value = own(object, name) ?? null
      const plain = isObject(value) ? simply(value) : value
      for (const [relation, address] of linksIn(name, value))
        if (!members.has(relation)) members.set(relation, address)
      isRanged ||= isObject(value) && bareName(name) === 'total' && typeof own(value, 'relation') === 'string'
      if (Array.isArray(plain) || isObject(plain) || plain === undefined) continue
      const bare = bareName(name.slice(name.indexOf(':') + 1))
      if (!members.has(bare)) members.set(bare, plain)
    }
  const take = <T>(fact: keyof typeof NAMES, read: (value: JsonValue) => T | undefined): T | undefined => {
    for (const name of NAMES[fact]) {
      const value = members.get(name)
      const made = value === undefined ? undefined : read(value)
      if (made !== undefined) return made
    }
    return undefined
  }
  const facts: Facts = {}
  const put = <K extends Fact>(fact: K, value: Part[K] | undefined): void => {
    if (value !== undefined) Object.assign(facts, { [fact]: value })
  }
  for (const name of NAMES.cursor) {
    const value = members.get(name)
    const isCursor =
      (typeof value === 'string' && value !== '' && value.length <= LONGEST) || typeof value === 'number'
    if (!isCursor || facts.cursor !== undefined || /^https?:/.test(String(value))) continue
    facts.cursor = { name, value: value as string | number }
  }
  // Airtable calls its cursor an offset: the id of an iterator.
  const iterator = members.get('offset')
  if (
    facts.cursor === undefined &&
    typeof iterator === 'string' &&
    /^itr\w{1,40}(?:\/rec\w{1,40})?$/.test(iterator)
  )
    facts.cursor = { name: 'offset', value: iterator }
  // A total says better whether there is more.
  const isLinked = members.has(NEXT_LINK)
  const hasTotal = [take('total', count), take('vagueTotal', count)].some((total) => total !== undefined)
  if (isLinked && hasTotal) members.delete('next')
  put('next', take('next', addressed))
  const end = take('end', bool)
  put('more', take('more', bool) ?? (end === undefined ? undefined : !end))
  if (facts.more === undefined && isLinked && !hasTotal) facts.more = true
  // Where a next part would be named and none is, there is none.
  const names = [...NAMES.cursor.slice(0, 9), ...NAMES.next]
  const isNone = names.some((name) => members.get(name) === null || members.get(name) === '')
  if (facts.more === undefined && isNone && facts.cursor === undefined && facts.next === undefined)
    facts.more = false
  if (facts.more === false) {
    delete facts.cursor
    delete facts.next
  }
  put('nextPage', take('nextPage', count))
  put('nextOffset', take('nextOffset', count))
  put('pages', take('pages', count))
  put('total', take('total', count))
  // A place in the whole beside the size of a part, and a total that says how exact it is, are said of pages alone.
  const says = (fact: keyof typeof NAMES): boolean => take(fact, count) !== undefined
  const isCertain =
    isLinked ||
    isPaged ||
    Object.keys(facts).length > 0 ||
    ((says('offset') || says('page')) && says('size')) ||
    isRanged
  put('page', isCertain ? take('page', count) : undefined)
  put('offset', isCertain ? take('offset', count) : undefined)
  put('size', isCertain || members.has('offset') || members.has('page') ? take('size', count) : undefined)
  if (facts.total === undefined && (isCertain || Object.keys(facts).length > 0))
    put('total', take('vagueTotal', count))
  put('last', take('last', addressed))
  return facts
}

/** The value of an object that is there for one value: an address, a count with its precision, an element with attributes. */
function simply(value: JsonObject): JsonValue | undefined {
  return own(value, 'href') ?? own(value, 'value') ?? own(value, '_text')
}

const NEXT_LINK = 'link: next'
const MOST_LINKS = 20
/** An address of a page: the next chapter has a place of its own. FHIR alone speaks of a `relation`, and its addresses may be any. */
const OF_PAGE = /[?&](?:p|[^=&]{0,40}(?:page|offset|cursor|start|skip|after|token|from)[^=&]{0,40})=/i

/** Addresses by what they lead to, of a list such as `link` of FHIR, Atom and OGC: `[{"rel": "next", "href": "…"}]`. */
function linksIn(name: string, value: JsonValue): [string, JsonValue][] {
  if (!Array.isArray(value) || value.length > MOST_LINKS || !/^links?$/i.test(name)) return []
  return value.flatMap((link): [string, JsonValue][] => {
    const [rel, relation] = isObject(link) ? [own(link, 'rel'), own(link, 'relation')] : []
    const address = isObject(link) ? (own(link, 'href') ?? own(link, 'url')) : undefined
    if (typeof address !== 'string' || address === '') return []
    if (relation === 'next' || (rel === 'next' && OF_PAGE.test(address)))
      return [
        [NEXT_LINK, address],
        ['next', address],
      ]
    return (rel ?? relation) === 'last' ? [['last', address]] : []
  })
}

function bool(value: JsonValue): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

function count(value: JsonValue): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Parameters of an address. */
function addressed(value: JsonValue): Record<string, string> | undefined {
  if (typeof value !== 'string' || value.length > LONGEST || !value.includes('?')) return undefined
  const entries = [...new URLSearchParams(value.slice(value.indexOf('?') + 1))]
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function idOf(record: JsonValue | undefined): string | number | undefined {
  const id = record !== undefined && isObject(record) ? own(record, 'id') : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

// The facts that texts say in words.

/** Characters at the beginning and at the end of a text that are read. */
const EDGE = 1_500

/**
 * The words beside the data, and the two ends of a text. Records may say at which line they begin. Then the ends are the lines above the
 * first record and below the last one, since a line of a log tells of something else.
 */
function textsAround(
  document: Document,
  root: JsonValue | undefined,
  records: readonly JsonValue[] = [],
): string[] {
  const { format, traits, asides } = document
  const beside = asides.join('\n')
  const isData = format === 'json' || format === 'ndjson'
  if (isData && root !== undefined) return [beside]
  const [first, last] = traits.line === 'entry' ? [firstLine(records), lineOf(records.at(-1))] : []
  const { text } = document
  const isBetween = first !== undefined && last !== undefined && first < last
  const [top, below] = isBetween
    ? [first, last + leastLines(records)].map((line) => document.lines().start(line - 1))
    : []
  const edges = isBetween ? `${ends(text.slice(0, top))}\n${ends(text.slice(below))}` : ends(text)
  return [beside, edges]
}

function ends(text: string): string {
  return text.length <= 2 * EDGE ? text : `${text.slice(0, EDGE)}\n${text.slice(-EDGE)}`
}

/** Records that are looked at for the lines that each has at least. */
const SOME = 20

/** Lines above all that have fields are beside them, though a log has these as well. */
function firstLine(records: readonly JsonValue[]): number | undefined {
  const hasFields = (record: JsonValue): boolean => isObject(record) && Object.keys(record).length > 2
  return lineOf(records.slice(0, SOME).find(hasFields) ?? records[0])
}

/** The last record has no fewer lines than any other: what its last lines say is a part of it. */
function leastLines(records: readonly JsonValue[]): number {
  const at = records.slice(-SOME).map((record) => lineOf(record) ?? 0)
  return Math.max(1, Math.min(...at.slice(1).map((line, before) => line - (at[before] ?? 0))))
}

function lineOf(record: JsonValue | undefined): number | undefined {
  const { line: written, line_2: line = written } = isObject(record ?? null) ? (record as JsonObject) : {}
  return typeof line === 'number' && line > 0 ? line : undefined
}

const NUMBER = '(\\d[\\d,.]{0,14})'
const TOTAL = `(?:of|out of)\\s{1,3}(?:about |a total of |approximately )?${NUMBER}`

/** Each pattern is linear on what it is given: every repetition has an end. */
const WORDS: readonly { readonly pattern: RegExp; read(match: readonly string[]): Facts }[] = [
  {
    pattern: new RegExp(
      `\\b(?:showing|displaying|results?|items?|rows?|records?|entries)\\b[^\\n\\d]{0,24}${NUMBER}\\s{0,2}(?:-|–|—|to|through)\\s{0,2}${NUMBER}\\s{1,3}${TOTAL}`,
      'gi',
    ),
    read: ([, from = '', to = '', total = '']) => ({
      shown: whole(to) - whole(from) + 1,
      offset: Math.max(0, whole(from) - 1),
      total: whole(total),
    }),
  },
  {
    pattern: new RegExp(
      `\\b(?:showing|displaying|returned|listing|listed|first)\\b[^\\n\\d]{0,24}${NUMBER}[^\\n\\d]{0,16}\\s${TOTAL}`,
      'gi',
    ),
    read: ([, shown = '', total = '']) => ({ shown: whole(shown), total: whole(total) }),
  },
  {
    pattern: /\bpage[ \t]{0,3}:?[ \t]{0,3}(\d{1,9})[ \t]{0,3}(?:of|\/)[ \t]{0,3}(\d{1,9})\b(?!\/\d)/gi,
    read: ([, page, pages]) => ({ page: Number(page), pages: Number(pages) }),
  },
  {
    pattern:
      /\bnext[ _-]?(?:page[ _-]?)?(?:cursor|token)\b["'`]?\s{0,3}(?:is|:|=)\s{0,3}["'`]?([\w+/=.:~-]{1,2000})/gi,
    read: ([, value = '']) =>
      /^(?:null|none|undefined|nil)$/i.test(value)
        ? { more: false }
        : { cursor: { name: 'nextcursor', value } },
  },
  {
    pattern: /<([^<>\s]{1,2000})>\s{0,3};\s{0,3}rel="?next"?/gi,
    read: ([, address = '']) => ({ next: addressed(address) ?? {}, more: true }),
  },
  {
    pattern: /<([^<>\s]{1,2000})>\s{0,3};\s{0,3}rel="?last"?/gi,
    read: ([, address = '']) => ({ last: addressed(address) ?? {} }),
  },
  {
    pattern:
      /\bthere (?:are|is) more (?:results|items|records|pages|entries)\b|\bhas[_ ]?more["']?\s{0,3}[:=]\s{0,3}true\b|\bmore (?:results|items|records|pages) (?:are )?available\b/gi,
    read: () => ({ more: true }),
  },
]

const BOTH_ENDS = 2

function wordsIn(texts: readonly string[]): Facts {
  const facts: Facts = {}
  const places = WORDS.flatMap((words) => texts.map((text) => ({ ...words, text })))
  for (const { pattern, read, text } of places) {
    const found = [...text.matchAll(pattern)].map(read)
    // A server says it once, or at both ends. Records say it more often, and pages that are all there tell different numbers.
    if (found.length <= BOTH_ENDS && found.every(({ page }) => page === found[0]?.page))
      Object.assign(facts, found[0])
  }
  return facts
}

function whole(written: string): number {
  return Number(written.replaceAll(/[,.]/g, ''))
}
