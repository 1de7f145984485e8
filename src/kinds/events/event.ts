// Events in their own group: the same as those of the core group, which they are stored as, under other names (W-604).
import type { ApiObject } from '../../api/object.ts'
import type { Value } from '../../api/value.ts'
import type { Conversion } from '../../registry/registry.ts'

/** Core name and name in the events' own group. */
const NAMES: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]
const TO_CORE: ReadonlyMap<string, string> = new Map(NAMES.map(([core, own]) => [own, core]))
const FROM_CORE: ReadonlyMap<string, string> = new Map(NAMES)

export const EVENT_OF_ITS_GROUP: Conversion = {
  isIdentity: false,
  toStored: (object) => renamed(object, TO_CORE, 'v1'),
  fromStored: (stored) => renamed(stored, FROM_CORE, 'events.k8s.io/v1'),
}

function renamed(object: ApiObject, names: ReadonlyMap<string, string>, apiVersion: string): ApiObject {
  const members = Object.entries(object).map(([name, value]): [string, Value] => [names.get(name) ?? name, value])
  return { ...(Object.fromEntries(members) as ApiObject), apiVersion }
}
