import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createListChangedCommand } from '../../../src/gateway/list-changed-command.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import { SETTINGS } from '../../support/defaults.ts'
import { temporaryFolder } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

function world(command: (file: string) => string, limitMs = SETTINGS.retrieve.listChangedExecTimeoutMs) {
  const file = join(temporaryFolder(), 'said')
  const warned: string[] = []
  const logger = { ...silentLogger, warn: (_: object, message: string) => void warned.push(message) }
  const made = createListChangedCommand(command(file), logger, limitMs)
  onTestFinished(() => made.close())
  const said = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  return { made, warned, said, file }
}

verifies(
  'S1.46',
  'runs once for a burst of changes, and once more for all that came while it ran',
  async () => {
    const { made, said, warned, file } = world(
      (file) => `printf a >> ${file}; until [ -e ${file}.go ]; do sleep 0.01; done; printf b >> ${file}`,
    )
    for (let n = 0; n < 5; n++) made.run()
    await expect.poll(said).toBe('a')
    for (let n = 0; n < 5; n++) made.run()
    expect(said()).toBe('a')
    writeFileSync(`${file}.go`, '')
    await expect.poll(said).toBe('abab')
    made.run()
    await expect.poll(said).toBe('ababab')
    expect(warned).toEqual([])
  },
)

verifies('S1.46', 'ends a slow command with its children, and logs a failing one', async () => {
  const slow = world((file) => `(sleep 3600; printf a >> ${file}) & sleep 3600`, 300)
  slow.made.run()
  await expect.poll(() => slow.warned).toHaveLength(2)
  const failing = world(() => 'exit 3')
  failing.made.run()
  await expect.poll(() => failing.warned).toEqual(['the command for changed lists failed'])
})

verifies('S1.46', 'logs a command that cannot be started, and throws nothing', async () => {
  const { made, warned } = world(() => 'printf \0')
  made.run()
  await expect.poll(() => warned).toEqual(['the command for changed lists failed'])
  made.run()
  await expect.poll(() => warned).toHaveLength(2)
})

verifies('S1.47', 'nothing runs after the end', async () => {
  const { made, said } = world((file) => `printf a >> ${file}`)
  made.close()
  made.run()
  expect(said()).toBe('')
})
