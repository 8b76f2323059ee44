import * as z from 'zod'
import { type DeepReadonly, flag, integer, names, oneOf, text } from '../../config/option.ts'

/** `{ "use": "shape" }` has no options: it says where in the list large results become previews. */
export const shapeOptions = z.object({})

/** Sizes, which can be said for all tools and for some. */
const maxResponseSize = integer(
  'The longest result that passes unchanged. The proxy keeps a longer one, and sends a preview.',
  { unit: 'characters', min: 200, max: 100_000_000 },
)
const previewSize = integer('The size of a preview. Never more than `maxResponseSize`.', {
  unit: 'characters',
  min: 200,
  max: 1_000_000,
})
const maxBlobSize = integer(
  'The largest file, sound or base64 text that stays in a result. The proxy keeps a larger one, and sends a link and a summary of its content.',
  { unit: 'bytes', min: 1024, max: 1_000_000_000 },
)
const maxImageSize = integer(
  'The same for pictures. Most providers accept no picture that is larger than the default.',
  { unit: 'bytes', min: 1024, max: 1_000_000_000 },
)
const images = oneOf(
  ['shrink', 'link', 'pass'],
  'What happens to a picture over `maxImageSize`. shrink: the proxy keeps it, and sends a link and, if the package `sharp` is installed, a small copy. link: it sends only the link. pass: the picture stays in the result.',
)
const structured = oneOf(
  ['drop', 'keep'],
  'Whether tools keep `outputSchema` and `structuredContent`. drop: the proxy lists no schema, writes a preview only into `content`, and drops structured content that repeats the text. Tools with an interface keep both.',
)
const repeats = oneOf(
  ['preview', 'unchanged', 'changes'],
  'The reply when a client repeats a call and the result is large. preview: the preview again. unchanged: a few lines if the result is the same. changes: also the changes, if they are clearly shorter than a preview; for a page in a browser, the changes since the last snapshot. The proxy always keeps the whole result.',
)

/** The settings that can be given for the results of single tools. An absent setting is as for all. */
export const resultOptions = z.object({
  maxResponseSize: maxResponseSize.optional(),
  previewSize: previewSize.optional(),
  maxBlobSize: maxBlobSize.optional(),
  maxImageSize: maxImageSize.optional(),
  images: images.optional(),
  structured: structured.optional(),
  repeats: repeats.optional(),
  whole: flag('true: results pass unchanged, whatever their size. The proxy does not keep them.').optional(),
  all: flag(
    'true: if the tool only reads, the proxy follows the pages of a collection, and the result is all of them.',
  ).optional(),
  fields: names(
    'The fields of each record that a reply shows, as in `proxy_filter`. The proxy keeps the whole result under the `cache_id` in the reply.',
  ).optional(),
})

/** Settings for the results of one tool. */
export type ResultSettings = DeepReadonly<z.output<typeof resultOptions>>

/** A map of them by patterns for names of tools. */
export function resultPatterns(description: string) {
  return z.record(z.string().min(1), resultOptions).meta({
    description,
    allowed: `an object with ${Object.keys(resultOptions.shape)
      .map((name) => `\`${name}\``)
      .join(', ')} for each pattern`,
  })
}

/** `proxySettings`: how long a result may be, and what stands in its place. */
export const shapeSettings = {
  maxResponseSize: maxResponseSize.default(8_000),
  maxResponseTokens: integer('The same limit in tokens. If you set both, the lower one applies.', {
    unit: 'tokens',
    min: 50,
    max: 50_000_000,
  }).optional(),
  wholeTokens: integer(
    'The most tokens of a longer result that passes whole, because a preview and a question would cost more. This applies to prose and source code, and to records that fit `maxResponseSize` as a table. 0: never. If you set `maxResponseSize` or `maxResponseTokens`, the default is 0.',
    { unit: 'tokens', min: 0, max: 1_000_000 },
  ).default(4_000),
  maxErrorSize: integer('The longest error text of a tool that passes unchanged.', {
    unit: 'characters',
    min: 200,
    max: 100_000_000,
  }).default(32_000),
  previewSize: previewSize.default(2_000),
  maxBlobSize: maxBlobSize.default(16_384),
  maxImageSize: maxImageSize.default(3_750_000),
  images: images.default('shrink'),
  keepSmallResults: flag(
    'true: the proxy also keeps results that pass unchanged, and does not change their replies. The agent can then list, find and ask about everything that it saw.',
  ).default(false),
  shapeResources: flag(
    'true: the proxy treats resources like results of tools, except interfaces (`ui://`). false: resources pass unchanged, for clients that show them to people.',
  ).default(true),
  enableAutoTruncation: flag('false: every result passes unchanged, whatever its size.').default(true),
  structured: structured.default('drop'),
  repeats: repeats.default('changes'),
  results: resultPatterns(
    'Settings for the results of single tools: `{ "github/list_*": { "maxResponseSize": 20000 } }`. Names as in `dispatch.allow`. The last pattern that fits wins, and `results` of a server win over these.',
  ).default({}),
  holdout: integer(
    'Every n-th result that would get a preview passes whole, and the proxy does not keep it. `stats` and the console compare the two groups, to measure what previews save. Such a result fills the context of the model with its full size. 0: none.',
    { unit: 'results', min: 0, max: 1_000_000 },
  ).default(0),
  truncationMessage: text(
    'Replaces the first line of a preview. The proxy fills in {cache_id}, {size}, {tokens} and {limit}.',
  ).optional(),
}
