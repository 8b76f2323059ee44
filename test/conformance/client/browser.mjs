#!/usr/bin/env node
/** Takes the place of a browser: `browser.mjs <authorization URL>`. */
import { follow } from './consent.mjs'

await follow(process.argv[2])
