/** What a process that ended said of the reason. */

/** Lines at the end that programs write after the reason: the version of Node, frames, what belongs to an error, where npm logs. */
const AFTER =
  /^(?:Node\.js v\d.*|at .*|[{}[\](),;^~]+|(?:errno|code|syscall|path|requireStack|address|port|spawnargs): .*|'.*'|npm (?:error|ERR!) (?:A complete log|Log files).*|npm (?:error|ERR!)\s+\S*[/\\]_logs[/\\].*)$/

/** A line that names an error: `Error: …`, `TypeError [ERR_X]: …`, `ModuleNotFoundError: …`. */
const REASON = /^(?:Uncaught )?[\w.]*(?:Error|Exception)(?: \[\w+\])?: /
const NPM = /^npm (?:error|ERR!) (?!code )\S/

/** The line of what was written to standard error that tells most: the last one, or before what follows an error. Empty for none. */
export function lastWords(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const last = lines.at(-1) ?? ''
  if (!AFTER.test(last)) return last
  const said = /^npm /.test(last)
    ? lines.find((line) => NPM.test(line))
    : lines.findLast((line) => REASON.test(line))
  return said ?? lines.findLast((line) => !AFTER.test(line)) ?? last
}
