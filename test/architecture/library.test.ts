/** The library that programs import: each type in a signature has a name that they can import too, and a sentence that says what it is. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const entries = ['src/index.ts', 'src/explore.ts'].map((name) => join(root, name))
const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
const program = ts.createProgram(entries, { ...options, noEmit: true, types: [] })
const checker = program.getTypeChecker()

const meant = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

function exportsOf(entry: string): ts.Symbol[] {
  const file = program.getSourceFile(entry)
  const module = file && checker.getSymbolAtLocation(file)
  return module === undefined ? [] : checker.getExportsOfModule(module).map(meant)
}

/** Types of the project that the signature of a declaration names. */
function namedIn(node: ts.Node, found: ts.Symbol[] = []): ts.Symbol[] {
  const name = ts.isTypeReferenceNode(node)
    ? node.typeName
    : ts.isExpressionWithTypeArguments(node)
      ? node.expression
      : undefined
  const symbol = name && checker.getSymbolAtLocation(name)
  if (symbol) found.push(meant(symbol))
  ts.forEachChild(node, (child) => {
    if (!ts.isBlock(child)) namedIn(child, found)
  })
  return found
}

const isOurs = ({ flags, declarations = [] }: ts.Symbol): boolean =>
  (flags & ts.SymbolFlags.TypeParameter) === 0 &&
  declarations.some((declaration) => declaration.getSourceFile().fileName.startsWith(`${root}src/`))

test.each(entries)('the types that signatures of %s use are exported', (entry) => {
  const exported = new Set(exportsOf(entry))
  expect(exported.size).toBeGreaterThan(5)
  const used = [...exported].flatMap(({ declarations = [] }) => declarations.flatMap((one) => namedIn(one)))
  // Of a type that programs get in a form of their own, that form bears the name.
  const names = new Set([...exported].map(({ name }) => name))
  const missing = used.filter((symbol) => isOurs(symbol) && !exported.has(symbol) && !names.has(symbol.name))
  expect([
    ...new Set(
      missing.map(
        (symbol) => `${symbol.name} ${symbol.declarations?.[0]?.getSourceFile().fileName.slice(root.length)}`,
      ),
    ),
  ]).toEqual([])
})

test.each(entries)('everything that %s exports says what it is', (entry) => {
  const silent = exportsOf(entry).filter((symbol) => symbol.getDocumentationComment(checker).length === 0)
  expect(
    silent.map((symbol) => `${symbol.name} ${symbol.declarations?.[0]?.getText().slice(0, 60)}`),
  ).toEqual([])
})
