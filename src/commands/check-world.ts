// Stands in for a server in commands that check objects without one: gives the context of a write, and the stored form of a definition.
import { jsonText } from '../api/json-text.ts'
import { mapOrEmpty } from '../api/members.ts'
import { metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import type { WriteContext } from '../registry/registry.ts'
import { BytesObject } from '../store/stored-object.ts'

export function checkContext(): WriteContext {
  return {
    user: { name: 'check', uid: undefined, groups: [], extra: {} },
    namespace: 'default',
    dryRun: true,
    now: `${new Date().toISOString().slice(0, 19)}Z`,
    gates: new Set(),
    warn: () => {},
    annotate: () => {},
    signal: new AbortController().signal,
    fieldManager: 'check',
    options: {},
    authorize: () => Promise.resolve(),
  }
}

/** The stored form of an established definition. */
export function installed(object: ApiObject): StoredObject {
  const names = mapOrEmpty(mapOrEmpty(object, 'spec'), 'names')
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }))
  const named = withMeta(object, { uid: metaText(object, 'name'), generation: 1 })
  const established = { ...named, status: { conditions, acceptedNames: names, storedVersions: [] } }
  return new BytesObject({ namespace: '', name: metaText(object, 'name') }, 1, Buffer.from(jsonText(established)))
}
