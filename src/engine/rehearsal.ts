/** A first look at a result that nobody sent, so that the first one that is sent finds everything loaded and compiled. */
import { textBlock } from '../protocol/content.ts'
import type { JsonObject } from '../protocol/json.ts'
import { encodeResult } from './content.ts'
import { digest } from './digest.ts'
import type { DigestOptions } from './operation.ts'
import { createViews } from './views.ts'

const RECORDS = 2500
/** Looks after which the compiler has seen enough, and milliseconds after which it has to do with what it saw. */
const LOOKS = 12
const LONGEST = 150

/** Takes some tenths of a second, most of it to load what counts tokens. */
export function rehearse(): void {
  const content = encodeResult(made())
  const options: DigestOptions = {
    maxResponseSize: 8000,
    maxErrorSize: 32_000,
    previewSize: 2000,
    always: false,
  }
  digest(createViews(), { content, tool: 'rehearsal' }, options)
  const until = performance.now() + LONGEST
  for (let look = 1; look < LOOKS && performance.now() < until; look++)
    digest(createViews(), { content, tool: 'rehearsal' }, options)
}

/** Records with fields of the usual kinds. */
function made(): JsonObject {
  const records = Array.from({ length: RECORDS }, (_, id) => ({
    id: id * 37,
    title: `A title of record ${id}`,
    state: id % 3 === 0 ? 'closed' : 'open',
    price: id / 8,
    done: id % 2 === 0,
    owner: { login: `user${id % 97}`, url: `https://example.org/${id}` },
    labels: id % 4 === 0 ? ['first', 'second'] : [],
    note: id % 5 === 0 ? null : `line\nbreak ${id}`,
    at: new Date(1_700_000_000_000 + id * 60_000).toISOString(),
  }))
  return { content: [textBlock(JSON.stringify(records))] }
}
