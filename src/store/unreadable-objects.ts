// Logs the stored objects that cannot be decoded, each once. Lists of their kind fail until the objects are repaired.
import { formatGroupResource } from '../api/object.ts'
import type { Log } from '../lib/log.ts'
import { keyInType, normalizePrefix, typePrefix } from './keys.ts'
import type { StoredResource, UnreadableObject } from './store.ts'

/** If there are more, an encryption key is probably missing or wrong, and naming all objects would not help. */
const MOST_NAMED = 1_000

export function tellUnreadable(log: Log, prefix: string): (resource: StoredResource, item: UnreadableObject) => void {
  const named = new Set<string>()
  return (resource, { namespace, name, revision, problem }) => {
    const key = `${normalizePrefix(prefix)}/${typePrefix(resource)}${keyInType({ resource, namespace, name }) ?? name}`
    if (named.has(key) || named.size > MOST_NAMED) return
    named.add(key)
    if (named.size > MOST_NAMED) {
      log.error({ named: MOST_NAMED }, 'more stored objects are unreadable; further objects are not logged')
      return
    }
    const where = namespace === '' ? { name } : { namespace, name }
    log.error(
      { resource: formatGroupResource(resource), ...where, key, revision, reason: problem },
      'stored object is unreadable; lists of its kind fail until it is repaired or deleted',
    )
  }
}
