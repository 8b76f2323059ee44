/** Tables below lines that tell what they are of: chains of a firewall (`iptables -L`) and hosts (`nmap`). Each record tells it too. */
import { type JsonObject, setOwn } from '../../protocol/json.ts'
import { type LineIndex, linesUpTo } from '../../text/lines.ts'
import { asideOf, distinct, type FoundTable, recordsOf } from './cells.ts'

/** Lines before the first chain, and before the first line of a scan. */
const MOST_BEFORE = 4
const SAMPLE = 400
const LONGEST = 4_096
const at = linesUpTo(LONGEST, '?')
const MOST_ASIDES = 6

/** The tables of a text that consists of them; undefined for any other. */
export function readHeaded(lines: LineIndex): FoundTable | undefined {
  return readChains(lines) ?? readHosts(lines)
}

/** Rows under the same names. A row that is a text is none. */
interface Part {
  readonly names: readonly string[]
  readonly rows: (string[] | string)[]
}

/** The part for rows under these names: the last one, or a new one where its names are others. */
function partOf(parts: Part[], names: readonly string[]): Part {
  const last = parts.at(-1)
  if (last && (last.names === names || last.names.join(' ') === names.join(' '))) return last
  const part = { names, rows: [] }
  parts.push(part)
  return part
}

// Chains.

const CHAIN = /^Chain (\S{1,128}) \(([^()]{1,200})\)\s*$/
/** The names of the columns; `target` and `opt` may be empty in a row. */
const RULES = /^ *(?:num +)?(?:pkts +bytes +)?target +prot +opt +(?:in +out +)?source +destination\s*$/
/** From so many blanks on, the target of a rule is left out: its column is as wide as that. */
const NO_TARGET = 9
const OPTION = /^(?:--|-f|!f)$/
const COUNTED = /^(?:num|pkts|bytes)$/
const COUNT = /^\d{1,20}[KMGTP]?$/

function readChains(lines: LineIndex): FoundTable | undefined {
  let first = 0
  while (first <= MOST_BEFORE && !CHAIN.test(at(lines, first))) first++
  if (first > MOST_BEFORE || !RULES.test(at(lines, first + 1))) return undefined
  const asides: string[] = []
  let [seen, good] = [0, 0]
  let names: string[] = []
  for (let index = 0; index < Math.min(lines.count, SAMPLE); index++) {
    const line = at(lines, index)
    const policy = CHAIN.exec(line)?.[2]
    if (isNote(line) || index < first || policy?.startsWith('policy')) {
      if (line.trim() !== '') asides.push(asideOf(line))
      continue
    }
    if (line.trim() === '' || policy !== undefined) continue
    if (RULES.test(line)) {
      names = wordsOf(line)
      continue
    }
    seen += 1
    if (ruleOf(line, names)) good += 1
  }
  if (good === 0 || good < seen * 0.9) return undefined
  return { json: () => rules(lines, first), asides: asides.slice(0, MOST_ASIDES) }
}

/** `# Warning: iptables-legacy tables present`. */
function isNote(line: string): boolean {
  return line.startsWith('#')
}

function wordsOf(line: string): string[] {
  return line.trim().split(/ +/)
}

/** The cells of a rule, and what else it asks for; undefined for any other line. */
function ruleOf(line: string, names: readonly string[]): string[] | undefined {
  if (names.length === 0) return undefined
  const cells: string[] = []
  const words = /\S+/g
  let end = 0
  let word = words.exec(line)
  for (const name of names) {
    if (!word) return undefined
    const isLeftOut =
      name === 'target' ? word.index - end >= NO_TARGET : name === 'opt' && !OPTION.test(word[0])
    if (isLeftOut) {
      cells.push('')
      continue
    }
    if (COUNTED.test(name) && !COUNT.test(word[0])) return undefined
    cells.push(word[0])
    end = words.lastIndex
    word = words.exec(line)
  }
  return [...cells, word ? line.slice(word.index).trim() : '']
}

