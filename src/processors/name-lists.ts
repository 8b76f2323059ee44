/** The names of fields that lead to the values of a record, as lists that records share: most of them have the same. */
import type { SharedWords } from '../text/bm25.ts'
import { StartList } from '../text/spans.ts'

/** Lists by number: each is another one and a name after it. */
export class NameLists {
  readonly empty = 0
  readonly #shorter: number[] = [0]
  readonly #names: string[] = ['']
  /** Of most lists there is one longer; where there are more, the others are in `#others`. */
  readonly #longer: number[] = [0]
  readonly #others: (Map<string, number> | undefined)[] = [undefined]

  /** The list with `name` after the others. */
  longer(list: number, name: string): number {
    const usual = this.#longer[list] ?? 0
    if (usual !== 0 && this.#names[usual] === name) return usual
    const known = usual === 0 ? undefined : this.#others[list]?.get(name)
    if (known !== undefined) return known
    const made = this.#names.push(name) - 1
    this.#shorter.push(list)
    this.#longer.push(0)
    this.#others.push(undefined)
    if (usual === 0) this.#longer[list] = made
    else {
      const others = this.#others[list] ?? new Map<string, number>()
      this.#others[list] = others.set(name, made)
    }
    return made
  }

  /** The words of the lists, one list for each passage; what only served to find them is not kept. */
  shared(lists: Uint32Array): SharedWords {
    const parts = new Map<number, number>()
    const texts: string[] = []
    const starts = new StartList()
    const of = new Uint32Array(lists.length)
    let offset = 0
    lists.forEach((list, passage) => {
      let part = parts.get(list)
      if (part === undefined) {
        const text = this.#text(list)
        part = texts.push(text) - 1
        parts.set(list, part)
        starts.add(offset)
        offset += text.length + 1
      }
      of[passage] = part
    })
    return { text: texts.join('\n'), parts: starts.spans(offset), of }
  }

  #text(list: number): string {
    const names: string[] = []
    for (let at = list; at !== this.empty; at = this.#shorter[at] ?? this.empty)
      names.push(this.#names[at] ?? '')
    return names.reverse().join('\n')
  }
}
