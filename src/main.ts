#!/usr/bin/env node
import { processHost } from './cli/host.ts'
import { runCli } from './cli/program.ts'

process.exitCode = await runCli(processHost(), process.argv.slice(2))
