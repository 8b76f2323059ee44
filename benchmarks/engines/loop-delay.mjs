/** Loaded into the proxy by `--import`: writes the delays of its event loop, in milliseconds, to LOOP_DELAY_FILE at SIGUSR2, and begins again. */
import { renameSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const file = process.env.LOOP_DELAY_FILE
if (isMainThread && file !== undefined) {
  const resolution = 1
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  process.on('SIGUSR2', () => {
    const [worst, p99, p50] = [delays.max, delays.percentile(99), delays.percentile(50)].map(
      (ns) => ns / 1e6 - resolution,
    )
    writeFileSync(`${file}.new`, JSON.stringify({ worst, p99, p50 }))
    renameSync(`${file}.new`, file)
    delays.reset()
  })
}
