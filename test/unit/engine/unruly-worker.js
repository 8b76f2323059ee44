/** A worker that does what it is told, bad things too. Plain JavaScript: threads cannot load TypeScript. */
let ran = 0

export function ready() {}

export function run(task) {
  ran++
  if (task.fail) throw new TypeError(task.fail)
  if (task.hoard) for (const hoard = []; ; ) hoard.push(new Array(1000).fill({}).map(() => ({ a: ran })))
  if (task.signal) Atomics.add(new Int32Array(task.signal), 0, 1)
  if (task.spin) for (;;);
  if (task.waitFor) Atomics.wait(new Int32Array(task.waitFor), 0, 0)
  return { echo: task.echo ?? null, ran }
}
