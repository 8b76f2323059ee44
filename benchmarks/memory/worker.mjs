/** The engine's worker, that also tells what it keeps. */
import v8 from 'node:v8'
import vm from 'node:vm'
import { run as work } from '../../dist/engine/worker.js'

v8.setFlagsFromString('--expose-gc')
const gc = vm.runInNewContext('gc')

export function run(task) {
  if (task.kind !== 'memory') return work(task)
  gc()
  gc()
  const { used_heap_size: heap, external_memory: external } = v8.getHeapStatistics()
  return { heap, external, rss: process.memoryUsage.rss() }
}
