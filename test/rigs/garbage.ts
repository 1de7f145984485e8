// The garbage collector, for tests of what is let go.
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Everything that nobody refers to is gone; weak references that were just looked at need a turn of the event loop first. */
export async function collectGarbage(): Promise<void> {
  await setImmediate()
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // With another flag than the rest, nothing that is imported later is found compiled.
  setFlagsFromString('--no-expose-gc')
  collect()
  collect()
}
