// Starts processes that simulate, and reads what they tell.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Order } from './seeds.ts'

const here = path.dirname(fileURLToPath(import.meta.url))
/** The young generation holds all that a run makes, and is collected after each run (`seeds.ts`). */
const MEMORY = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256']

export interface SimulationEnd {
  readonly code: number
  readonly errors: string
}

/** `env` names a bug to plant in the sources (`PLANT`, or `MUTANT` with its loader). `onLine` gets each line of the output. */
export async function simulate(
  order: Order,
  onLine: (line: string) => void,
  { env = {}, signal }: { readonly env?: NodeJS.ProcessEnv; readonly signal?: AbortSignal } = {},
): Promise<SimulationEnd> {
  const args = [...MEMORY, '--import', path.join(here, 'preload.ts'), path.join(here, 'seeds.ts')]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env, ORDER: JSON.stringify(order) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
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