function rules(lines: LineIndex, first: number): JsonObject[] {
  const parts: Part[] = []
  let [chain, names] = ['', [] as string[]]
  for (let index = first; index < lines.count; index++) {
    const line = at(lines, index)
    const begun = CHAIN.exec(line)?.[1]
    if (begun !== undefined) chain = begun
    else if (RULES.test(line)) names = wordsOf(line)
    else if (line.trim() !== '' && !isNote(line)) {
      const cells = ruleOf(line, names)
      partOf(parts, names).rows.push(cells ? [chain, ...cells] : lines.at(index))
    }
  }
  return parts.flatMap(({ names, rows }) => recordsOf(['chain', ...names, 'options'], rows))
}

// Hosts.

/** A scan that tells its progress has many lines before the first ports. */
const LOOKED = 2_000
const SCAN = /^(?:# )?(?:Starting )?Nmap (?:\d|scan report for )/
const HOST = /^Nmap scan report for (\S.*)$/
const PORTS = /^PORT +STATE +SERVICE\b/
const PORT = /^\d{1,5}\/[a-z]{1,8} +\S/
/** A script says it about the port above. */
const SAID = /^\|[ _]?/
/** When the scan was, and how it ended. */
const SCANNED = /^(?:# Nmap |Starting Nmap |Nmap done:)/
/** A scan says it of a host, below its ports. */
const ABOUT = /^(?:MAC Address|Service Info|OS details|Running|Device type): /

function readHosts(lines: LineIndex): FoundTable | undefined {
  let first = 0
  while (first <= MOST_BEFORE && !SCAN.test(at(lines, first))) first++
  if (first > MOST_BEFORE) return undefined
  const looked = Math.min(lines.count, LOOKED)
  for (let index = first; index < looked; index++)
    if (PORTS.test(at(lines, index)) && PORT.test(at(lines, index + 1)))
      return { json: () => ports(lines), asides: besidePorts(lines, looked) }
  return undefined
}

function besidePorts(lines: LineIndex, looked: number): string[] {
  const asides: string[] = []
  let host = ''
  for (let index = 0; index < looked && asides.length < MOST_ASIDES; index++) {
    const line = at(lines, index)
    const begun = HOST.exec(line)?.[1]
    if (begun !== undefined) host = hostOf(begun)[0]
    if (SCANNED.test(line)) asides.push(asideOf(line))
    else if (ABOUT.test(line)) asides.push(asideOf(`${host}: ${line}`))
  }
  return asides
}

/** The records of the ports of all hosts. A host without any has none. */
function ports(lines: LineIndex): JsonObject[] {
  const parts: Part[] = []
  /** The words of scripts by the number of the record. */
  const said = new Map<number, string[]>()
  let [count, host, head, isWithin] = [0, ['', ''], '', false]
  for (let index = 0; index < lines.count; index++) {
    const line = at(lines, index)
    const begun = HOST.exec(line)?.[1]
    if (begun !== undefined) host = hostOf(begun)
    if (PORTS.test(line)) {
      head = line
      isWithin = true
    } else if (isWithin && PORT.test(line)) {
      const cells = cellsBelow(head, line)
      partOf(parts, wordsOf(head)).rows.push([...host, ...cells])
      count += 1
    } else if (isWithin && SAID.test(line) && count > 0) {
      const script = said.get(count - 1) ?? []
      script.push(line.replace(SAID, '').trimEnd())
      said.set(count - 1, script)
    } else isWithin = false
  }
  const records = parts.flatMap(({ names, rows }) => recordsOf(distinct(['host', 'address', ...names]), rows))
  for (const [record, script] of said) setOwn(records[record] ?? {}, 'script', script.join('\n'))
  return records
}

/** The name and the address of a host; a host without a name is told by its address. */
function hostOf(said: string): [string, string] {
  const whole = said.replace(/ \[host [^\]]*\]\s*$/, '').trim()
  const open = whole.endsWith(')') ? whole.lastIndexOf(' (') : -1
  return open < 0 ? [whole, whole] : [whole.slice(0, open), whole.slice(open + 2, -1)]
}

/** Cells begin where the names do. The cells of a line that keeps to no columns are its words. */
function cellsBelow(head: string, line: string): string[] {
  const starts = [...head.matchAll(/\S+/g)].map(({ index }) => index)
  if (starts.every((start) => start === 0 || line.length < start || line[start - 1] === ' '))
    return starts.map((start, nth) => line.slice(start, starts[nth + 1]).trim())
  const words = line.trim().split(/\s+/)
  return [...words.slice(0, starts.length - 1), words.slice(starts.length - 1).join(' ')]
}
