/** A tool that could take a kept result as it is: what a preview names when it says how to pass it on. */
import { isObject, type JsonObject, own } from '../../protocol/json.ts'

export interface Taker {
  /** As the client calls it. */
  tool: string
  parameter: string
}

/** What parameters for content are called. */
const CONTENT =
  /^(?:(?:file_?)?contents?|body|data|text|markdown|html|csv|json|payload|documents?|rows|records|items|values?|entities)$/i
/** Tools and parameters that are looked at. */
const mostTools = 2000
const mostParameters = 50

/** The first of the tools that says what it takes and does not only read; tools of these names are left out. */
export function takerIn(tools: readonly unknown[], exempt: ReadonlySet<string>): Taker | undefined {
  for (const tool of tools.slice(0, mostTools)) {
    if (!isObject(tool) || typeof tool.name !== 'string' || exempt.has(tool.name)) continue
    const annotations = own(tool, 'annotations')
    if (isObject(annotations) && annotations.readOnlyHint === true) continue
    const parameter = contentOf(own(tool, 'inputSchema'))
    if (parameter !== undefined) return { tool: tool.name, parameter }
  }
  return undefined
}

function contentOf(schema: unknown): string | undefined {
  const properties = isObject(schema) ? own(schema, 'properties') : undefined
  if (!isObject(properties)) return undefined
  const names = Object.keys(properties).slice(0, mostParameters)
  return names.find((name) => CONTENT.test(name) && takesMuch(own(properties, name)))
}

/** Texts, lists and what goes by no type; a number or a choice is no place for a result. */
function takesMuch(schema: JsonObject[string] | undefined): boolean {
  if (!isObject(schema) || schema.enum !== undefined || schema.const !== undefined) return false
  const { type, maxLength } = schema
  if (typeof maxLength === 'number' && maxLength < 10_000) return false
  return (
    type === undefined || [type].flat().some((one) => one === 'string' || one === 'array' || one === 'object')
  )
}
