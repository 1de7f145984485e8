// The front door: the controllers, loops that bring stored objects to their intended state. Most run on one replica at a time, which is
// elected by a Lease. Each can be disabled if another program does its work.
import { CancelledError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import type { Random } from '../lib/random.ts'
import type { QueueMeasures } from './queue-measures.ts'
import type { RegistryParts, ResourceTable } from '../registry/registry.ts'

export interface ControllerParts {
  readonly registry: RegistryParts
  readonly resources: () => ResourceTable
  readonly gates: ReadonlySet<string>
  readonly clock: Clock
  /** The time of `clock` in RFC 3339, in whole seconds. */
  readonly now: () => string
  /** Absent: the system's. */
  readonly random?: Random | undefined
  readonly log: Log
  readonly queues?: QueueMeasures | undefined
}

export interface Controller {
  /** The name in `--controllers` and in the log. */
  readonly name: string
  /**
   * Whether the controller begins only when the server is ready. Such a controller has nothing to do in a new store, so the start is faster
   * without it.
   */
  readonly canWait?: boolean
  /** Runs until the signal fires; resolves when its work has ended. */
  run(signal: AbortSignal): Promise<void>
  /** Tells others that this replica shuts down, while it can still be reached (P-250). */
  deregister?(signal: AbortSignal): Promise<void>
}

/** Best effort: a lease that cannot be released in time expires. */
export async function deregisterControllers(
  controllers: readonly Controller[],
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const deregistering = controllers.map(async (controller) => {
    try {
      await controller.deregister?.(signal)
    } catch (error) {
      log.warn({ err: error, controller: controller.name }, 'controller failed to deregister at shutdown')
    }
  })
  await Promise.all(deregistering)
}

/** Runs all controllers. A controller that fails is restarted. */
export async function runControllers(
  controllers: readonly Controller[],
  parts: Pick<ControllerParts, 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(controllers.map((controller) => runOne(controller, parts, signal)))
}

const RESTART_PAUSE_MS = 1_000

async function runOne(
  controller: Controller,
  { clock, log }: Pick<ControllerParts, 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await controller.run(signal)
    } catch (error) {
      if (signal.aborted || error instanceof CancelledError) continue
      log.error({ err: error, controller: controller.name }, 'controller failed')
      await pause(clock, RESTART_PAUSE_MS, signal)
    }
  }
}
