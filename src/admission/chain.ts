// The admission chain: each plugin gets the object that the one before returned; the first that refuses ends it. The plugins of a
// resource are determined by its first request, so that others cost nothing.
import { type ApiObject, formatGroupResource } from '../api/object.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Admission, AdmissionOperation, AdmissionPlugin, AdmissionRequest, MutatingWalk } from './admission.ts'

const OPERATIONS: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']

/** The plugins that care for one operation on one resource. */
interface PluginSet {
  readonly mutators: readonly Mutator[]
  readonly validators: readonly Validator[]
  readonly mayRepeat: boolean
}

type Mutator = NonNullable<AdmissionPlugin['mutate']>
type Validator = NonNullable<AdmissionPlugin['validate']>
type ByOperation = Readonly<Record<AdmissionOperation, PluginSet>>

export function admitInOrder(chain: readonly AdmissionPlugin[]): Admission {
  const named = new Set(chain.flatMap(({ resources = [] }) => resources))
  const known = new Map<string | undefined, ByOperation>()
  const setFor = ({ resource, operation }: AdmissionRequest): PluginSet => {
    const name = formatGroupResource(resource)
    const place = named.has(name) ? name : undefined
    let found = known.get(place)
    if (found === undefined) known.set(place, (found = pluginsFor(chain, place)))
    return found[operation]
  }
  return {
    mutate(request, signal) {
      const set = setFor(request)
      if (set.mutators.length === 0) return request.object
      const call = { request, signal }
      return set.mayRepeat ? walkTwice(set.mutators, call) : walk(set.mutators, call)
    },
    validate(request, signal) {
      return validateFrom(setFor(request).validators, 0, { request, signal })
    },
    hasExtensions: (phase) => chain.some((plugin) => plugin[phase] !== undefined && plugin.hasExtensions?.() === true),
  }
}

interface Call {
  readonly request: AdmissionRequest
  readonly signal: AbortSignal
}

/** Awaits only plugins that return a promise. */
function validateFrom(validators: readonly Validator[], first: number, call: Call): MaybePromise<void> {
  for (let i = first; i < validators.length; i++) {
    const done = validators[i]!(call.request, call.signal)
    if (done !== undefined) return done.then(() => validateFrom(validators, i + 1, call))
  }
}

/** Without a resource: for those that no plugin names. */
function pluginsFor(chain: readonly AdmissionPlugin[], resource: string | undefined): ByOperation {
  const entries = OPERATIONS.map((operation) => {
    const matching = chain.filter(
      ({ resources, operations }) =>
        (resources === undefined || (resource !== undefined && resources.includes(resource))) &&
        (operations === undefined || operations.includes(operation)),
    )
    const set: PluginSet = {
      mutators: matching.flatMap((plugin) => (plugin.mutate === undefined ? [] : [plugin.mutate.bind(plugin)])),
      validators: matching.flatMap((plugin) => (plugin.validate === undefined ? [] : [plugin.validate.bind(plugin)])),
      mayRepeat: matching.some(({ mayRepeat }) => mayRepeat === true),
    }
    return [operation, set]
  })
  return Object.fromEntries(entries) as Record<AdmissionOperation, PluginSet>
}

/** Runs the mutators from `first` on. Awaits only those that return a promise. */
function walk(mutators: readonly Mutator[], call: Call, first = 0): MaybePromise<ApiObject | undefined> {
  const { signal } = call
  let { request } = call
  for (let i = first; i < mutators.length; i++) {
    const made = mutators[i]!(request, signal)
    if (made instanceof Promise) {
      const before = request
      return made.then((object) => walk(mutators, { request: withObject(before, object), signal }, i + 1))
    }
    request = withObject(request, made)
  }
  return request.object
}

function withObject(request: AdmissionRequest, object: ApiObject | undefined): AdmissionRequest {
  return object === request.object ? request : { ...request, object }
}

function walkTwice(mutators: readonly Mutator[], { request, signal }: Call): MaybePromise<ApiObject | undefined> {
  const memory = new Map<string, unknown>()
  let again = false
  const first: MutatingWalk = {
    isSecond: false,
    memory,
    repeat: () => {
      again = true
    },
  }
  return whenKnown(walk(mutators, { request: { ...request, walk: first }, signal }), (object) => {
    if (!again) return object
    const second: MutatingWalk = { isSecond: true, memory, repeat: () => {} }
    return walk(mutators, { request: { ...request, object, walk: second }, signal })
  })
}
