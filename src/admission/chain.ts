// Several admissions as one: each sees what the one before made of the object; the first that refuses ends it. Who cares for
// which resource is known beforehand, so that a write costs nothing for those that do not care for it.
import type { ApiObject } from '../api/object.ts'
import { formatGroupResource } from '../api/object.ts'
import type { Admission, AdmissionOperation, AdmissionPlugin, AdmissionRequest, MutatingWalk } from './admission.ts'

const OPERATIONS: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']

/** Who is asked about one operation on one resource. */
interface Asked {
  readonly mutators: readonly Mutator[]
  readonly validators: readonly Validator[]
  readonly mayRepeat: boolean
}

type Mutator = NonNullable<AdmissionPlugin['mutate']>
type Validator = NonNullable<AdmissionPlugin['validate']>
type ByOperation = Readonly<Record<AdmissionOperation, Asked>>

export function admitInOrder(chain: readonly AdmissionPlugin[]): Admission {
  const named = new Set(chain.flatMap(({ resources = [] }) => resources))
  const byResource = new Map([...named].map((resource) => [resource, askedOf(chain, resource)]))
  const others = askedOf(chain, undefined)
  const askedFor = ({ resource, operation }: AdmissionRequest): Asked =>
    (byResource.get(formatGroupResource(resource)) ?? others)[operation]
  return {
    mutate(request, signal) {
      const asked = askedFor(request)
      if (asked.mutators.length === 0) return Promise.resolve(request.object)
      return asked.mayRepeat ? walkTwice(asked, request, signal) : walk(asked, request, signal)
    },
    async validate(request, signal) {
      for (const validate of askedFor(request).validators) {
        const done = validate(request, signal)
        if (done !== undefined) await done
      }
    },
  }
}

/** With no resource: one that no plugin names. */
function askedOf(chain: readonly AdmissionPlugin[], resource: string | undefined): ByOperation {
  const entries = OPERATIONS.map((operation) => {
    const caring = chain.filter(
      ({ resources, operations }) =>
        (resources === undefined || (resource !== undefined && resources.includes(resource))) &&
        (operations === undefined || operations.includes(operation)),
    )
    const asked: Asked = {
      mutators: caring.flatMap((plugin) => (plugin.mutate === undefined ? [] : [plugin.mutate.bind(plugin)])),
      validators: caring.flatMap((plugin) => (plugin.validate === undefined ? [] : [plugin.validate.bind(plugin)])),
      mayRepeat: caring.some(({ mayRepeat }) => mayRepeat === true),
    }
    return [operation, asked]
  })
  return Object.fromEntries(entries) as Record<AdmissionOperation, Asked>
}

async function walk(
  { mutators }: Asked,
  request: AdmissionRequest,
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  let current = request
  for (const mutate of mutators) {
    const made = mutate(current, signal)
    const object = made instanceof Promise ? await made : made
    if (object !== current.object) current = { ...current, object }
  }
  return current.object
}

async function walkTwice(asked: Asked, request: AdmissionRequest, signal: AbortSignal): Promise<ApiObject | undefined> {
  const memory = new Map<string, unknown>()
  let again = false
  const first: MutatingWalk = {
    isSecond: false,
    memory,
    repeat: () => {
      again = true
    },
  }
  const object = await walk(asked, { ...request, walk: first }, signal)
  if (!again) return object
  const second: MutatingWalk = { isSecond: true, memory, repeat: () => {} }
  return walk(asked, { ...request, object, walk: second }, signal)
}
