/** `proxySettings.retrieve` and `proxySettings.index`: how tools are offered by what they do, and how they are found. */

import * as z from 'zod'
import { flag, integer, number, oneOf, text } from '../../config/option.ts'

/** How long a registered tool stays: by its score and by its last use. */
const poolSchema = z.object({
  scoreWeight: number('The weight of the score of the last search (dynamic).', {
    min: 0,
    max: 1,
  }).default(0.7),
  freshnessWeight: number('The weight of the last time that the tool was found or called (dynamic).', {
    min: 0,
    max: 1,
  }).default(0.3),
  maxAgeSeconds: integer('How long a use of a tool keeps its weight.', {
    unit: 'seconds',
    min: 1,
    max: 31_536_000,
  }).default(1_800),
})

export const retrieveSchema = z.object({
  routing: oneOf(
    ['call', 'dynamic'],
    'How the model runs a found tool. call: with call_tool. dynamic: the proxy adds the tool to the list of the client.',
    { spellings: { call_tool: 'call' } },
  ).default('call'),
  topK: z
    .union([z.int().min(1).max(50), z.literal('adaptive')])
    .meta({
      description:
        'The number of tools in an answer. adaptive: all tools that score nearly as well as the best.',
      allowed: 'a whole number from 1 to 50, or adaptive',
    })
    .default(5),
  detail: oneOf(
    ['compact', 'full'],
    'What an answer shows for each tool (with routing call). compact: its signature in one line. full: its whole input schema.',
  ).default('compact'),
  variants: oneOf(
    ['single', 'readWriteDestructive'],
    'single: one call_tool. readWriteDestructive: call_tool_read, call_tool_write and call_tool_destructive, so that a client can approve only reads.',
  ).default('single'),
  poolLimit: integer(
    'The most tools that the proxy adds to the list of one client (dynamic). When the list is full, the least useful one leaves.',
    {
      unit: 'tools',
      min: 1,
      max: 100,
    },
  ).default(15),
  pool: poolSchema.prefault({}).meta({ description: 'Which tool leaves a full list (dynamic).' }),
  listWithinTokens: integer(
    'List all tools as passthrough does, as long as their definitions have no more tokens than this. 0: never.',
    { unit: 'tokens', min: 0, max: 1_000_000 },
  ).default(0),
  listChangedExec: text(
    'A shell command that runs after the list of tools changed, for clients that ignore the notification.',
  ).optional(),
  listChangedExecTimeoutMs: integer('How long that command may take.', {
    unit: 'milliseconds',
    min: 100,
    max: 600_000,
  }).default(5_000),
})

export const indexSchema = z.object({
  engine: oneOf(
    ['static', 'words', 'hf', 'openai', 'hybrid'],
    'How the proxy finds tools. static: by words and a table of word vectors that comes with the proxy. words: only by words. hf: by meaning, with a model on this machine. openai: by meaning, with the model of a server. hybrid: by words, such a model and the table.',
    { spellings: { bm25: 'words' } },
  ).default('static'),
  languages: z
    .array(oneOf(['en', 'de', 'es', 'fr', 'it', 'pt'], 'A language.'))
    .meta({
      description:
        'Languages of questions and tools. For languages besides English, static adds a second table of word vectors, which comes with the proxy.',
      allowed: 'a list of en, de, es, fr, it and pt',
    })
    .default(['en']),
  model: text(
    'The model that embeds tools and questions. Not set: all-MiniLM-L6-v2 (hf), text-embedding-3-small (openai). hf also takes the path of a folder with a model, absolute or, with ./, from the folder of the configuration.',
  ).optional(),
  learn: flag(
    'Tools that clients called after similar questions move up in answers (retrieve), for all clients of a profile. `dataDir` keeps this for 90 days, without the questions; `resetData` deletes it.',
  ).default(false),
  vectorStore: text(
    'Address of a Postgres with pgvector for the vectors of tools (postgres://…). Not set: a file in `dataDir`.',
  ).optional(),
})
