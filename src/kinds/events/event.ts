// Events of events.k8s.io. They are stored as core events, with other field names (W-604), and validated by the rules of the group
// that they are written in (W-603).
import type { ApiObject } from '../../api/object.ts'
import type { Value } from '../../api/value.ts'
import type { Kind } from '../kind.ts'
import { EVENT_COLUMNS } from '../shared/event-columns.ts'
import { eventStrategy, VALIDATION } from '../shared/event.ts'

/** The field in the core group, and in events.k8s.io. */
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

function renamed(object: ApiObject, names: ReadonlyMap<string, string>, apiVersion: string): ApiObject {
  const members = Object.entries(object).map(([name, value]): [string, Value] => [names.get(name) ?? name, value])
  return { ...(Object.fromEntries(members) as ApiObject), apiVersion }
}

export const EVENT: Kind = {
  validation: VALIDATION,
  strategy: eventStrategy,
  columns: EVENT_COLUMNS,
  storedAs: {
    v1: {
      kind: { group: '', version: 'v1', kind: 'Event' },
      conversion: {
        isIdentity: false,
        toStored: (object) => renamed(object, TO_CORE, 'v1'),
        fromStored: (stored) => renamed(stored, FROM_CORE, 'events.k8s.io/v1'),
      },
    },
  },
}
