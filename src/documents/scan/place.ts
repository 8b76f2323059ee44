/** A place in the records while their bytes are read: a node of the profile, and what finds it and its values again quickly. */
import type { Box, Shape } from '../shape.ts'
import { SpelledValues } from './spelled-values.ts'
import type { WrittenKey } from './written-key.ts'

export class Place {
  readonly shape: Shape
  /** Undefined for what is no field. */
  readonly key: WrittenKey | undefined
  /** How many bytes of the key are no characters of the text. */
  readonly keySaved: number
  /** UTF-8 bytes of the key beyond one for each character. */
  readonly keyWide: number
  /** The fields of the objects here. */
  readonly byName = new Map<string, Place>()
  /** The field that objects here begin with, as far as the last one tells. */
  first: Place | undefined
  /** The field that comes behind this one, as far as the last object tells. */
  after: Place | undefined
  /** What the arrays here hold. */
  elements: Place | undefined
  /** How often a field was found in the objects here. */
  present = 0
  /** The number of the object it was last found in: an object that has a key twice is not read here. */
  holder = 0
  /** The first record that has the field. */
  since = 0
  /** The first record that lacks the field, as far as is known; -1: none does. */
  gap = -1
  /** Boxes of small numbers, by the number. */
  readonly small: (Box | undefined)[] = []
  /** Boxes of strings. */
  readonly spelled = new SpelledValues()
  /** A string was counted that may be written in other bytes as well. */
  isRespelled = false
  yes: Box | undefined
  no: Box | undefined
  /** Where the earliest and the latest date are written, and how long they are; -1: not known by their bytes. */
  earliestAt = -1
  earliestLength = 0
  latestAt = -1
  latestLength = 0

  constructor(shape: Shape, key?: WrittenKey, keySaved = 0, keyWide = 0) {
    this.shape = shape
    this.key = key
    this.keySaved = keySaved
    this.keyWide = keyWide
  }
}
