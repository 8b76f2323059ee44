/**
 * Blobs of a result, found and described, and what is inside of them put where it can be asked about. A result is edited by its bytes,
 * from the places of its base64. The rest is not parsed and written again, so numbers and blobs stay unchanged.
 */
import { createHash, randomUUID } from 'node:crypto'
import { dataIn, textIn } from '../../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue, valueOfJson } from '../../protocol/json.ts'
import { formatCount, plural } from '../../text/format.ts'
import { type Apply, changeStrings } from '../change/change-strings.ts'
import { base64In, bytesIn, isClean, type Run, runsOf } from './base64.ts'
import { type Inside, LARGEST_READ, lookInside } from './inside.ts'
import { ENOUGH, type Facts, factsOf } from './kinds.ts'
import { leastBase64, type UnpackLimits } from './limits.ts'
import { BLOBS, described, MOST_PARTS, PARTS, type Part } from './parts.ts'
import { type SmallPicture, shrink } from './picture.ts'

/** How blobs are unpacked. */
export interface Wanted {
  readonly limits: UnpackLimits
  /** Look inside, too. */
  readonly reads: boolean
  /** The change to each text that is read out of a file. Absent: it stays as it is. */
  readonly changed?: Apply
}

/** `pictures`: what is shown of parts that are pictures. */
export interface Unpacked {
  readonly content: Uint8Array<SharedArrayBuffer>
  readonly pictures: readonly SmallPicture[]
}

/** The result with a table of its parts. Undefined: it has no blob over a limit. Never throws on what a server sent. */
export async function unpack(content: Uint8Array, wanted: Wanted): Promise<Unpacked | undefined> {
  const { limits } = wanted
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const runs = runsOf(bytes, leastBase64(limits))
  const places = runs.length === 0 ? undefined : placesOf(bytes, runs)
  if (places === undefined) return undefined
  const edits: Edit[] = []
  const blobs = new Blobs()
  // A picture that a model is shown needs no link where structured content has it once more.
  const shown = places.filter(
    ({ run, block }) => block?.isPicture === true && bytesIn(run.to - run.from) <= limits.maxImageSize,
  )
  // Structured content often repeats the blocks: what is a part of one is the same part there.
  for (const place of places.toSorted(
    (one, other) => Number(other.block !== undefined) - Number(one.block !== undefined),
  )) {
    if (blobs.count >= MOST_PARTS) break
    if (place.block === undefined && shown.some(({ run }) => isSame(bytes, run, place.run))) continue
    await unpackOne(bytes, place, wanted, edits, blobs)
  }
  const assembly = blobs.count === 0 ? undefined : assembled(bytes, edits, blobs)
  return assembly && { content: assembly, pictures: blobs.pictures }
}

function isSame(bytes: Buffer, one: Run, other: Run): boolean {
  return bytes.compare(bytes, one.from, one.to, other.from, other.to) === 0
}

/** The replacement for bytes `from` to `to`. */
interface Edit extends Run {
  readonly text: string
}

/** Where a run of base64 stands. */
interface FoundRun {
  readonly run: Run
  /** The data of a content block; else it is in a text or in a field. */
  readonly block?: { readonly position: number; readonly value: JsonObject; readonly isPicture: boolean }
  /** `whole`: it is all of the text of a block. `data`: in a text of JSON, or in structured content. */
  readonly within: 'whole' | 'data' | 'text'
}

