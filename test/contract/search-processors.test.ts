import { fromText } from '../../src/documents/opening/derive.ts'
import { bm25 } from '../../src/processors/search/bm25.ts'
import { context } from '../../src/processors/search/context.ts'
import { fuzzy } from '../../src/processors/search/fuzzy.ts'
import { grep } from '../../src/processors/search/grep.ts'
import { processorSuite } from './processor.ts'

const prose = () => fromText('# Guide\n\nThe crash is fixed. Try again.\n\n## Next\nA crsh again.\n')

processorSuite({
  name: 'grep',
  processor: grep,
  examples: [
    { pattern: 'crash', case_insensitive: true },
    { pattern: 'Crash', mode: 'regex', context_lines: 1, max_results: 1 },
    { pattern: 'a(?=s)' },
    { pattern: 'no such thing' },
    { pattern: '(' },
  ],
})
processorSuite({
  name: 'grep on text',
  processor: grep,
  examples: [
    { pattern: 'crash', context_lines: 1 },
    { pattern: 'crash.*?Next', multiline: true },
  ],
  document: prose,
})
processorSuite({
  name: 'bm25',
  processor: bm25,
  examples: [{ pattern: 'crash on start', mode: 'bm25', top_k: 2 }],
})
processorSuite({
  name: 'bm25 on text',
  processor: bm25,
  examples: [{ pattern: 'crash', mode: 'bm25' }],
  document: prose,
})
processorSuite({
  name: 'fuzzy',
  processor: fuzzy,
  examples: [{ pattern: 'crsh', mode: 'fuzzy', threshold: 0.6 }],
})
processorSuite({
  name: 'fuzzy on text',
  processor: fuzzy,
  examples: [{ pattern: 'crash agian', mode: 'fuzzy' }],
  document: prose,
})
processorSuite({ name: 'context', processor: context, examples: [{ pattern: 'Crash', mode: 'context' }] })
processorSuite({
  name: 'context on text',
  processor: context,
  examples: [
    { pattern: 'crash', mode: 'context' },
    { pattern: 'again', mode: 'context', context_type: 'section' },
    { pattern: 'again', mode: 'context', context_type: 'sentence' },
    { pattern: 'again', mode: 'context', context_type: 'lines', context_lines: 1 },
  ],
  document: prose,
})
