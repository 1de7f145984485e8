// Finds the users, groups and service accounts that have a right, by the roles and bindings of RBAC. This file needs no browser.
import { names, type ResourceRule } from './access-rules.ts'

export interface Question {
  readonly verb: string
  readonly group: string
  readonly plural: string
  /** Empty: the object itself. */
  readonly subresource: string
  readonly isNamespaced: boolean
  /** Empty: any. */
  readonly namespace: string
  /** Empty: any. */
  readonly name: string
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

export interface Role extends Named {
  readonly rules?: readonly ResourceRule[] | null
}

export interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

export interface Binding extends Named {
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly Subject[]
}

export interface Access {
  readonly roles: readonly Role[]
  readonly bindings: readonly Binding[]
}

/** A subject with the right, and the binding that gives it. */
export interface Holder {
  readonly subject: Subject
  readonly binding: Binding
  /** Empty: objects of every name. */
  readonly names: readonly string[]
}

/** The subjects with the right, by bindings of the cluster and of namespaces. A cluster role has no namespace. */
export function holdersOf(question: Question, { roles, bindings }: Access): readonly Holder[] {
  const byPlace = new Map(roles.map((role) => [placeOf(role.metadata.namespace, role.metadata.name), role]))
  return bindings.flatMap((binding) => {
    const { roleRef, subjects = [], metadata } = binding
    if (!reaches(metadata.namespace, question)) return []
    const role = byPlace.get(placeOf(roleRef.kind === 'Role' ? metadata.namespace : undefined, roleRef.name))
    const fitting = (role?.rules ?? []).filter((rule) => allows(rule, question))
    if (fitting.length === 0) return []
    const isForAll = fitting.some(({ resourceNames = [] }) => resourceNames.length === 0)
    const names = isForAll ? [] : [...new Set(fitting.flatMap(({ resourceNames = [] }) => resourceNames))]
    return subjects.map((subject) => ({ subject, binding, names }))
  })
}

function placeOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`
}

/** `namespace`: the namespace of the binding. */
function reaches(
  namespace: string | undefined,
  { plural, group, isNamespaced, namespace: asked, name }: Question,
): boolean {
  if (namespace === undefined) return true
  // A binding in a namespace also gives rights to the namespace itself.
  if (plural === 'namespaces' && group === '') return namespace === name
  return isNamespaced && (asked === '' || asked === namespace)
}

function allows(rule: ResourceRule, { verb, group, plural, subresource, name }: Question): boolean {
  const resources = subresource === '' ? [plural] : [`${plural}/${subresource}`, `*/${subresource}`]
  const { resourceNames = [] } = rule
  // The server does not know the name of an object that is created.
  const isNameless = verb === 'deletecollection' || (verb === 'create' && subresource === '')
  const isNamed = resourceNames.length === 0 || (!isNameless && (name === '' || resourceNames.includes(name)))
  return isNamed && names(rule.verbs, verb) && names(rule.apiGroups, group) && names(rule.resources, ...resources)
}
