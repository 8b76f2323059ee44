/** wink-porter2-stemmer 2 has no types. */
declare module 'wink-porter2-stemmer' {
  /** The stem of an English word in lower case (Porter2, snowballstem.org). */
  export default function stem(word: string): string
}
