// A port of this machine for a program that is started next, and again later: nobody's now, and outside the range that outgoing
// connections and servers on port 0 take theirs from, so that nobody has it while the program is down for a moment.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'

/** Lower ports are the machine's services'. */
const LOWEST = 10_000
const HIGHEST = 65_535
/** A program that is about to listen needs a few beside it: a narrower gap is of no use. */
const LEAST_GAP = 1_000
const ATTEMPTS = 100

export async function freePort(): Promise<number> {
  const [low, high] = gapBeside(await outgoingPorts())
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = low + Math.floor(Math.random() * (high - low))
    if (await isFree(port)) return port
  }
  throw new Error(`no free port between ${low} and ${high}`)
}

async function outgoingPorts(): Promise<readonly [number, number]> {
  const text = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '32768 60999')
  const [low = LOWEST, high = HIGHEST] = text.trim().split(/\s+/).map(Number)
  return [low, high]
}

/** The ports below the range, or those above; all where the range leaves none. */
function gapBeside([first, last]: readonly [number, number]): readonly [number, number] {
  if (first - LOWEST >= LEAST_GAP) return [LOWEST, first]
  return HIGHEST - last >= LEAST_GAP ? [last + 1, HIGHEST] : [LOWEST, HIGHEST]
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return free
}
