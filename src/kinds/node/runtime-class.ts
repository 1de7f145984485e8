// Runtime classes: the programs that run the containers of a pod.
import { FieldPath } from '../../api/field-path.ts'
import type { RuntimeClass } from '../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkLabels } from '../../schema/validation/labels.ts'
import { checkMeta, checkMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { checkOverhead } from '../shared/pod-spec/pod-spec.ts'
import { checkTolerations } from '../shared/pod-spec/tolerations.ts'
import { nodeLabelWarnings } from '../shared/warnings.ts'

function checkRuntimeClass(object: RuntimeClass, check: Check): void {
  checkMeta(object, subdomainName, check)
  check.fields(object, undefined, 'node.k8s.io_v1.RuntimeClass')
  const { overhead, scheduling } = object
  if (overhead !== undefined) checkOverhead(overhead.podFixed ?? {}, FieldPath.root('overhead'), check)
  if (scheduling === undefined) return
  const at = FieldPath.root<typeof scheduling>('scheduling')
  checkLabels(scheduling.nodeSelector, at.child('nodeSelector'), check)
  checkTolerations(scheduling.tolerations ?? [], at.child('tolerations'), check)
  const seen = new Set<string>()
  check.each(scheduling, 'tolerations', at, (toleration, place) => {
    const { key = '', operator = '', value = '', effect = '' } = toleration
    const identity = [key, operator, value, effect].join('\0')
    if (seen.has(identity)) check.duplicate(place, shownAs(toleration, formOf('core_v1.Toleration')))
    seen.add(identity)
  })
}

export const RUNTIME_CLASS: Kind = typedKind<RuntimeClass>({
  validation: {
    create: checkRuntimeClass,
    update: (object, stored, check) => {
      checkRuntimeClass(object, check)
      checkMetaUpdate(object, stored, check)
      check.unchangedFields({ object, stored }, 'node.k8s.io_v1.RuntimeClass')
    },
  },
  strategy: {
    createOnUpdate: true,
    conditionalUpdate: true,
    warnings: ({ scheduling }) => nodeLabelWarnings(scheduling?.nodeSelector ?? {}, () => 'scheduling.nodeSelector'),
  },
  columns: tableOf([NAME, column('Handler', 'The program that runs the containers.', ({ handler }) => handler), AGE]),
  olderVersions: { 'node.k8s.io/v1beta1': 'same' },
})
