/** What runs in a lane's thread. */
import { countTokens } from '../text/tokens.ts'
import { createArrivals } from './arrivals.ts'
import { change } from './change.ts'
import { digest } from './digest.ts'
import { exported } from './export.ts'
import { fill } from './fill.ts'
import { query } from './query.ts'
import { readFile } from './read-file.ts'
import { rehearse } from './rehearsal.ts'
import type { Answer, Task } from './task.ts'
import { createViews } from './views.ts'

const views = createViews()
const arrivals = createArrivals()

/** Answered as soon as the thread is there. */
export function ready(): void {}

export function run(task: Task): Answer<Task> {
  switch (task.kind) {
    case 'digest':
      return digest(views, task.arrival, task.options, arrivals.take(task.ahead))
    case 'ahead':
      return arrivals.read(task)
    case 'query':
      return query(views, task.sources, task.query)
    case 'fill':
      return fill(views, task.sources, task.filling)
    case 'export':
      return exported(task.content, task.toon)
    case 'readback':
      return readFile(task.content, task.isResult, task.wanted)
    case 'change':
      return change(task.content, task.change)
    case 'count':
      return task.texts.map(countTokens)
    case 'counted':
      views.counted(task.hash, task.tokens)
      return null
    case 'open':
      views.open(task.source)
      return null
    case 'rehearse':
      rehearse()
      return null
    case 'forget':
      views.forget(task.hash)
      return null
  }
}
