/**
 * Asks questions about a large file, without MCP: what a model would read of it, and what that costs.
 * Needs `npm install mcp-rlm-proxy`. Usage: node big-file.mjs FILE
 */
import { readFileSync } from 'node:fs'
import { open } from 'mcp-rlm-proxy/explore'

const file = process.argv[2] ?? 'package-lock.json'
const opened = open(readFileSync(file), { name: file })

const preview = await opened.preview({ maxTokens: 400 })
console.log(preview.text)
console.log(
  `\n${preview.tokens} of ${preview.originalTokens} tokens. The five best passages for "license":\n`,
)

const found = await opened.search({ pattern: 'license', mode: 'bm25', top_k: 5 }, { maxTokens: 600 })
console.log(found.text)
