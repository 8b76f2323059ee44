#!/usr/bin/env node
import { runCli } from './cli/cli.ts'
import { processHost } from './cli/program.ts'

process.exitCode = await runCli(processHost(), process.argv.slice(2))
