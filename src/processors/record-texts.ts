/** The words of each record, names of fields included: what relevance is measured on. */
import type { Document } from '../documents/document.ts'
import { isObject, type JsonValue, own } from '../protocol/json.ts'
import { SpanList, type Spans } from '../text/spans.ts'

export interface RecordTexts {
  text: string
  /** One passage a record, in order. */
  passages: Spans
}

/** All records of a document as one text. */
export function recordTexts(document: Document): RecordTexts {
  const records = document.records()
  const texts: string[] = []
  const list = new SpanList()
  let offset = 0
  records?.values.forEach((value, index) => {
    const words: string[] = []
    const key = records.keys?.[index]
    if (key !== undefined) words.push(key)
    addWords(value, words)
    const text = words.join('\n')
    texts.push(text)
    list.add(offset, offset + text.length)
    offset += text.length + 1
  })
  return { text: texts.join('\n'), passages: list.spans() }
}

function addWords(value: JsonValue, words: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) addWords(item, words)
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      words.push(key)
      addWords(own(value, key) ?? null, words)
    }
  } else if (value !== null) words.push(String(value))
}
