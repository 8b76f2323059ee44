/** Chats: messages that begin with who wrote them and when, as WhatsApp, Teams and Discord export them; and what was said in a meeting. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { levelOf } from '../overview/levels.ts'
import { asideOf } from './cells.ts'
import { defineFormat } from './define.ts'

const CLOCK = String.raw`\d{1,2}:\d\d(?::\d\d)?(?:\.\d{1,6})?(?:[ \u202f]?[AaPp]\.?[Mm]\.?)?`
const SHORT_DAY = String.raw`\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d\d)`
const WHEN = String.raw`(?:${SHORT_DAY}|\d{4}-\d\d-\d\d),?[T ]{1,2}${CLOCK}(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?`
/** A name of few words. Marks of direction stand before some. */
const NAME = String.raw`[\u200e\u202a~]{0,2} ?((?:[\p{L}+][^\s:()[\]<>*|/]{0,39})(?: [^\s:()[\]<>*|/]{1,40}){0,5})`

/** How the head of a message is written. Where the time comes first, a line without a name says something of the chat. */
interface Form {
  readonly head: RegExp
  /** The groups of the time and the name. */
  readonly time: number
  readonly sender: number
  readonly bare?: RegExp
  /** Heads alone in a line, as a meeting has them: there are more of them among the lines. */
  readonly isSpoken?: true
}

const FORMS: readonly Form[] = [
  // [03/11/2025, 09:03:57] Ann Lee: text
  {
    head: new RegExp(String.raw`^\u200e?\[(${SHORT_DAY},[ \u202f]${CLOCK})\] ${NAME}\u202c?:(?: |$)`, 'u'),
    time: 1,
    sender: 2,
    bare: new RegExp(String.raw`^\u200e?\[(${SHORT_DAY},[ \u202f]${CLOCK})\] `, 'u'),
  },
  // 03/11/2025, 09:03 - Ann Lee: text
  {
    head: new RegExp(String.raw`^(${SHORT_DAY},[ \u202f]${CLOCK}) - ${NAME}\u202c?:(?: |$)`, 'u'),
    time: 1,
    sender: 2,
    bare: new RegExp(String.raw`^(${SHORT_DAY},[ \u202f]${CLOCK}) - `, 'u'),
  },
  // **Ann Lee** (2025-11-03 09:18): text
  {
    head: new RegExp(String.raw`^\*\*${NAME}\*\* ?[([](${WHEN})[)\]]:?(?: |$)`, 'u'),
    time: 2,
    sender: 1,
  },
  // ann (2025-11-03T09:18:00Z): text
  { head: new RegExp(String.raw`^${NAME} [([](${WHEN})[)\]]:(?: |$)`, 'u'), time: 2, sender: 1 },
  // Ann Lee (00:50), alone in a line
  {
    head: new RegExp(String.raw`^${NAME} {1,2}[([](\d{1,3}:\d\d(?::\d\d)?)[)\]]:?\s*$`, 'u'),
    time: 2,
    sender: 1,
    isSpoken: true,
  },
]

const LONGEST_HEAD = 200
const SAMPLE = 400
/** Lines above the first message, messages that there must be, and their share of the lines. */
const MOST_ABOVE = 5
const LEAST = 2
const FEWEST = 0.08
const FEWEST_SPOKEN = 0.2
/** The beginning of a message of a log. */
const LEVEL = /^ ?\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b/
const HEADING = /^#{1,6} /

interface Chat {
  readonly form: Form
  readonly first: number
}

function headAt(lines: LineIndex, index: number): string {
  return lines.at(index).slice(0, LONGEST_HEAD)
}

/** Found where messages of one form follow each other from near the top on. A level is no name, and below a heading something else begins. */
function detect(text: string): Chat | undefined {
  const lines = indexLines(text)
  for (let first = 0; first < Math.min(MOST_ABOVE, lines.count); first++) {
    const line = headAt(lines, first)
    const form = FORMS.find(({ head, bare }) => head.test(line) || bare?.test(line))
    if (form) return isChat(lines, first, form) ? { form, first } : undefined
  }
  return undefined
}

function isChat(lines: LineIndex, first: number, { head, sender, bare, isSpoken }: Form): boolean {
  let [messages, others, filled, levels] = [0, 0, 0, 0]
  const end = bare ? Math.min(lines.count, first + SAMPLE) : lines.count
  for (let index = first; index < end; index++) {
    const line = headAt(lines, index)
    if (line.trim() === '') continue
    filled += 1
    const said = head.exec(line)
    const name = said?.[sender]
    if (said && LEVEL.test(line.slice(said[0].length))) levels += 1
    if (name !== undefined && levelOf(name) === undefined) messages += 1
    else if (name !== undefined || bare?.test(line)) others += 1
    else if (!bare && HEADING.test(line)) return false
  }
  const areMany = isSpoken
    ? messages >= filled * FEWEST_SPOKEN && messages * 2 <= filled
    : messages >= filled * FEWEST
  return levels * 3 <= messages && messages >= LEAST && messages > others && areMany
}

/** Records `{line, time, sender, text}`; of a meeting with `speaker`. A line that says something of the chat has no sender. */
function read(text: string, { form, first }: Chat): JsonValue[] {
  const lines = indexLines(text)
  const starts: { index: number; fields: JsonObject; offset: number }[] = []
  for (let index = first; index < lines.count; index++) {
    const line = headAt(lines, index)
    const said = form.head.exec(line)
    const found = said ?? form.bare?.exec(line)
    if (!found) continue
    const sender = said?.[form.sender]
    const fields = {
      time: found[form.time] ?? '',
      ...(sender === undefined ? {} : { [form.isSpoken ? 'speaker' : 'sender']: sender }),
    }
    starts.push({ index, fields, offset: found[0].length })
  }
  return starts.map(({ index, fields, offset }, nth) => {
    const end = (starts[nth + 1]?.index ?? lines.count) - 1
    return {
      line: index + 1,
      ...fields,
      text: text.slice(lines.start(index) + offset, lines.end(end)).trim(),
    }
  })
}

function above(text: string, { first }: Chat): string[] {
  const lines = indexLines(text)
  return Array.from({ length: first }, (_, index) => lines.at(index))
    .filter((line) => line.trim() !== '')
    .map(asideOf)
}

/** Tried before logs. Never takes a text of which the first message stands further below than a title. */
export const chat = defineFormat<Chat>({
  name: 'chat',
  family: 'entries',
  detect,
  read,
  asides: above,
})
