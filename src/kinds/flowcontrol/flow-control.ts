// Rules of flow schemas and priority levels: the mandatory objects cannot be changed, and condition types are unique.
import { shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/gen/kinds.ts'
import { withMembers } from '../../api/object-members.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'

type FlowControl = FlowSchema | PriorityLevelConfiguration
type Specs = Readonly<Record<string, ValueMap>>

/** Checks that a mandatory object has its fixed spec. `open`: a field that may differ. */
export function checkMandatory(object: FlowControl, specs: Specs, open: string | undefined, check: Check): void {
  const { name = '' } = object.metadata
  const spec: ValueMap = object.spec
  if (!Object.hasOwn(specs, name)) return
  if (equalValues(open === undefined ? spec : withMembers(spec, { [open]: undefined }), specs[name])) return
  const except = open === undefined ? '' : ` except the 'spec.${open}' field`
  check.invalid(FieldPath.root('spec'), shownJson(spec), `spec of '${name}'${except} must equal the fixed value`)
}

export function checkStatus({ status }: FlowControl, check: Check): void {
  const seen = new Set<string>()
  check.each(status, 'conditions', FieldPath.root('status'), (condition, at) => {
    check.unique(seen, condition.type ?? '', at.child('type'))
    check.fields(condition, at, 'flowcontrol.apiserver.k8s.io_v1.FlowSchemaCondition')
  })
}
