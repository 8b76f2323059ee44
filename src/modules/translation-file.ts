/** Translations of what servers list, kept between runs. Texts of results are not: they are nobody's but who asked. */
import { readFileSync } from 'node:fs'
import { writeDurably } from '../config/private-file.ts'
import { isObject } from '../protocol/json.ts'

type Entries = readonly (readonly [key: string, translation: string])[]

/** Characters of a file that are worth keeping. */
const MOST_CHARACTERS = 8_000_000

/** `made`: what made them; those of another service or language are none. Empty where there are none. */
export function readTranslations(file: string, made: string): Entries {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isObject(value) || value.made !== made || !Array.isArray(value.entries)) return []
    return value.entries.filter(
      (entry): entry is [string, string] =>
        Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string',
    )
  } catch {
    return []
  }
}

/** Whole or not at all; the latest where all would be too many. Throws when nothing can be written. */
export function writeTranslations(file: string, made: string, entries: Entries): void {
  let characters = 0
  const kept = entries.toReversed().filter(([key, translation]) => {
    characters += key.length + translation.length
    return characters <= MOST_CHARACTERS
  })
  writeDurably(file, JSON.stringify({ made, entries: kept.reverse() }))
}
