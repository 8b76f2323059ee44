#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { processHost } from './cli/host.ts'
import { runCli } from './cli/program.ts'

// V8 soon puts the listeners of signals, of which every call has some, among the objects that stay. There a listener holds all of its call until the
// next full collection. Each small collection then copies calls that are over, which took a fifth of the time of a small call.
setFlagsFromString('--no-allocation-site-pretenuring')

process.exitCode = await runCli(processHost(), process.argv.slice(2))
