// Compiles the expressions of admission policies and match conditions, with their variables and result types (W-499). Both validation and
// admission use this file.
import {
  BOOL,
  compile,
  DYN,
  type Environment,
  INT,
  listOf,
  mapOf,
  type ObjectField,
  type ObjectType,
} from '../cel/cel.ts'
import { opaque, type Program, STRING, type Type, typeName } from '../cel/cel.ts'

export interface PolicyScope {
  readonly hasParams: boolean
  readonly hasAuthorizer: boolean
  /** The variables that the expression can read as `variables.<name>`. Undefined: there are no variables. */
  readonly variables?: ReadonlyMap<string, Type>
  /** Expressions can make objects, for patches. */
  readonly makesObjects?: boolean
  /** The type of `object` and `oldObject`. Absent: unknown. */
  readonly object?: Type
}

export type PolicyExpression =
  | { readonly kind: 'program'; readonly program: Program }
  /** `isInternal`: the expression compiles but cannot be run. */
  | { readonly kind: 'refused'; readonly problem: string; readonly isInternal?: true }

/** The result type that an expression must have. Absent: any type. */
export type Wanted = 'bool' | 'string' | 'stringOrNull' | 'applyConfiguration' | 'jsonPatch'

export function compilePolicyExpression(expression: string, scope: PolicyScope, wanted?: Wanted): PolicyExpression {
  const compiled = compile(expression, environmentOf(scope))
  if (compiled.kind === 'refused') return { kind: 'refused', problem: `compilation failed: ${compiled.text}` }
  const problem = wanted === undefined ? undefined : resultProblem(compiled.program.resultType, wanted)
  if (problem !== undefined) return { kind: 'refused', problem }
  const fault = compiled.program.instantiationFault()
  if (fault === undefined) return compiled
  return { kind: 'refused', problem: `program instantiation failed: ${fault}`, isInternal: true }
}

function resultProblem(type: Type, wanted: Wanted): string | undefined {
  const { isGiven, text } = RESULTS[wanted]
  if (isGiven(type)) return undefined
  return `must evaluate to ${text} but got ${type.kind === 'null' ? 'null_type' : typeName(type)}`
}

const isObject = (type: Type, name: string): boolean => type.kind === 'object' && type.name === name

const RESULTS: Readonly<Record<Wanted, { readonly text: string; readonly isGiven: (type: Type) => boolean }>> = {
  bool: { text: 'bool', isGiven: ({ kind }) => kind === 'bool' },
  string: { text: 'string', isGiven: ({ kind }) => kind === 'string' },
  stringOrNull: { text: 'one of [string null_type]', isGiven: ({ kind }) => kind === 'string' || kind === 'null' },
  applyConfiguration: { text: 'Object', isGiven: (type) => isObject(type, 'Object') },
  jsonPatch: {
    text: 'list(JSONPatch)',
    isGiven: (type) => type.kind === 'list' && isObject(type.item, 'JSONPatch'),
  },
}

const field = (name: string, type: Type): [string, ObjectField] => [name, { type, member: name }]
const object = (name: string, fields: Readonly<Record<string, Type>>): ObjectType => ({
  kind: 'object',
  name,
  fields: new Map(Object.entries(fields).map(([each, type]) => field(each, type))),
})

const TIMESTAMP: Type = { kind: 'timestamp' }
const GVK = object('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING })
const GVR = object('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING })
const USER = object('kubernetes.UserInfo', {
  username: STRING,
  uid: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
})
const REQUEST = object('kubernetes.AdmissionRequest', {
  kind: GVK,
  resource: GVR,
  subResource: STRING,
  requestKind: GVK,
  requestResource: GVR,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER,
  dryRun: BOOL,
  options: DYN,
})
const NAMESPACE = object('kubernetes.Namespace', {
  metadata: object('kubernetes.NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  }),
  spec: object('kubernetes.NamespaceSpec', { finalizers: listOf(STRING) }),
  status: object('kubernetes.NamespaceStatus', { phase: STRING }),
})
const JSON_PATCH = object('JSONPatch', { op: STRING, path: STRING, from: STRING, value: DYN })

/** The type `Object`, or a type below `Object`. It has any field, of any type. */
function anyObject(name: string): ObjectType {
  return { kind: 'object', name, fields: { get: (each) => field(each, DYN)[1], [Symbol.iterator]: () => [].values() } }
}

function structOf(name: string): ObjectType | undefined {
  if (name === 'JSONPatch') return JSON_PATCH
  return name === 'Object' || name.startsWith('Object.') ? anyObject(name) : undefined
}

/** The type of `variables`. It reads the map directly: there can be thousands, and each is compiled with all earlier variables. */
function variablesType(variables: ReadonlyMap<string, Type>): ObjectType {
  const fieldOf = (name: string, type: Type | undefined): ObjectField | undefined => type && field(name, type)[1]
  return {
    kind: 'object',
    name: 'kubernetes.variables',
    fields: {
      get: (name) => fieldOf(name, variables.get(name)),
      *[Symbol.iterator]() {
        for (const [name, type] of variables) yield field(name, type)
      },
    },
  }
}

function environmentOf(scope: PolicyScope): Environment {
  const { hasParams, hasAuthorizer, variables, makesObjects = false, object: type = DYN } = scope
  const declared = new Map<string, Type>([
    ['object', type],
    ['oldObject', type],
    ['request', REQUEST],
    ['namespaceObject', NAMESPACE],
  ])
  if (hasParams) declared.set('params', DYN)
  if (hasAuthorizer) {
    declared.set('authorizer', opaque('kubernetes.authorization.Authorizer'))
    declared.set('authorizer.requestResource', opaque('kubernetes.authorization.ResourceCheck'))
  }
  if (variables !== undefined) declared.set('variables', variablesType(variables))
  return { variables: declared, ...(makesObjects ? { structs: structOf, makesPatches: true } : {}) }
}
