// Writes files into a spill directory, and ends in the way it is told: `kill`, `exit`, `full`. Needs a build.
import { open, readdir, readFile } from 'node:fs/promises'
import { createSpillDirectory } from '../../../dist/spill/directory.js'

const [base, way] = process.argv.slice(2)
const directory = createSpillDirectory(base)
await directory.write('first.txt', Buffer.from('first'))
const long = Buffer.alloc(20 * 1024 * 1024, 'x')

if (way === 'kill') {
  const probe = await open(process.execPath)
  const all = Object.getPrototypeOf(probe)
  const { write } = all
  let pieces = 0
  all.write = async function (...args) {
    const done = await write.apply(this, args)
    if (++pieces === 3) process.kill(process.pid, 'SIGKILL')
    return done
  }
  await directory.write('second.txt', long)
} else if (way === 'exit') {
  void directory.write('second.txt', long).catch(() => {})
  process.exit(0)
} else {
  const { code } = await directory.write('second.txt', long).catch((error) => error)
  const { path } = await directory.write('third.txt', Buffer.from('third'))
  const again = await readFile(path, 'utf8')
  const files = (await readdir(directory.path)).filter((name) => name !== 'third.txt').sort()
  process.stdout.write(JSON.stringify({ code, files, again }))
  await directory.close()
}
