// A policy, parsed and compiled once for every change. An expression that does not compile fails at every evaluation.
import { mapOrAbsent, mapOrEmpty, mapsOnly, textOrEmpty, textsOnly } from '../../api/members.ts'
import { metaText, specOf } from '../../api/object-members.ts'
import { type ApiObject, type GroupVersionKind, parseGroupVersion } from '../../api/object.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Program, Type } from '../../cel/cel.ts'
import { compilePolicyExpression, type PolicyScope, type Wanted } from '../../schema/policy-expressions.ts'
import { type MatchResources, readMatchResources } from './match.ts'

export interface Expression {
  readonly text: string
  /** The compiled expression, or its compilation error as a string. */
  readonly program: Program | string
}

export interface Validation extends Expression {
  readonly message: string
  readonly messageExpression: Expression | undefined
  readonly reason: string
}

export interface Mutation extends Expression {
  readonly kind: 'applyConfiguration' | 'jsonPatch'
}

export interface Policy {
  readonly name: string
  readonly match: MatchResources
  readonly conditions: readonly Expression[]
  readonly variables: readonly (Expression & { readonly name: string })[]
  readonly validations: readonly Validation[]
  readonly annotations: readonly (Expression & { readonly key: string })[]
  readonly mutations: readonly Mutation[]
  readonly paramKind: GroupVersionKind | undefined
  readonly failsOpen: boolean
  readonly reinvoked: boolean
  /** An expression of the policy uses `namespaceObject`. */
  readonly readsNamespace: boolean
}

export interface PolicyBinding {
  readonly name: string
  readonly policyName: string
  readonly match: MatchResources | undefined
  readonly paramRef: ValueMap | undefined
  readonly actions: readonly string[]
}

export function readBinding(object: ApiObject): PolicyBinding {
  const spec = specOf(object)
  const match = mapOrAbsent(spec, 'matchResources')
  return {
    name: metaText(object, 'name'),
    policyName: textOrEmpty(spec, 'policyName'),
    match: match === undefined ? undefined : readMatchResources(match),
    paramRef: mapOrAbsent(spec, 'paramRef'),
    actions: textsOnly(spec, 'validationActions'),
  }
}

export function readPolicy(object: ApiObject): Policy {
  const spec = specOf(object)
  const paramKind = mapOrAbsent(spec, 'paramKind')
  const mutations = mapsOnly(spec, 'mutations')
  const plain: PolicyScope = { hasParams: paramKind !== undefined, hasAuthorizer: true }
  const variables: (Expression & { readonly name: string })[] = []
  const types = new Map<string, Type>()
  for (const variable of mapsOnly(spec, 'variables')) {
    const name = textOrEmpty(variable, 'name')
    const scope = { ...plain, variables: types, makesObjects: mutations.length > 0 }
    const expression = compiled(textOrEmpty(variable, 'expression'), scope)
    variables.push({ ...expression, name })
    if (typeof expression.program !== 'string') types.set(name, expression.program.resultType)
  }
  const scope: PolicyScope = { ...plain, variables: types }
  const policy = {
    name: metaText(object, 'name'),
    match: readMatchResources(mapOrEmpty(spec, 'matchConstraints')),
    conditions: mapsOnly(spec, 'matchConditions').map((each) =>
      compiled(textOrEmpty(each, 'expression'), plain, 'bool'),
    ),
    variables,
    validations: mapsOnly(spec, 'validations').map((each) => readValidation(each, scope)),
    annotations: mapsOnly(spec, 'auditAnnotations').map((each) => ({
      ...compiled(textOrEmpty(each, 'valueExpression'), scope, 'stringOrNull'),
      key: textOrEmpty(each, 'key'),
    })),
    mutations: mutations.map((each) => readMutation(each, scope)),
    paramKind: paramKind === undefined ? undefined : readParamKind(paramKind),
    failsOpen: textOrEmpty(spec, 'failurePolicy') === 'Ignore',
    reinvoked: textOrEmpty(spec, 'reinvocationPolicy') === 'IfNeeded',
  }
  const messages = policy.validations.flatMap(({ messageExpression }) => messageExpression ?? [])
  const all = [
    ...policy.conditions,
    ...variables,
    ...policy.validations,
    ...messages,
    ...policy.annotations,
    ...policy.mutations,
  ]
  const reads = ({ program }: Expression): boolean => typeof program !== 'string' && program.mentions('namespaceObject')
  return { ...policy, readsNamespace: all.some(reads) }
}

function compiled(text: string, scope: PolicyScope, wanted?: Wanted): Expression {
  const expression = compilePolicyExpression(text.trim(), scope, wanted)
  return { text, program: expression.kind === 'program' ? expression.program : expression.problem }
}

function readValidation(validation: ValueMap, scope: PolicyScope): Validation {
  const message = textOrEmpty(validation, 'messageExpression')
  return {
    ...compiled(textOrEmpty(validation, 'expression'), scope, 'bool'),
    message: textOrEmpty(validation, 'message').trim(),
    messageExpression: message === '' ? undefined : compiled(message, { ...scope, hasAuthorizer: false }, 'string'),
    reason: textOrEmpty(validation, 'reason') || 'Invalid',
  }
}

function readMutation(mutation: ValueMap, scope: PolicyScope): Mutation {
  const kind = textOrEmpty(mutation, 'patchType') === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration'
  const text = textOrEmpty(mapOrEmpty(mutation, kind), 'expression')
  return { ...compiled(text, { ...scope, makesObjects: true }, kind), kind }
}

function readParamKind(paramKind: ValueMap): GroupVersionKind {
  const version = parseGroupVersion(textOrEmpty(paramKind, 'apiVersion'))
  return { group: version?.group ?? '', version: version?.version ?? '', kind: textOrEmpty(paramKind, 'kind') }
}
