/** Removes what was built, so that a package holds nothing of files that are gone. */
import { rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
