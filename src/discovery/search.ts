/** The contract of everything that finds tools by a question. */
export interface Found {
  /** The tool, by its place in the list that was indexed. */
  index: number
  /** Above 0, at most 1: how much of the question the tool answers. */
  score: number
}

export interface ToolSearch {
  /** At most `limit` tools that answer the question, best first, equals in their order; none where nothing fits. */
  search(question: string, limit: number): Found[]
}
