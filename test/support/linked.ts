import type { JsonRpcMessage, Transport } from '../../src/protocol/message.ts'

/** Two transports, each the other's far end. Messages arrive in a later turn of the event loop, as on a wire. */
export function linkedTransports(): [Transport, Transport] {
  const make = (): Transport & { far?: Transport; open: boolean } => ({
    open: true,
    async start() {},
    async send(message: JsonRpcMessage) {
      if (!this.open) throw new Error('closed')
      const copy = structuredClone(message)
      setImmediate(() => this.far?.onmessage?.(copy))
    },
    async close() {
      if (!this.open) return
      this.open = false
      this.onclose?.()
      await this.far?.close()
    },
  })
  const near = make()
  const far = make()
  near.far = far
  far.far = near
  return [near, far]
}
