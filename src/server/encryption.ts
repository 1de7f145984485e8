// Encryption at rest: reads the EncryptionConfiguration, and reloads it if configured (P-440, P-449).
import { parseYaml } from '../codec/yaml-parse.ts'
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
import type { EncryptionFile } from '../config/storage-config.ts'
import { readTextFile } from '../config/files.ts'
import type { OnReload } from '../config/jwt-issuers.ts'
import type { ReloadRequests } from '../config/reload-requests.ts'
import { reloadFiles } from '../config/reloaded-files.ts'
import { reasonOf, StartError } from '../config/start-error.ts'

export interface AtRest {
  readonly transformer: Transformer
  /** Whether the key services can be reached. */
  readonly checks: readonly HealthCheck[]
  /** Reads the file again, every minute; resolves when the signal fires. */
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
const RELOAD_EVERY_MS = 60_000
const READY_WITHIN_MS = 60_000

/** Throws a `StartError` if the file is invalid. */
export async function openAtRest(parts: AtRestParts): Promise<AtRest> {
  const { config, log, measures, reloads } = parts
  const { encryption } = config
  if (encryption === undefined) {
    const nothing = (): Promise<void> => Promise.resolve()
    return { transformer: identityTransformer, checks: [], run: nothing, close: nothing }
  }
  const text = readTextFile(encryption.file, FLAG)
  const wanted = parseConfig(text, encryption.file)
  const opened = await openWith(wanted, config, measures)
  const onReload: OnReload = (status) => void measures.reloads.of(status, '').value++
  return {
    transformer: opened,
    checks: checksOf(opened, encryption.reload),
    run: (stop) =>
      encryption.reload ? reload({ encryption, opened, text, log, onReload, reloads }, stop) : Promise.resolve(),
    close: () => opened.close(),
  }
}

function parseConfig(text: string, file: string): EncryptionConfig {
  try {
    const { value, duplicates } = parseYaml(Buffer.from(text))
    if (duplicates.length > 0) throw new Error(duplicates[0])
    const reading = readEncryptionConfig(value)
    if (reading.kind === 'config') return reading.config
    throw new Error(reading.faults.join('; '))
  } catch (error) {
    throw new StartError(`${FLAG} ${file}: ${reasonOf(error)}`, { cause: error })
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

interface Reload {
  readonly encryption: EncryptionFile
  readonly opened: Encryption
  /** The content of the file at the start. */
  readonly text: string
  readonly log: Log
  readonly onReload: OnReload
  readonly reloads: ReloadRequests
}

async function reload(parts: Reload, signal: AbortSignal): Promise<void> {
  const { encryption, opened, text, log, onReload, reloads } = parts
  const { file } = encryption
  let current = text
  const look = async (stop: AbortSignal): Promise<void> => {
    const found = readTextFile(file, FLAG)
    if (found === current) return
    await opened.replace(parseConfig(found, file), AbortSignal.any([stop, AbortSignal.timeout(READY_WITHIN_MS)]))
    current = found
    onReload('success')
    log.info({}, 'reloaded encryption configuration')
  }
  const onProblem = (error: unknown): void => {
    onReload('failure')
    log.error({ reason: reasonOf(error) }, 'could not reload encryption configuration; keeping the previous one')
  }
  await reloadFiles({ files: [file], everyMs: RELOAD_EVERY_MS, reloads, look, onProblem }, signal)
}
