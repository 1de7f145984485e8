// A program beside the test that says what went wrong before it ends, and ends with the test.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

const START_LIMIT_MS = 300_000

export interface RunningProgram {
  readonly process: ChildProcess
  /** As an operator stops it; resolves when the process is gone. */
  readonly stop: () => Promise<void>
  /** Asks until it is true. Throws with the program's last words where it has ended before, or where it takes too long. */
  readonly until: (isTrue: () => Promise<boolean>) => Promise<void>
}

/** Runs until the test is over, or until it is stopped. */
export function runProgram(
  binary: string,
  flags: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): RunningProgram {
  const env = { ...process.env, ...environment }
  const child = spawn(binary, [...flags], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let words = ''
  child.stderr.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-8_000)))
  const exited = once(child, 'exit')
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await exited
    clearTimeout(late)
  }
  onTestFinished(stop)
  const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
    const end = Date.now() + START_LIMIT_MS
    while (!(await isTrue())) {
      if (child.exitCode !== null) throw new Error(`${path.basename(binary)} ended with ${child.exitCode}: ${words}`)
      if (Date.now() > end) throw new Error(`${path.basename(binary)} did not come up: ${words}`)
      await delay(100)
    }
  }
  return { process: child, stop, until }
}
