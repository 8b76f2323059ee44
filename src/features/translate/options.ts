import * as z from 'zod'
import { integer, oneOf, text } from '../../config/option.ts'

/** Options of the module `translate`. */
export const translateOptions = z.object({
  to: text('The language to translate to: `de`, `French`.'),
  from: text('The language it is in. Not set: the service finds out.').optional(),
  in: z
    .array(oneOf(['descriptions', 'results', 'prompts', 'resources'], 'A place of texts.'))
    .min(1)
    .meta({
      description:
        'What is translated: descriptions and titles of what is listed, results of tools, prompts, resources.',
      allowed: 'a list of: descriptions, results, prompts, resources',
    })
    .default(['descriptions']),
  url: text(
    'The address of the service: of LibreTranslate (`…/translate`) or of an API as OpenAI has it (`…/v1`).',
  ),
  kind: oneOf(
    ['libretranslate', 'openai'],
    'What the service speaks. Not set: openai when there is a model.',
  ).optional(),
  model: text('The model that translates.').optional(),
  apiKey: text('The key for the service, best as ${NAME}.').optional(),
  headers: z
    .record(z.string().min(1), z.string())
    .meta({ description: 'HTTP headers sent to it.' })
    .optional(),
  maxLength: integer('The longest text that is translated; longer ones stay as they are.', {
    unit: 'characters',
    min: 1,
    max: 1_000_000,
  }).default(5_000),
  cacheEntries: integer(
    'Translations that are remembered; those of descriptions also from one run to the next.',
    {
      unit: 'texts',
      min: 0,
      max: 1_000_000,
    },
  ).default(10_000),
  listWaitMs: integer(
    'How long a list waits for translations. What is not there by then goes out as it is, and clients are told when there is more.',
    { unit: 'milliseconds', min: 0, max: 600_000 },
  ).default(2_000),
  requestTimeoutMs: integer('How long the service may take.', {
    unit: 'milliseconds',
    min: 100,
    max: 600_000,
  }).default(20_000),
})
