// The keys of objects in the storage: `<prefix>/<storagePrefix>/[<namespace>/]<name>`, the reference's layout. Every name is
// escaped to printable ASCII. So no name leaves its place in the key, and bytes and strings sort alike.
import type { ObjectKey, StoredResource } from './store.ts'

export interface KeyNames {
  readonly namespace: string
  readonly name: string
}

/** Every engine limits keys (lmdb: 1,978 bytes). The longest key of valid names is far below this. */
const LONGEST_KEY = 1_500

/** Nearly all names need no escaping. */
const PLAIN = /^[\w:-][\w.:-]*$/

/** The result begins with a slash and ends without one: `/registry` and `registry/` mean the same. */
export function normalizePrefix(prefix: string): string {
  const parts = prefix.split('/').filter((part) => part !== '')
  return parts.length === 0 ? '' : `/${parts.join('/')}`
}

/** The prefix of a type's keys, relative to the server's prefix. Its final slash keeps `podsets` out of `pods`. */
export function typePrefix(resource: StoredResource): string {
  return `${resource.storagePrefix}/`
}

/** The key of an object relative to its type. Undefined: no object can have such names. */
export function keyInType(key: ObjectKey): string | undefined {
  const { resource, namespace, name } = key
  if (name === '' || (namespace !== '') !== resource.namespaced) return undefined
  if (!namespace.isWellFormed() || !name.isWellFormed()) return undefined
  const text = resource.namespaced ? `${escapeSegment(namespace)}/${escapeSegment(name)}` : escapeSegment(name)
  return text.length + resource.storagePrefix.length > LONGEST_KEY ? undefined : text
}

/** The prefix of a namespace's keys relative to the type. Undefined: no namespace can have this name. */
export function namespaceInType(namespace: string): string | undefined {
  if (!namespace.isWellFormed()) return undefined
  const segment = escapeSegment(namespace)
  return segment === '' || segment.length > LONGEST_KEY ? undefined : `${segment}/`
}

/** The names of a key that `keyInType` made. Undefined: `keyInType` cannot have made the key. */
export function namesOf(resource: StoredResource, key: string): KeyNames | undefined {
  return key.includes('/') === resource.namespaced ? namesIn(key) : undefined
}

/** Like `namesOf`, for a key whose type is unknown: the number of its segments tells whether the type has namespaces. */
export function namesIn(key: string): KeyNames | undefined {
  const slash = key.indexOf('/')
  if (slash === 0 || key.includes('/', slash + 1)) return undefined
  const namespace = slash < 0 ? '' : unescapeSegment(key.slice(0, slash))
  const name = unescapeSegment(key.slice(slash + 1))
  return namespace === undefined || name === undefined || name === '' ? undefined : { namespace, name }
}

/** Escapes all characters outside of printable ASCII, the separator, the escape character, and the dots of the names `.` and `..`. */
function escapeSegment(text: string): string {
  if (PLAIN.test(text)) return text
  if (text === '.' || text === '..') return text.replaceAll('.', '%2E')
  return text.replace(/[^\x21-\x24\x26-\x2e\x30-\x7e]/gu, encodeURIComponent)
}

function unescapeSegment(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    const plain = decodeURIComponent(text)
    return escapeSegment(plain) === text ? plain : undefined
  } catch {
    return undefined
  }
}
