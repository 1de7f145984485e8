// OpenAPI documents independent of the version: operations with parameters, bodies and answers, and the names of their types.
// Versions 2 and 3 are rendered from these records.
import type { GroupVersion, GroupVersionKind } from '../api/object.ts'
import { isList, isMap, type Value, type ValueMap } from '../api/value.ts'
import { givenMembers } from '../lib/given-members.ts'
import { compareStrings } from '../lib/text-order.ts'

export type OpenApiVersion = 2 | 3

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch'

export interface OpenApiParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly description?: string
  readonly type: 'string' | 'boolean' | 'integer'
}

/** The content of an answer or a body: a type by its name in the document, or plain text. */
export type Content = { readonly kind: 'type'; readonly name: string } | { readonly kind: 'text' }

export interface OpenApiOperation {
  readonly method: Method
  readonly id: string
  readonly tags: readonly string[]
  readonly description: string
  readonly parameters: readonly OpenApiParameter[]
  readonly body?: { readonly content: Content; readonly required: boolean }
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  /** One answer for each status code. The answer 401 is added to all operations. */
  readonly answers: readonly { readonly code: number; readonly description: string; readonly content: Content }[]
  /** `x-kubernetes-action`. */
  readonly action?: string
  readonly gvk?: GroupVersionKind
}

export interface OpenApiPath {
  readonly path: string
  readonly operations: readonly OpenApiOperation[]
}

/** The schemas of types by their names in documents. */
export interface TypeSchemas {
  /** Undefined: there is no type of this name. */
  schema(name: string, version: OpenApiVersion): ValueMap | undefined
}

/** A built-in or custom resource, as documents describe it. */
export interface OpenApiResource extends GroupVersionKind {
  readonly plural: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  /** The names of the kind and of its list in documents. */
  readonly type: string
  readonly listType: string
  readonly subresources: readonly OpenApiSubresource[]
  /** Custom resources have no protobuf and no strategic merge patch. */
  readonly isCustom: boolean
  /** A delete answers with the deleted object, not with a Status. */
  readonly deleteGivesObject: boolean
}

export interface OpenApiSubresource extends GroupVersionKind {
  readonly name: string
  readonly verbs: readonly string[]
  readonly type: string
}

/** One document of version 3, and a part of the one document of version 2. */
export interface OpenApiPart {
  /** The key in the index of version 3: `apis/apps/v1`. */
  readonly key: string
  /** A text that changes if the content of the part changes. The text is made without building the part. */
  readonly fingerprint: string
  /** Builds the paths. */
  paths(): readonly OpenApiPath[]
  readonly types: TypeSchemas
  /** Whether the document of version 3 describes authentication. Documents of custom resources do not. */
  readonly isSecured: boolean
}

/** `/apis/apps/v1`, or `/api/v1` for the core group. */
export function rootPath({ group, version }: GroupVersion): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`
}

/** The title and version of the server in every document. */
export interface OpenApiInfo {
  readonly title: string
  readonly version: string
}

/** Authentication by a bearer token, the same in both versions. */
export const BEARER_TOKEN = {
  description: 'A bearer token in the header Authorization.',
  type: 'apiKey',
  name: 'authorization',
  in: 'header',
} as const satisfies ValueMap

/** The parameters that all operations of a path share, in alphabetical order. They are written once, at the path. */
export function sharedParameters({ operations }: OpenApiPath): readonly OpenApiParameter[] {
  const [first, ...others] = operations
  return sortParameters(
    (first?.parameters ?? []).filter((one) =>
      others.every(({ parameters }) => parameters.some(({ name, in: place }) => name === one.name && place === one.in)),
    ),
  )
}

/** The parameters of an operation that are not among the shared parameters. */
export function ownParameters(
  { parameters }: OpenApiOperation,
  shared: readonly OpenApiParameter[],
): readonly OpenApiParameter[] {
  return sortParameters(
    parameters.filter((one) => !shared.some((other) => other.name === one.name && other.in === one.in)),
  )
}

function sortParameters(parameters: readonly OpenApiParameter[]): readonly OpenApiParameter[] {
  return parameters.toSorted((a, b) => compareStrings(a.name, b.name) || compareStrings(a.in, b.in))
}

/** `x-kubernetes-action` and `x-kubernetes-group-version-kind`, by which clients find the operations of a kind. */
export function extensionsOf({ action, gvk }: OpenApiOperation): ValueMap {
  return givenMembers({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk && { group: gvk.group, kind: gvk.kind, version: gvk.version },
  })
}

/** The schemas of types and of all types to which they refer. Each schema is made once for all parts of a document. */
export class CollectedSchemas {
  readonly #version: OpenApiVersion
  readonly #found = new Map<string, ValueMap>()

  constructor(version: OpenApiVersion) {
    this.#version = version
  }

  *add(names: readonly string[], types: TypeSchemas): Generator<void, void> {
    const open = [...names]
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (this.#found.has(name)) continue
      const schema = types.schema(name, this.#version)
      if (schema === undefined) continue
      this.#found.set(name, schema)
      addReferences(schema, open)
      yield
    }
  }

  /** The schemas by name, in alphabetical order. */
  sorted(): Record<string, ValueMap> {
    return Object.fromEntries([...this.#found].sort(([a], [b]) => compareStrings(a, b)))
  }
}

function addReferences(value: Value, names: string[]): void {
  if (isList(value)) for (const item of value) addReferences(item, names)
  if (!isMap(value)) return
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref' && typeof member === 'string') names.push(member.slice(member.lastIndexOf('/') + 1))
    else addReferences(member, names)
  }
}

/** The names of the types in the operations of paths. */
export function typesIn(paths: readonly OpenApiPath[]): readonly string[] {
  return paths.flatMap(({ operations }) =>
    operations.flatMap(({ body, answers }) =>
      [...(body === undefined ? [] : [body.content]), ...answers.map(({ content }) => content)].flatMap((content) =>
        content.kind === 'type' ? [content.name] : [],
      ),
    ),
  )
}
