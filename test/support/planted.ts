/** A copy of the source to which something is added, for tests that show what an addition takes. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface PlantedCopy {
  /** The copy of the repository's root, with `src` and `docs` alone. */
  readonly folder: string
  /** Puts text in front of the only place where `before` stands in a file. */
  insert(file: string, before: string, text: string): void
  /** Writes a new file. */
  write(file: string, text: string): void
  /** The module as it is in the copy, with all that it imports. */
  load<Module>(file: string): Promise<Module>
  remove(): void
}

/** Copies into a folder below the root, so that packages are found from there. */
export function plantedCopy(name: string): PlantedCopy {
  mkdirSync(join(root, '.tmp'), { recursive: true })
  const folder = mkdtempSync(join(root, '.tmp', `${name}-`))
  for (const part of ['src', 'docs']) cpSync(join(root, part), join(folder, part), { recursive: true })
  return {
    folder,
    insert(file, before, text) {
      const path = join(folder, file)
      const [head = '', tail, ...others] = readFileSync(path, 'utf8').split(before)
      if (tail === undefined || others.length > 0)
        throw new Error(`${file} does not hold this once: ${before}`)
      writeFileSync(path, head + text + before + tail)
    },
    write(file, text) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    },
    load: (file) => import(/* @vite-ignore */ join(folder, file)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
