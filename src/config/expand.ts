/** `${VAR}` and `${VAR:-default}` in texts of the configuration, and the variables VS Code and Cursor know. */
import { basename, sep } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Surroundings {
  env: Environment
  cwd: string
  home: string
}

export interface Expansion {
  text: string
  /** Variables that are not set and have no default; they stay as written. */
  missing: string[]
  /** Names in `${input:…}`, which VS Code would ask the user for; they stay as written. */
  inputs: string[]
}

const REFERENCE = /\$(\$?)\{([^{}]*)\}/g
const VARIABLE = /^(?:env:)?([A-Za-z_]\w*)(?::-([\s\S]*))?$/

/**
 * Fills in the variables. `$${VAR}` is the text `${VAR}` itself; what has another form than a variable's
 * (`${a.b}`, `${x%y}`) is left alone, so shell snippets in arguments survive.
 */
export function expand(text: string, { env, cwd, home }: Surroundings): Expansion {
  const missing: string[] = []
  const inputs: string[] = []
  const editor: Readonly<Record<string, string>> = {
    userHome: home,
    workspaceFolder: cwd,
    workspaceFolderBasename: basename(cwd),
    pathSeparator: sep,
    '/': sep,
  }
  const expanded = text.replace(REFERENCE, (whole, escaped: string, body: string) => {
    if (escaped !== '') return whole.slice(1)
    if (Object.hasOwn(editor, body)) return editor[body] ?? whole
    if (body.startsWith('input:')) {
      inputs.push(body.slice('input:'.length))
      return whole
    }
    const [, name, fallback] = VARIABLE.exec(body) ?? []
    if (name === undefined) return whole
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value
    if (value === undefined) missing.push(name)
    return value ?? whole
  })
  return { text: expanded, missing, inputs }
}
