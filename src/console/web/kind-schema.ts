// The schema of a kind from the server's OpenAPI documents, with the allowed fields and values at a place.

export interface SchemaNode {
  readonly $ref?: string
  readonly allOf?: readonly SchemaNode[]
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
  readonly additionalProperties?: SchemaNode | boolean
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly required?: readonly string[]
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string
    readonly version: string
    readonly kind: string
  }[]
}

export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, SchemaNode>> }
}

export interface Suggestion {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly isRequired: boolean
  /** A value of the type, as YAML. */
  readonly sample: string
}

export class KindSchema {
  readonly #schemas: Readonly<Record<string, SchemaNode>>
  readonly #top: SchemaNode | undefined

  constructor(
    document: OpenApiDocument,
    wanted: { readonly group: string; readonly version: string; readonly kind: string },
  ) {
    this.#schemas = document.components?.schemas ?? {}
    this.#top = Object.values(this.#schemas).find((schema) =>
      schema['x-kubernetes-group-version-kind']?.some(
        ({ group, version, kind }) => group === wanted.group && version === wanted.version && kind === wanted.kind,
      ),
    )
  }

  /** The fields below the path. Empty: the path does not exist or has no fields. */
  fieldsAt(path: readonly string[]): readonly Suggestion[] {
    const { properties = {}, required = [] } = this.#at(path) ?? {}
    return Object.entries(properties).map(([name, node]) => {
      const resolved = this.#resolved(node)
      const { type = 'object', description = '' } = resolved
      const sample = sampleOf(node.default === undefined ? resolved : node)
      return { name, type, description: node.description ?? description, isRequired: required.includes(name), sample }
    })
  }

  /** The allowed values of an enumeration or a boolean at the path. Empty for every other field. */
  valuesAt(path: readonly string[]): readonly string[] {
    const { type, enum: listed = [] } = this.#at(path) ?? {}
    return type === 'boolean' ? ['true', 'false'] : listed.filter((value) => value !== '').map(String)
  }

  #at(path: readonly string[]): SchemaNode | undefined {
    let node = this.#top === undefined ? undefined : this.#resolved(this.#top)
    for (const key of path) {
      const values = typeof node?.additionalProperties === 'object' ? node.additionalProperties : undefined
      const next: SchemaNode | undefined = node?.properties?.[key] ?? values
      node = next === undefined ? undefined : this.#resolved(next)
      if (node?.items !== undefined) node = this.#resolved(node.items)
    }
    return node
  }

  /** Follows references, including those in `allOf`. The depth is limited, because references may form a circle. */
  #resolved(node: SchemaNode, depth = 0): SchemaNode {
    const { $ref: reference = node.allOf?.[0]?.$ref } = node
    const found = reference === undefined ? undefined : this.#schemas[reference.split('/').at(-1) ?? '']
    if (found === undefined || depth > 8) return node
    return this.#resolved(found, depth + 1)
  }
}

function sampleOf({ type = 'object', default: usual, enum: [first] = [], minimum }: SchemaNode): string {
  return JSON.stringify(usual ?? first ?? minimum ?? SAMPLES[type] ?? {})
}

const SAMPLES: Readonly<Record<string, unknown>> = { string: '', integer: 0, number: 0, boolean: false, array: [] }
