/** The compact type of a preview or an exploration: `{id: number, labels?: {name: string}[], extra: Record<string, number>}`. */

/**
 * @typedef {object} Type
 * @property {Map<string, Type> | undefined} fields   of an object
 * @property {boolean} whole       false: some fields are counted, not named
 * @property {Type | undefined} element   of a list
 * @property {Type | undefined} value     of a map
 */

/** The type a text says; undefined when it cannot be read. */
export function readType(text) {
  try {
    const reader = { text, at: 0 }
    const type = union(reader)
    return type.fields || type.element || type.value ? type : undefined
  } catch {
    return undefined
  }
}

/** The parts of a union as one: what any of them has. */
function union(reader) {
  const type = { fields: undefined, whole: true, element: undefined, value: undefined }
  for (;;) {
    merge(type, withSuffix(reader))
    space(reader)
    if (!take(reader, '|')) return type
  }
}

function merge(into, from) {
  into.fields ??= from.fields
  into.element ??= from.element
  into.value ??= from.value
  into.whole &&= from.whole
}

function withSuffix(reader) {
  let type = primary(reader)
  while (take(reader, '[]')) type = { fields: undefined, whole: true, element: type, value: undefined }
  return type
}

function primary(reader) {
  space(reader)
  const { text, at } = reader
  if (take(reader, '{')) return object(reader)
  if (take(reader, '(')) {
    const inner = union(reader)
    space(reader)
    expect(reader, ')')
    return inner
  }
  const map = /^Record<[^,<>]*,\s*/.exec(text.slice(at, at + 60))
  if (map) {
    reader.at += map[0].length
    const value = union(reader)
    space(reader)
    expect(reader, '>')
    return { fields: undefined, whole: true, element: undefined, value }
  }
  // JSON in a string is asked for as if it stood there itself.
  if (take(reader, 'json<')) {
    const held = union(reader)
    space(reader)
    expect(reader, '>')
    return held
  }
  if (text[at] === '"') return void string(reader) ?? leaf()
  const word = /^[^\s,;|(){}[\]<>:"]+/.exec(text.slice(at, at + 200))
  if (!word) throw new Error(`no type at ${at}`)
  reader.at += word[0].length
  if (word[0] === 'Record') return { ...leaf(), value: leaf() }
  return leaf()
}

function leaf() {
  return { fields: undefined, whole: true, element: undefined, value: undefined }
}

function object(reader) {
  const type = { ...leaf(), fields: new Map() }
  for (;;) {
    space(reader)
    if (take(reader, '}')) return type
    if (reader.text[reader.at] === '…') {
      type.whole = false
      reader.at += /^[^,;}]*/.exec(reader.text.slice(reader.at))[0].length
    } else {
      const name = fieldName(reader)
      take(reader, '?')
      space(reader)
      if (take(reader, ':')) type.fields.set(name, union(reader))
      else {
        // The bare form: names, with [] and {} behind names that hold others.
        const list = take(reader, '[]')
        const inner = reader.text[reader.at] === '{' ? primary(reader) : leaf()
        type.fields.set(name, list ? { ...leaf(), element: inner } : inner)
      }
    }
    space(reader)
    if (!take(reader, ',')) take(reader, ';')
  }
}

function fieldName(reader) {
  if (reader.text[reader.at] === '"') return string(reader)
  const name = /^[^\s,;:?{}[\]|]+/.exec(reader.text.slice(reader.at, reader.at + 300))
  if (!name) throw new Error(`no name at ${reader.at}`)
  reader.at += name[0].length
  return name[0]
}

function string(reader) {
  const literal = /^"(?:[^"\\]|\\.)*"/.exec(reader.text.slice(reader.at))
  if (!literal) throw new Error('a string without end')
  reader.at += literal[0].length
  return JSON.parse(literal[0])
}

function space(reader) {
  while (/\s/.test(reader.text[reader.at] ?? '')) reader.at += 1
}

function take(reader, sign) {
  if (!reader.text.startsWith(sign, reader.at)) return false
  reader.at += sign.length
  return true
}

function expect(reader, sign) {
  if (!take(reader, sign)) throw new Error(`no ${sign} at ${reader.at}`)
}
