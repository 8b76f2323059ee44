/** `proxySettings.retrieve`: how tools are found in the exposure of that name. */
import * as z from 'zod'
import { flag, integer, oneOf, text } from './option.ts'

export const retrieveSchema = z.object({
  routing: oneOf(
    ['call', 'dynamic'],
    'How a tool that was found is run: by call_tool (call), or as a tool of its own that is added to the list (dynamic).',
    { spellings: { call_tool: 'call' } },
  ).default('call'),
  engine: oneOf(
    ['bm25', 'hf', 'openai', 'hybrid'],
    'How tools are found: by words (bm25), by meaning with a model of this machine (hf) or of a server (openai), or by both (hybrid).',
  ).default('bm25'),
  model: text(
    'The model that embeds tools and questions. Not set: all-MiniLM-L6-v2 (hf), text-embedding-3-small (openai).',
  ).optional(),
  vectorStore: text(
    'Address of a Postgres with pgvector for the vectors of tools (postgres://…). Not set: a file in `dataDir`.',
  ).optional(),
  topK: z
    .union([z.int().min(1).max(50), z.literal('adaptive')])
    .meta({
      description: 'How many tools a question gives. adaptive: as many as are nearly as good as the best.',
      allowed: 'a whole number from 1 to 50, or adaptive',
    })
    .default(5),
  toolsLimit: integer('The most tools added to the list of one client (dynamic); the least useful leaves.', {
    unit: 'tools',
    min: 1,
    max: 100,
  }).default(15),
  listWithinTokens: integer(
    'List all tools as they are while their definitions have no more tokens than this. 0: never.',
    { unit: 'tokens', min: 0, max: 1_000_000 },
  ).default(0),
  splitCalls: flag(
    'Offer call_tool_read, call_tool_write and call_tool_destructive in place of call_tool, so that a client can approve reads alone.',
  ).default(false),
})
