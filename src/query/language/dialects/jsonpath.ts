/** Conditions within a filter of JSONPath: `$[?(@.a == 1)]`, `$.items[?@.a]`, `?(@.a)`. */

/** The condition alone. A filter of a field with a comparison after it stays as it is. */
export function fromJsonPath(text: string, note: (text: string) => void): string {
  const [, bare] = /^\?\s*(.+)$/s.exec(text) ?? []
  if (bare !== undefined) return bare
  const [, prefix = '', inner, rest = ''] =
    /^((?:\$|@|\*|\.|\[\*?\]|[\w-]+(?=[.[]))*)\[\?\s*(.+)\]((?:\.[\w.[\]*]+)?)$/s.exec(text) ?? []
  if (inner === undefined || !/^\$|^[.@*]?$|^\[/.test(prefix)) return text
  if (rest !== '') note(`\`${rest.replace(/^\./, '')}\` after the condition was left out: use \`fields\`.`)
  return inner
}

/** The operator of PostgreSQL for members, `a->b` and `a->>'b'`, as `a.b`. */
export function withoutArrows(text: string): string {
  return text.replaceAll(
    /(?<=[\w\])])->>?(?:'([\w -]+)'|([a-z_]\w*))/gi,
    (_, quoted?: string, bare?: string) => `.${bare ?? quoted ?? ''}`,
  )
}
