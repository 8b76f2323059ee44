/** `proxySettings.retrieve` and `proxySettings.index`: how tools are offered by what they do, and how they are found. */

import * as z from 'zod'
import { flag, integer, number, oneOf, text } from '../../config/option.ts'

/** What a registered tool is worth (seed S1: 0.7 of its score and 0.3 of its freshness, over 1,800 seconds). */
const poolSchema = z.object({
  scoreWeight: number('How much the score of the last search counts for a tool in the list (dynamic).', {
    min: 0,
    max: 1,
  }).default(0.7),
  freshnessWeight: number('How much it counts that a tool was found or called lately.', {
    min: 0,
    max: 1,
  }).default(0.3),
  maxAgeSeconds: integer('How long a use of a tool counts as lately.', {
    unit: 'seconds',
    min: 1,
    max: 31_536_000,
  }).default(1_800),
})

export const retrieveSchema = z.object({
  routing: oneOf(
    ['call', 'dynamic'],
    'How a tool that was found is run: by call_tool (call), or as a tool of its own that is added to the list (dynamic).',
    { spellings: { call_tool: 'call' } },
  ).default('call'),
  topK: z
    .union([z.int().min(1).max(50), z.literal('adaptive')])
    .meta({
      description: 'How many tools an answer holds. adaptive: as many as are nearly as good as the best.',
      allowed: 'a whole number from 1 to 50, or adaptive',
    })
    .default(5),
  detail: oneOf(
    ['compact', 'full'],
    'What an answer shows of each tool (call): its signature in one line, or its whole input schema.',
  ).default('compact'),
  variants: oneOf(
    ['single', 'readWriteDestructive'],
    'One call_tool, or call_tool_read, call_tool_write and call_tool_destructive in its place, so that a client can approve reads alone.',
  ).default('single'),
  poolLimit: integer('The most tools added to the list of one client (dynamic); the least useful leaves.', {
    unit: 'tools',
    min: 1,
    max: 100,
  }).default(15),
  pool: poolSchema.prefault({}).meta({ description: 'Which tool leaves a list that is full (dynamic).' }),
  listWithinTokens: integer(
    'List all tools as they are while their definitions have no more tokens than this. 0: never.',
    { unit: 'tokens', min: 0, max: 1_000_000 },
  ).default(0),
  listChangedExec: text(
    'A command for the shell that runs after the list of tools changed, for clients that do not hear of it.',
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
    'How tools are found: by words and a table of word vectors that comes with the proxy (static), by words alone (words), by meaning with a model of this machine (hf) or of a server (openai), or by words and such a model (hybrid).',
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
    'Moves tools that were called after similar questions up among the tools that are found (retrieve), for all clients of a profile. Kept in `dataDir` for 90 days, without the questions; `resetData` forgets it.',
  ).default(false),
  vectorStore: text(
    'Address of a Postgres with pgvector for the vectors of tools (postgres://…). Not set: a file in `dataDir`.',
  ).optional(),
})
