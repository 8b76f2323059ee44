/** Waiting that ends when the one who waits leaves. */
import { cancelled } from './errors.ts'

/**
 * The promise, or a rejection with CANCELLED as soon as the signal aborts: who leaves does not end what others wait for.
 * Without a signal the promise itself.
 *
 * @param left is called once, when the signal ended the wait.
 */
export function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  left?: () => void,
): Promise<T> {
  if (signal === undefined) return promise
  return new Promise<T>((resolve, reject) => {
    const leave = (): void => {
      reject(cancelled(signal))
      left?.()
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
