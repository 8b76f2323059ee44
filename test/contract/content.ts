/** The shared suite of all kinds of content blocks: each place that reads, changes or replaces blocks goes by the table. */
import { expect } from 'vitest'
import type * as ChangeResult from '../../src/documents/change/change-result.ts'
import type * as Open from '../../src/documents/opening/open.ts'
import type * as Digest from '../../src/engine/digest.ts'
import type * as Views from '../../src/engine/views.ts'
import type * as Content from '../../src/protocol/content.ts'
import type { ContentKind } from '../../src/protocol/content.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type * as UriRewrite from '../../src/protocol/uri-rewrite.ts'

/** The modules under test, from `src` or from a copy. */
export type Load = <Module>(file: string) => Promise<Module>

/** A block of this kind with a text, a URI and data where the table says that they stand. */
function blockOf(type: string, { text, uri, data }: ContentKind, words: string): JsonObject {
  const block: JsonObject = { type }
  put(block, text, words)
  if (uri !== undefined) put(block, uri, 'file:///a')
  if (data !== undefined) {
    put(block, data, 'AAAAAAAA')
    put(block, [...data.slice(0, -1), 'mimeType'], 'application/octet-stream')
  }
  return block
}

function put(block: JsonObject, path: readonly string[], value: string): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    block[name] = value
    return
  }
  const inner = (block[name] ?? {}) as JsonObject
  block[name] = inner
  put(inner, rest, value)
}

/** Fails when a place does not do what the table says of this kind. */
export async function expectKindIsKnown(type: string, load: Load): Promise<void> {
  const content = await load<typeof Content>('src/protocol/content.ts')
  const { beside } = await load<typeof Open>('src/documents/opening/open.ts')
  const { changeTexts } = await load<typeof ChangeResult>('src/documents/change/change-result.ts')
  const uris = await load<typeof UriRewrite>('src/protocol/uri-rewrite.ts')
  const kind = content.CONTENT_KINDS[type] ?? content.UNKNOWN_KIND
  const result = { content: [blockOf(type, kind, 'some words')] }

  // Its text counts.
  expect(content.textsOf(result)).toEqual(['some words'])
  expect(content.textLength(result)).toBe(10)
  // Its text can be changed, where only texts are and where every string is, and nothing else is.
  const loud = { content: [blockOf(type, kind, 'some WORDS')] }
  const raise = (text: string): string => text.replace('words', 'WORDS')
  expect(changeTexts(result, 'texts', raise)).toEqual(loud)
  expect(changeTexts(result, 'strings', raise)).toEqual(loud)
  // Its URI is an identifier, and its data is never taken for words.
  const sorts: string[] = []
  changeTexts(result, 'strings', (text, sort) => {
    sorts.push(`${sort} ${text}`)
    return text
  })
  expect(sorts).toContain('prose some words')
  expect(sorts.some((each) => each.includes('AAAAAAAA'))).toBe(false)
  if (kind.uri !== undefined) expect(sorts).toContain('identifier file:///a')
  // Its URI is renamed where it has one, in a small result and in one that is not parsed yet.
  const renamed = uris.renameInResult(result, (uri) => (uri === 'file:///a' ? 'file:///b' : uri))
  expect(JSON.stringify(renamed).includes('file:///b')).toBe(kind.uri !== undefined)
  expect(uris.mayNameResources(result)).toBe(kind.uri !== undefined)
  if (kind.uri !== undefined) {
    const bytes = Buffer.from(JSON.stringify(result))
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
    shared.set(bytes)
    expect(uris.mayNameResources(new content.LargeResult(shared))).toBe(true)
  }
  // Its data is named beside a preview, and does not count.
  if (kind.data !== undefined) expect(beside(result).join()).toMatch(new RegExp(`^${kind.label} .*6 B`))
  expect(content.isMedia(result.content[0] ?? {})).toBe(kind.data !== undefined)
  await expectPreviews(type, kind, load)
}

async function expectPreviews(type: string, kind: ContentKind, load: Load): Promise<void> {
  const { digest } = await load<typeof Digest>('src/engine/digest.ts')
  const { createViews } = await load<typeof Views>('src/engine/views.ts')
  const limits = { maxResponseSize: 2000, maxErrorSize: 2000, previewSize: 500, always: false }
  const other = { type: 'text', text: 'line of words\n'.repeat(500) }
  const shapedWith = (words: string): JsonObject[] => {
    const result = { content: [other, blockOf(type, kind, words)] }
    const arrival = { content: Buffer.from(JSON.stringify(result)), tool: 's_tool' }
    const { shaped } = digest(createViews(), arrival, limits)
    return (shaped?.result.content ?? ['not shaped']) as JsonObject[]
  }
  const isKept = kind.keptText >= 0
  expect(shapedWith('x'.repeat(Math.max(0, kind.keptText)))).toHaveLength(isKept ? 1 : 0)
  expect(shapedWith('x'.repeat(kind.keptText + 1))).toHaveLength(0)
}
