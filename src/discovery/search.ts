/** The contract of everything that finds tools by a question. */
export interface Found {
  /** The tool, by its place in the list that was indexed. */
  index: number
  /** More than 0; comparable within one answer alone. */
  score: number
}

export interface ToolSearch {
  /** Tools that answer the question, best first, equals in their order; none where nothing fits. */
  search(question: string, limit: number): Found[]
}
