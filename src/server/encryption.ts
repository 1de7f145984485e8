// Encryption at rest: reads the EncryptionConfiguration, and reloads it if configured (P-440, P-449).
import type { HealthCheck } from '../handlers/health.ts'
import type { Log } from '../lib/log.ts'
import { resourceOfStorageKey } from '../kinds/kinds.ts'
import {
  Encryption,
  type EncryptionConfig,
  type EncryptionMeasures,
  openKmsPlugin,
  readEncryptionConfig,
} from '../store/encryption/encryption.ts'
import { normalizePrefix } from '../store/keys.ts'
import type { Transformer } from '../store/transformer.ts'
import { identityTransformer } from '../store/transformer.ts'
import type { Config } from '../config/config.ts'
import { readDocument, readTextFile } from '../config/files.ts'
import type { ReloadRequests } from '../config/reload-requests.ts'
import { followContent, type OnReload } from '../config/reloaded-files.ts'

export interface AtRest {
  readonly transformer: Transformer
  /** Whether the key services can be reached. */
  readonly checks: readonly HealthCheck[]
  /** If reloading is configured, looks for changes of the file every minute until the signal fires. */
  readonly run: (signal: AbortSignal) => Promise<void>
  readonly close: () => Promise<void>
}

export interface AtRestParts {
  readonly config: Config
  readonly log: Log
  readonly measures: EncryptionMeasures
  readonly reloads: ReloadRequests
}

const FLAG = '--encryption-provider-config'
const RELOAD = { what: 'encryption configuration', everyMs: 60_000, level: 'error' } as const
const READY_WITHIN_MS = 60_000

/** Throws a `StartError` if the file is invalid. */
export async function openAtRest(parts: AtRestParts): Promise<AtRest> {
  const { config, log, measures, reloads } = parts
  const { encryption } = config
  if (encryption === undefined) {
    const nothing = (): Promise<void> => Promise.resolve()
    return { transformer: identityTransformer, checks: [], run: nothing, close: nothing }
  }
  const { file } = encryption
  const readText = (): string => readTextFile(file, FLAG)
  const text = readText()
  const readConfig = (): EncryptionConfig => readDocument(file, FLAG, readEncryptionConfig)
  const opened = await openWith(readConfig(), config, measures)
  const use = (_text: string, signal: AbortSignal): Promise<void> =>
    opened.replace(readConfig(), AbortSignal.any([signal, AbortSignal.timeout(READY_WITHIN_MS)]))
  const onReload: OnReload = (status) => void measures.reloads.of(status, '').value++
  const content = { ...RELOAD, files: [file], current: text, read: readText, use, onReload, reloads, log }
  return {
    transformer: opened,
    checks: checksOf(opened, encryption.reload),
    run: (stop) => (encryption.reload ? followContent(content, stop) : Promise.resolve()),
    close: () => opened.close(),
  }
}

function openWith(
  wanted: EncryptionConfig,
  { storagePrefix }: Config,
  measures: EncryptionMeasures,
): Promise<Encryption> {
  const prefix = normalizePrefix(storagePrefix)
  const resourceOf = resourceOfStorageKey()
  return Encryption.open(wanted, {
    resourceOf: (key: string) => resourceOf(key.slice(prefix.length + 1)),
    openPlugin: openKmsPlugin,
    now: () => Date.now(),
    measures,
  })
}

/** One check for each provider, or one for all if they may change (P-449). */
function checksOf(encryption: Encryption, mayChange: boolean): readonly HealthCheck[] {
  const checkAll = (): void => encryption.remote.forEach((provider) => provider.check())
  if (mayChange) return [{ name: 'kms-providers', check: checkAll }]
  return encryption.remote.map((provider, i) => ({ name: `kms-provider-${i}`, check: () => provider.check() }))
}
