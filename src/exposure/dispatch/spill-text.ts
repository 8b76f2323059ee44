/** What a model reads of a result that went to a file: all that it needs to go on, in few tokens whatever the result holds. */
import type { Engine } from '../../engine/engine.ts'
import type { Export } from '../../engine/operation.ts'
import { ellipsis, head } from '../../text/cut.ts'
import { formatCount } from '../../text/format.ts'

/** Tokens of the text. */
const mostTokens = 200

/** Characters of the preview and of the names, the first that fit: it is written in scripts that take a token for each, too. */
const SIZES: readonly (readonly [preview: number, keys: number])[] = [
  [Number.POSITIVE_INFINITY, 120],
  [260, 120],
  [220, 120],
  [180, 120],
  [150, 120],
  [120, 100],
  [90, 80],
  [60, 60],
  [40, 30],
  [20, 15],
  [0, 0],
]

/** `first` and `last` are never cut: they say where the result is. */
interface Told {
  first: string
  last: string
  made: Export
}

export async function spillText(
  told: Told,
  { countTokens }: Pick<Engine, 'countTokens'>,
): Promise<{ text: string; tokens: number }> {
  const texts = SIZES.map(([preview, keys]) => written(told, preview, keys))
  const counts = await countTokens(texts)
  const fitting = counts.findIndex((count) => count <= mostTokens)
  const chosen = fitting < 0 ? texts.length - 1 : fitting
  return { text: texts[chosen] ?? '', tokens: counts[chosen] ?? 0 }
}

function written({ first, last, made }: Told, preview: number, keys: number): string {
  const lines = [first, `Size: ${made.content.byteLength} bytes (~${made.tokens} tokens).`]
  const { length } = made.preview
  const begun = length <= preview ? made.preview : preview === 0 ? '' : `${head(made.preview, preview)}...`
  return [...lines, ...top(made, keys), ...(begun === '' ? [] : [`Preview: ${begun}`]), last].join('\n')
}

function top({ keys, keyCount = 0, elements }: Export, room: number): string[] {
  if (elements !== undefined) return [`Elements: ${formatCount(elements)}`]
  if (keys === undefined) return []
  const shown: string[] = []
  let left = room
  for (const key of keys) {
    const name = ellipsis(
      key.replaceAll(/[\s\p{Cc}]+/gu, ' ').replaceAll(/\p{Cs}/gu, '\uFFFD'),
      Math.min(left, 40),
    )
    left -= name.length + 2
    if (name === '') break
    shown.push(name)
    if (left <= 0) break
  }
  if (shown.length === keyCount) return [`Top-level keys: [${shown.join(', ')}]`]
  return [`Top-level keys: [${[...shown, `… ${formatCount(keyCount)} in all`].join(', ')}]`]
}
