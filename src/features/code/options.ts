/** `proxySettings.code`: programs of models, and what they may take and do. */

import * as z from 'zod'
import { flag, integer, oneOf, text } from '../../config/option.ts'

const MEBIBYTE = 1024 * 1024

/** Questions of programs to a model. */
const askSchema = z.object({
  by: oneOf(
    ['nobody', 'service', 'client'],
    'Where `ask` and `askEach` of programs get answers. service: from the service at `url`. client: from the model of a client that offers sampling.',
  ).default('nobody'),
  url: text('The address of an OpenAI-compatible API (`…/v1`).').optional(),
  model: text('The model that answers.').optional(),
  apiKey: text('The key for the service, best as ${NAME}.').optional(),
  headers: z
    .record(z.string().min(1), z.string())
    .meta({ description: 'HTTP headers sent to it.' })
    .optional(),
  maxCalls: integer('The most questions of a program. Questions with a remembered answer do not count.', {
    unit: 'questions',
    min: 1,
    max: 100_000,
  }).default(500),
  callsAtOnce: integer('The most questions of a program at the same time.', {
    unit: 'questions',
    min: 1,
    max: 32,
  }).default(8),
  maxLength: integer('The longest question with its data.', {
    unit: 'characters',
    min: 100,
    max: 900_000,
  }).default(100_000),
  answerTokens: integer('The longest answer.', { unit: 'tokens', min: 1, max: 16_000 }).default(1_000),
  maxTokens: integer('The most tokens of a program, for questions and answers.', {
    unit: 'tokens',
    min: 1,
    max: 1_000_000_000,
  }).default(500_000),
  tokensPerDay: integer('The most tokens of all programs on a day (UTC), while the proxy runs.', {
    unit: 'tokens',
    min: 1,
    max: 1_000_000_000,
  }).default(5_000_000),
  remembered: integer(
    'The most answers that the proxy remembers. It sends the same question of the same client only once.',
    {
      unit: 'answers',
      min: 0,
      max: 100_000,
    },
  ).default(2_000),
  requestTimeoutMs: integer('How long the service may take for an answer.', {
    unit: 'milliseconds',
    min: 100,
    max: 600_000,
  }).default(60_000),
})

export type AskSettings = z.output<typeof askSchema>

export const codeSchema = z.object({
  enabled: flag(
    'A tool `proxy_code` (action `code` in the exposure `dispatch`): a model runs a JavaScript program over what is kept, in a sandbox.',
  ).default(true),
  calls: oneOf(
    ['readOnly', 'all'],
    'Which tools a program may call: tools that declare `readOnlyHint: true`, or all. With all, the client asks a person before each call of a tool that may destroy something. If it cannot ask, the call is refused.',
  ).default('readOnly'),
  cpuMs: integer('How long a program may compute.', { unit: 'milliseconds', min: 100, max: 600_000 }).default(
    10_000,
  ),
  timeoutMs: integer('How long a program may take in all, with the tools that it calls.', {
    unit: 'milliseconds',
    min: 100,
    max: 3_600_000,
  }).default(60_000),
  personMs: integer(
    'How long a program may wait in all for a person, or for the model of the client, beside `timeoutMs`.',
    { unit: 'milliseconds', min: 100, max: 3_600_000 },
  ).default(300_000),
  ask: askSchema
    .refine(({ by, url }) => by !== 'service' || url !== undefined, {
      path: ['url'],
      message: 'the service needs its address',
    })
    .prefault({})
    .meta({ description: 'Questions of programs to a model.' }),
  memoryMb: integer('Memory of a program.', { unit: 'MB', min: 8, max: 1024 }).default(64),
  maxCalls: integer('Calls of tools that a program may make.', {
    unit: 'calls',
    min: 0,
    max: 10_000,
  }).default(50),
  callsAtOnce: integer('The most of these calls at the same time.', {
    unit: 'calls',
    min: 1,
    max: 100,
  }).default(8),
  bridgeBytes: integer('The most data into and out of a program, as JSON.', {
    unit: 'characters',
    min: 10_000,
    max: 256 * MEBIBYTE,
  }).default(20_000_000),
  consoleBytes: integer('The most text that a program may write to its console.', {
    unit: 'characters',
    min: 0,
    max: 16 * MEBIBYTE,
  }).default(65_536),
  consoleShown: integer('The most of that text in a reply.', {
    unit: 'characters',
    min: 0,
    max: 100_000,
  }).default(2048),
  machines: integer('The most programs that run at the same time. Others wait; agents take turns.', {
    unit: 'programs',
    min: 1,
    max: 64,
  }).default(4),
})

export type CodeSettings = z.output<typeof codeSchema>
