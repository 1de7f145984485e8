// The front door: every resource that is built in, made from the schema's facts, a row, and a file where the kind has a
// character of its own.
import type { ApiObject, GroupVersion, GroupVersionKind, GroupVersionResource } from '../api/object.ts'
import { formatGroupVersion, parseGroupVersion } from '../api/object.ts'
import { selectableFields } from '../api/selector-fields.ts'
import { ApiError } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'
import { own } from '../api/value.ts'
import type { Action, Conversion, Resource, ResourceTable, Subresource } from '../registry/registry.ts'
import type { BuiltInResource } from '../schema/built-in-resources.ts'
import { builtInGroups } from '../schema/built-in-resources.ts'
import { applyDefaults } from '../schema/defaults/defaults.ts'
import { columnsOf } from './columns/columns.ts'
import { defaultsOf } from './defaults.ts'
import { decodeChanged, decodeObject, type Decoded } from '../schema/decode.ts'
import type { SourceValue } from '../schema/exact-value.ts'
import { knownVersionsOf } from '../schema/known-versions.ts'
import { inOrder } from '../schema/member-order.ts'
import type { KindSchema, ObjectShape, SchemaTable } from '../schema/table.ts'
import { addressRange } from './address-range.ts'
import { bindingActions } from './binding.ts'
import { characterOf } from './character.ts'
import type { CharacterTraits } from './character.ts'
import { STORAGE_PREFIXES } from './character-rows.ts'
import { CONVERSIONS, IDENTITY } from './conversion.ts'
import type { EncodeInTurns, EncodeObject } from './custom-resource.ts'
import { AUTOSCALER_V1 } from './horizontal-pod-autoscaler.ts'
import { evictionAction } from './eviction.ts'
import { largeObjects } from './large-objects.ts'
import { NAMESPACE } from './namespace.ts'
import { podTraits } from './pod.ts'
import { claimTraits } from './resource-claim.ts'
import { type RoleGuard, roleTraits } from './role-escalation.ts'
import { rulesOf } from './rules.ts'
import { scaleView } from './scale.ts'
import { serviceTraits } from './service.ts'
import { DEFAULT_NODE_PORTS, type PortRange } from './service-claims.ts'
import { ServiceMeasures } from './service-measures.ts'
import { SCALABLE, TRAITS_OF_KINDS } from './traits.ts'
import { kindVersions } from '../registry/kind-versions.ts'

export { columnsOf } from './columns/columns.ts'
export { accessReviewActions } from './access-reviews.ts'
export type { RoleGuard } from './role-escalation.ts'
export { type ConversionParts, type ConvertByWebhook, conversionWebhook } from './conversion-webhook.ts'
export { RENAME_VERSION } from './custom-form.ts'
export {
  compareVersions,
  conditionOf,
  type Definition,
  hasBadAuthority,
  readDefinition,
} from './definition.ts'
export { DefinitionTable } from './definition-table.ts'
export { olderVersion } from './older-versions.ts'
export { PORT_RANGES } from './port-map.ts'
export { readAnew } from './read-anew.ts'
export { addressCount } from './address-range.ts'
export { NODE_PORTS } from './service-claims.ts'
export { ServiceMeasures } from './service-measures.ts'
export { CLEANUP } from './small-kinds.ts'
export { claimWhatServicesHave, repairServiceClaims } from './service-repair.ts'
export { resourceOfStorageKey } from './storage-keys.ts'
export { tokenRequestAction, type TokenRequestOptions } from './token-request.ts'
export { tokenReviewAction } from './token-review.ts'

const TRAITS: Readonly<Record<string, CharacterTraits>> = {
  ...TRAITS_OF_KINDS,
  '/Namespace': NAMESPACE,
}

/** The kinds that are held to the rules of the version that they are written in (W-603). */
const VALIDATED_AS_SERVED: ReadonlySet<string> = new Set(['events.k8s.io/v1/Event'])

