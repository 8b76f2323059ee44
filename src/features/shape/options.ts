import * as z from 'zod'
import { flag, integer, oneOf, text } from '../../config/option.ts'

/** `{ "use": "shape" }` has no options: it says where in the list large results become previews. */
export const shapeOptions = z.object({})

/** `proxySettings`: how long a result may be, and what stands in its place. */
export const shapeSettings = {
  maxResponseSize: integer(
    'The longest result that passes unchanged. Longer ones are kept, and a preview is sent.',
    {
      unit: 'characters',
      min: 200,
      max: 100_000_000,
    },
  ).default(8_000),
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
  previewSize: integer('The size of a preview. Never more than `maxResponseSize`.', {
    unit: 'characters',
    min: 200,
    max: 1_000_000,
  }).default(2_000),
  enableAutoTruncation: flag('false: every result passes unchanged, whatever its size.').default(true),
  structured: oneOf(
    ['drop', 'keep'],
    'Whether tools keep `outputSchema` and `structuredContent`. drop: no schema is listed, a preview stands in `content` alone, and structured content that repeats the text is not sent. Tools with an interface keep both.',
  ).default('drop'),
  truncationMessage: text(
    'Replaces the first line of a preview. {cache_id}, {size}, {tokens} and {limit} are filled in.',
  ).optional(),
}
