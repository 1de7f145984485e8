// The time of day of servers, which can be moved while they run (`moved-clock.c`). The machine's own clock stays as it is.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { findOnPath } from '../../rigs/made-once.ts'

export class MovedClock {
  /** For whoever is to have this clock. */
  readonly environment: Readonly<Record<string, string>>
  readonly #file: string

  private constructor(library: string, file: string) {
    this.#file = file
    this.environment = { LD_PRELOAD: library, CLOCK_OFFSET_FILE: file }
  }

  /** Undefined where there is no compiler. */
  static async build(folder: string, name: string): Promise<MovedClock | undefined> {
    const compiler = (await findOnPath('cc')) ?? (await findOnPath('gcc')) ?? (await findOnPath('clang'))
    if (compiler === undefined || process.platform !== 'linux') return undefined
    const library = path.join(folder, `${name}.so`)
    const source = path.join(import.meta.dirname, 'moved-clock.c')
    await promisify(execFile)(compiler, ['-shared', '-fPIC', '-O1', '-Wall', '-o', library, source, '-ldl'])
    const file = path.join(folder, `${name}.offset`)
    writeFileSync(file, offsetOf(0))
    return new MovedClock(library, file)
  }

  /** So many seconds from the true time, from now on. */
  move(seconds: number): void {
    // Those who read it have mapped it: it must not become another file, or shorter for a moment.
    writeFileSync(this.#file, offsetOf(seconds), { flag: 'r+' })
  }
}

function offsetOf(seconds: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(BigInt(seconds))
  return bytes
}
