/** Files of the proxy's own that nobody else reads and that are never there in part. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Whole or not at all, also when the machine loses its power. Readable by the user alone. Throws the error of the file system. */
export function writeDurably(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.tmp`
  const to = openSync(temporary, 'w', 0o600)
  try {
    writeFileSync(to, text)
    fsyncSync(to)
  } finally {
    closeSync(to)
  }
  renameSync(temporary, file)
}
