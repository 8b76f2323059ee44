/** Output for people: tables, colours and progress. Without a terminal nothing of it is written. */
import { printable } from '../text/format.ts'
import type { Host } from './host.ts'

const COLOURS = { red: 31, green: 32, yellow: 33, blue: 34, dim: 2, bold: 1 } as const

export type Colour = keyof typeof COLOURS

/** Colours a text, where the stream is a terminal that shows colours and its user wants them (no-color.org). */
export function painter({ env }: Host, { isTTY }: Host['stdout']): (text: string, colour: Colour) => string {
  const wanted = (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
  if (isTTY !== true || !wanted) return (text) => text
  return (text, colour) => `\x1b[${COLOURS[colour]}m${text}\x1b[0m`
}

/** Cells in columns of one width, indented. `paint`: colours a cell by its text and its column, after it was measured. */
export function columns(
  rows: readonly (readonly string[])[],
  paint: (cell: string, column: number, row: number) => string = (cell) => cell,
): string {
  const shown = rows.map((row) => row.map(printable))
  const widths = (shown[0] ?? []).map((_, at) => Math.max(...shown.map((row) => (row[at] ?? '').length)))
  const cell = (text: string, at: number, row: number, last: boolean): string =>
    paint(text, at, row) + (last ? '' : ' '.repeat(Math.max(0, (widths[at] ?? 0) - text.length)))
  return shown
    .map((row, nth) => {
      const filled = row.findLastIndex((text) => text !== '') + 1
      return `  ${row
        .slice(0, filled)
        .map((text, at) => cell(text, at, nth, at === filled - 1))
        .join('  ')}\n`
    })
    .join('')
}

const BAR = 20
const WIDEST = 79

/** A line that is written over by the next one, and taken away at the end. Written to a terminal alone. */
export function progressLine({ stderr }: Host): {
  show(done: number, total: number, what: string): void
  end(): void
} {
  const write = (text: string): void => {
    if (stderr.isTTY === true) stderr.write(`\r\x1b[2K${text}`)
  }
  return {
    show(done, total, what) {
      const full = total > 0 ? Math.round((BAR * Math.min(Math.max(done, 0), total)) / total) : undefined
      const bar =
        full === undefined ? String(done) : `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${done}/${total}`
      write(`${bar} ${printable(what)}`.slice(0, WIDEST))
    },
    end: () => write(''),
  }
}
