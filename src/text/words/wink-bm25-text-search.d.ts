/** The part of wink-bm25-text-search 3 that is used; the package has no types. */
declare module 'wink-bm25-text-search' {
  interface WinkBm25 {
    defineConfig(config: { fldWeights: Record<string, number> }): boolean
    /** Applied to documents and queries alike. */
    definePrepTasks(tasks: readonly ((input: never) => readonly string[])[]): number
    /** Throws when `id` was used before. Every field of `fldWeights` must be present. */
    addDoc(document: Readonly<Record<string, unknown>>, id: number): number
    /** Throws below 3 documents. Nothing can be added afterwards. `precision`: digits of scores, 4 to 9, 4 when not given. */
    consolidate(precision?: number): boolean
    /** Pairs of id and score, best first. A repeated word of the query counts repeatedly. */
    search(query: string, limit: number): readonly (readonly [id: string, score: number])[]
  }
  export default function winkBm25(): WinkBm25
}
