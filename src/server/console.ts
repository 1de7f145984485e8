// The web console, where it is not switched off.
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { serveConsole, type SessionKey } from '../console/console.ts'
import type { Config } from '../config/config.ts'
import type { Filter } from '../http/http.ts'
import type { Clock } from '../lib/clock.ts'
import type { ResourceApi } from './resource-api.ts'

interface ConsoleParts {
  readonly config: Pick<Config, 'console'>
  readonly clock: Clock
  readonly api: Pick<ResourceApi, 'identity' | 'consoleKey'>
}

export function openConsole({ config, clock, api }: ConsoleParts): Filter | undefined {
  if (config.console === 'off') return undefined
  const own = randomBytes(32)
  const inMemory: SessionKey = { find: async () => own, make: async () => own }
  return serveConsole({
    folder: fileURLToPath(new URL(BUILT, import.meta.url)),
    authenticator: api.identity.authenticator,
    key: config.console === 'shared' ? api.consoleKey : inMemory,
    clock,
  })
}

const BUILT = import.meta.url.endsWith('.ts') ? '../../dist/console' : './console'
