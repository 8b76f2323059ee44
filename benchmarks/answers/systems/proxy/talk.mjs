/** A conversation with the proxy, within a number of trips. */
import { readPreview } from './preview.mjs'
import { readReply } from './read.mjs'

/** Rows gathered from pages are still one answer; beyond this an agent gives up. */
const MOST_ROWS = 5000

export class OutOfTrips extends Error {}

export class Talk {
  /**
   * @param {import('../../session.mjs').Conversation} session
   * @param {object} options
   * @param {string} options.name   the payload in question
   * @param {string} options.get   name of the tool that gives a payload
   * @param {number} options.trips   at most
   * @param {(ask: import('../../contract.mjs').Ask, name: string, text: string) => import('../../contract.mjs').Answer} options.readSmall
   *   reads a payload that came whole
   */
  constructor(session, { name, get, trips, readSmall }) {
    Object.assign(this, { session, name, get, trips, readSmall })
  }

  get left() {
    return this.trips - this.session.trips
  }

  async call(name, args) {
    if (this.left <= 0) throw new OutOfTrips(`not answered in ${this.trips} trips`)
    return this.session.call(name, args)
  }

  /** The payload by name: its preview, or the text itself where it is small. */
  async fetch(name) {
    const { text } = await this.call(this.get, { name })
    return { text, preview: readPreview(text) }
  }

  /** @returns {Promise<import('./read.mjs').Reading & { isError: boolean, text: string }>} */
  async ask(tool, args) {
    const { text, isError } = await this.call(tool, args)
    return { ...readReply(text), text, isError }
  }

  /** The other pages of an answer. The reading of all of them; `more` when trips ran out before rows did. */
  async rest(tool, args, reading) {
    const all = { ...reading, rows: [...reading.rows], passages: [...reading.passages] }
    while (all.more && this.left > 0 && all.rows.length < MOST_ROWS) {
      const onward = all.calls.find((call) => call.args.offset > 0)
      const [name, next] = onward ? [onward.name, onward.args] : [tool, { ...args, offset: all.next }]
      const page = await this.ask(name, next)
      if (page.isError || page.rows.length + page.passages.length === 0) break
      all.rows.push(...page.rows)
      all.passages.push(...page.passages)
      Object.assign(all, { calls: page.calls, next: page.next, more: page.more })
    }
    return all
  }
}
