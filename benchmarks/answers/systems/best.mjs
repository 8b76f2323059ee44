/** The text that has most of the words of a question; of equal ones the first. */
export function best(texts, words) {
  const asked = [...new Set(words.toLowerCase().match(/\p{L}[\p{L}\p{N}]*/gu))]
  const score = (text) => asked.filter((word) => text.toLowerCase().includes(word)).length
  return texts.reduce((one, other) => (score(other) > score(one) ? other : one))
}
