/** One conversation: every call and reply passes here and is counted. */
import { tokensOf } from './tokens.mjs'

/**
 * @typedef {object} Call
 * @property {string} name
 * @property {object} args
 * @property {string} text        the reply
 * @property {boolean} isError
 * @property {number} tokens      name, arguments and reply
 * @property {number} ms          from sending the call to having the reply
 * @property {number | undefined} budget   the most characters the reply may have, where the system sets one
 */
export class Conversation {
  /** @type {Call[]} */
  calls = []

  /**
   * @param {(name: string, args: object) => Promise<{ text: string, isError?: boolean }>} invoke
   * @param {(name: string, args: object, text: string) => number | undefined} [budgetOf] in characters
   */
  constructor(invoke, budgetOf = () => undefined) {
    this.invoke = invoke
    this.budgetOf = budgetOf
  }

  async call(name, args) {
    const start = performance.now()
    const reply = await this.invoke(name, args)
    const { text, isError = false } = reply
    const ms = performance.now() - start
    const tokens = tokensOf(`${name} ${JSON.stringify(args)}`) + tokensOf(text)
    this.calls.push({ name, args, text, isError, tokens, ms, budget: this.budgetOf(name, args, text) })
    // Tools within the benchmark hand what they say over a second time, read already.
    return { ...reply, text, isError }
  }

  get trips() {
    return this.calls.length
  }

  get tokens() {
    return this.calls.reduce((sum, call) => sum + call.tokens, 0)
  }

  /** Characters of the longest reply. */
  get largest() {
    return Math.max(0, ...this.calls.map(({ text }) => text.length))
  }

  /** Replies longer than they may be. */
  get overBudget() {
    return this.calls.filter(({ text, budget }) => budget !== undefined && text.length > budget).length
  }
}
