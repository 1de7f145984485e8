// The settings of queries on lists and watches.
import { type IndexedPlace, parseIndexedPlaces } from '../api/indexed-place.ts'
import { ApiError } from '../api/status.ts'
import type { QueryFlag } from './flags-queries.ts'
import { integer, type SettingReader } from './setting-reader.ts'
import type { Setting } from './settings.ts'
import { usageError } from './start-error.ts'

export interface QueryConfig {
  /** The largest number of objects that an expression is evaluated on. */
  readonly scanLimit: number
  /** Whether callers without the right to list all objects may list the objects that they may read. */
  readonly hasAccessibleLists: boolean
  /** The indexed fields of each resource. The keys are like `pods` and `deployments.apps`. */
  readonly indexes: ReadonlyMap<string, readonly IndexedPlace[]>
}

export function queryConfig(read: Pick<SettingReader<QueryFlag>, 'required' | 'optional' | 'switch'>): QueryConfig {
  return {
    scanLimit: integer(read.required('query-scan-limit'), 1, 1_000_000_000),
    hasAccessibleLists: read.switch('accessible-lists'),
    indexes: indexesIn(read.optional('index')),
  }
}

const RESOURCE = /^[a-z0-9]+(?:[.-][a-z0-9]+)*$/

function indexesIn(setting: Setting | undefined): QueryConfig['indexes'] {
  const found = new Map<string, readonly IndexedPlace[]>()
  for (const part of setting?.text.split(';') ?? []) {
    const [resource = '', ...fields] = part.trim().split('=')
    const source = setting?.source ?? ''
    if (fields.length === 0 || !RESOURCE.test(resource)) {
      throw usageError(`${source}: expected RESOURCE=FIELD[,FIELD...], not ${JSON.stringify(part)}`)
    }
    if (found.has(resource)) throw usageError(`${source}: ${resource} is listed twice`)
    try {
      found.set(resource, parseIndexedPlaces(resource, fields.join('=')))
    } catch (error) {
      throw error instanceof ApiError ? usageError(`${source}: ${error.message}`) : error
    }
  }
  return found
}
