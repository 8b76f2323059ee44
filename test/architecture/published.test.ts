import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('what is published names the exact versions that it was tested with', () => {
  const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
  const [{ dependencies, devDependencies }, { packages }] = [read('package.json'), read('package-lock.json')]
  // The bundle holds many of those for development.
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
    expect([name, version]).toEqual([name, packages[`node_modules/${name}`].version])
})
