/** A field of records: its name, and the way to it. */
import { parsePath } from '../path/parse.ts'
import { formatPath, type Path } from '../path/path.ts'

/** A field of records. */
export interface Field {
  /** The field's name within a record, in plain form: `user.login`, `labels[*].name`. */
  name: string
  path: Path
  /** "`State` read as `state`", when it was not taken as written. */
  note?: string
}

/** The field that a path leads to, as it is called. */
export function fieldAt(path: Path): Field {
  return { name: path.length === 0 ? '@' : formatPath(path), path }
}

/** The field called `name`, with the note that it was taken for what was written. */
export function readAs(written: string, name: string, more = ''): Field {
  const path = parsePath(name)
  const read = formatPath(path)
  if (read === written && more === '') return fieldAt(path)
  return { name: read, path, note: `\`${written}\` read as \`${read}\`.${more}` }
}
