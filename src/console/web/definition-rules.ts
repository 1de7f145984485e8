// The rules of a definition's schema, each with the field that it is about.

export interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly 'x-kubernetes-validations'?: readonly Rule[]
}

export interface Rule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
}

export interface PlacedRule extends Rule {
  /** `spec.replicas`, `spec.ports[*]`; empty: the whole object. */
  readonly field: string
}

export function rulesIn(schema: Schema | undefined, field = ''): readonly PlacedRule[] {
  if (schema === undefined) return []
  const { properties = {}, items, additionalProperties: values, 'x-kubernetes-validations': own = [] } = schema
  const below = (name: string): string => (field === '' ? name : `${field}.${name}`)
  return [
    ...own.map((rule) => ({ ...rule, field })),
    ...Object.entries(properties).flatMap(([name, inside]) => rulesIn(inside, below(name))),
    ...rulesIn(items, `${field}[*]`),
    ...rulesIn(typeof values === 'object' ? values : undefined, `${field}{*}`),
  ]
}
