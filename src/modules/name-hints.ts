/** Names of other items in the errors of the router, as a place further out knows them. */
import { RpcError } from '../protocol/errors.ts'

/** `known`: the name there; undefined for what is not to be told. Whatever else was thrown is handed back as it is. */
export function withNames(error: unknown, known: (name: string) => string | undefined): unknown {
  if (!(error instanceof RpcError)) return error
  const told = (names: string): string =>
    names
      .split(', ')
      .flatMap((name) => known(name) ?? [])
      .join(', ')
  const message = error.message
    .replace(/ Did you mean ([\w, -]+)\?/, (_, names: string) => {
      const left = told(names)
      return left === '' ? '' : ` Did you mean ${left}?`
    })
    .replace(
      /^Ambiguous (\w+: .{0,200}?)\. Several servers have it; call one of ([\w, -]+?)( and \d+ more)?\./s,
      (_, what: string, names: string, more = '') => {
        const left = told(names)
        if (left === '') return `Unknown ${what}.`
        return `Ambiguous ${what}. Several servers have it; call one of ${left}${more}.`
      },
    )
  return message === error.message ? error : new RpcError(error.code, message, error.data)
}
