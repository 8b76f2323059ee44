import { describe, expect, test } from 'vitest'
import { indexLines } from '../../../src/text/lines.ts'
import { findHeadings, type Section, sectionAt } from '../../../src/text/passages.ts'
import { verifies } from '../../support/verifies.ts'

function section(text: string, word: string): Section {
  const lines = indexLines(text)
  return sectionAt(lines, findHeadings(lines), lines.lineAt(text.indexOf(word)))
}

describe('sections', () => {
  const guide = 'before\n# Guide\nintro\n## Install\nrun it\n### Linux\napt\n## Use\ngo\n# End\nbye'

  verifies('S3.24', 'follow Markdown headings and know the headings above', () => {
    expect(section(guide, 'apt')).toEqual({ first: 5, last: 6, path: ['Guide', 'Install', 'Linux'] })
    expect(section(guide, 'run it')).toEqual({ first: 3, last: 4, path: ['Guide', 'Install'] })
    expect(section(guide, 'bye')).toEqual({ first: 9, last: 10, path: ['End'] })
    expect(section(guide, 'before')).toEqual({ first: 0, last: 0, path: [] })
  })

  test('ignore what looks like a heading in code', () => {
    expect(section('# A\n```\n# comment\nx = 1\n```\ny', 'x = 1').path).toEqual(['A'])
  })

  test('know underlined headings', () => {
    expect(section('Title\n=====\nab\n\nPart\n----\ncd', 'cd').path).toEqual(['Title', 'Part'])
  })

  verifies('S3.24', 'follow the banners and brackets of logs', () => {
    const log = '=== build ===\nok\n--- tests\nfail x\n[deploy]\nfail y\n'
    expect(section(log, 'ok')).toEqual({ first: 0, last: 1, path: ['build'] })
    expect(section(log, 'fail x')).toEqual({ first: 2, last: 3, path: ['tests'] })
    expect(section(log, 'fail y')).toEqual({ first: 4, last: 5, path: ['deploy'] })
  })

  verifies('S3.24', 'follow indentation where there are no headings', () => {
    const yaml = 'a:\n  b:\n    c: here\n    d: 1\n  e: 2\nf: 3'
    expect(section(yaml, 'here')).toEqual({ first: 1, last: 3, path: ['a:', 'b:'] })
    expect(section(yaml, 'f: 3')).toEqual({ first: 5, last: 5, path: [] })
  })
})
