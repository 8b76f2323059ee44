/** The Chromium of this machine. */
import { existsSync } from 'node:fs'

/** Undefined: there is none. CHROMIUM names another one. */
export const CHROMIUM = [
  process.env.CHROMIUM ?? '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync)

/** Says loudly that tests of something are skipped, where they are. */
export function sayWithoutBrowser(what: string): void {
  if (CHROMIUM === undefined)
    process.stderr.write(`SKIPPED: ${what} needs a browser. Install one: apt-get install chromium\n`)
}
