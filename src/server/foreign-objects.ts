// Reads what kube-apiserver has stored: the protobuf envelope, and JSON, YAML or CBOR by its hand, in whatever version it stored
// the kind in. It becomes canonical JSON of the version that is stored here, with what the reference fills in when it reads.
import { type ApiObject, formatGroupVersion, type GroupVersionKind, parseGroupVersion } from '../api/object.ts'
import { isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { parseCbor } from '../codec/cbor-decode.ts'
import { CLOSE_MAP, OPEN_MAP } from '../codec/json-bytes.ts'
import { canonicalJson, sortedJson } from '../codec/json-encode.ts'
import { parseJson } from '../codec/json-parse.ts'
import { decodeProtobuf, decodeRaw, isProtobuf } from '../codec/protobuf.ts'
import { encodeStored } from '../codec/stored-json.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import type { Resource, ResourceTable } from '../registry/registry.ts'
import { olderVersion, readAnew } from '../resources/resources.ts'
import type { DefaultsContext } from '../schema/defaults/defaults.ts'
import { decodeObject } from '../schema/decode.ts'
import type { SourceValue } from '../schema/exact-value.ts'
import type { KindSchema, SchemaTable } from '../schema/table.ts'
import type { DecodeForeign } from '../store/foreign.ts'

export interface ForeignObjectsOptions {
  readonly schema: SchemaTable
  readonly resources: ResourceTable
  /** Of the addresses of the cluster's services. */
  readonly family: 'IPv4' | 'IPv6'
  readonly defaults: DefaultsContext
}

export function foreignObjects(options: ForeignObjectsOptions): DecodeForeign {
  const decoder = new Decoder(options)
  return (bytes, key) => {
    try {
      return { kind: 'object', bytes: decoder.decode(bytes, key) }
    } catch (error) {
      // Whatever is wrong with one object, the others are to be read.
      return { kind: 'unreadable', problem: error instanceof Error ? error.message : String(error) }
    }
  }
}

const LINE_END = 0x0a
/** CBOR that says of itself that it is, as the reference writes it. */
const CBOR = Buffer.of(0xd9, 0xd9, 0xf7)

/** A document of a built-in kind: what it says of itself, and how to read it as a kind. */
interface Document extends GroupVersionKind {
  readonly readAs: (kind: KindSchema, convert: ((document: ValueMap) => ValueMap) | undefined) => ValueMap
}

class Decoder {
  readonly #options: ForeignObjectsOptions
  /** By where they are stored, in the version that they are stored in. */
  readonly #resources = new Map<string, Resource>()

  constructor(options: ForeignObjectsOptions) {
    this.#options = options
    for (const resource of options.resources.all()) {
      if (resource.conversion.isIdentity) this.#resources.set(resource.stored.storagePrefix, resource)
    }
  }

  /** Canonical JSON. Throws with words that may be shown. */
  decode(bytes: Buffer, key: string): Buffer {
    const [first = '', second = ''] = key.split('/', 2)
    const resource = this.#resources.get(first) ?? this.#resources.get(`${first}/${second}`)
    // The objects of definitions stand under their group.
    if (resource === undefined && first.includes('.')) return customObject(bytes)
    return this.#builtIn(documentIn(bytes), resource)
  }

  #builtIn(document: Document, resource: Resource | undefined): Buffer {
    const { schema } = this.#options
    const older = olderVersion(document)
    const kind = schema.kind(older?.kind ?? document)
    const isRight = resource === undefined || resource.storedKind.kind === kind?.kind
    if (kind === undefined || !isRight) {
      throw new Error(`stored as ${formatGroupVersion(document)} ${document.kind}, which this server cannot read`)
    }
    const names = { kind: kind.kind, apiVersion: formatGroupVersion(kind) }
    const object = { ...names, ...document.readAs(kind, older?.convert), ...names } as ApiObject
    return resource === undefined
      ? encodeStored(object, (bare) => canonicalJson(bare, kind))
      : encodeStored(this.#asStored(object, kind, resource), resource.stored.encode)
  }

  /** In the version that is stored here, as one that was written here. */
  #asStored(object: ApiObject, kind: KindSchema, resource: Resource): ApiObject {
    const { resources, defaults, family } = this.#options
    const { group, version, resource: plural } = resource
    const isStored = kind.group === resource.storedKind.group && kind.version === resource.storedKind.version
    const from = isStored
      ? resource
      : (resources.find({ group: kind.group, version: kind.version, resource: plural }) ?? resource)
    const stored = from.conversion.toStored(from.withDefaults(object, defaults))
    return readAnew({ group, version, kind: resource.kind }, stored, family)
  }
}

function documentIn(bytes: Buffer): Document {
  if (isProtobuf(bytes)) return protobufDocument(bytes)
  if (bytes[0] === OPEN_MAP) {
    const { value, source } = parseJson(bytes)
    return jsonDocument(value, source)
  }
  const value = isCbor(bytes) ? parseCbor(bytes) : parseYaml(bytes).value
  return jsonDocument(value, value)
}

function isCbor(bytes: Buffer): boolean {
  return CBOR.equals(bytes.subarray(0, CBOR.length))
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

function jsonDocument(value: Value, source: SourceValue): Document {
  if (!isMap(value) || !isMap(own(value, 'metadata'))) throw new Error('the stored data is not an object')
  return {
    ...namesIn(value),
    readAs: (kind, convert) => decodeObject(convert === undefined ? source : convert(value), kind.shape).value,
  }
}

function namesIn(document: { readonly kind?: Value; readonly apiVersion?: Value }): GroupVersionKind {
  const { kind, apiVersion } = document
  const gv = typeof apiVersion === 'string' ? parseGroupVersion(apiVersion) : undefined
  if (gv === undefined || typeof kind !== 'string' || kind === '')
    throw new Error('the stored data does not say its kind')
  return { ...gv, kind }
}

/** Nobody but its definition knows what it may contain. */
function customObject(bytes: Buffer): Buffer {
  // The reference writes a line end behind what is canonical otherwise.
  if (bytes[0] === OPEN_MAP && bytes.at(-1) === LINE_END && bytes.at(-2) === CLOSE_MAP) return bytes.subarray(0, -1)
  if (isProtobuf(bytes)) throw new Error('stored as protobuf, which custom resources have no form in')
  const value =
    bytes[0] === OPEN_MAP ? parseJson(bytes).value : isCbor(bytes) ? parseCbor(bytes) : parseYaml(bytes).value
  if (!isMap(value) || !isMap(own(value, 'metadata'))) throw new Error('the stored data is not an object')
  return encodeStored(value as ApiObject, sortedJson)
}
