// The web console, unless it is switched off.
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type Provider, serveConsole, type SessionKey } from '../console/console.ts'
import type { Config } from '../config/config.ts'
import { readAuthorities } from '../config/files.ts'
import type { StageOptions } from '../http/stages.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { answerValue } from '../outgoing/answer.ts'
import type { OutgoingCaller } from '../outgoing/call.ts'
import type { ResourceApi } from './resource-api.ts'

interface ConsoleParts {
  readonly config: Config
  readonly clock: Clock
  readonly waitClock: Clock
  readonly log: Log
  /** Calls the servers of the operator's configuration. */
  readonly operatorsCaller: OutgoingCaller
  readonly api: Pick<ResourceApi, 'identity' | 'consoleKey' | 'endedSessions'>
}

export function openConsole({
  config,
  clock,
  waitClock,
  log,
  operatorsCaller,
  api,
}: ConsoleParts): StageOptions['console'] {
  if (config.console === 'off') return undefined
  const own = randomBytes(32)
  const inMemory: SessionKey = { find: async () => own, make: async () => own }
  const options = {
    folder: fileURLToPath(new URL(BUILT, import.meta.url)),
    authenticator: api.identity.authenticator,
    key: config.console === 'shared' ? api.consoleKey : inMemory,
    ended: api.endedSessions,
    provider: providerOf(config, operatorsCaller),
    clock,
    waitClock,
    log,
  }
  return (audited) => serveConsole(options, audited)
}

const BUILT = import.meta.url.endsWith('.ts') ? '../../dist/console' : './console'

const CALL = { userAgent: 'quarterdeck', timeoutMs: 10_000, tellTimeout: false, maxAnswerBytes: 1024 * 1024 } as const
const FORM = { 'content-type': 'application/x-www-form-urlencoded' } as const

/** The OpenID Connect issuer of the flags. The server accepts tokens of this issuer whose audience is the configured client. */
function providerOf({ identity: { oidc } }: Config, caller: OutgoingCaller): Provider | undefined {
  if (oidc === undefined) return undefined
  const { issuer, clientId, caFile } = oidc
  const trusting = caFile === undefined ? {} : { tls: { ca: readAuthorities(caFile, '--oidc-ca-file') } }
  return {
    issuer,
    clientId,
    readJson: async (url, signal) => answerValue(await caller.call({ url, ...trusting }, CALL, signal)),
    postForm: async (url, body, signal) =>
      answerValue(await caller.call({ url, ...trusting, headers: FORM }, { ...CALL, body }, signal)),
  }
}
