/** The errors that the code throws, read from its syntax: for a comparison with the tables of errors. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import ts from 'typescript'

/** The tables, as far as they can be compared. */
interface Tables {
  errors: Readonly<Record<string, { readonly from: readonly string[] }>>
  rpc: Readonly<Record<string, { readonly code: number }>>
}

/** May write codes as numbers: the table itself, and the process of a module file, which imports nothing of the proxy. */
const WITH_NUMBERS: ReadonlySet<string> = new Set([
  join('protocol', 'errors.ts'),
  join('features', 'external', 'host.ts'),
])

/**
 * Each way in which the tables and the code below `src` disagree, as a sentence; none when they agree. A code counts as thrown where it
 * stands as an argument of `new ProxyError`, `localFailure` or `#fail`; other first arguments pass on the code of another error.
 */
export function faultsOf(src: string, { errors, rpc }: Tables): string[] {
  const thrown = new Map<string, Set<string>>()
  const used = new Set<string>()
  const faults: string[] = []
  for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
    if (!/(?<!\.d)\.ts$/.test(file)) continue
    const text = readFileSync(join(src, file), 'utf8')
    if (!/ProxyError|localFailure|RPC\b|-32/.test(text)) continue
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest), (node) => {
      for (const code of codesIn(node)) {
        if (!Object.hasOwn(errors, code)) faults.push(`${file} throws ${code}, which is not in the table`)
        const folders = thrown.get(code) ?? new Set()
        thrown.set(code, folders.add(file.split(sep)[0] ?? file))
      }
      const name = rpcNameIn(node)
      if (name !== undefined && !Object.hasOwn(rpc, name))
        faults.push(`${file} uses RPC.${name}, which is not in the table`)
      if (name !== undefined) used.add(name)
      if (!WITH_NUMBERS.has(file) && isWrittenOut(node))
        faults.push(`${file} writes a JSON-RPC code as a number`)
    })
  }
  for (const [code, { from }] of Object.entries(errors)) {
    const folders = [...(thrown.get(code) ?? [])].sort()
    if (folders.join() !== [...from].sort().join())
      faults.push(
        `${code} is thrown in ${folders.join(', ') || 'no folder'}, and the table says ${from.join(', ')}`,
      )
  }
  for (const name of Object.keys(rpc)) if (!used.has(name)) faults.push(`RPC.${name} is used nowhere`)
  return faults
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node)
  node.forEachChild((child) => visit(child, see))
}

const THROWING: ReadonlySet<string> = new Set(['ProxyError', 'localFailure', '#fail'])

function codesIn(node: ts.Node): string[] {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return []
  const { expression: called } = node
  const name = ts.isPropertyAccessExpression(called)
    ? called.name.text
    : ts.isIdentifier(called)
      ? called.text
      : ''
  if (!THROWING.has(name)) return []
  return (node.arguments ?? [])
    .slice(0, 2)
    .flatMap((argument) =>
      ts.isStringLiteral(argument) && /^[A-Z]+(_[A-Z]+)*$/.test(argument.text) ? [argument.text] : [],
    )
}

function rpcNameIn(node: ts.Node): string | undefined {
  const isMember = ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)
  return isMember && (node.expression as ts.Identifier).text === 'RPC' ? node.name.text : undefined
}

/** -32768 to -32000 are those of JSON-RPC. */
function isWrittenOut(node: ts.Node): boolean {
  if (!ts.isPrefixUnaryExpression(node) || node.operator !== ts.SyntaxKind.MinusToken) return false
  const value = ts.isNumericLiteral(node.operand) ? Number(node.operand.text) : 0
  return value >= 32_000 && value <= 32_768
}