/** The kinds that are stored as another version or group of theirs. */
const STORED_AS: Readonly<Record<string, GroupVersionKind>> = {
  'autoscaling/v1/HorizontalPodAutoscaler': { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
  'events.k8s.io/v1/Event': { group: '', version: 'v1', kind: 'Event' },
}

const DEPRECATIONS: Readonly<Record<string, readonly string[]>> = {
  '/v1/ComponentStatus': ['v1 ComponentStatus is deprecated in v1.19+'],
  '/v1/Endpoints': ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
}

type Stored = Resource['stored']

/** How the objects of a resource are read and written where they are stored, by how they are written plainly; the codec's too. */
export type StoredTexts = (encode: NonNullable<Stored['encode']>) => Pick<Stored, 'encode' | 'parse'>

export interface BuiltInOptions {
  /** Absent: plainly. */
  readonly texts?: StoredTexts
  /** How large objects are written, in turns; absent: as others are. */
  readonly encodeInTurns?: EncodeInTurns
  /** Actions that need something which is not known here. */
  readonly actions?: readonly Action[]
  /** Where the addresses of services come from: a range in CIDR notation. */
  readonly serviceRange?: string
  /** Where the ports of nodes come from that services get. */
  readonly nodePorts?: PortRange
  readonly serviceMeasures?: ServiceMeasures
  /** How long an event is kept after its last change. */
  readonly eventTtlSeconds?: number
  /** Whether containers may be privileged; absent: they may not. */
  readonly allowPrivileged?: boolean
  /** What keeps users from giving away rights that they do not hold; absent: nothing does. */
  readonly roleGuard?: RoleGuard
}

const DEFAULT_SERVICE_RANGE = '10.0.0.0/24'

export function builtInResources(
  schema: SchemaTable,
  encode: EncodeObject,
  options: BuiltInOptions = {},
): ResourceTable {
  const { actions: more = [], serviceRange = DEFAULT_SERVICE_RANGE, eventTtlSeconds = 3600, roleGuard } = options
  const {
    encodeInTurns,
    allowPrivileged = false,
    nodePorts = DEFAULT_NODE_PORTS,
    texts = (plain) => ({ encode: plain }),
  } = options
  const resources = new Map<string, Resource>()
  const declared = new Set<string>()
  const actions = new Map(
    [...bindingActions(schema), evictionAction(schema), ...more].map((action) => [placeOf(action.at), action]),
  )
  const find = (group: string, resource: string): Resource | undefined =>
    resources.get(keyOf({ group, version: 'v1', resource }))
  const { serviceMeasures: measures = new ServiceMeasures() } = options
  const service = serviceTraits({ network: { ranges: [addressRange(serviceRange)], nodePorts, measures }, find })
  const roles = roleGuard === undefined ? {} : roleTraits(roleGuard, find)
  const claims = claimTraits(() => find('', 'namespaces'))
  const traits = {
    ...TRAITS,
    ...roles,
    ...claims,
    '/Event': { ttlSeconds: eventTtlSeconds },
    '/Pod': podTraits(allowPrivileged),
    '/Service': service,
  }
  for (const { versions } of builtInGroups()) {
    for (const { resources: rows } of versions) {
      for (const row of rows) {
        declared.add(keyOf({ ...row, resource: row.plural }))
        const resource = resourceOf({ schema, encode, encodeInTurns, texts, traits, allowPrivileged }, row)
        if (resource !== undefined) resources.set(keyOf(resource), resource)
      }
    }
  }
  return {
    find: (resource) => resources.get(keyOf(resource)),
    all: () => resources.values(),
    findAction: (place) => actions.get(placeOf(place)),
    isDeclared: (resource) => declared.has(keyOf(resource)),
    knowsKind: (kind) => schema.kind(kind) !== undefined || isKindOfAnotherVersion(schema, kind),
    // What is built in never changes.
    onChange: () => () => {},
  }
}

/** A version that is no longer or not yet served has the kinds of those that are, as far as clients can tell. */
function isKindOfAnotherVersion(schema: SchemaTable, { group, version, kind }: GroupVersionKind): boolean {
  const versions = knownVersionsOf(group)
  return (
    versions.includes(version) && versions.some((other) => schema.kind({ group, version: other, kind }) !== undefined)
  )
}

function keyOf({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}/${resource}`
}

function placeOf(place: GroupVersionResource & { readonly subresource: string }): string {
  return `${keyOf(place)}/${place.subresource}`
}

interface Sources {
  readonly schema: SchemaTable
  readonly encode: EncodeObject
  readonly encodeInTurns: EncodeInTurns | undefined
  readonly texts: StoredTexts
  readonly traits: Readonly<Record<string, CharacterTraits>>
  readonly allowPrivileged: boolean
}

/** Undefined for what is not stored: reviews and bindings. Component statuses are not either, but can be read. */
function resourceOf(sources: Sources, row: BuiltInResource): Resource | undefined {
  const { schema, encode, encodeInTurns, texts, traits, allowPrivileged } = sources
  const kind = schema.kind(row)
  if (kind === undefined || !row.verbs.includes('get')) return undefined
  const path = pathOf(row, row.kind)
  const storedKind = STORED_AS[path] ?? { group: row.group, version: row.version, kind: row.kind }
  const storedSchema = schema.kind(storedKind) ?? kind
  const conversion = conversionOf(row, storedSchema)
  return {
    group: row.group,
    version: row.version,
    resource: row.plural,
    kind: row.kind,
    singular: row.singular,
    namespaced: row.namespaced,
    schema: kind,
    isCustom: false,
    deprecations: DEPRECATIONS[path] ?? [],
    verbs: new Set(row.verbs),
    subresources: new Map(row.subresources.map((sub) => [sub.name, subresourceOf(schema, row, sub)])),
    storedKind,
    stored: {
      group: row.group,
      resource: row.plural,
      storagePrefix: STORAGE_PREFIXES[`${row.group}/${row.plural}`] ?? row.plural,
      namespaced: row.namespaced,
      selectableFields: selectableFields(row).own,
      ...texts((object) => encode(object, storedSchema)),
      ...(encodeInTurns === undefined
        ? {}
        : { encodeInTurns: (object, turns) => encodeInTurns(object, storedSchema, turns) }),
    },
    conversion,
    withDefaults: (object, context) => applyDefaults(defaultsOf(row), object, context),
    decode: (source, known) => decoded(source, kind.shape, known),
    toCanonical: (object, known) =>
      inOrder(
        decoded(object, storedSchema.shape, known?.object).value,
        storedSchema.shape,
        known?.isInOrder === true ? known.object : undefined,
      ) as ApiObject,
    large: largeObjects(kind.shape, storedSchema.shape, {
      rules: rulesOf(VALIDATED_AS_SERVED.has(path) ? row : storedKind),
      namespaced: row.namespaced,
      allowPrivileged,
    }),
    versions: versionsOf(schema, row, conversion),
    columns: columnsOf(storedKind),
    character: characterOf(
      {
        stored: storedKind,
        validated: VALIDATED_AS_SERVED.has(path) ? row : storedKind,
        namespaced: row.namespaced,
        allowPrivileged,
      },
      traits[`${storedKind.group}/${storedKind.kind}`],
    ),
  }
}

function decoded(source: SourceValue, shape: ObjectShape, known: ValueMap | undefined): Decoded {
  return known === undefined ? decodeObject(source, shape) : decodeChanged(source, shape, known)
}

/** What is read out of annotations can be anything; where it is no object of the stored kind the client is told. */
function conversionOf(row: GroupVersionKind, storedSchema: KindSchema): Conversion {
  const conversion = CONVERSIONS[pathOf(row, row.kind)] ?? IDENTITY
  if (conversion !== AUTOSCALER_V1) return conversion
  return {
    ...conversion,
    toStored: (object) => {
      try {
        const stored = conversion.toStored(object)
        decodeObject(stored, storedSchema.shape)
        return stored
      } catch (error) {
        const subject = `${row.kind} in version ${JSON.stringify(row.version)}`
        throw new ApiError('BadRequest', `${subject} cannot be handled as a ${row.kind}: ${(error as Error).message}`)
      }
    },
  }
}

function subresourceOf(
  schema: SchemaTable,
  row: BuiltInResource,
  sub: BuiltInResource['subresources'][number],
): Subresource {
  const served = { kind: sub, verbs: new Set(sub.verbs) }
  const scalable = sub.name === 'scale' ? SCALABLE[`${row.group}/${row.kind}`] : undefined
  return scalable === undefined ? served : { ...served, view: scaleView(schema, row, scalable) }
}

function pathOf({ group, version }: GroupVersion, kind: string): string {
  return `${group}/${version}/${kind}`
}

/** Ownership may have been recorded under any version of the kind; claims of one are compared in that one. */
function versionsOf(schema: SchemaTable, served: GroupVersionKind, conversion: Conversion): Resource['versions'] {
  return kindVersions({
    shape: (apiVersion) => {
      const gv = parseGroupVersion(apiVersion)
      return gv === undefined ? undefined : schema.kind({ ...gv, kind: served.kind })?.shape
    },
    isGivenUp: (apiVersion) => parseGroupVersion(apiVersion) !== undefined,
    convert: (object: ValueMap, apiVersion: string): ValueMap => {
      const given = own(object, 'apiVersion')
      const from = typeof given === 'string' ? parseGroupVersion(given) : undefined
      const source = from === undefined ? conversion : (CONVERSIONS[pathOf(from, served.kind)] ?? IDENTITY)
      const stored = source.toStored(object as ApiObject)
      const gv = parseGroupVersion(apiVersion)
      if (gv === undefined || formatGroupVersion(gv) === stored.apiVersion) return stored
      return (CONVERSIONS[pathOf(gv, served.kind)] ?? IDENTITY).fromStored(stored)
    },
  })
}
