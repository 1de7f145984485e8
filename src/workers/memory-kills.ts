// Tells whether a process ended for lack of memory. V8 writes a message when its heap is full. The kernel writes none when it kills a
// process, but counts such kills.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Ending } from './worker-process.ts'

const CONTROL_GROUPS = '/sys/fs/cgroup'

/** The message of V8 before it aborts. */
const HEAP_IS_FULL = /\bout of memory\b/i

/** The number of processes of this control group that the kernel has killed for lack of memory. Undefined: the kernel does not tell. */
export function memoryKills(read: (file: string) => string = readText): number | undefined {
  try {
    const group = /^0::(.*)$/m.exec(read('/proc/self/cgroup'))?.[1]
    if (group === undefined) return undefined
    const found = /^oom_kill (\d+)$/m.exec(read(path.join(CONTROL_GROUPS, group, 'memory.events')))
    return found === null ? undefined : Number(found[1])
  } catch {
    return undefined
  }
}

function readText(file: string): string {
  return readFileSync(file, 'latin1')
}

/** Tells whether a process that has ended was out of memory. */
export class MemoryKills {
  readonly #count: () => number | undefined
  #known: number | undefined

  constructor(count: () => number | undefined = memoryKills) {
    this.#count = count
    this.#known = count()
  }

  wasOne({ signal, lastWords }: Pick<Ending, 'signal' | 'lastWords'>): boolean {
    const before = this.#known
    this.#known = this.#count()
    if (HEAP_IS_FULL.test(lastWords)) return true
    return signal === 'SIGKILL' && before !== undefined && this.#known !== undefined && this.#known > before
  }
}
