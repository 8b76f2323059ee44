import * as z from 'zod'
import { integer, oneOf, text } from '../../config/option.ts'

/** Options of the module `translate`. */
export const translateOptions = z.object({
  to: text('The language to translate to: `de`, `French`.'),
  from: text('The language of the texts. Not set: the service detects it.').optional(),
  in: z
    .array(oneOf(['descriptions', 'results', 'prompts', 'resources'], 'A place of texts.'))
    .min(1)
    .meta({
      description:
        'What to translate: descriptions and titles in lists, results of tools, prompts, resources.',
      allowed: 'a list of: descriptions, results, prompts, resources',
    })
    .default(['descriptions']),
  url: text(
    'The address of the service: LibreTranslate (`…/translate`), or an OpenAI-compatible API (`…/v1`).',
  ),
  kind: oneOf(
    ['libretranslate', 'openai'],
    'The interface of the service. Not set: openai if `model` is set.',
  ).optional(),
  model: text('The model that translates.').optional(),
  apiKey: text('The key for the service, best as ${NAME}.').optional(),
  headers: z
    .record(z.string().min(1), z.string())
    .meta({ description: 'HTTP headers sent to it.' })
    .optional(),
  maxLength: integer('The longest text to translate. Longer texts stay unchanged.', {
    unit: 'characters',
    min: 1,
    max: 1_000_000,
  }).default(5_000),
  cacheEntries: integer(
    'The most translations that the module remembers. It remembers translations of descriptions from one run to the next.',
    {
      unit: 'texts',
      min: 0,
      max: 1_000_000,
    },
  ).default(10_000),
  listWaitMs: integer(
    'How long a list waits for translations. After that the other texts go out untranslated, and clients get a notification when more are ready.',
    { unit: 'milliseconds', min: 0, max: 600_000 },
  ).default(2_000),
  requestTimeoutMs: integer('How long the service may take.', {
    unit: 'milliseconds',
    min: 100,
    max: 600_000,
  }).default(20_000),
})
