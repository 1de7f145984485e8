// The OpenAPI documents that are served. A document is built in turns at its first request, in the requested form, and kept. The index of
// version 3 builds no document: the hash of a document is the hash of its sources.
import { jsonText } from '../api/json-text.ts'
import { createHash } from 'node:crypto'
import { isMap, type Value, type ValueMap } from '../api/value.ts'
import { runInTurns, type Turns } from '../lib/turns.ts'
import { openApiDocument } from '../schema/openapi-document.ts'
import type { OpenApiInfo, OpenApiPart, OpenApiVersion } from '../schema/openapi-model.ts'
import { encodeOpenApi } from './protobuf-openapi.ts'

export const OPENAPI_V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
export const OPENAPI_V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'

/** The sources of a document. All work is done in turns. */
export interface DocumentSource {
  readonly version: OpenApiVersion
  readonly build: () => Generator<void, ValueMap>
  readonly turns: Turns
}

/** A document in JSON and in protobuf. */
export class OpenApiDocument {
  /** The hash in URLs, which is also the ETag of the answer: upper-case hexadecimal, without quotes. */
  readonly hash: string
  readonly source: DocumentSource
  #json: Promise<Buffer> | undefined
  #protobuf: Promise<Buffer> | undefined

  constructor(hash: string, source: DocumentSource) {
    this.hash = hash
    this.source = source
  }

  json(): Promise<Buffer> {
    this.#json ??= this.#written(jsonPieces)
    return this.#json
  }

  protobuf(): Promise<Buffer> {
    this.#protobuf ??= this.#written((document) => encodeOpenApi(this.source.version, document))
    return this.#protobuf
  }

  async #written(encode: (document: ValueMap) => Generator<void, readonly Buffer[]>): Promise<Buffer> {
    const { build, turns } = this.source
    const document = await runInTurns(build(), turns)
    return runInTurns(joined(await runInTurns(encode(document), turns)), turns)
  }
}

function* joined(pieces: readonly Buffer[]): Generator<void, Buffer> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    at += piece.copy(whole, at)
    yield
  }
  return whole
}

/** The large maps of a document are `paths`, `definitions` and `components.schemas`. */
const LEVELS_OF_MAPS = 3

/** The JSON in pieces. With thousands of definitions, one long text would block the event loop, or exceed V8's limit. */
function* jsonPieces(document: ValueMap): Generator<void, readonly Buffer[]> {
  const pieces: Buffer[] = []
  yield* addJson(document, LEVELS_OF_MAPS, pieces)
  return pieces
}

function* addJson(value: Value, levels: number, pieces: Buffer[]): Generator<void, void> {
  if (levels === 0 || !isMap(value)) {
    pieces.push(Buffer.from(jsonText(value)))
    yield
    return
  }
  let before = '{'
  for (const [key, member] of Object.entries(value)) {
    pieces.push(Buffer.from(`${before}${JSON.stringify(key)}:`))
    yield* addJson(member, levels - 1, pieces)
    before = ','
  }
  pieces.push(Buffer.from(before === '{' ? '{}' : '}'))
}

export interface OpenApiOptions {
  readonly info: OpenApiInfo
  readonly turns: Turns
}

/** All documents of one state of the server. This object is immutable: a change of the custom resources makes a new object. */
export class OpenApiDocuments {
  readonly #options: OpenApiOptions
  readonly #parts: readonly OpenApiPart[]
  /** The documents by their keys in the index of version 3. */
  readonly #documents: ReadonlyMap<string, OpenApiDocument>
  readonly v2: OpenApiDocument

  constructor(options: OpenApiOptions, parts: readonly OpenApiPart[], before?: OpenApiDocuments) {
    this.#options = options
    this.#parts = parts
    this.#documents = new Map(
      parts.map((part) => {
        const same = before?.v3(part.key)
        return [part.key, same?.hash === hashOf(options.info, [part]) ? same : makeDocument(3, [part], options)]
      }),
    )
    this.v2 = makeDocument(2, parts, options)
  }

  /** The documents with the given parts instead of the parts that match `isReplaced`. Unchanged documents stay built. */
  replace(isReplaced: (part: OpenApiPart) => boolean, parts: readonly OpenApiPart[]): OpenApiDocuments {
    return new OpenApiDocuments(this.#options, [...this.#parts.filter((part) => !isReplaced(part)), ...parts], this)
  }

  /** The document of a key such as `apis/apps/v1`. Undefined: there is no such document. */
  v3(key: string): OpenApiDocument | undefined {
    return this.#documents.get(key)
  }

  /** The answer of `/openapi/v3`. */
  v3Index(): ValueMap {
    const keys = [...this.#documents.keys()].sort()
    const entry = (key: string): ValueMap => ({ serverRelativeURL: `/openapi/v3/${key}?hash=${this.v3(key)?.hash}` })
    return { paths: Object.fromEntries(keys.map((key) => [key, entry(key)])) }
  }
}

/** This function is not part of the constructor, because a closure there would keep the earlier documents in memory. */
function makeDocument(
  version: OpenApiVersion,
  parts: readonly OpenApiPart[],
  { info, turns }: OpenApiOptions,
): OpenApiDocument {
  return new OpenApiDocument(hashOf(info, parts), {
    version,
    build: () => openApiDocument(version, parts, info),
    turns,
  })
}

function hashOf(info: OpenApiInfo, parts: readonly OpenApiPart[]): string {
  const hash = createHash('sha512').update(JSON.stringify(info))
  for (const { key, fingerprint } of parts) hash.update(`\n${key} ${fingerprint}`)
  return hash.digest('hex').toUpperCase()
}
