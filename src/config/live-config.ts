// The configuration of a running server: the settings at the start, and later ones after a SIGHUP. A setting either takes effect at
// once or is reported as needing a restart. No setting takes effect in part.
import type { Log } from '../lib/log.ts'
import type { Config } from './config.ts'
import type { FlagName } from './flags.ts'

/** The change of the record by a setting. Undefined: the setting needs a restart. */
type Take = (next: Config, now: Config) => Partial<Config> | undefined

const LOG_LEVEL: Take = ({ logLevel }) => ({ logLevel })

/** The settings that a running server can change, besides the files that SIGHUP reloads. */
const LIVE: Readonly<Partial<Record<FlagName, Take>>> = {
  'log-level': LOG_LEVEL,
  v: LOG_LEVEL,
  'max-requests-inflight': ({ maxReads }) => ({ maxReads }),
  'max-mutating-requests-inflight': ({ maxWrites }) => ({ maxWrites }),
  'shutdown-delay-duration': ({ shutdownDelayMs }) => ({ shutdownDelayMs }),
  'shutdown-send-retry-after': ({ sendRetryAfter }) => ({ sendRetryAfter }),
  'shutdown-watch-termination-grace-period': ({ watchTerminationMs }) => ({ watchTerminationMs }),
  // Auditing itself cannot be switched on or off without a restart.
  'audit-policy-file': ({ audit: { policyFile } }, { audit }) =>
    policyFile === undefined || audit.policyFile === undefined ? undefined : { audit: { ...audit, policyFile } },
}

export const LIVE_FLAGS: readonly FlagName[] = Object.keys(LIVE) as FlagName[]

/** The changed settings. */
export interface TakenSettings {
  readonly applied: readonly FlagName[]
  readonly needsRestart: readonly FlagName[]
}

export class LiveConfig {
  #current: Config
  readonly #listeners: ((now: Config, before: Config) => void)[] = []

  constructor(config: Config) {
    this.#current = config
  }

  get current(): Config {
    return this.#current
  }

  /** The listener is called after each change. */
  listen(listener: (now: Config, before: Config) => void): void {
    this.#listeners.push(listener)
  }

  take(next: Config): TakenSettings {
    const before = this.#current
    const applied: FlagName[] = []
    const needsRestart: FlagName[] = []
    for (const name of changedFlags(before, next)) {
      const change = LIVE[name]?.(next, this.#current)
      if (change === undefined) {
        needsRestart.push(name)
        continue
      }
      applied.push(name)
      const flags = { ...this.#current.flags, [name]: next.flags[name] ?? '' }
      this.#current = Object.freeze({ ...this.#current, ...change, flags })
    }
    if (applied.length > 0) for (const listener of this.#listeners) listener(this.#current, before)
    return { applied, needsRestart }
  }
}

export function changedFlags(before: Pick<Config, 'flags'>, next: Pick<Config, 'flags'>): readonly FlagName[] {
  return Object.keys(next.flags).filter((name) => next.flags[name] !== before.flags[name]) as FlagName[]
}

/** Tells the operator which changed settings are in effect. */
export function tellTaken(log: Log, { applied, needsRestart }: TakenSettings): void {
  if (applied.length > 0) log.info({ flags: applied }, 'changed settings are in effect')
  if (needsRestart.length > 0) log.warn({ flags: needsRestart }, 'changed settings need a restart to take effect')
}
