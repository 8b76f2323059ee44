/** The shared suite of all formats: what each must hold, whatever text it is given. */
import { describe, expect, test } from 'vitest'
import type { FormatDefinition } from '../../src/documents/formats/define.ts'
import { fromRecognised } from '../../src/documents/opening/derive.ts'
import { recognise } from '../../src/documents/opening/detect.ts'
import { preview } from '../../src/documents/reply/preview.ts'
import type { JsonValue } from '../../src/protocol/json.ts'

/** Texts by which a format is judged. */
export interface Samples {
  /** Texts of this format. */
  readonly are: readonly string[]
  /** Texts that resemble it and are of another format, or of none. */
  readonly areNot?: readonly string[]
  /** A part that can stand as often as one likes, below `head`: for the work that a long text takes. */
  readonly grows: (times: number) => string
}

/** Parts that formats are made of, to be put where they do not belong. */
const PIECES = [
  '{',
  ']',
  '<',
  '</',
  '"',
  "'",
  '- ',
  '---',
  '# ',
  ': ',
  ',',
  '|',
  '\t',
  '&',
  '&#x110000;',
  '\\',
  '```',
  '==> ',
  '@@ ',
  '\u0000',
  '\ud800',
  '\udc00',
  '\ufeff',
  '\r',
  '__proto__',
  'constructor: ',
]

export function formatContract(format: FormatDefinition, { are, areNot = [], grows }: Samples): void {
  describe(`format contract: ${format.name}`, () => {
    test('takes its own texts', () => {
      for (const text of are) expect(recognise(text).traits.name, text.slice(0, 80)).toBe(format.name)
      expect(recognise(grows(20)).traits.name).toBe(format.name)
    })

    test('leaves texts that resemble it', () => {
      for (const text of areNot) expect(recognise(text).traits.name, text.slice(0, 80)).not.toBe(format.name)
    })

    test('gives the text back as it was sent, and the same data each time', () => {
      for (const text of are) {
        const document = fromRecognised(text)
        expect(document.text).toBe(text)
        const once = JSON.stringify(document.json())
        expect(JSON.stringify(document.json())).toBe(once)
        expect(JSON.stringify(fromRecognised(text).json())).toBe(once)
      }
    })

    test('reads what is cut, broken, or holds what no text should', () => {
      for (const text of are) {
        for (let at = 0; at < text.length; at += Math.ceil(text.length / 12)) {
          readable(format, text.slice(0, at))
          readable(format, text.slice(at))
          const piece = PIECES[at % PIECES.length] ?? ''
          readable(format, text.slice(0, at) + piece + text.slice(at))
        }
        for (const piece of text === are[0] ? PIECES : []) readable(format, piece.repeat(1_000) + text)
        for (const piece of PIECES)
          readable(
            format,
            text.replaceAll(/[A-Za-z]{3,}/g, (word, at) => (at % 5 === 0 ? piece : word)),
          )
      }
    })

    test('takes names that every object has for names', () => {
      for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
        for (const text of are) readable(format, text.replaceAll(/\b[a-z]{2,12}\b/g, name))
      expect(Object.keys(Object.prototype)).toEqual([])
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    })

    test('works no more than twice as much on twice as much', () => {
      const [once, twice] = [200, 400].map((times) => workOf(() => readable(format, grows(times)))) as [
        number,
        number,
      ]
      expect(twice).toBeLessThan(once * 2.6 + 20_000)
    })
  })
}

/** Runs detection, reading and overview of a text; whatever it is, nothing may throw, and the data is data. */
function readable(format: FormatDefinition, text: string): void {
  const evidence = format.detect(text)
  if (evidence !== undefined) expectData(format.read(text, evidence))
  const document = fromRecognised(text)
  expectData(document.json())
  preview(document, { budget: 1_200, tool: 't', bytes: document.bytes, tokens: 1 })
}

function expectData(value: JsonValue | undefined): void {
  if (value !== undefined) expect(typeof JSON.stringify(value)).toBe('string')
}

/** How much is done, by counting: expressions run, and characters cut out of texts. */
export function workOf(run: () => void): number {
  let work = 0
  const { exec } = RegExp.prototype
  const { slice } = String.prototype
  RegExp.prototype.exec = function (text) {
    work += 1
    return exec.call(this, text)
  }
  String.prototype.slice = function (from, to) {
    const part = slice.call(this, from, to)
    work += part.length
    return part
  }
  try {
    run()
  } finally {
    RegExp.prototype.exec = exec
    String.prototype.slice = slice
  }
  return work
}
