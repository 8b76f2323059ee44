/** The content blocks of a CallToolResult (MCP specification, server/tools, "Tool Result"). */
import { blocksOf, isText } from '../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { formatBytes } from '../text/format.ts'

/** All texts in their order: text blocks and embedded resources that have one. Empty ones are left out. */
export function textsOf(result: JsonObject): string[] {
  const texts: string[] = []
  for (const block of blocksOf(result)) {
    if (isText(block)) texts.push(block.text)
    else if (isObject(block.resource) && typeof block.resource.text === 'string')
      texts.push(block.resource.text)
  }
  return texts.filter((text) => text !== '')
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
  if (block.type === 'image' || block.type === 'audio') {
    return `${block.type} ${name(block.mimeType)} ${decodedSize(block.data)}`
  }
  if (block.type === 'resource_link') return `link ${name(block.uri)}`
  if (isObject(block.resource) && typeof block.resource.blob === 'string') {
    return `resource ${name(block.resource.uri)} ${name(block.resource.mimeType)} ${decodedSize(block.resource.blob)}`
  }
  return undefined
}

/** Words of a server in a remark: short, and on one line. */
function name(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.slice(0, 120).replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ') : '?'
}

function decodedSize(base64: JsonValue | undefined): string {
  return formatBytes(typeof base64 === 'string' ? Math.floor((base64.length * 3) / 4) : 0)
}
