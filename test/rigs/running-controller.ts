// Controllers at work on the objects of a world: begun and ended with the test.
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { SILENT_LOG } from '../../src/lib/log.ts'
import type { Controller, ControllerParts } from '../../src/controllers/controllers.ts'
import type { ApiWorld } from './api-world.ts'

/** `now`: what time it always is; absent: what time it is. */
export function controllerParts(world: ApiWorld, now?: string): ControllerParts {
  return {
    registry: world.parts,
    resources: () => world.resources,
    gates: new Set(),
    clock: systemClock,
    now: () => now ?? `${new Date().toISOString().slice(0, 19)}Z`,
    log: SILENT_LOG,
  }
}

/** Runs until the test is over, or until it is stopped. */
export function runUntilFinished(controller: Controller): () => Promise<void> {
  const stop = new AbortController()
  const ended = controller.run(stop.signal)
  const end = async (): Promise<void> => {
    stop.abort()
    await ended
  }
  onTestFinished(end)
  return end
}
