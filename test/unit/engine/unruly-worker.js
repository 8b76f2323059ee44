/** A worker that does what it is told, bad things too. Plain JavaScript: Node cannot load TypeScript. */
import { existsSync, writeFileSync } from 'node:fs'

let ran = 0

export function run(task, told) {
  ran++
  if (task.fail) throw new TypeError(task.fail)
  if (task.told) told(task.told)
  if (task.begun) writeFileSync(task.begun, '')
  if (task.hoard) for (const hoard = []; ; ) hoard.push(new Array(1000).fill({}).map(() => ({ a: ran })))
  if (task.bytes) for (const held = []; ; ) held.push(new Uint8Array(task.bytes).fill(1))
  if (task.fatal) new Array(task.fatal).fill(0)
  if (task.dies) process.kill(process.pid, task.dies)
  if (task.spin) for (;;);
  if (task.spinsLater)
    return Promise.resolve().then(() => {
      for (;;);
    })
  if (task.waitFor)
    while (!existsSync(task.waitFor)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
  return { echo: task.echo ?? null, ran, pid: process.pid }
}
