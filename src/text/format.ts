/** Numbers as people and models read them. */

/** `1373` → `1,373`. Whole numbers only are grouped; others are shown as JavaScript shows them. */
export function formatCount(value: number): string {
  const digits = String(value)
  return /^-?\d{4,}$/.test(digits) ? digits.replace(/\B(?=(\d{3})+$)/g, ',') : digits
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

/** Bytes in decimal units: `512 B`, `343 KB`, `4.0 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit === 0 || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)
  return `${digits} ${UNITS[unit]}`
}

/** `1 record`, `1,373 records`, `2 matches`, `3 entries`. */
export function formatPlural(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural(noun)}`
}

/** The plural of an English noun. */
export function plural(noun: string): string {
  if (noun === 'series') return noun
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`
  return /(s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`
}

const GONE = 'No kept result has cache_id "'

/** The first words of a reply about a handle that expired, never was, or is another agent's: they are the same for all three. */
export function goneWords(handle: string): string {
  return `${GONE}${handle.slice(0, 40)}": it expired or was never yours.`
}

/** Whether a reply says so. */
export const saysGone = (reply: string): boolean => reply.startsWith(GONE)

/** Text of others on one line of a terminal: what would move the cursor, colour it or hide is a blank. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

/** The same for a text of several lines; line breaks and tabs stay. */
export function printableLines(text: string): string {
  return text.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}
