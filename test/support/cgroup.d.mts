/** Processes that share a hard limit of memory. */
interface MemoryGroup {
  command(program: string, args: string[]): [string, string[]]
  outside(program: string, args: string[]): [string, string[]]
  anonymous(): number
  kills(): number
  pids(): number[]
  remove(): void
}

export function memoryGroup(megabytes: number, name: string): MemoryGroup | undefined
