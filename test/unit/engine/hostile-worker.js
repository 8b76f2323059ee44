/** The real worker, but for queries that never end or that wait for each other. */
import { run as answer } from '../../../dist/bundle/worker.js'

export function ready() {}

export function run(task) {
  const params = task.kind === 'query' ? task.query.params : {}
  if (params.forever) {
    Atomics.add(params.forever, 0, 1)
    for (;;);
  }
  if (params.together) {
    Atomics.add(params.together, 0, 1)
    Atomics.notify(params.together, 0)
    while (Atomics.load(params.together, 0) < 2) Atomics.wait(params.together, 0, 1)
  }
  return answer(task)
}
