/** `proxySettings` of the exposure `dispatch`: results in files, and how they are read back. */

import * as z from 'zod'
import { flag, integer, names, oneOf, text } from '../../config/option.ts'

/** Whether calls through one tool can be told apart by what they may do. */
export const variants = oneOf(
  ['single', 'readWriteDestructive'],
  'single: one tool that calls all others. readWriteDestructive: one each for tools that read, write and destroy, so that a client can approve only reads.',
)

export const dispatchSchema = z.object({
  variants: variants.default('single'),
  allow: names(
    'Tools that clients may use, in every exposure: `tool` or `server/tool`; `*` stands for any characters. Not set: all.',
  ).optional(),
  deny: names('Tools that no client may use, in every exposure, even if `allow` names them.').optional(),
})

export const spillSchema = z.object({
  threshold: integer('The proxy writes each result with a longer text to a file. 0: never.', {
    unit: 'bytes',
    min: 0,
    max: 1_000_000_000,
  }).default(0),
  format: oneOf(
    ['json', 'toon'],
    'The format of data in files if there is a threshold. The proxy measures data in this format.',
  ).default('json'),
  dir: text('The directory of the files; each process has a folder in it. Not set: in `dataDir`.').optional(),
  allowDirs: names(
    'Other directories from which `readresult`, `argumentsFile` and `{"$file": …}` in arguments may read.',
  ).default([]),
})

export const readbackSchema = z.object({
  maxChars: integer('The longest answer of `readresult`.', {
    unit: 'characters',
    min: 200,
    max: 10_000_000,
  }).default(16_000),
  grepMaxMatches: integer('The most matches in an answer of its grep.', {
    unit: 'lines',
    min: 1,
    max: 10_000,
  }).default(20),
  aliases: flag(
    'true: its operations are also tools (`result_stat`, `result_head` and so on), for models that work better with them.',
  ).default(false),
})

export const utilsSchema = z.object({
  enabled: flag('A server of the proxy itself, called `utils`, that reads files in `utils.root`.').default(
    false,
  ),
  root: text(
    'The directory that `utils` may use. It also reads in `spill.allowDirs`. Neither set: `utils` in `dataDir`.',
  ).optional(),
  write: flag('true: `utils` may also write, append to and delete files there.').default(false),
})
