/** Fields that are pairs in a list: `Tags.Name`, and `Content-Type` in the only list that has such. */
import type { JsonValue } from '../../protocol/json.ts'
import { parsePath } from '../path/parse.ts'
import { formatPath, newWork, type Path } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { listed, Refusal } from '../refusal.ts'
import { alike } from './alike.ts'
import { resolveExactly } from './exactly.ts'
import { type Field, readAs } from './field.ts'
import { halvesOf } from './pairs.ts'
import { taggedIn } from './tagged.ts'

/** `Tags.Name`, the list under any of its spellings; the key may have dots in it. */
export function pair(records: Records, path: Path, written: string): Field | undefined {
  for (let at = path.length - 1; at >= 1; at--) {
    const names = path
      .slice(at)
      .map(({ selectors: [first] }) => (first?.kind === 'name' ? first.name : undefined))
    if (names.some((name) => name === undefined)) return undefined
    const list = resolveExactly(records, path.slice(0, at)) ?? listAlike(records, path.slice(0, at))
    const found = list && taggedIn(records, list.path, list.name, names.join('.'))
    if (found)
      return {
        name: `${list.name}.${found.key}`,
        path: found.path,
        note: `\`${written}\` read as \`${found.written}\`.`,
      }
  }
  return undefined
}

function listAlike(records: Records, path: Path): Field | undefined {
  const found = alike(records.names(), formatPath(path))
  return found && 'one' in found ? readAs('', found.one) : undefined
}

/** `Content-Type`, the key of a pair in the only list that has such. */
export function pairAnywhere(records: Records, path: Path, written: string): Field | undefined {
  const [only] = path[0]?.selectors ?? []
  if (path.length !== 1 || only?.kind !== 'name') return undefined
  const work = newWork()
  const lists = [...records.names()].flatMap(([name]): Path[] => {
    const [, list] = /^(.+)\.[@#]?\w+$/.exec(name) ?? []
    return list === undefined ? [] : [parsePath(list)]
  })
  const distinct = new Map(lists.map((list) => [formatPath(list), list]))
  const found = [...distinct].slice(0, 200).flatMap(([name, list]) => {
    const values: JsonValue[] = []
    for (const record of records.values.slice(0, 20)) readValues(record, list, values, work)
    if (!values.flat().some((element) => halvesOf(element))) return []
    const tagged = taggedIn(records, list, name, only.name)
    return tagged
      ? [
          {
            name: `${name}.${tagged.key}`,
            path: tagged.path,
            note: `\`${written}\` read as \`${tagged.written}\`.`,
          },
        ]
      : []
  })
  if (found.length > 1)
    throw new Refusal(`\`${written}\` is in ${listed(found.map(({ name }) => name))}: name one of them.`)
  return found[0]
}
