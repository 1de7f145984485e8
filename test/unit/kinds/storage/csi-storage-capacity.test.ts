import { describe, it } from 'vitest'
import { changes, IMMUTABLE, judge, NOT_NEGATIVE, type Row, rows, SUBDOMAIN } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'storage.k8s.io/v1 CSIStorageCapacity',
      ['no class', { storageClassName: '' }, `storageClassName: Invalid value: "": ${SUBDOMAIN}`],
      ['less than nothing', { capacity: '-1' }, `capacity: Invalid value: "-1": ${NOT_NEGATIVE}`],
    ),
    ...changes('storage.k8s.io/v1 CSIStorageCapacity', [
      'another class',
      {},
      { storageClassName: 't' },
      `storageClassName: Invalid value: "t": ${IMMUTABLE}`,
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'old labels of nodes in a capacity of storage',
      at: ['csistoragecapacities', 'storage.k8s.io'],
      object: {
        nodeTopology: {
          matchLabels: { 'beta.kubernetes.io/os': 'linux' },
          matchExpressions: [{ key: 'beta.kubernetes.io/arch', operator: 'Exists' }],
        },
      },
      warnings: [
        'nodeTopology.matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
        'nodeTopology.matchLabels.beta.kubernetes.io/os: deprecated since v1.14; use "kubernetes.io/os" instead',
      ],
    },
  ])('$name', expectWarnings)
})
