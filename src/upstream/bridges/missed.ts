/**
 * What a server says of a call while the call is parked. In the modern era a notification goes out on the stream of its
 * request, and there is none: the next round of the call has one, and gets it there.
 */
import type { Notification } from '../../protocol/message.ts'

/** Kept for one call: notifications, and characters of their JSON. The oldest give way, and the client is told. */
const MOST = 100
const MOST_CHARACTERS = 64 * 1024

const PROGRESS = 'notifications/progress'

interface Kept {
  notification: Notification
  characters: number
}

export class Missed {
  #kept: Kept[] = []
  #characters = 0
  #dropped = 0

  /** Of progress only the latest says anything later on. */
  add(notification: Notification): void {
    if (notification.method === PROGRESS) {
      const before = this.#kept.findIndex((kept) => kept.notification.method === PROGRESS)
      if (before >= 0) this.#remove(before)
    }
    const characters = JSON.stringify(notification).length
    if (characters > MOST_CHARACTERS) {
      this.#dropped++
      return
    }
    this.#kept.push({ notification, characters })
    this.#characters += characters
    while (this.#kept.length > MOST || this.#characters > MOST_CHARACTERS) {
      this.#remove(0)
      this.#dropped++
    }
  }

  /** All that is kept, in its order, once. */
  take(): Notification[] {
    const told = this.#kept.map(({ notification }) => notification)
    if (this.#dropped > 0) told.unshift(gap(this.#dropped))
    this.#kept = []
    this.#characters = 0
    this.#dropped = 0
    return told
  }

  #remove(index: number): void {
    const [gone] = this.#kept.splice(index, 1)
    this.#characters -= gone?.characters ?? 0
  }
}

function gap(count: number): Notification {
  const data = `${count} notification${count === 1 ? '' : 's'} of the server, sent while the call waited for input, could not be kept`
  return {
    method: 'notifications/message',
    params: { level: 'warning', logger: 'mcp-rlm-proxy', data },
  }
}
