// The OpenAPI documents as they are served: every document is built when it is first asked for, in the form that is asked for,
// and kept. The index of version 3 needs none of them built: a document's hash is that of what it is made from.
import { jsonText } from '../api/json-text.ts'
import { createHash } from 'node:crypto'
import type { ValueMap } from '../api/value.ts'
import type { OpenApiInfo, OpenApiPart } from '../schema/openapi-model.ts'
import { openApiV2 } from '../schema/openapi-v2.ts'
import { openApiV3 } from '../schema/openapi-v3.ts'
import { encodeOpenApiV2 } from './protobuf-openapi-v2.ts'
import { encodeOpenApiV3 } from './protobuf-openapi-v3.ts'

export const OPENAPI_V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
export const OPENAPI_V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'

/** A document in its forms. */
export class OpenApiDocument {
  /** In upper-case hexadecimal, without quotes: the hash in addresses, and the tag of the answer. */
  readonly hash: string
  readonly #build: () => ValueMap
  readonly #encode: (document: ValueMap) => Buffer
  #json: Buffer | undefined
  #protobuf: Buffer | undefined

  constructor(hash: string, build: () => ValueMap, encode: (document: ValueMap) => Buffer) {
    this.hash = hash
    this.#build = build
    this.#encode = encode
  }

  json(): Buffer {
    this.#json ??= Buffer.from(jsonText(this.#build()))
    return this.#json
  }

  protobuf(): Buffer {
    this.#protobuf ??= this.#encode(this.#build())
    return this.#protobuf
  }
}

/** All documents of one state of the server. Immutable: a change of the custom resources makes a new one. */
export class OpenApiDocuments {
  readonly #info: OpenApiInfo
  readonly #parts: readonly OpenApiPart[]
  /** By the key in the index of version 3. */
  readonly #documents: ReadonlyMap<string, OpenApiDocument>
  readonly v2: OpenApiDocument

  constructor(info: OpenApiInfo, parts: readonly OpenApiPart[], before?: OpenApiDocuments) {
    this.#info = info
    this.#parts = parts
    this.#documents = new Map(
      parts.map((part) => {
        const hash = hashOf(info, [part])
        const same = before?.v3(part.key)
        return [part.key, same?.hash === hash ? same : v3Document(hash, part, info)]
      }),
    )
    this.v2 = v2Document(parts, info)
  }

  /** The documents with the given parts in place of those that `isReplaced` says; what did not change stays built. */
  replace(isReplaced: (part: OpenApiPart) => boolean, parts: readonly OpenApiPart[]): OpenApiDocuments {
    return new OpenApiDocuments(this.#info, [...this.#parts.filter((part) => !isReplaced(part)), ...parts], this)
  }

  /** The document of a key such as `apis/apps/v1`; undefined where there is none. */
  v3(key: string): OpenApiDocument | undefined {
    return this.#documents.get(key)
  }

  /** What `/openapi/v3` answers. */
  v3Index(): ValueMap {
    const keys = [...this.#documents.keys()].sort()
    const entry = (key: string): ValueMap => ({ serverRelativeURL: `/openapi/v3/${key}?hash=${this.v3(key)?.hash}` })
    return { paths: Object.fromEntries(keys.map((key) => [key, entry(key)])) }
  }
}

/** Not a closure of the constructor: that would keep the documents before it, and they those before them. */
function v2Document(parts: readonly OpenApiPart[], info: OpenApiInfo): OpenApiDocument {
  return new OpenApiDocument(hashOf(info, parts), () => openApiV2(parts, info), encodeOpenApiV2)
}

function v3Document(hash: string, part: OpenApiPart, info: OpenApiInfo): OpenApiDocument {
  return new OpenApiDocument(hash, () => openApiV3(part, info), encodeOpenApiV3)
}

function hashOf(info: OpenApiInfo, parts: readonly OpenApiPart[]): string {
  const hash = createHash('sha512').update(JSON.stringify(info))
  for (const { key, fingerprint } of parts) hash.update(`\n${key} ${fingerprint}`)
  return hash.digest('hex').toUpperCase()
}
