/** The real worker, but for queries that never end, that wait for each other, or that take more memory than there is. */
import { existsSync, writeFileSync } from 'node:fs'
import { run as answer } from '../../../dist/bundle/worker.js'

export function run(task, told) {
  const { begun, forever, together, hoard } = task.kind === 'query' ? task.query.params : {}
  if (begun) writeFileSync(begun, '')
  if (forever) for (;;);
  if (together) while (!existsSync(together)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
  if (hoard) for (const all = []; ; ) all.push(new Array(1e6).fill(0))
  return answer(task, told)
}
