// Reads objects that kube-apiserver has stored, in protobuf, JSON, YAML or CBOR and in any version of the kind. The result is canonical
// JSON of the version that is stored here, with the defaults that the reference fills in on reads.
import { type ApiObject, formatGroupVersion, type GroupVersionKind, parseGroupVersion } from '../api/object.ts'
import { isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { parseCbor } from '../codec/cbor-decode.ts'
import { CLOSE_MAP, OPEN_MAP } from '../codec/json-bytes.ts'
import { canonicalJson, sortedJson } from '../codec/json-encode.ts'
import { parseJsonDocument } from '../codec/json-parse.ts'
import { decodeProtobuf, decodeRaw, isProtobuf } from '../codec/protobuf.ts'
import { encodeStored } from '../codec/stored-json.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import type { Resource, ResourceTable } from '../registry/registry.ts'
import { defaultOnRead, olderVersion } from './kinds.ts'
import type { DefaultsContext } from '../schema/defaults/defaults.ts'
import { decodeObject } from '../schema/decode.ts'
import type { SourceValue } from '../schema/exact-value.ts'
import type { KindSchema, SchemaTable } from '../schema/table.ts'
import type { DecodeForeign } from '../store/foreign.ts'

export interface ForeignObjectsOptions {
  readonly schema: SchemaTable
  readonly resources: ResourceTable
  /** The family of the addresses of the cluster's services. */
  readonly family: 'IPv4' | 'IPv6'
  readonly defaults: DefaultsContext
}

export function foreignObjects(options: ForeignObjectsOptions): DecodeForeign {
  const decoder = new Decoder(options)
  return (bytes, key) => {
    try {
      return { kind: 'object', bytes: decoder.decode(bytes, key) }
    } catch (error) {
      // One unreadable object must not prevent reads of other objects.
      return { kind: 'unreadable', problem: error instanceof Error ? error.message : String(error) }
    }
  }
}

const LINE_END = 0x0a
/** The self-describing tag, with which the reference begins CBOR. */
const CBOR: readonly number[] = [0xd9, 0xd9, 0xf7]

/** A document of a built-in kind: its own kind and version, and a function that reads it as a kind. */
interface Document extends GroupVersionKind {
  readonly readAs: (kind: KindSchema, convert: ((document: ValueMap) => ValueMap) | undefined) => ValueMap
}

class Decoder {
  readonly #options: ForeignObjectsOptions
  /** The resources in their stored versions, by their places in the store. */
  readonly #resources = new Map<string, Resource>()

  constructor(options: ForeignObjectsOptions) {
    this.#options = options
    for (const resource of options.resources.all()) {
      const { group, version, storedKind, stored } = resource
      const isStoredVersion = storedKind.group === group && storedKind.version === version
      if (isStoredVersion || !this.#resources.has(stored.storagePrefix))
        this.#resources.set(stored.storagePrefix, resource)
    }
  }

  /** Canonical JSON. Throws an error whose message may be shown. */
  decode(bytes: Buffer, key: string): Buffer {
    const [first = '', second = ''] = key.split('/', 2)
    const resource = this.#resources.get(first) ?? this.#resources.get(`${first}/${second}`)
    // Custom resources are stored under their group.
    if (resource === undefined && first.includes('.')) return customObject(bytes)
    return this.#builtIn(isProtobuf(bytes) ? protobufDocument(bytes) : jsonDocument(bytes), resource)
  }

  /** `resource` is the resource of the key. Undefined: the key belongs to no resource of the API. */
  #builtIn(document: Document, resource: Resource | undefined): Buffer {
    const older = olderVersion(document)
    const kind = this.#options.schema.kind(older?.kind ?? document)
    const isInPlace = resource === undefined || resource.storedKind.kind === kind?.kind
    if (kind === undefined || !isInPlace) {
      throw new Error(`stored as ${formatGroupVersion(document)} ${document.kind}, which this server cannot read`)
    }
    const names = { kind: kind.kind, apiVersion: formatGroupVersion(kind) }
    const object = { ...names, ...document.readAs(kind, older?.convert), ...names } as ApiObject
    if (resource === undefined) return encodeStored(object, (bare) => canonicalJson(bare, kind))
    return encodeStored(this.#asStored(object, kind, resource), resource.stored.encode)
  }

  /** The object in the version that is stored here, with everything that this server would have written. */
  #asStored(object: ApiObject, { group, version }: KindSchema, resource: Resource): ApiObject {
    const { resources, defaults, family } = this.#options
    const { storedKind, versions } = resource
    const served = resources.find({ group, version, resource: resource.resource })
    const stored =
      served === undefined
        ? resource.withDefaults(versions.convert(object, formatGroupVersion(storedKind)) as ApiObject, defaults)
        : served.conversion.toStored(served.withDefaults(object, defaults))
    return defaultOnRead(storedKind, stored, family)
  }
}

function protobufDocument(bytes: Buffer): Document {
  const envelope = decodeProtobuf(bytes)
  return {
    ...namesIn(envelope),
    readAs: (kind, convert) => {
      const object = decodeRaw(kind, envelope.raw)
      return convert?.(object) ?? object
    },
  }
}

function jsonDocument(bytes: Buffer): Document {
  const { value, source } = readValue(bytes)
  return {
    ...namesIn(value),
    readAs: (kind, convert) => decodeObject(convert === undefined ? source : convert(value), kind.shape).value,
  }
}

function namesIn(document: { readonly kind?: Value; readonly apiVersion?: Value }): GroupVersionKind {
  const { kind, apiVersion } = document
  const gv = typeof apiVersion === 'string' ? parseGroupVersion(apiVersion) : undefined
  if (gv === undefined || typeof kind !== 'string' || kind === '') {
    throw new Error('the stored data does not say its kind')
  }
  return { ...gv, kind }
}

/** Canonical JSON of a custom resource. All fields stay, because only the definition knows the fields. */
function customObject(bytes: Buffer): Buffer {
  // The reference writes a line end after JSON that is otherwise canonical.
  if (bytes[0] === OPEN_MAP && bytes.at(-2) === CLOSE_MAP && bytes.at(-1) === LINE_END) return bytes.subarray(0, -1)
  if (isProtobuf(bytes)) throw new Error('stored as protobuf, which custom resources have no form in')
  return encodeStored(readValue(bytes).value as ApiObject, sortedJson)
}

/** An object in JSON, CBOR or YAML. `source` has the numbers of JSON in their original spelling. */
function readValue(bytes: Buffer): { readonly value: ValueMap; readonly source: SourceValue } {
  const { value, source } = parseAny(bytes)
  if (!isMap(value) || !isMap(own(value, 'metadata'))) throw new Error('the stored data is not an object')
  return { value, source }
}

function parseAny(bytes: Buffer): { readonly value: Value; readonly source: SourceValue } {
  if (bytes[0] === OPEN_MAP) return parseJsonDocument(bytes)
  const value = CBOR.every((byte, i) => bytes[i] === byte) ? parseCbor(bytes) : parseYaml(bytes).value
  return { value, source: value }
}
