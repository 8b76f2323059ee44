/**
 * Makes one index of the tools of a file and asks it one question, in a process that has done nothing before. No word is known, and
 * nothing is compiled. The definitions are parsed from JSON, as a proxy has them, and what parsing left behind is collected before the
 * clock starts (`node --expose-gc`). Prints milliseconds as JSON.
 */
import { readFileSync } from 'node:fs'
import { indexTools } from './index-tools.mjs'
import { cpuAndWall, plainLoop } from './many.mjs'

const [, , file, query] = process.argv
const many = JSON.parse(readFileSync(file, 'utf8'))
globalThis.gc()
let made
const index = cpuAndWall(() => {
  made = indexTools(many)
})
const question = cpuAndWall(() => made.search(query, 5))
console.log(JSON.stringify({ index, question, plain: cpuAndWall(() => plainLoop(many)) }))
