/** The contract of everything that finds tools by a question. */
export interface Found {
  /** The tool, by its place in the list that was indexed. */
  index: number
  /** Above 0, at most 1: how much of the question the tool answers. */
  score: number
}

export interface ToolSearch {
  /**
   * At most `limit` tools that answer the question, best first, equals in their order; none where nothing fits.
   *
   * @param cosines with the meaning of each tool, in their order, that a model made: static vectors count beside them
   */
  search(question: string, limit: number, cosines?: Float32Array): Found[]
  /** Does so much of what is left to do before the first question; says whether some is left. */
  prepare(most: number): boolean
}
