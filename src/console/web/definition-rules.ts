// Finds the rules in the schemas of a definition, each with its field, and the server's estimates of their costs.

interface Version {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly schema?: { readonly openAPIV3Schema?: Schema }
  readonly subresources?: Readonly<Record<string, unknown>>
  readonly additionalPrinterColumns?: readonly { readonly name: string; readonly jsonPath: string }[]
}

export interface Definition {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
  readonly spec: {
    readonly group: string
    readonly scope: string
    readonly names: { readonly kind: string; readonly plural: string }
    readonly versions: readonly Version[]
    readonly conversion?: { readonly strategy: string }
  }
  readonly status?: {
    readonly storedVersions?: readonly string[]
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
  }
}

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
  /** The index among the rules of its field. */
  readonly index: number
}

export function rulesIn(schema: Schema | undefined, field = ''): readonly PlacedRule[] {
  if (schema === undefined) return []
  const { properties = {}, items, additionalProperties: values, 'x-kubernetes-validations': own = [] } = schema
  const below = (name: string): string => (field === '' ? name : `${field}.${name}`)
  return [
    ...own.map((rule, index) => ({ ...rule, field, index })),
    ...Object.entries(properties).flatMap(([name, inside]) => rulesIn(inside, below(name))),
    ...rulesIn(items, `${field}[*]`),
    ...rulesIn(typeof values === 'object' ? values : undefined, `${field}{*}`),
  ]
}

/** The answer to `?ruleCosts=true`. */
export interface RuleCosts {
  readonly limits: { readonly expression: number; readonly schema: number }
  readonly versions: readonly VersionCosts[]
}

export interface VersionCosts {
  readonly name: string
  readonly cost: number
  readonly rules: readonly CostOfRule[]
}

export interface CostOfRule {
  readonly field: string
  readonly index: number
  readonly cost: number
  /** `add maxItems to spec.names` */
  readonly hints: readonly string[]
}

export function findCost(costs: VersionCosts | undefined, { field, index }: PlacedRule): CostOfRule | undefined {
  return costs?.rules.find((cost) => cost.field === field && cost.index === index)
}

/** `1,200 (0.01 % of the limit)` */
export function costText(cost: number, limit: number): string {
  const percent = (cost / limit) * 100
  const share = percent > 0 && percent < 0.01 ? 'less than 0.01' : percent.toFixed(percent < 10 ? 2 : 0)
  return `${cost.toLocaleString('en')} (${share} % of the limit)`
}
