// What flow schemas and priority levels have in common: those of the server's own stay as they are, and no condition is told
// twice.
import { FieldPath } from '../../api/field-path.ts'
import { mapOrEmpty, mapsInPlace, textOrEmpty } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'

const STATUS = FieldPath.root('status')

/** What an object of the server's own has to say; undefined for all others. */
export function fixedSpec(specs: Readonly<Record<string, ValueMap>>, object: ValueMap): ValueMap | undefined {
  const name = nameOf(object)
  return Object.hasOwn(specs, name) ? specs[name] : undefined
}

export function nameOf(object: ValueMap): string {
  return textOrEmpty(mapOrEmpty(object, 'metadata'), 'name')
}

export function checkStatus(object: ValueMap, check: Check): void {
  const seen = new Set<string>()
  for (const [i, condition] of mapsInPlace(mapOrEmpty(object, 'status'), 'conditions').entries()) {
    const type = textOrEmpty(condition, 'type')
    const at = STATUS.child('conditions').index(i)
    check.unique(seen, type, at.child('type'))
    check.fields(condition, at, 'flowcontrol.apiserver.k8s.io_v1.FlowSchemaCondition')
  }
}
