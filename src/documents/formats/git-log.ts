/** The log of git as it prints it by default, with or without the files of each commit. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'

const COMMIT = /^commit ([\da-f]{7,64})(?: \((.{1,500})\))?$/
const HEADER = /^([A-Z][A-Za-z]{1,20}): +(.*)$/

/** The last line of `--stat`, in numbers. */
function sumOf(changes: string): JsonObject {
  const [, files, insertions, deletions] =
    /(?:^|\n) ?(\d{1,9}) files? changed(?:, (\d{1,9}) insertions?\(\+\))?(?:, (\d{1,9}) deletions?\(-\))?$/.exec(
      changes,
    ) ?? []
  if (files === undefined || (insertions ?? deletions) === undefined) return {}
  return {
    files_changed: Number(files),
    insertions: Number(insertions ?? 0),
    deletions: Number(deletions ?? 0),
  }
}

/**
 * Records `{line, commit, refs?, merge?, author, date, message, changes?}`, with `files_changed`, `insertions` and `deletions` where
 * the changes end in their sum; `message` without its indentation.
 */
export function readGitLog(text: string): (() => JsonValue[]) | undefined {
  if (
    !/^\s{0,8}commit [\da-f]{7,64}(?: \([^\n]{1,500}\))?\r?\n(?:Merge: [^\n]*\r?\n)?(?:Author|commit)/.test(
      text.slice(0, 2_000),
    )
  )
    return undefined
  return () => {
    const lines = indexLines(text)
    const commits: JsonObject[] = []
    let message: string[] = []
    let changes: string[] = []
    let inHead = false
    const close = () => {
      const commit = commits.at(-1)
      if (!commit) return
      commit.message = message.join('\n').trim()
      const changed = changes.join('\n').trim()
      if (changed !== '') Object.assign(commit, { changes: changed }, sumOf(changed))
      message = []
      changes = []
    }
    for (let index = 0; index < lines.count; index++) {
      const line = lines.at(index)
      const [, hash, refs] = COMMIT.exec(line) ?? []
      if (hash !== undefined) {
        close()
        commits.push({ line: index + 1, commit: hash, ...(refs === undefined ? {} : { refs }) })
        inHead = true
        continue
      }
      const commit = commits.at(-1)
      const [, name, value] = (inHead && HEADER.exec(line)) || []
      if (commit && name !== undefined) setOwn(commit, name.toLowerCase(), value ?? '')
      else if (line.trim() === '') {
        inHead = false
        ;(changes.length > 0 ? changes : message).push('')
      } else if (line.startsWith('    ') && changes.length === 0) message.push(line.slice(4))
      else changes.push(line)
    }
    close()
    return commits
  }
}
