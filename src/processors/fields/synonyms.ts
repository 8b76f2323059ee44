/** Other words for a field, and slips of the pen. */
import { formatPath, type Path } from '../path/path.ts'
import type { Records } from '../records.ts'
import { typo } from './alike.ts'
import { type Field, readAs } from './field.ts'

/** The one field by another word for it, or a slip away. */
export function otherWord(records: Records, path: Path, written: string): Field | undefined {
  const wanted = formatPath(path)
  const name = synonym(records, wanted) ?? typo(records.names(), wanted)
  return name === undefined ? undefined : readAs(written, name)
}

/** Names that logs and tables use for the same. */
const synonyms = [
  ['level', 'severity', 'lvl', 'loglevel'],
  ['time', 'timestamp', 'ts', 'date', 'datetime', '@timestamp'],
  ['message', 'msg'],
  ['logger', 'process', 'program', 'service', 'unit', 'source'],
  ['host', 'hostname'],
]

function synonym(records: Records, reference: string): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '')
  const group = synonyms.find((names) => names.includes(plain(reference)))
  const found = group ? [...records.names().keys()].filter((name) => group.includes(plain(name))) : []
  return found.length === 1 ? found[0] : undefined
}
