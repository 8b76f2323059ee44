/** Signs behind the words of a task, as the plugin Tasks of Obsidian writes them: `Write it #work ⏫ 📅 2025-11-03`. */
import type { JsonObject } from '../../protocol/json.ts'

const DATES: Readonly<Record<string, string>> = {
  '📅': 'due',
  '⏳': 'scheduled',
  '🛫': 'start',
  '➕': 'created',
  '✅': 'completed',
  '❌': 'cancelled',
}
const PRIORITIES: Readonly<Record<string, string>> = {
  '🔺': 'highest',
  '⏫': 'high',
  '🔼': 'medium',
  '🔽': 'low',
  '⏬': 'lowest',
}
const signsOf = (names: Readonly<Record<string, string>>): string => Object.keys(names).join('|')
const DATED = new RegExp(
  String.raw`(${signsOf(DATES)})\uFE0F?[ \t]{0,3}(\d{4}-\d\d-\d\d)(?![\p{L}\p{N}])`,
  'gu',
)
const URGENT = new RegExp(String.raw`(?<=[ \t])(${signsOf(PRIORITIES)})\uFE0F?(?=[ \t]|$)`, 'u')
const AGAIN = /(?<=[ \t])🔁\uFE0F?[ \t]{0,3}([\p{L}\p{N}]{1,30}(?: [\p{L}\p{N}]{1,30}){0,8})/u
const TAG = /(?<![^ \t])#(\p{L}[\p{L}\p{N}_/-]{0,80})/gu

/** The fields that the signs of a task say. They stay in its title as well, where they may be looked for. */
export function signsIn(said: string): JsonObject {
  const fields: JsonObject = {}
  for (const [, sign = '', day = ''] of said.matchAll(DATED)) fields[DATES[sign] ?? sign] ??= day
  const [, urgent] = URGENT.exec(said) ?? []
  if (urgent !== undefined) fields.priority = PRIORITIES[urgent] ?? urgent
  const [, recurrence] = AGAIN.exec(said) ?? []
  if (recurrence !== undefined) fields.recurrence = recurrence
  const tags = Array.from(said.matchAll(TAG), ([, tag = '']) => tag)
  return tags.length === 0 ? fields : { ...fields, tags }
}
