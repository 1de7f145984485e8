// Examines a store without a server: its values, its space and its objects.
import type { StoreCopy } from '../kv/copy.ts'
import { normalizePrefix } from '../store/keys.ts'
import { openValue, parseObject, type Opener } from '../store/stored-object.ts'
import type { Config } from '../config/config.ts'
import { ReloadRequests } from '../config/reload-requests.ts'
import { systemClock } from '../lib/clock.ts'
import { builtInResources } from '../kinds/kinds.ts'
import { canonicalJson } from '../codec/json-encode.ts'
import { loadBuiltInSchema } from '../schema/schema.ts'
import { openAtRest } from '../server/encryption.ts'
import { foreignObjects } from '../kinds/foreign-objects.ts'
import { logStyle, openLog } from '../telemetry/logger.ts'
import { checkPrefix, openStorageCopy } from '../server/storage.ts'
import { COMPACTION_KEY } from '../store/compactor.ts'
import { FORMAT_KEY } from '../store/storage-format.ts'
import { EncryptionMeasures } from '../store/encryption/encryption.ts'
import { checkContext } from './check-world.ts'
import { examineDataDirectory } from './doctor-certificates.ts'
import type { Diagnosis, Finding } from './doctor-findings.ts'
import { ObjectExaminer } from './doctor-objects.ts'
import { examineSpace } from './doctor-space.ts'

const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions/'

export async function examineStore(config: Config, fix: boolean, signal: AbortSignal): Promise<Diagnosis> {
  const schema = loadBuiltInSchema()
  const resources = builtInResources(schema, canonicalJson)
  const context = checkContext()
  const defaults = { gates: context.gates, now: () => context.now }
  const log = openLog('error', logStyle(undefined))
  const atRest = await openAtRest({ config, log, measures: new EncryptionMeasures(), reloads: new ReloadRequests() })
  const family = config.serviceIpRange.text.includes(':') ? 'IPv6' : 'IPv4'
  const opener: Opener = {
    prefix: normalizePrefix(config.storagePrefix),
    transformer: atRest.transformer,
    decodeForeign: foreignObjects({ schema, resources, family, defaults }),
    isForeign: () => false,
  }
  const examiner = new ObjectExaminer()
  const unreadable: Finding[] = []
  try {
    for (const isPassOfDefinitions of [true, false]) {
      const prefix = isPassOfDefinitions ? config.storagePrefix + DEFINITIONS : config.storagePrefix
      const order = { config: { ...config, storagePrefix: prefix }, clock: systemClock, takesDamaged: true }
      const copy = await openStorageCopy(order, signal)
      try {
        if (!isPassOfDefinitions) await checkPrefix(copy, config, signal)
        const isIncluded = (key: string): boolean => isPassOfDefinitions || !isOther(key, config.storagePrefix)
        unreadable.push(...(await examineItems(copy, opener, { examiner, isIncluded, signal })))
      } finally {
        await copy.close()
      }
    }
  } finally {
    await atRest.close()
  }
  // An unreadable object may be an owner, so owners are checked only if all objects are readable.
  if (unreadable.length === 0) for (const { group, kind } of resources.all()) examiner.complete(group, kind)
  const findings = [
    ...(await examineSpace(config, fix, signal)),
    ...(config.dataDirectory === undefined ? [] : await examineDataDirectory(config.dataDirectory, Date.now())),
    ...unreadable,
    ...examiner.orphans().map(({ finding }) => finding),
    ...examiner.wrongOwners(),
    ...examiner.findings,
  ]
  return { objects: examiner.count, findings }
}

/** Whether the second pass skips the key. Definitions were examined before, and internal values of servers have no kind. */
function isOther(key: string, prefix: string): boolean {
  const rest = key.slice(prefix.length)
  return rest.startsWith(DEFINITIONS) || rest === COMPACTION_KEY || rest === FORMAT_KEY
}

interface ItemParts {
  readonly examiner: ObjectExaminer
  readonly isIncluded: (key: string) => boolean
  readonly signal: AbortSignal
}

async function examineItems(copy: StoreCopy, opener: Opener, parts: ItemParts): Promise<readonly Finding[]> {
  const { examiner, isIncluded, signal } = parts
  const found: Finding[] = []
  for await (const page of copy.pages(signal)) {
    for (const { key, value } of page) {
      if (!isIncluded(key)) continue
      const content = await openValue(opener, value, key)
      if (content.kind === 'readable') {
        examiner.add(parseObject(content.bytes))
        continue
      }
      const remedy = 'bring back its encryption key, or restore or delete it'
      found.push({ check: 'unreadable', subject: key, problem: content.problem, remedy })
    }
  }
  return found
}
