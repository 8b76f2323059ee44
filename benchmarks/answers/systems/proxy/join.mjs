/** A question over two lists. */

/** Two queries: the keys, then the records that have them. `query` asks one list, as its policy does. */
export async function joinByTwo(query, ask, talk, preview) {
  const { join: other, ...first } = ask
  const keys = await query({ ...first, want: other.on }, talk, preview)
  if (!('answer' in keys)) return keys
  const [value, ...more] = keys.answer
  const where = [
    { field: other.equals, ...(more.length > 0 ? { op: 'in', value: keys.answer } : { op: '=', value }) },
  ]
  const second = { collection: other.collection, where, want: other.want }
  const there = other.payload === talk.name ? { preview } : await talk.fetch(other.payload)
  return there.preview
    ? query(second, talk, there.preview)
    : talk.readSmall(second, other.payload, there.text)
}
