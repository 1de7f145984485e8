// docker and make as an operator runs them, in the checkout.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const PROJECT = path.join(import.meta.dirname, '../..')

/** What it prints, on both streams. Throws with it where the command fails. */
async function command(program: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(program, [...args], { cwd: PROJECT, maxBuffer: 64 << 20 })
  return `${stdout}${stderr}`.trim()
}

export const docker = (...args: readonly string[]): Promise<string> => command('docker', args)

export const compose = (...args: readonly string[]): Promise<string> => command('docker', ['compose', ...args])

export const make = (target: string): Promise<string> => command('make', [target])

/** Fails and says what to install where there is no engine: nothing here can be shown without one. */
export async function needEngine(): Promise<void> {
  try {
    await docker('info')
  } catch (error) {
    throw new Error('no container engine answers. Install docker and start it.', { cause: error })
  }
}
