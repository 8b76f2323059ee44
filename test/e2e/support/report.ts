/** Prints values that a test measured and does not judge: times and memory differ between machines. */
export function report(name: string, values: Record<string, string | number>): void {
  const shown = Object.entries(values).map(([key, value]) => `${key} ${value}`)
  process.stdout.write(`  ${name}: ${shown.join(', ')}\n`)
}

/** Milliseconds the work took, with what it gave. */
export async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const begun = performance.now()
  const value = await work()
  return { value, ms: performance.now() - begun }
}
