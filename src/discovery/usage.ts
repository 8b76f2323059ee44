/**
 * Knowledge from use: after which questions a tool was called. It moves that tool up among the tools that a similar question finds,
 * within a limit, and removes none. Of a question only numbers of its words are kept.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import * as z from 'zod'
import type { Logger } from '../observe/log.ts'
import { hasCode, messageOf } from '../protocol/errors.ts'
import { wordsOf } from '../text/words/words.ts'
import { replaceFile } from './own-files.ts'

export interface Usage {
  /** An agent asked, and was told these tools for each question. */
  found(who: Who, answers: ReadonlyMap<string, readonly string[]>): void
  /** It called a tool, and that went well: what it asked last for it is learned. */
  called(who: Who, tool: string): void
  /** The tools that the questions found, with the tools that were called after like ones moved up. */
  order<T extends Scored>({ profile }: Who, questions: readonly string[], found: readonly T[]): T[]
  /** Waits for what is being saved. */
  close(): Promise<void>
}

/** The client that asks. All clients with one profile share what was learned. */
export interface Who {
  readonly agent: string
  readonly profile: string
}

/** A tool that was found, by the name that a client calls it by. */
interface Scored {
  readonly name: string
  readonly score: number
}

/** Tools that were called are remembered for this many questions, the latest, of this many profiles. */
const MOST = 500
const MOST_PROFILES = 50
const MOST_WORDS = 48
/** The most agents with a remembered last question, and milliseconds until a call no longer counts for it. */
const MOST_AGENTS = 1_000
const SOON_CALLED = 600_000
/** Ninety days, in milliseconds. */
const LONGEST = 90 * 24 * 3600_000
/** Milliseconds in which what is learned is gathered before it is saved. */
const SOON = 5_000

/** The share of words that questions need to have in common (the cosine of their words). */
const LEAST_ALIKE = 0.5
/** How far a tool moves up at most: past tools that are better by this part of the best score. */
const FARTHEST = 0.3

const lesson = z.object({
  words: z.array(z.int()).min(1).max(MOST_WORDS),
  tool: z.string().max(500),
  at: z.number(),
})
type Lesson = z.infer<typeof lesson>
const file = z.array(z.tuple([z.string().max(500), z.array(lesson).max(MOST)])).max(MOST_PROFILES)

interface UsageOptions {
  /** A file of this configuration; undefined: nothing outlives this run. */
  path: string | undefined
  /** Forgets what is in the file. */
  reset: boolean
  logger: Logger
  now?: () => number
}

/** A file that cannot be read counts as empty: what is learned is a help, not a record. */
export async function openUsage({ path, reset, logger, now = Date.now }: UsageOptions): Promise<Usage> {
  /** The latest lesson of a profile is its last, and the profile learned of last is the last. */
  const profiles = new Map<string, Lesson[]>(
    path === undefined || reset ? [] : await readLessons(path, logger),
  )
  const asked = new LRUCache<string, { answers: ReadonlyMap<string, readonly string[]>; at: number }>({
    max: MOST_AGENTS,
  })
  let timer: NodeJS.Timeout | undefined
  let saved: Promise<void> = Promise.resolve()

  function save(): void {
    clearTimeout(timer)
    timer = undefined
    if (path === undefined) return
    const text = JSON.stringify([...profiles])
    saved = saved
      .then(() => replaceFile(path, (partial) => writeFile(partial, text)))
      .catch((error: unknown) =>
        logger.warn({ error: messageOf(error) }, 'what was learned from use is not saved'),
      )
  }

  function learn(profile: string, question: string, tool: string): void {
    const words = numbersOf(question)
    if (words.length === 0) return
    const key = words.join()
    const others = (profiles.get(profile) ?? []).filter(
      (one) => now() - one.at < LONGEST && !(one.tool === tool && one.words.join() === key),
    )
    profiles.delete(profile)
    profiles.set(profile, [...others, { words, tool, at: now() }].slice(-MOST))
    const [oldest] = profiles.keys()
    if (profiles.size > MOST_PROFILES && oldest !== undefined) profiles.delete(oldest)
    timer ??= setTimeout(save, SOON).unref()
  }

  if (reset) save()
  return {
    found({ agent }, answers) {
      asked.set(agent, { answers, at: now() })
    },

    called({ agent, profile }, tool) {
      const last = asked.get(agent)
      if (last === undefined || now() - last.at >= SOON_CALLED) return
      for (const [question, tools] of last.answers) if (tools.includes(tool)) learn(profile, question, tool)
    },

    order({ profile }, questions, found) {
      const wanted = questions.map(numbersOf)
      const best = Math.max(0, ...found.map(({ score }) => score))
      const moved = new Map<string, number>()
      for (const { words, tool, at } of profiles.get(profile) ?? []) {
        if (now() - at >= LONGEST) continue
        const alike = Math.max(0, ...wanted.map((one) => likeness(one, words)))
        if (alike >= LEAST_ALIKE) moved.set(tool, Math.max(moved.get(tool) ?? 0, alike))
      }
      const worth = ({ name, score }: Scored): number => score + FARTHEST * best * (moved.get(name) ?? 0)
      return moved.size === 0 ? [...found] : found.toSorted((a, b) => worth(b) - worth(a))
    },

    async close() {
      if (timer !== undefined) save()
      await saved
    },
  }
}

async function readLessons(path: string, logger: Logger): Promise<z.infer<typeof file>> {
  try {
    return file.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    if (!hasCode(error, 'ENOENT'))
      logger.warn({ path, error: messageOf(error) }, 'what was learned from use is lost')
    return []
  }
}

/** The stems of a question as numbers, rising, each once (FNV-1a of 32 bits). */
function numbersOf(question: string): number[] {
  const stems = new Set(wordsOf(question).slice(0, MOST_WORDS))
  return [...new Set([...stems].map(numberOf))].sort((a, b) => a - b)
}

function numberOf(word: string): number {
  let number = 0x811c9dc5
  for (let at = 0; at < word.length; at++) number = Math.imul(number ^ word.charCodeAt(at), 0x01000193)
  return number >>> 0
}

/** Of rising numbers. */
function likeness(one: readonly number[], other: readonly number[]): number {
  let both = 0
  for (let left = 0, right = 0; left < one.length && right < other.length; ) {
    const [a, b] = [one[left] as number, other[right] as number]
    if (a === b) both++
    if (a <= b) left++
    if (b <= a) right++
  }
  return both === 0 ? 0 : both / Math.sqrt(one.length * other.length)
}
