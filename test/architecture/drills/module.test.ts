/** Adding a built-in module is a folder in `src/features/` and one entry in `BUILT_IN` of `src/features/modules.ts`. */
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type * as Generate from '../../../src/config/generate.ts'
import type * as Load from '../../../src/config/load-program.ts'
import type * as Embedded from '../../support/embedded.ts'
import { plantedCopy } from '../../support/planted.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const copy = plantedCopy('module')
afterAll(() => copy.remove())
// The world that tests use runs on the copy, with the threads of the build.
for (const part of ['test/support', 'package.json'])
  cpSync(join(root, part), join(copy.folder, part), { recursive: true })
symlinkSync(join(root, 'dist'), join(copy.folder, 'dist'))

copy.write(
  'src/features/moon/options.ts',
  `import * as z from 'zod'
import { oneOf } from '../../config/option.ts'

export const moonOptions = z.object({ phase: oneOf(['new', 'full'], 'How much of it is seen.').default('full') })
`,
)
copy.write(
  'src/features/moon/index.ts',
  `import { defineModule } from '../../module-runtime/module.ts'
import { textBlock } from '../../protocol/content.ts'
import { moonOptions } from './options.ts'

export const moon = defineModule({
  name: 'moon',
  options: moonOptions,
  messages: ['tools/call'],
  create: ({ phase }) => ({ wrap: () => async () => ({ content: [textBlock(phase + ' moon')] }) }),
})
`,
)
copy.insert(
  'src/features/modules.ts',
  "import { packageOptions } from './package/options.ts'",
  "import { moonOptions } from './moon/options.ts'\n",
)
copy.insert(
  'src/features/modules.ts',
  '  package: {',
  `  moon: {
    what: 'Answers with the moon.',
    options: moonOptions,
    load: async () => (await import('./moon/index.ts')).moon,
  },
`,
)

test('a new built-in module works in a gateway', async () => {
  const { embedded, toolServer } = await copy.load<typeof Embedded>('test/support/embedded.ts')
  const { serve } = toolServer({ tide: { run: () => 'high' } })
  const ask = async (modules: { use: string; phase?: string }[]) => {
    const world = await embedded({ servers: { sea: serve }, settings: { exposure: 'passthrough' }, modules })
    return (await world.ask({}, 'sea_tide')).content[0]?.text
  }
  expect(await ask([])).toBe('high')
  expect(await ask([{ use: 'moon' }])).toBe('full moon')
  expect(await ask([{ use: 'moon', phase: 'new' }])).toBe('new moon')
})

test('it is documented, and editors know its options', async () => {
  const { jsonSchemaText, moduleText, modulesTable } =
    await copy.load<typeof Generate>('src/config/generate.ts')
  expect(modulesTable()).toContain('| [`moon`](modules/moon.md) | Answers with the moon. |')
  expect(moduleText('moon')).toBe(
    'Answers with the moon.\n\n| option | default | values | what it is |\n| --- | --- | --- | --- |\n| `phase` | `full` | new, full | How much of it is seen. |',
  )
  expect(jsonSchemaText()).toContain('"const": "moon"')
})

test('its options are checked, and error messages list its name', async () => {
  const { parseConfig } = await copy.load<typeof Load>('src/config/load-program.ts')
  expect(() => parseConfig({ modules: [{ use: 'moon', phase: 'half' }] })).toThrow(
    /phase is "half", but must be one of new, full/,
  )
  expect(() => parseConfig({ modules: [{ use: 'moonn' }] })).toThrow(/Did you mean "moon"\?/)
})
