/** `proxySettings` of the exposure `dispatch`: results in files, and how they are read back. */

import * as z from 'zod'
import { flag, integer, names, oneOf, text } from '../../config/option.ts'

/** Whether calls through one tool can be told apart by what they may do. */
export const variants = oneOf(
  ['single', 'readWriteDestructive'],
  'One tool that calls all others, or one each for tools that read, write and destroy, so that a client can approve reads alone.',
)

export const dispatchSchema = z.object({
  variants: variants.default('single'),
  allow: names(
    'Tools that may be used, in every exposure: `tool`, `server/tool`, `*` for any characters. Not set: all.',
  ).optional(),
  deny: names('Tools that may not be used, in every exposure, also where `allow` names them.').optional(),
})

export const spillSchema = z.object({
  threshold: integer('Results with a longer text go to a file by themselves. 0: never.', {
    unit: 'bytes',
    min: 0,
    max: 1_000_000_000,
  }).default(0),
  format: oneOf(
    ['json', 'toon'],
    'How data is written, before it is measured, while there is a threshold.',
  ).default('json'),
  dir: text('Where the files lie, in a directory of each process. Not set: in `dataDir`.').optional(),
  allowDirs: names(
    'Other directories from which `readresult`, `argumentsFile` and `{"$file": …}` in arguments may read.',
  ).default([]),
})

export const readbackSchema = z.object({
  maxChars: integer('The most that `readresult` gives at once.', {
    unit: 'characters',
    min: 200,
    max: 10_000_000,
  }).default(16_000),
  grepMaxMatches: integer('The most matches that its grep gives.', {
    unit: 'lines',
    min: 1,
    max: 10_000,
  }).default(20),
  aliases: flag(
    'Its operations are tools as well: `result_stat`, `result_head` and so on, for models that do better with them.',
  ).default(false),
})

export const utilsSchema = z.object({
  enabled: flag('A server of the proxy itself, called `utils`, that reads files in `utils.root`.').default(
    false,
  ),
  root: text(
    'The directory that `utils` may use. It also reads in `spill.allowDirs`. Neither set: `utils` in `dataDir`.',
  ).optional(),
  write: flag('`utils` may also write, append to and delete files there.').default(false),
})
