/** Writes a first configuration. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { SAMPLE } from '../config/sample.ts'
import { absolutePath } from '../config/sources.ts'
import { hasCode, messageOf, ProxyError } from '../protocol/errors.ts'
import type { Host } from './program.ts'

export function init(host: Host, file: string): number {
  const path = absolutePath(file, host.cwd, host.home)
  writeNew(path, SAMPLE)
  host.stdout.write(`Wrote ${path}. Put your servers into it, then run: mcp-rlm-proxy doctor\n`)
  return 0
}

/** Writes a file that you alone can read, for it may come to hold secrets. One that is there stays as it is. */
export function writeNew(path: string, content: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const there = hasCode(error, 'EEXIST')
    throw new ProxyError(
      'CONFIG_INVALID',
      there
        ? `${path} is there already and was not changed.`
        : `${path} cannot be written: ${messageOf(error)}`,
      'Name another file.',
    )
  }
}
