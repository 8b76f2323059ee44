import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('what is published names the exact versions that it was tested with', () => {
  const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
  const [{ dependencies }, { packages }] = [read('package.json'), read('package-lock.json')]
  for (const [name, version] of Object.entries(dependencies))
    expect([name, version]).toEqual([name, packages[`node_modules/${name}`].version])
})
