import * as z from 'zod'
import { type DeepReadonly, flag, integer, names, oneOf, text } from '../../config/option.ts'

/** `{ "use": "shape" }` has no options: it says where in the list large results become previews. */
export const shapeOptions = z.object({})

/** Sizes, which can be said for all tools and for some. */
const maxResponseSize = integer(
  'The longest result that passes unchanged. Longer ones are kept, and a preview is sent.',
  { unit: 'characters', min: 200, max: 100_000_000 },
)
const previewSize = integer('The size of a preview. Never more than `maxResponseSize`.', {
  unit: 'characters',
  min: 200,
  max: 1_000_000,
})
const maxBlobSize = integer(
  'The largest file, sound or base64 in a text that stays in a result. Larger ones are kept, and a link and what is inside are sent.',
  { unit: 'bytes', min: 1024, max: 1_000_000_000 },
)
const maxImageSize = integer(
  'The same for pictures. The models of most providers take none that is larger than the default.',
  { unit: 'bytes', min: 1024, max: 1_000_000_000 },
)
const images = oneOf(
  ['shrink', 'link', 'pass'],
  'What becomes of pictures over `maxImageSize`. shrink: they are kept, with a link, and shown as small as models look at them, where the package `sharp` is installed. link: the link alone. pass: they stay in the result.',
)
const structured = oneOf(
  ['drop', 'keep'],
  'Whether tools keep `outputSchema` and `structuredContent`. drop: no schema is listed, a preview stands in `content` alone, and structured content that repeats the text is not sent. Tools with an interface keep both.',
)
const repeats = oneOf(
  ['preview', 'unchanged', 'changes'],
  'What a client gets that calls a tool again with the same arguments and gets a large result. unchanged: a few lines where the result is as it was. changes: as well what changed since, where that is clearly shorter than a preview; of a page in a browser, what changed since the last snapshot. preview: the preview again. The whole result is kept in any case.',
)

/** What can be said for the results of single tools. What is absent is as for all. */
export const resultOptions = z.object({
  maxResponseSize: maxResponseSize.optional(),
  previewSize: previewSize.optional(),
  maxBlobSize: maxBlobSize.optional(),
  maxImageSize: maxImageSize.optional(),
  images: images.optional(),
  structured: structured.optional(),
  repeats: repeats.optional(),
  whole: flag('true: results pass unchanged, whatever their size, and are not kept.').optional(),
  all: flag(
    'true: the pages of a collection are followed, where the tool only reads, and the result is all of them.',
  ).optional(),
  fields: names(
    'The fields of each record that a reply shows, as in `proxy_filter`. The whole is kept under the `cache_id` in the reply.',
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
  maxResponseTokens: integer(
    'The same limit in tokens. Where both are given, the one that is reached first counts.',
    {
      unit: 'tokens',
      min: 50,
      max: 50_000_000,
    },
  ).optional(),
  wholeTokens: integer(
    'The most tokens of a longer result that passes whole because a preview and a question would cost more: text without parts to ask for, such as prose and source code, and records that fit `maxResponseSize` as a table. 0: none does, as where `maxResponseSize` or `maxResponseTokens` is set and this is not.',
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
    'true: results that pass unchanged are kept as well, and replies stay as they are: what was seen can be listed, found and asked again.',
  ).default(false),
  shapeResources: flag(
    'false: what `resources/read` answers passes unchanged, for clients that show resources to people. Otherwise it is shaped as results of tools are, but for interfaces (`ui://`).',
  ).default(true),
  enableAutoTruncation: flag('false: every result passes unchanged, whatever its size.').default(true),
  structured: structured.default('drop'),
  repeats: repeats.default('changes'),
  results: resultPatterns(
    'Settings for the results of single tools: `{ "github/list_*": { "maxResponseSize": 20000 } }`. Names as in `dispatch.allow`; the last pattern that fits wins, and `results` of a server over these.',
  ).default({}),
  holdout: integer(
    'Every n-th result that would get a preview passes whole and is not kept, so that what previews save can be measured against it (`stats`, and the console). Such a result goes into the context of the model in its full size. 0: none.',
    { unit: 'results', min: 0, max: 1_000_000 },
  ).default(0),
  truncationMessage: text(
    'Replaces the first line of a preview. {cache_id}, {size}, {tokens} and {limit} are filled in.',
  ).optional(),
}
