#!/usr/bin/env node
import { processHost, runCli } from './cli/program.ts'

process.exitCode = await runCli(processHost(), process.argv.slice(2))
