import { expect, test } from 'vitest'
import { recognise } from '../../../../src/documents/opening/detect.ts'

const head = 'Date        Description              Paid out      Paid in      Balance'
const rule = '-'.repeat(head.length)
const row = (day: number, out: string, into: string): string =>
  `${day} Jun 2025 TRANSFER ANN ${day}          ${out.padStart(12)}${into.padStart(13)}${'5,296.04'.padStart(13)}`
const page = (nth: number, below: string, ...rows: string[]): string =>
  `BANK plc       Page ${nth}\n\n${head}\n${below}${rows.join('\n')}\n`

const read = (text: string) => {
  const { format, json, asides } = recognise(text)
  return { format, asides, records: json?.() as unknown[] | undefined }
}

test('the rows of all pages below names in mixed letters, with cells that are empty and names of two words', () => {
  const pages = [1, 2, 3].map((nth) =>
    page(
      nth,
      `${rule}\n`,
      row(nth + 10, '', '12,837.14'),
      row(nth + 20, '52.88', ''),
      '',
      row(nth + 25, '12,352.88', ''),
      rule,
      'Balance carried forward     5,296.04',
    ),
  )
  const { format, records, asides } = read(pages.join('\n\n'))
  expect(format).toBe('table')
  expect(records).toHaveLength(9)
  expect(records?.slice(0, 3)).toEqual([
    {
      Date: '11 Jun 2025',
      Description: 'TRANSFER ANN 11',
      'Paid out': '',
      'Paid in': '12,837.14',
      Balance: '5,296.04',
    },
    expect.objectContaining({ Date: '21 Jun 2025', 'Paid out': '52.88', 'Paid in': '' }),
    expect.objectContaining({ Date: '26 Jun 2025', 'Paid out': '12,352.88' }),
  ])
  expect(asides.join('\n')).toContain('Balance carried forward')
})

test('names that come again need no rule', () => {
  const pages = [1, 2].map((nth) =>
    page(nth, '', row(11, '', '64.60'), row(12, '1.00', ''), row(13, '2.00', '')),
  )
  expect(read(pages.join('\n')).records).toHaveLength(6)
})

test('invoices are records of their own, and no pages of one table', () => {
  const invoices = [1, 2, 3].map(
    (nth) =>
      `Firm           No: INV-${nth}\n               Due: 2025-01-0${nth}\nBill to: Firm ${nth}\n\n${page(nth, `${rule}\n`, ...[11, 12, 13, 14, 15].map((day) => row(day, '1.00', '')), rule)}`,
  )
  expect(read(invoices.join('\n')).format).not.toBe('table')
})

test('tables with other names are no pages of one, and a text with a small table is a text', () => {
  const one = page(1, `${rule}\n`, ...[11, 12, 13, 14, 15].map((day) => row(day, '1.00', '')))
  const other = `Name        Street       Town\n${rule}\nAnn         Long Lane    Ely\n`
  expect(read(`${one}\n${other}`).format).not.toBe('table')
  expect(read(`${'These are words, and none is a row of it.\n'.repeat(9)}\n${one}`).format).toBe('text')
})

test('what stands above the names of a page is no row, and lines of keys are none of a table', () => {
  const titled = (title: string) =>
    `${title}\n${page(1, '', ...[11, 12, 13].map((day) => row(day, '1.00', ''))).slice(21)}`
  expect(read(`${titled('In euros')}\n${titled('In pounds')}`).records).toHaveLength(6)
  const pods = [1, 2, 3].map(
    (nth) =>
      `Name:   web-${nth}\nStatus: Running\nEvents:\n  Type     Reason   Message\n  Normal   Pulled   Image ${nth}\n`,
  )
  expect(read(pods.join('\n')).format).toBe('entries')
})

test('titles with the number of a page are told once, and totals below the rows of a page beside them', () => {
  const pages = [1, 2, 3, 4].map((nth) => [
    `ACME CORP                INVENTORY                PAGE ${nth}`,
    'DATE: 11/03/2025',
    '',
    'ITEM NO   DESCRIPTION    QTY      VALUE',
    '-------   -----------   ----  ---------',
    ...[1, 2, 3, 4].map((item) => `0${nth}-000${item}   Widget ${item}        ${item * 3}      ${item}4.50`),
    `PAGE TOTAL                       ${nth}80.00`,
    '',
  ])
  const { records, asides } = read(pages.flat().join('\n'))
  expect(records).toHaveLength(16)
  expect(records?.[15]).toEqual({ 'ITEM NO': '04-0004', DESCRIPTION: 'Widget 4', QTY: 12, VALUE: '44.50' })
  expect(asides).toHaveLength(6)
  expect(asides.slice(0, 3).map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
    'text beside it: ACME CORP | INVENTORY | PAGE 1',
    'text beside it: DATE: 11/03/2025',
    'text beside it: PAGE TOTAL | 180.00',
  ])
})