/** Undefined: no result, or one that tells of an error, which stays as it is. */
function placesOf(bytes: Buffer, runs: readonly Run[]): FoundRun[] | undefined {
  const mark = randomUUID()
  const pieces: string[] = []
  let at = 0
  for (const [nth, { from, to }] of runs.entries()) {
    pieces.push(bytes.toString('utf8', at, from), `${mark}:${nth}`)
    at = to
  }
  pieces.push(bytes.toString('utf8', at))
  const result = valueOfJson(pieces.join(''))
  if (!isObject(result) || result.isError === true) return undefined
  const marks = new Map(runs.map((_, nth) => [`${mark}:${nth}`, nth]))
  const places = runs.map((run): FoundRun => ({ run, within: 'text' }))
  const put = (nth: number | undefined, place: Omit<FoundRun, 'run'>): void => {
    const run = nth === undefined ? undefined : runs[nth]
    if (nth !== undefined && run !== undefined) places[nth] = { run, ...place }
  }
  const among = (json: string): void => {
    for (const [, nth] of json.matchAll(new RegExp(`${mark}:(\\d+)`, 'g')))
      put(Number(nth), { within: 'data' })
  }
  if (typeof result.structuredContent === 'object') among(JSON.stringify(result.structuredContent))
  const blocks = Array.isArray(result.content) ? result.content : []
  for (const [position, value] of blocks.entries()) {
    if (!isObject(value)) continue
    put(marks.get(dataIn(value) ?? ''), {
      block: { position, value, isPicture: value.type === 'image' },
      within: 'text',
    })
    const text = textIn(value) ?? ''
    if (/^\s*[[{]/.test(text)) among(text)
    const whole = /^\s*(?:data:[^,]{0,200},)?(\S+)\s*$/.exec(text.slice(0, 600))?.[1]
    put(marks.get(whole ?? ''), { within: 'whole' })
  }
  return places
}

/** The blobs that are parts. */
class Blobs {
  /** `added`: what is moved to the end; `length`: of what stays, where it was changed. */
  readonly parts: (Omit<Part, 'from' | 'to'> & { run: Run; added?: string; length?: number })[] = []
  readonly pictures: SmallPicture[] = []
  /** Parts that are the data of a block. */
  readonly ofBlocks: { readonly run: Run; readonly number: number; readonly inside: Inside }[] = []
  /** The moved parts, by content: a result often holds one twice. */
  readonly #known = new Map<string, { number: number; inside: Inside }>()

  get count(): number {
    return this.parts.length
  }

  /** The number by which a part is asked for. */
  add(part: Blobs['parts'][number]): number {
    return this.parts.push(part) - 1
  }

  known(hash: string): { number: number; inside: Inside } | undefined {
    return this.#known.get(hash)
  }

  remember(hash: string, number: number, inside: Inside): void {
    this.#known.set(hash, { number, inside })
  }
}

async function unpackOne(
  bytes: Buffer,
  place: FoundRun,
  { limits: { maxBlobSize, maxImageSize, shrinksImages }, reads, changed }: Wanted,
  edits: Edit[],
  blobs: Blobs,
): Promise<void> {
  const { run, block } = place
  const about = bytesIn(run.to - run.from)
  if (about <= (block?.isPicture ? maxImageSize : maxBlobSize)) return
  const begin = { from: run.from, to: Math.min(run.to, run.from + ENOUGH * 2) }
  const head = Buffer.from(base64In(bytes, begin), 'base64').subarray(0, ENOUGH)
  const known = factsOf(head, Math.max(about, head.length))
  // A text that neither its bytes nor its server call a file is a text like any other.
  if (known === undefined && block === undefined) return
  const facts = known ?? { type: declaredIn(block?.value) }
  const inside = async (): Promise<Inside> => {
    if (!reads) return { facts, unread: 'that takes too much time or memory' }
    if (about > LARGEST_READ) return { facts, ...tooLarge(facts) }
    const { text, data, ...rest } = await lookInside(Buffer.from(base64In(bytes, run), 'base64'), facts)
    return {
      ...rest,
      ...(text !== undefined && { text: changed?.(text, 'prose') ?? text }),
      ...(data !== undefined && { data: changed ? changeStrings(data, changed, 'data') : data }),
    }
  }
  if (
    block?.isPicture &&
    reads &&
    shrinksImages &&
    about <= LARGEST_READ &&
    blobs.pictures.length < MOST_PICTURES
  ) {
    const small = await shrink(Buffer.from(base64In(bytes, run), 'base64'), maxImageSize)
    if (small) blobs.pictures.push(small)
    inBlock(bytes, run, block, { facts, ...(small && { small }) }, edits, blobs)
  } else if (block) inBlock(bytes, run, block, await inside(), edits, blobs)
  else await elsewhere(bytes, place, facts, inside, edits, blobs)
}

/** Pictures of one result that are shown smaller: each takes some tenths of a second. */
const MOST_PICTURES = 8

/** Nothing is said of what has no text to be read. */
function tooLarge({ type }: Facts): { unread?: string } {
  return /^(?:image|audio|video)\//.test(type) ? {} : { unread: 'it is larger than what is read' }
}

function declaredIn(block: JsonObject | undefined): string {
  const resource = block && isObject(block.resource) ? block.resource : block
  const type = resource?.mimeType
  return typeof type === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(type)
    ? type.slice(0, 100)
    : 'application/octet-stream'
}

/** Its data stays where it is; what is inside is its text. */
function inBlock(
  bytes: Buffer,
  run: Run,
  { position, value }: NonNullable<FoundRun['block']>,
  inside: Inside & { small?: SmallPicture },
  edits: Edit[],
  blobs: Blobs,
): void {
  const { facts, text, data, unread, small } = inside
  const resource = isObject(value.resource) ? value.resource : undefined
  const clean = isClean(bytes, run) ? undefined : base64In(bytes, run)
  // A place in it is then a place in the bytes that it stands for.
  if (clean !== undefined) edits.push({ ...run, text: clean })
  const read = text ?? (data === undefined ? undefined : JSON.stringify(data))
  const isRead =
    read !== undefined &&
    resource !== undefined &&
    typeof resource.text !== 'string' &&
    bytes[run.to] === QUOTE
  if (isRead) edits.push({ from: run.to + 1, to: run.to + 1, text: `,"text":${JSON.stringify(read)}` })
  const name = nameOf(resource?.uri)
  const number = blobs.add({
    ...facts,
    run,
    bytes: sizeOf(bytes, run, clean),
    ...(clean !== undefined && { length: clean.length }),
    block: position,
    ...(name !== undefined && { name }),
    ...(isRead && { isRead }),
    ...(unread !== undefined && { unread }),
    ...(small && { shown: `${formatCount(small.width)} × ${formatCount(small.height)}` }),
  })
  blobs.ofBlocks.push({ run, number, inside })
}

/** Bytes of the blob; of one that is long no text is made. */
function sizeOf(bytes: Buffer, { from, to }: Run, clean: string | undefined): number {
  if (clean !== undefined) return Buffer.byteLength(clean, 'base64')
  let end = to
  while (end > from && bytes[end - 1] === PADDING) end--
  return bytesIn(end - from)
}

const PADDING = 0x3d

/** The last step of a path. */
function nameOf(uri: JsonValue | undefined): string | undefined {
  if (typeof uri !== 'string') return undefined
  const last = /([^/?#]{1,200})\/?(?:[?#].*)?$/.exec(uri.slice(-400))?.[1]
  return last?.replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, ' ').trim()
}

const QUOTE = 0x22
/** Bytes before base64 that say what it is. */
const LONGEST_HEAD = 300

/** Its data is moved to the end; where it was stands what it is, with what is inside. */
async function elsewhere(
  bytes: Buffer,
  { run, within }: FoundRun,
  { type }: Facts,
  look: () => Promise<Inside>,
  edits: Edit[],
  blobs: Blobs,
): Promise<void> {
  const around = surroundings(bytes, run)
  const replaces = around?.isString === true && within !== 'text'
  if (around === undefined || (!replaces && !around.isUri && (!around.isApart || type === 'text/plain')))
    return
  const base64 = base64In(bytes, run)
  const size = Buffer.byteLength(base64, 'base64')
  const hash = createHash('sha256').update(base64).digest('hex')
  const before = blobs.ofBlocks.find((one) => isSame(bytes, one.run, run)) ?? blobs.known(hash)
  const inside = before?.inside ?? (await look())
  const { facts, text, data, unread } = inside
  const isRead = replaces && (text !== undefined || data !== undefined)
  const number =
    before?.number ??
    blobs.add({
      ...facts,
      run,
      bytes: size,
      added: base64,
      ...(isRead && { isRead }),
      ...(unread !== undefined && { unread }),
    })
  blobs.remember(hash, number, inside)
  const words = `[part ${number}: ${described({ ...facts, bytes: size })}]`
  if (!replaces) edits.push({ ...around.data, text: words })
  else if (within === 'whole')
    edits.push({
      ...around,
      text: JSON.stringify(text ?? (data === undefined ? words : JSON.stringify(data))),
    })
  else edits.push({ ...around, text: escaped(JSON.stringify(asData(number, size, inside)), around.depth) })
}

/** The value of a field in place of base64. */
function asData(part: number, bytes: number, { facts, text, data }: Inside): JsonObject {
  const { type, width, height, seconds, count, counted } = facts
  return {
    part,
    type,
    bytes,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(seconds !== undefined && { seconds }),
    ...(count !== undefined && counted !== undefined && { [plural(counted)]: count }),
    ...(text !== undefined && { text }),
    ...(data !== undefined && { data }),
  }
}

/** JSON as it stands in so many strings. */
function escaped(json: string, depth: number): string {
  let written = json
  for (let level = 0; level < depth; level++) written = JSON.stringify(written).slice(1, -1)
  return written
}

/** `from` and `to`: with the quotes, where it is all of a string. */
interface Surroundings extends Run {
  /** In how many strings the string of it stands. */
  readonly depth: number
  readonly isString: boolean
  /** It is that of a `data:` URI, which is here. */
  readonly isUri: boolean
  /** It stands behind a blank or a mark of a text. */
  readonly isApart: boolean
  readonly data: Run
}

/** Undefined: part of some other text. */
function surroundings(bytes: Buffer, run: Run): Surroundings | undefined {
  const head = bytes.toString('latin1', Math.max(0, run.from - LONGEST_HEAD), run.from)
  const uri = /data:[\w.+/-]{0,100}(?:;[\w.=+-]{1,100}){0,4};base64,$/i.exec(head)?.[0] ?? ''
  const isUri = uri !== ''
  const data = { from: run.from - uri.length, to: run.to }
  const open = /(\\*)"(?:\\[nrt]|\s)*$/.exec(head.slice(0, head.length - uri.length))
  const close = /^(?:\\+[nr])*(\\*)"/.exec(bytes.toString('latin1', run.to, run.to + 40))
  const quote = open?.[1]?.length
  const depth = quote === undefined ? -1 : Math.log2(quote + 1)
  if (open && close && quote === close[1]?.length && Number.isInteger(depth))
    return {
      from: data.from - open[0].length,
      to: run.to + close[0].length,
      depth,
      isString: true,
      isUri,
      isApart: false,
      data,
    }
  const isApart = /(?:[\s:=,;>('`]|\\[nrt"])$/.test(head)
  return isUri || isApart ? { ...data, depth: 0, isString: false, isUri, isApart, data } : undefined
}

/** The bytes with the edits, the blobs that were moved, and the table. */
function assembled(
  bytes: Buffer,
  edits: readonly Edit[],
  blobs: Blobs,
): Uint8Array<SharedArrayBuffer> | undefined {
  let end = bytes.length
  while (end > 0 && (bytes[end - 1] ?? 0) <= 0x20) end--
  if (bytes[end - 1] !== 0x7d) return undefined
  const pieces: Uint8Array[] = []
  let length = 0
  const add = (piece: Uint8Array): void => {
    pieces.push(piece)
    length += piece.length
  }
  /** How far what comes after a place has moved. */
  const shifts: { at: number; by: number }[] = []
  let at = 0
  for (const { from, to, text } of [...edits].sort((a, b) => a.from - b.from)) {
    if (from < at) continue
    add(bytes.subarray(at, from))
    add(Buffer.from(text))
    at = to
    shifts.push({ at: to, by: length - to })
  }
  add(bytes.subarray(at, end - 1))
  const moved = blobs.parts.filter(({ added }) => added !== undefined)
  const places = new Map<Run, Run>()
  if (moved.length > 0) {
    add(Buffer.from(`,"${BLOBS}":[`))
    for (const [nth, { added = '', run }] of moved.entries()) {
      add(Buffer.from(nth === 0 ? '"' : ',"'))
      places.set(run, { from: length, to: length + added.length })
      add(Buffer.from(added, 'latin1'))
      add(Buffer.from('"'))
    }
    add(Buffer.from(']'))
  }
  const table = blobs.parts.map(({ run, added: _, length: changed, ...part }): Part => {
    const by = shifts.findLast((shift) => shift.at <= run.from)?.by ?? 0
    const from = run.from + by
    return { ...(places.get(run) ?? { from, to: from + (changed ?? run.to - run.from) }), ...part }
  })
  add(Buffer.from(`,"${PARTS}":${JSON.stringify(table)}}`))
  const whole = new Uint8Array(new SharedArrayBuffer(length))
  let place = 0
  for (const piece of pieces) {
    whole.set(piece, place)
    place += piece.length
  }
  return whole
}
