// The admission chain: each plugin gets the object that the previous plugin returned, and the first refusal ends the chain. The plugins of
// a resource are determined at the first request for the resource, so that other plugins cost nothing.
import { type ApiObject, formatGroupResource } from '../api/object.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type {
  Admission,
  AdmissionOperation,
  AdmissionPhase,
  AdmissionPlace,
  AdmissionPlugin,
  AdmissionRequest,
  MutatingWalk,
} from './admission.ts'

const OPERATIONS: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']

/** The plugins for one operation on one resource. */
interface PluginSet {
  readonly plugins: readonly AdmissionPlugin[]
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
  const extensible = { mutate: extensibleIn(chain, 'mutate'), validate: extensibleIn(chain, 'validate') }
  const setFor = ({ resource, operation }: Pick<AdmissionRequest, 'resource' | 'operation'>): PluginSet => {
    const name = formatGroupResource(resource)
    const place = named.has(name) ? name : undefined
    let found = known.get(place)
    if (found === undefined) known.set(place, (found = pluginsFor(chain, place)))
    return found[operation]
  }
  return {
    mutate(request, signal) {
      const set = setFor(request)
      if (set.mutators.length === 0) return undefined
      const call = { request, signal }
      return set.mayRepeat ? walkTwice(set.mutators, call) : walk(set.mutators, call)
    },
    validate(request, signal) {
      return validateFrom(setFor(request).validators, 0, { request, signal })
    },
    hasExtensions: (phase) => extensible[phase].some((plugin) => plugin.hasExtensions?.() === true),
    readsObjects: (phase, request) =>
      setFor(request).plugins.some((plugin) => plugin[phase] !== undefined && readsObjects(plugin, request)),
  }
}

function extensibleIn(chain: readonly AdmissionPlugin[], phase: AdmissionPhase): readonly AdmissionPlugin[] {
  return chain.filter((plugin) => plugin[phase] !== undefined && plugin.hasExtensions !== undefined)
}

function readsObjects(plugin: AdmissionPlugin, request: AdmissionPlace): boolean {
  return plugin.readsObjects?.(request) ?? plugin.hasExtensions?.() ?? true
}

interface Call {
  readonly request: AdmissionRequest
  readonly signal: AbortSignal
}

/** Calls the validators in order. Awaits only validators that return a promise. */
function validateFrom(validators: readonly Validator[], first: number, call: Call): MaybePromise<void> {
  for (let i = first; i < validators.length; i++) {
    const done = validators[i]!(call.request, call.signal)
    if (done !== undefined) return done.then(() => validateFrom(validators, i + 1, call))
  }
}

/** `resource` is undefined for all resources that no plugin names. */
function pluginsFor(chain: readonly AdmissionPlugin[], resource: string | undefined): ByOperation {
  const entries = OPERATIONS.map((operation) => {
    const matching = chain.filter(
      ({ resources, operations }) =>
        (resources === undefined || (resource !== undefined && resources.includes(resource))) &&
        (operations === undefined || operations.includes(operation)),
    )
    const set: PluginSet = {
      plugins: matching,
      mutators: matching.flatMap((plugin) => (plugin.mutate === undefined ? [] : [plugin.mutate.bind(plugin)])),
      validators: matching.flatMap((plugin) => (plugin.validate === undefined ? [] : [plugin.validate.bind(plugin)])),
      mayRepeat: matching.some(({ mayRepeat }) => mayRepeat === true),
    }
    return [operation, set]
  })
  return Object.fromEntries(entries) as Record<AdmissionOperation, PluginSet>
}

/** Runs the mutators. Awaits only mutators that return a promise. Returns the changed object. Undefined: nothing changes. */
function walk(mutators: readonly Mutator[], call: Call): MaybePromise<ApiObject | undefined> {
  return walkFrom(mutators, call, { first: 0, changed: undefined })
}

interface Progress {
  readonly first: number
  /** The object as earlier mutators changed it. */
  readonly changed: ApiObject | undefined
}

function walkFrom(
  mutators: readonly Mutator[],
  call: Call,
  { first, changed: before }: Progress,
): MaybePromise<ApiObject | undefined> {
  let { request } = call
  let changed = before
  for (let i = first; i < mutators.length; i++) {
    const made = mutators[i]!(request, call.signal)
    if (made instanceof Promise) {
      const [asked, known] = [request, changed]
      return made.then((object) => {
        const isNew = object !== undefined && object !== asked.object
        const next = { request: isNew ? { ...asked, object } : asked, signal: call.signal }
        return walkFrom(mutators, next, { first: i + 1, changed: isNew ? object : known })
      })
    }
    if (made === undefined || made === request.object) continue
    changed = made
    request = { ...request, object: made }
  }
  return changed
}

function walkTwice(mutators: readonly Mutator[], { request, signal }: Call): MaybePromise<ApiObject | undefined> {
  const memory = new Map<string, unknown>()
  let again = false
  request.walk = {
    isSecond: false,
    memory,
    repeat: () => {
      again = true
    },
  }
  return whenKnown(walk(mutators, { request, signal }), (changed) => {
    request.walk = undefined
    if (!again) return changed
    const second: MutatingWalk = { isSecond: true, memory, repeat: () => {} }
    const object = changed ?? request.object
    return whenKnown(
      walk(mutators, { request: { ...request, object, walk: second }, signal }),
      (last) => last ?? changed,
    )
  })
}
