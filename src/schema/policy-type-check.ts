// Type-checks the expressions of a policy against its kinds. The warnings are for the status of the policy.
// Policies are evaluated without types.
import { mapOrEmpty, mapsOnly, textOrEmpty, textsOnly } from '../api/members.ts'
import { own, type ValueMap } from '../api/value.ts'
import { BOOL, DYN, INT, listOf, mapOf, type ObjectField, type ObjectType, STRING, type Type } from '../cel/cel.ts'
import { compilePolicyExpression, type PolicyScope } from './policy-expressions.ts'
import type { KindSchema, ObjectShape, Shape } from './table.ts'

export interface ExpressionWarning extends ValueMap {
  readonly fieldRef: string
  readonly warning: string
}

/** Further kinds of a policy are not checked. */
const MAX_KINDS = 10
/** Further combinations of groups, versions and resources are not checked. */
const MAX_PLACES = 10_000

export type KindOf = (place: { group: string; version: string; resource: string }) => KindSchema | undefined

export function policyTypeWarnings(policy: ValueMap, kindOf: KindOf): readonly ExpressionWarning[] {
  const spec = mapOrEmpty(policy, 'spec')
  const kinds = kindsIn(mapOrEmpty(spec, 'matchConstraints'), kindOf)
  const hasParams = own(spec, 'paramKind') !== undefined
  const scopes = kinds.map((kind): KindScope => {
    const plain: PolicyScope = { hasParams, hasAuthorizer: true, object: typeOfObject(kind.shape) }
    return { kind, scope: { ...plain, variables: variablesIn(spec, plain) } }
  })
  return mapsOnly(spec, 'validations').flatMap((validation, i) =>
    ['expression', 'messageExpression'].flatMap((name): ExpressionWarning[] => {
      const expression = textOrEmpty(validation, name)
      const problems = expression === '' ? [] : scopes.flatMap((scope) => problemIn(expression, scope))
      const fieldRef = `spec.validations[${i}].${name}`
      return problems.length === 0 ? [] : [{ fieldRef, warning: problems.join('\n') }]
    }),
  )
}

interface KindScope {
  readonly kind: KindSchema
  readonly scope: PolicyScope
}

function problemIn(expression: string, { kind, scope }: KindScope): readonly string[] {
  const compiled = compilePolicyExpression(expression, scope)
  if (compiled.kind === 'program') return []
  const issues = compiled.problem.replace(/^compilation failed: /, '')
  return [`${kind.group}/${kind.version}, Kind=${kind.kind}: ${issues}\n`]
}

function variablesIn(spec: ValueMap, scope: PolicyScope): ReadonlyMap<string, Type> {
  const variables = new Map<string, Type>()
  for (const variable of mapsOnly(spec, 'variables')) {
    const compiled = compilePolicyExpression(textOrEmpty(variable, 'expression'), { ...scope, variables })
    variables.set(
      textOrEmpty(variable, 'name'),
      compiled.kind === 'program' ? compiled.program.resultType : { kind: 'dyn' },
    )
  }
  return variables
}

/** The kinds that the rules name without wildcards. */
function kindsIn(match: ValueMap, kindOf: KindOf): readonly KindSchema[] {
  const found = new Map<string, KindSchema>()
  let left = MAX_PLACES
  for (const place of placesIn(match)) {
    if (left-- === 0) break
    const kind = kindOf(place)
    if (kind !== undefined) found.set(`${kind.group}/${kind.version}/${kind.kind}`, kind)
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted.slice(0, MAX_KINDS).map(([, kind]) => kind)
}

/** The combinations of groups, versions and resources. Three lists of a few hundred words have millions of combinations. */
function* placesIn(match: ValueMap): Generator<Parameters<KindOf>[0]> {
  for (const rule of mapsOnly(match, 'resourceRules')) {
    const [versions, resources] = [textsOnly(rule, 'apiVersions'), textsOnly(rule, 'resources')]
    for (const group of textsOnly(rule, 'apiGroups')) {
      for (const version of versions) for (const resource of resources) yield { group, version, resource }
    }
  }
}

/** The type of objects of a shape. Fields are looked up on demand, because some kinds contain themselves. */
export function typeOfObject(shape: ObjectShape): ObjectType {
  const typeMeta = new Set(shape.typeMeta ? ['kind', 'apiVersion'] : [])
  const get = (name: string): ObjectField | undefined => {
    const found = shape.byName.get(name)?.shape
    if (found !== undefined) return { type: typeOfShape(found), member: name }
    if (typeMeta.has(name)) return { type: STRING, member: name }
    return shape.preserveUnknown ? { type: DYN, member: name } : undefined
  }
  const fields = {
    get,
    *[Symbol.iterator](): Generator<readonly [string, ObjectField]> {
      for (const { name, shape: inner } of shape.fields) yield [name, { type: typeOfShape(inner), member: name }]
    },
  }
  return { kind: 'object', name: shape.name, fields }
}

function typeOfShape(shape: Shape): Type {
  switch (shape.kind) {
    case 'object':
      return typeOfObject(shape)
    case 'list':
      return listOf(typeOfShape(shape.item))
    case 'map':
      return mapOf(STRING, typeOfShape(shape.value))
    default:
      return SCALAR_TYPES[shape.kind] ?? DYN
  }
}

const SCALAR_TYPES: Readonly<Record<string, Type>> = {
  string: STRING,
  duration: STRING,
  quantity: STRING,
  bytes: { kind: 'bytes' },
  int32: INT,
  int64: INT,
  number: { kind: 'double' },
  boolean: BOOL,
  time: { kind: 'timestamp' },
  microTime: { kind: 'timestamp' },
}
