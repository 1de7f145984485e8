// Runtime classes: what runs the containers of a pod.
import { FieldPath } from '../../api/field-path.ts'
import { mapOrAbsent, mapOrEmpty, mapsInPlace, textOrEmpty } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf, text } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkLabels } from '../../schema/validation/labels.ts'
import { checkMeta, checkMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { placedMaps } from '../shared/placed-items.ts'
import { checkOverhead } from '../shared/pod-spec/pod-spec.ts'
import { checkTolerations } from '../shared/pod-spec/tolerations.ts'
import { nodeLabelWarnings } from '../shared/warnings.ts'

function checkRuntimeClass(object: ValueMap, check: Check): void {
  checkMeta(object, subdomainName, check)
  check.fields(object, undefined, 'node.k8s.io_v1.RuntimeClass')
  const overhead = mapOrAbsent(object, 'overhead')
  if (overhead !== undefined) checkOverhead(mapOrEmpty(overhead, 'podFixed'), FieldPath.root('overhead'), check)
  const scheduling = mapOrAbsent(object, 'scheduling')
  if (scheduling === undefined) return
  const at = FieldPath.root('scheduling')
  checkLabels(mapOrAbsent(scheduling, 'nodeSelector'), at.child('nodeSelector'), check)
  checkTolerations(mapsInPlace(scheduling, 'tolerations'), at.child('tolerations'), check)
  const seen = new Set<string>()
  for (const [toleration, place] of placedMaps(scheduling, 'tolerations', at)) {
    const key = ['key', 'operator', 'value', 'effect'].map((field) => textOrEmpty(toleration, field)).join('\0')
    if (seen.has(key)) check.duplicate(place, shownAs(toleration, formOf('core_v1.Toleration')))
    seen.add(key)
  }
}

export const RUNTIME_CLASS: Kind = {
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
    warnings: (object) =>
      nodeLabelWarnings(mapOrEmpty(mapOrEmpty(object, 'scheduling'), 'nodeSelector'), () => 'scheduling.nodeSelector'),
  },
  columns: tableOf([NAME, column('Handler', 'What runs the containers.', text('handler')), AGE]),
  olderVersions: { 'node.k8s.io/v1beta1': 'same' },
}
