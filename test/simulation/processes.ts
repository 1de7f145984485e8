// Starts processes that simulate, and reads what they tell.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Order } from './seeds.ts'

const here = path.dirname(fileURLToPath(import.meta.url))
/** Most of what a world makes is garbage soon. */
const YOUNG = '--max-semi-space-size=64'

export interface SimulationEnd {
  readonly code: number
  readonly errors: string
}

/** `plant`: a bug that is planted in the sources. What it tells is given on line by line. */
export async function simulate(
  order: Order,
  onLine: (line: string) => void,
  { plant, signal }: { readonly plant?: string | undefined; readonly signal?: AbortSignal } = {},
): Promise<SimulationEnd> {
  const planted = plant === undefined ? {} : { PLANT: plant }
  const env = { ...process.env, ...planted, ORDER: JSON.stringify(order) }
  const args = [YOUNG, '--import', path.join(here, 'preload.ts'), path.join(here, 'seeds.ts')]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = (): void => void child.kill()
  signal?.addEventListener('abort', stop, { once: true })
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()))
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)))
  for await (const line of createInterface({ input: child.stdout })) onLine(line)
  const code = await ended
  signal?.removeEventListener('abort', stop)
  return { code, errors }
}
