/** Work that can wait until nothing has been asked for a while. */
export interface Quiet {
  /** Something is asked for: the quiet begins anew. */
  disturb(): void
  /** Does the work in the next quiet, unless other work takes this place before. */
  later(place: string, work: () => void): void
  close(): void
}

/** `delay`: milliseconds without a disturbance. The timer never holds the process. */
export function createQuiet(delay: number): Quiet {
  const works = new Map<string, () => void>()
  let timer: NodeJS.Timeout | undefined

  function arm(): void {
    clearTimeout(timer)
    timer = works.size === 0 ? undefined : setTimeout(begin, delay).unref()
  }

  function begin(): void {
    timer = undefined
    const due = [...works.values()]
    works.clear()
    for (const work of due) work()
  }

  return {
    disturb: arm,
    later(place, work) {
      works.set(place, work)
      arm()
    },
    close() {
      works.clear()
      clearTimeout(timer)
    },
  }
}
