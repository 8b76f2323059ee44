import { expect, test } from 'vitest'
import type { Host } from '../../../src/cli/host.ts'
import { columns, painter, progressLine } from '../../../src/cli/terminal.ts'

function hostOf(env: Record<string, string>, isTTY: boolean): { host: Host; written: string[] } {
  const written: string[] = []
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 }
  return { host: { env, stdout: stream, stderr: stream } as unknown as Host, written }
}

test.each<[where: string, env: Record<string, string>, isTTY: boolean, painted: string]>([
  ['a terminal', {}, true, '\x1b[31mtext\x1b[0m'],
  ['a terminal with an empty NO_COLOR', { NO_COLOR: '' }, true, '\x1b[31mtext\x1b[0m'],
  ['a terminal with NO_COLOR', { NO_COLOR: '1' }, true, 'text'],
  ['a terminal that shows none', { TERM: 'dumb' }, true, 'text'],
  ['a pipe', {}, false, 'text'],
])('colours are for terminals that show them: %s', (_, env, isTTY, painted) => {
  const { host } = hostOf(env, isTTY)
  expect(painter(host, host.stdout)('text', 'red')).toBe(painted)
})

test('cells of a column begin below each other, colours or not', () => {
  const rows = [
    ['a', 'first', ''],
    ['longer', 'second', 'x'],
  ]
  expect(columns(rows)).toBe('  a       first\n  longer  second  x\n')
  const bold = columns(rows, (cell, column) => (column === 0 ? `<${cell}>` : cell))
  expect(bold).toBe('  <a>       first\n  <longer>  second  x\n')
})

test('progress is one line of a terminal, and nothing in a pipe', () => {
  const terminal = hostOf({}, true)
  const shown = progressLine(terminal.host)
  shown.show(1, 2, 'server\x1b[2J one')
  shown.end()
  expect(terminal.written).toEqual([expect.stringContaining('1/2 server'), '\r\x1b[2K'])
  expect(terminal.written[0]).not.toContain('\x1b[2J')
  const pipe = hostOf({}, false)
  progressLine(pipe.host).show(1, 2, 'server')
  expect(pipe.written).toEqual([])
})
