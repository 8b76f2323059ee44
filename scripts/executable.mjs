/** Makes the built command runnable where npm does not: from a checkout. */
import { chmodSync } from 'node:fs'

chmodSync('dist/main.js', 0o755)
