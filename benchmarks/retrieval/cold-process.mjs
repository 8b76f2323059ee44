/**
 * One index of many tools in a process that has done nothing before: no word is known, nothing is compiled. Its definitions are parsed
 * from JSON, as a proxy has them, and what parsing left behind is collected before the clock starts (`node --expose-gc`). Prints
 * milliseconds as JSON.
 */
import { indexTools } from '../../dist/discovery/lexical.js'
import { cpuAndWall, manyTools, plainLoop } from './many.mjs'
import { loadSet } from './set.mjs'

const many = JSON.parse(JSON.stringify(manyTools(loadSet(process.argv[2]), 0)))
globalThis.gc()
const index = cpuAndWall(() => indexTools(many))
console.log(JSON.stringify({ index, plain: cpuAndWall(() => plainLoop(many)) }))
