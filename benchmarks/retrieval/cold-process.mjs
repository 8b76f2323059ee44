/**
 * One index of the tools of a file in a process that has done nothing before: no word is known, nothing is compiled. The definitions
 * are parsed from JSON, as a proxy has them, and what parsing left behind is collected before the clock starts (`node --expose-gc`).
 * Prints milliseconds as JSON.
 */
import { readFileSync } from 'node:fs'
import { indexTools } from '../../dist/discovery/lexical.js'
import { cpuAndWall, plainLoop } from './many.mjs'

const many = JSON.parse(readFileSync(process.argv[2], 'utf8'))
globalThis.gc()
const index = cpuAndWall(() => indexTools(many))
console.log(JSON.stringify({ index, plain: cpuAndWall(() => plainLoop(many)) }))
