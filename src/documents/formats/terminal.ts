/** What a terminal would not show: colours and other control sequences, and the mark before a text in UTF-8. */

const [ESCAPE, BELL] = ['\u001b', '\u0007']
// CSI and OSC sequences and the short ones (ECMA-48). An OSC ends before the next escape: linear on any text.
const SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[()][0-9A-Za-z]|[@-Z\\\\^_])`,
  'g',
)

/** The text without them; the same string when there is nothing to leave out. Lines stay lines. */
export function withoutCodes(text: string): string {
  const start = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  return start.includes(ESCAPE) ? start.replace(SEQUENCE, '') : start
}
