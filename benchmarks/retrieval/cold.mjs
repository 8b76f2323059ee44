/** One index of many tools in a process that has done nothing before: no word is known, nothing is compiled. Prints its times as JSON. */
import { indexTools } from '../../dist/discovery/lexical.js'
import { cpu, manyTools, plainLoop } from './many.mjs'
import { loadSet } from './set.mjs'

const many = manyTools(loadSet(process.argv[2]), 0)
const first = cpu(() => indexTools(many))
console.log(JSON.stringify({ first, plain: cpu(() => plainLoop(many)) }))
