import { createHash } from 'node:crypto'

/** Six hexadecimal digits that stand for a text in a name: the same in every run. Two texts may have the same. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 6)
}
