/**
 * The promise, or a rejection with `error` as soon as the signal aborts: who leaves does not end what others wait for. Without a signal the
 * promise itself.
 */
export function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  error: (signal: AbortSignal) => Error,
): Promise<T> {
  if (signal === undefined) return promise
  return new Promise<T>((resolve, reject) => {
    const leave = (): void => reject(error(signal))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
