// Validates objects as a server would at their creation. A checked definition adds its kind.
import { asMap, textOrAbsent } from '../api/members.ts'
import { metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { formatGroupVersion, parseGroupVersion } from '../api/object.ts'
import { isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { canonicalJson } from '../codec/json-encode.ts'
import { builtInResources, DefinitionTable, RENAME_VERSION } from '../kinds/kinds.ts'
import { metaForCreate } from '../registry/object-meta.ts'
import type { Resource } from '../registry/registry.ts'
import { ServedObject } from '../registry/served-store.ts'
import { DecodeError } from '../schema/decode.ts'
import { loadBuiltInSchema } from '../schema/schema.ts'
import { checkContext, installed } from './check-world.ts'

export const DEFINITION = 'apiextensions.k8s.io/v1 CustomResourceDefinition'

/** The apiVersion and the kind of an object. Empty if one of them is absent. */
export function kindOf(value: Value): string {
  const [apiVersion, kind] = [textOrAbsent(asMap(value), 'apiVersion'), textOrAbsent(asMap(value), 'kind')]
  return apiVersion === undefined || kind === undefined ? '' : `${apiVersion} ${kind}`
}

export interface ObjectFault {
  /** Empty: the whole object. */
  readonly field: string
  readonly message: string
}

export class ObjectChecker {
  readonly #table: DefinitionTable
  /** The keys are apiVersion and kind. Undefined values: the kind is unknown. */
  #resources = new Map<string, Resource | undefined>()

  constructor() {
    const schema = loadBuiltInSchema()
    this.#table = new DefinitionTable({
      schema,
      builtIn: builtInResources(schema, canonicalJson),
      encode: canonicalJson,
      serve: (stored, object, type) => new ServedObject(stored, object, type),
      converter: () => RENAME_VERSION,
      onRetired: () => {},
    })
  }

  /** Undefined: the kind is unknown. */
  faultsOf(value: Value): readonly ObjectFault[] | undefined {
    const name = kindOf(value)
    if (!this.#resources.has(name)) this.#resources.set(name, this.#find(name))
    const resource = this.#resources.get(name)
    if (resource === undefined || !isMap(value)) return undefined
    const { object, problems } = decode(resource, value)
    if (object === undefined) return problems
    const faults = [...problems, ...faultsOfNew(resource, object)]
    if (name === DEFINITION) {
      this.#table.put(installed(object))
      this.#resources = new Map()
    }
    return faults
  }

  #find(name: string): Resource | undefined {
    const [apiVersion = '', kind = ''] = name.split(' ')
    const gv = parseGroupVersion(apiVersion)
    for (const resource of gv === undefined ? [] : this.#table.all()) {
      if (resource.kind === kind && formatGroupVersion(resource) === apiVersion) return resource
    }
    return undefined
  }
}

interface Decoded {
  readonly object: ApiObject | undefined
  readonly problems: readonly ObjectFault[]
}

function decode(resource: Resource, sent: ValueMap): Decoded {
  try {
    const { value, problems } = resource.decode(sent)
    const object = { ...value, kind: resource.kind, apiVersion: formatGroupVersion(resource) } as ApiObject
    const context = checkContext()
    return {
      object: resource.withDefaults(object, { gates: context.gates, now: () => context.now }),
      problems: problems.map((problem) => ({ field: /"(.*)"/.exec(problem)?.[1] ?? '', message: problem })),
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const field = /(?:field )?\w+\.([\w.]+) of type/.exec(error.message)?.[1] ?? ''
    return { object: undefined, problems: [{ field, message: error.message }] }
  }
}

/** The faults that the server finds in the object alone. Faults that depend on other objects are left out: a missing namespace, missing rights. */
function faultsOfNew(resource: Resource, sent: ApiObject): readonly ObjectFault[] {
  const context = checkContext()
  const placed =
    resource.namespaced && own(sent.metadata, 'namespace') === undefined
      ? withMeta(sent, { namespace: 'default' })
      : sent
  const { strategy } = resource
  const made = metaForCreate(placed, context)
  // Some objects name their own uid.
  const uid = metaText(sent, 'uid')
  const prepared = strategy.prepareForCreate(uid === '' ? made : withMeta(made, { uid }), context)
  return strategy.validateCreate(resource.toCanonical(prepared), context)
}
