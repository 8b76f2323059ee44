#!/usr/bin/env node
import { runCli } from './cli/cli.ts'
import { processHost } from './cli/host.ts'

process.exitCode = await runCli(processHost(), process.argv.slice(2))
