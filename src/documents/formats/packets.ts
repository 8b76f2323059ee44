/** Packets as `tcpdump` prints them: `IP 10.0.0.1.443 > 10.0.0.2.5555: Flags [P.], seq 1, length 120`. */
import type { JsonValue } from '../../protocol/json.ts'
import { exactNumber } from './cells.ts'

const PACKET = /^(?:(IP6?) (\S{1,200}) > (\S{1,200}):(?: Flags \[([^\]]{1,12})\])?|(ARP), \S)/
const LENGTH = /[, ]length (\d{1,9})(?=[:,) ]|$)/
/** An address with the number of a port behind a point. The name of a host has points as well. */
const PORT = /^((?:\d{1,3}\.){3}\d{1,3}|[\da-f:]*:[\da-f:]*(?:%\w+)?)\.(\d{1,5})$/i
const LONGEST = 1_000

/** Whether a line goes on with a packet behind its time. */
export function isPacket(said: string): boolean {
  return (said.startsWith('IP') || said.startsWith('ARP, ')) && PACKET.test(said.slice(0, LONGEST))
}

/** Tells the fields of a packet: protocol, source, destination and their ports, flags, length. */
export function eachOfPacket(message: string, tell: (key: string, value: JsonValue) => void): void {
  const said = message.slice(0, LONGEST)
  const [whole, version, source, destination, flags, other] = PACKET.exec(said) ?? []
  if (whole === undefined) return
  tell('protocol', version ?? other ?? '')
  if (source !== undefined) tellPlace('source', source, tell)
  if (destination !== undefined) tellPlace('destination', destination, tell)
  if (flags !== undefined) tell('flags', flags)
  const length = LENGTH.exec(said)?.[1]
  if (length !== undefined) tell('length', exactNumber(length) ?? length)
}

function tellPlace(key: string, place: string, tell: (key: string, value: JsonValue) => void): void {
  const [, address = place, port] = PORT.exec(place) ?? []
  tell(key, address)
  if (port !== undefined) tell(`${key}_port`, exactNumber(port) ?? port)
}
