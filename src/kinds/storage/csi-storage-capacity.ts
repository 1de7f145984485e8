// CSI storage capacities, for the scheduler.
import { FieldPath } from '../../api/field-path.ts'
import type { CSIStorageCapacity } from '../../api/gen/kinds.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkLabelSelector } from '../../schema/validation/labels.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkNotNegativeAmount } from '../shared/resource-names.ts'
import { nodeLabelWarnings, nodeTermWarnings } from '../shared/warnings.ts'

const TYPE = 'storage.k8s.io_v1.CSIStorageCapacity'

function checkCapacity(object: CSIStorageCapacity, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkLabelSelector(object.nodeTopology, FieldPath.root('nodeTopology'), check)
  check.fields(object, undefined, TYPE, 'storageClassName')
  for (const field of ['capacity', 'maximumVolumeSize'] as const) {
    checkNotNegativeAmount(object[field], FieldPath.root(field), check)
  }
}

export const CSI_STORAGE_CAPACITY: Kind = typedKind<CSIStorageCapacity>({
  validation: {
    create: checkCapacity,
    update: (object, stored, check) => {
      checkCapacity(object, check)
      check.unchangedFields({ object, stored }, TYPE)
    },
  },
  strategy: {
    conditionalUpdate: true,
    // The warnings are about deprecated node labels.
    warnings: ({ nodeTopology = {} }) => [
      ...nodeTermWarnings(nodeTopology, 'nodeTopology'),
      ...nodeLabelWarnings(nodeTopology.matchLabels ?? {}, (label) => `nodeTopology.matchLabels.${label}`),
    ],
  },
  olderVersions: { 'storage.k8s.io/v1alpha1': 'same', 'storage.k8s.io/v1beta1': 'same' },
})
