// Embedded resources (`x-kubernetes-embedded-resource`): they need a kind, an apiVersion and valid metadata (P-324).
import { type FaultList, faultsOf } from '../../api/fault-list.ts'
import { type FieldError, invalid, required } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { parseGroupVersion } from '../../api/object.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../../api/value.ts'
import type { Node } from './node.ts'

/** The rules that hold for every object, including embedded objects. */
export interface ObjectRules {
  readonly metadata: (metadata: ValueMap, at: FieldPath) => readonly FieldError[]
  /** The faults of a kind's name, which is given in lower case. */
  readonly kind: (name: string) => readonly string[]
}

/** `at` is the place of the value. Absent: the value is a whole object, which is not embedded itself. */
export function embeddedFaults(node: Node, value: Value, rules: ObjectRules, at?: FieldPath): readonly FieldError[] {
  return faultsOf((errors) => visit(node, value, { at, errors, rules }))
}

interface Place {
  /** Undefined: the whole object. */
  readonly at: FieldPath | undefined
  readonly errors: FaultList
  readonly rules: ObjectRules
}

function visit(node: Node, value: Value, { at, errors, rules }: Place): void {
  if (!node.hasEmbedded) return
  if (isList(value)) {
    if (node.items === undefined || at === undefined) return
    for (const [i, item] of value.entries()) visit(node.items, item, { at: at.index(i), errors, rules })
    return
  }
  if (!isMap(value)) return
  if (node.resource && at !== undefined) checkObject(value, { at, errors, rules })
  for (const key of Object.keys(value)) {
    const property = node.properties?.get(key)
    const inner = property ?? node.additional
    if (inner === undefined || inner === 'any') continue
    const place = property === undefined ? at?.key(key) : at?.child(key)
    visit(inner, value[key] ?? null, { at: place ?? FieldPath.root(key), errors, rules })
  }
}

function checkObject(object: ValueMap, { at, errors, rules }: Place & { readonly at: FieldPath }): void {
  for (const name of ['apiVersion', 'kind']) {
    const value = own(object, name)
    const place = at.child(name)
    if (value === undefined) errors.add(required(place))
    else if (typeof value !== 'string') errors.add(invalid(place, value, 'must be a string'))
    else if (value === '') errors.add(invalid(place, value, 'must not be empty'))
    else {
      const fault = name === 'kind' ? kindFault(rules.kind(value.toLowerCase())) : versionFault(value)
      if (fault !== undefined) errors.add(invalid(place, value, fault))
    }
  }
  const metadata = own(object, 'metadata')
  if (!isMap(metadata)) return
  for (const fault of rules.metadata(metadata, at.child('metadata'))) errors.add(fault)
}

function kindFault(faults: readonly string[]): string | undefined {
  return faults.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${faults.join(',')}`
}

function versionFault(apiVersion: string): string | undefined {
  return parseGroupVersion(apiVersion) === undefined ? `unexpected GroupVersion string: ${apiVersion}` : undefined
}
