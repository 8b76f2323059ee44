import { describe, expect, test } from 'vitest'
import { createTranslator, faithful, isProse } from '../../../../src/features/translate/index.ts'
import { WrongAnswer } from '../../../../src/features/translate/service.ts'
import { deferred } from '../../../support/deferred.ts'
import { verifies } from '../../../support/verifies.ts'

const never = new AbortController().signal
const upper = (texts: readonly string[]): string[] => texts.map((text) => text.toUpperCase())

describe('a translator', () => {
  test('asks for a text once, also while it is asked for', async () => {
    const asked: (readonly string[])[] = []
    const answer = deferred<void>()
    const one = createTranslator({
      entries: 10,
      service: async (texts) => {
        asked.push(texts)
        await answer.promise
        return upper(texts)
      },
    })
    const both = [one.learn(['a b', 'c d'], 's', never), one.learn(['c d', 'e f', 'c d'], 's', never)]
    answer.resolve()
    const [first, second] = await Promise.all(both)
    expect([...(first ?? [])]).toEqual([
      ['a b', 'A B'],
      ['c d', 'C D'],
    ])
    expect([second?.get('c d'), second?.get('e f')]).toEqual(['C D', 'E F'])
    expect(asked).toEqual([['a b', 'c d'], ['e f']])
    await one.learn(['a b'], 's', never)
    expect(asked).toHaveLength(2)
    // Another scope shares neither answers nor questions.
    expect(one.known('a b', 't')).toBeUndefined()
    await one.learn(['a b'], 't', never)
    expect(asked[2]).toEqual(['a b'])
  })

  test('who leaves ends what nobody else waits for, and nothing else', async () => {
    const signals: AbortSignal[] = []
    const answers = [deferred<void>(), deferred<void>()]
    const one = createTranslator({
      entries: 10,
      service: async (texts, signal) => {
        signals.push(signal)
        await answers[signals.length - 1]?.promise
        return upper(texts)
      },
    })
    const leaves = new AbortController()
    const left = one.learn(['a b'], 's', leaves.signal)
    const stays = one.learn(['a b'], 's', never)
    leaves.abort()
    await expect(left).rejects.toThrow('cancelled')
    expect(signals[0]?.aborted).toBe(false)
    answers[0]?.resolve()
    expect((await stays).get('a b')).toBe('A B')
    const alone = new AbortController()
    const gone = one.learn(['c d'], 's', alone.signal)
    alone.abort()
    await expect(gone).rejects.toThrow('cancelled')
    expect(signals[1]?.aborted).toBe(true)
    // It is asked for anew by who comes then.
    const again = one.learn(['c d'], 's', never)
    await expect.poll(() => signals.length).toBe(3)
    expect((await again).get('c d')).toBe('C D')
  })

  test('sends so many at once, in halves where an answer leaves some out, and remembers so many', async () => {
    const sizes: number[] = []
    const one = createTranslator({
      entries: 20,
      service: async (texts) => {
        sizes.push(texts.length)
        if (texts.includes('bad one') && texts.length > 1) throw new WrongAnswer('too few')
        return upper(texts)
      },
    })
    const texts = [...Array.from({ length: 60 }, (_, at) => `text ${at}`), 'bad one']
    const found = await one.learn(texts, 's', never)
    expect(found.size).toBe(61)
    expect(found.get('bad one')).toBe('BAD ONE')
    expect(Math.max(...sizes)).toBe(50)
    expect(one.entries()).toHaveLength(20)
    await expect(
      createTranslator({ entries: 1, service: async () => Promise.reject(new WrongAnswer('none')) }).learn(
        ['a b'],
        's',
        never,
      ),
    ).rejects.toThrow('none')
    const long = await one.learn(
      Array.from({ length: 5 }, (_, at) => `${at} `.repeat(5000)),
      's',
      never,
    )
    expect(long.size).toBe(5)
    expect(sizes.slice(-3).every((size) => size <= 2)).toBe(true)
  })
})

describe('what is a translation', () => {
  verifies('S2.26', 'code, names, addresses and placeholders are in it as they were', async () => {
    const text =
      'Use `read_file` first, see https://example.com/a?b=1. Replace {name}, %s and $HOME; pass --all or maxResults to /etc/hosts.'
    const kept = text.replace('Use', 'Nutze').replace('first', 'zuerst').replace('Replace', 'Ersetze')
    expect(faithful(text, kept)).toBe(kept)
    for (const [part, broken] of [
      ['`read_file`', '`lies_datei`'],
      ['https://example.com/a?b=1', 'https://example.de'],
      ['{name}', '{Name}'],
      ['%s', '% s'],
      ['$HOME', '$HEIM'],
      ['--all', '--jede'],
      ['maxResults', 'max. Ergebnisse'],
      ['/etc/hosts', '/usw/Gastgeber'],
    ] as const)
      expect(faithful(text, kept.replace(part, broken)), part).toBe(text)
  })

  verifies('S2.26', 'what is no answer to the text leaves it as it is', async () => {
    const text = 'Reads a file.'
    for (const answer of ['', '  ', 'x'.repeat(1000), 'Liest.\u202e', `Liest.\u{e0041}`, 'Liest\u001b[8m.'])
      expect(faithful(text, answer)).toBe(text)
    expect(faithful(text, 'Liest eine Datei.')).toBe('Liest eine Datei.')
  })

  test.each([
    ['Reads a file.', true],
    ['读取文件', true],
    ['ファイルを読む', true],
    ['파일 읽기', true],
    ['[Deprecated] Use another one.', true],
    ['{name} is greeted', true],
    ['{"a": "b c"}', false],
    ['["a b"]', false],
    ['read_file', false],
    ['https://example.com/x', false],
    ['12 345', false],
    ['Search', false],
    ['', false],
  ])('%j is prose: %s', (text, is) => {
    expect(isProse(text)).toBe(is)
    expect(isProse('Search', true)).toBe(true)
    expect(isProse('readFile', true)).toBe(false)
    expect(isProse('PATH', true)).toBe(false)
  })
})
