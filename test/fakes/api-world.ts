// The registry with every built-in resource on a store in memory: what tests of kinds and pipelines talk to.
import { ADMIT_ALL } from '../../src/admission/admission.ts'
import type { Admission } from '../../src/admission/admission.ts'
import type { ApiObject, GroupVersionResource } from '../../src/api/object.ts'
import { canonicalJson } from '../../src/codec/json-encode.ts'
import { storedJsonInTurns } from '../../src/codec/json-pieces.ts'
import { rememberingManagedFields } from '../../src/codec/stored-managed-fields.ts'
import type { Kv } from '../../src/kv/kv.ts'
import { openMemory } from '../../src/kv/embedded/memory.ts'
import { runAction } from '../../src/registry/action.ts'
import { createObject } from '../../src/registry/create.ts'
import { getObject } from '../../src/registry/read.ts'
import type {
  Action,
  ActionAnswer,
  RegistryParts,
  Resource,
  ResourceTable,
  WriteContext,
} from '../../src/registry/registry.ts'
import { updateObject } from '../../src/registry/update.ts'
import { builtInResources, type RoleGuard, type ServiceMeasures } from '../../src/kinds/kinds.ts'
import type { SchemaTable } from '../../src/schema/table.ts'
import { dryRunOf } from '../../src/store/dry-run.ts'
import { openKvStore } from '../../src/store/kv-store.ts'
import { BUILT_IN } from './built-in-kinds.ts'

export const NOW = '2030-01-02T03:04:05Z'

export interface WorldOptions {
  readonly actions?: (schema: SchemaTable) => readonly Action[]
  readonly admission?: Admission
  readonly serviceRange?: string
  readonly serviceMeasures?: ServiceMeasures
  readonly allowPrivileged?: boolean
  readonly roleGuard?: RoleGuard
  /** Shared where several worlds stand for several servers. */
  readonly kv?: Kv
}

export class ApiWorld {
  readonly parts: RegistryParts
  readonly resources: ResourceTable
  readonly warnings: string[] = []
  readonly annotations = new Map<string, string>()

  constructor(options: WorldOptions = {}) {
    const {
      actions = () => [],
      admission = ADMIT_ALL,
      serviceRange = '10.96.0.0/16',
      kv = openMemory(),
      roleGuard,
      serviceMeasures,
      allowPrivileged = false,
    } = options
    const schema = BUILT_IN
    const store = openKvStore({ kv, prefix: '/registry/' })
    this.parts = { store, dryRunStore: dryRunOf(store), admission }
    this.resources = builtInResources(schema, canonicalJson, {
      encodeInTurns: storedJsonInTurns,
      texts: rememberingManagedFields,
      actions: actions(schema),
      serviceRange,
      allowPrivileged,
      ...(roleGuard === undefined ? {} : { roleGuard }),
      ...(serviceMeasures === undefined ? {} : { serviceMeasures }),
    })
  }

  context(more: Partial<WriteContext> = {}): WriteContext {
    return {
      user: { name: 'someone', uid: undefined, groups: [], extra: {} },
      namespace: 'ns',
      dryRun: false,
      now: NOW,
      gates: new Set(),
      warn: (text) => void this.warnings.push(text),
      annotate: (key, value) => void this.annotations.set(key, value),
      signal: new AbortController().signal,
      fieldManager: 'test',
      options: {},
      authorize: () => Promise.resolve(),
      ...more,
    }
  }

  resource(name: string, group = '', version = 'v1'): Resource {
    const place: GroupVersionResource = { group, version, resource: name }
    const found = this.resources.find(place)
    if (found === undefined) throw new Error(`no ${name}`)
    return found
  }

  async create(resource: Resource, object: object, more: Partial<WriteContext> = {}): Promise<ApiObject> {
    const context = this.context(more)
    const sent = defaulted(resource, object, context)
    return plain((await createObject(this.parts, resource, sent, context)).object)
  }

  /** Changes the object, or what a subresource of it takes. */
  async update(
    resource: Resource,
    name: string,
    change: (live: ApiObject) => object,
    more: Partial<WriteContext> & { readonly subresource?: string } = {},
  ): Promise<ApiObject> {
    const { subresource = '', ...rest } = more
    const context = this.context(rest)
    const written = resource.subresources.get(subresource)?.view ?? resource
    const wanted = (live: ApiObject | undefined): ApiObject => defaulted(written, change(live!), context)
    const request = { name, subresource, wanted, tracksFields: false, absent: 'refuse', uid: '' } as const
    return plain((await updateObject(this.parts, resource, request, context)).object)
  }

  async get(resource: Resource, name: string, namespace = 'ns'): Promise<ApiObject> {
    const place = { resource, namespace: resource.namespaced ? namespace : '' }
    return (await getObject(this.parts, place, { name, at: { kind: 'latest' } }, new AbortController().signal)).object()
  }

  act(place: string, name: string, body: object, more: Partial<WriteContext> = {}): Promise<ActionAnswer> {
    const [resource = '', subresource = ''] = place.split('/')
    const action = this.resources.findAction({ group: '', version: 'v1', resource, subresource })
    if (action === undefined) throw new Error(`no ${place}`)
    const context = this.context(more)
    return runAction(action, defaulted(action.body, body, context), {
      ...context,
      parts: this.parts,
      resources: this.resources,
      name,
    })
  }
}

function defaulted(
  resource: Pick<Resource, 'kind' | 'version' | 'group' | 'decode' | 'withDefaults'>,
  object: object,
  context: WriteContext,
): ApiObject {
  const { kind, version, group } = resource
  const apiVersion = group === '' ? version : `${group}/${version}`
  const decoded = { ...resource.decode(object as never).value, kind, apiVersion } as unknown as ApiObject
  return resource.withDefaults(decoded, { gates: context.gates, now: () => context.now })
}

/** What a write answered with, as an object. */
export function plain(object: Awaited<ReturnType<typeof createObject>>['object']): ApiObject {
  return Buffer.isBuffer((object as { bytes?: unknown }).bytes)
    ? (object as { object(): ApiObject }).object()
    : (object as ApiObject)
}
