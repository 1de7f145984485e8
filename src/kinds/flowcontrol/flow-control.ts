// What flow schemas and priority levels share: the mandatory objects cannot be changed, and condition types are unique.
import { shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { textOrEmpty } from '../../api/members.ts'
import { metaText, specOf, statusOf, withMembers } from '../../api/object-members.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { placedMaps } from '../shared/placed-items.ts'

type Specs = Readonly<Record<string, ValueMap>>

/** A mandatory object has its fixed spec; `open` names a field that may differ. */
export function checkMandatory(object: ValueMap, specs: Specs, open: string | undefined, check: Check): void {
  const [name, spec] = [metaText(object, 'name'), specOf(object)]
  if (!Object.hasOwn(specs, name)) return
  if (equalValues(open === undefined ? spec : withMembers(spec, { [open]: undefined }), specs[name])) return
  const except = open === undefined ? '' : ` except the 'spec.${open}' field`
  check.invalid(FieldPath.root('spec'), shownJson(spec), `spec of '${name}'${except} must equal the fixed value`)
}

export function checkStatus(object: ValueMap, check: Check): void {
  const seen = new Set<string>()
  for (const [condition, at] of placedMaps(statusOf(object), 'conditions', FieldPath.root('status'))) {
    check.unique(seen, textOrEmpty(condition, 'type'), at.child('type'))
    check.fields(condition, at, 'flowcontrol.apiserver.k8s.io_v1.FlowSchemaCondition')
  }
}
