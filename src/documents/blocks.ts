/** The content blocks of a CallToolResult (MCP specification, server/tools, "Tool Result"). */
import { blocksOf, isMedia, kindOf, stringAt, textIn } from '../protocol/content.ts'
import type { JsonObject } from '../protocol/json.ts'
import { formatBytes } from '../text/format.ts'

/** All texts in their order: text blocks and embedded resources that have one. Empty ones are left out. */
export function textsOf(result: JsonObject): string[] {
  return blocksOf(result)
    .map((block) => textIn(block) ?? '')
    .filter((text) => text !== '')
}

/** The names of the same texts: addresses of embedded resources; undefined for other blocks. */
export function namesOf(result: JsonObject): (string | undefined)[] {
  return blocksOf(result).flatMap((block) => {
    if ((textIn(block) ?? '') === '') return []
    const uri = stringAt(block, ['resource', 'uri'])
    return [uri === undefined ? undefined : name(uri)]
  })
}

/** Characters of the same texts. */
export function textLength(result: JsonObject): number {
  return blocksOf(result).reduce((sum, block) => sum + (textIn(block)?.length ?? 0), 0)
}

/** Remarks on what is not text: images, audio, blobs and links, described by kind, type and size. Never decoded. */
export function beside(result: JsonObject): string[] {
  const remarks: string[] = []
  for (const block of blocksOf(result)) {
    const remark = describe(block)
    if (remark !== undefined && remarks.length < MAX_REMARKS) remarks.push(remark)
  }
  return remarks
}

const MAX_REMARKS = 8

function describe(block: JsonObject): string | undefined {
  const { label, uri, data } = kindOf(block)
  const isLink = uri !== undefined && data === undefined
  if (!isLink && !isMedia(block)) return undefined
  const words = [label]
  if (uri !== undefined) words.push(name(stringAt(block, uri)))
  if (data !== undefined) {
    const type = stringAt(block, [...data.slice(0, -1), 'mimeType'])
    words.push(name(type), decodedSize(stringAt(block, data)))
  }
  return words.join(' ')
}

/** Words of a server in a remark: short, and on one line. */
function name(value: string | undefined): string {
  return value?.slice(0, 120).replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ') ?? '?'
}

function decodedSize(base64 = ''): string {
  return formatBytes(Math.floor((base64.length * 3) / 4))
}
