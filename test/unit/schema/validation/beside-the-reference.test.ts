// Answers that a comparison with the reference, field by field, showed to be different from what was expected of it.
import { describe, it } from 'vitest'
import { changes, judge, rows } from './judging.ts'

const ROWS = [
  ...rows('apps/v1 Deployment', [
    'an unknown strategy',
    { 'spec/strategy': { type: 'x', rollingUpdate: { maxSurge: 1, maxUnavailable: '10%' } } },
    'spec.strategy: Unsupported value: {"Type":"x","RollingUpdate":{"MaxUnavailable":"10%","MaxSurge":1}}: supported values: "Recreate", "RollingUpdate"',
  ]),
  ...rows('apps/v1 StatefulSet', [
    'an unknown strategy',
    { 'spec/updateStrategy': { type: 'x', rollingUpdate: { partition: 1 } } },
    'spec.updateStrategy: Invalid value: {"Type":"x","RollingUpdate":{"Partition":1,"MaxUnavailable":null}}: must be \'RollingUpdate\' or \'OnDelete\'',
  ]),
  ...rows(
    'v1 Pod',
    [
      'a claim of nothing',
      { 'spec/resourceClaims': [{ name: 'x' }] },
      'spec.resourceClaims[0]: Invalid value: {"Name":"x","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ],
    [
      'labels of volumes changed while mounting, which is not there yet',
      { 'spec/securityContext': { seLinuxChangePolicy: 'MountOption' } },
      'spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"',
    ],
  ),
  ...changes('v1 ReplicationController', [
    'a fault is told once',
    {},
    { 'spec/replicas': -1 },
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  ]),
  ...changes('rbac.authorization.k8s.io/v1 Role', [
    'a fault is told once',
    {},
    { rules: [{ apiGroups: [''], resources: ['pods'] }] },
    'rules[0].verbs: Required value: verbs must contain at least one value',
  ]),
  ...rows('storage.k8s.io/v1 StorageClass', [
    'a topology that says nothing',
    { allowedTopologies: [{}] },
    'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
  ]),
  ...rows('storage.k8s.io/v1 CSIDriver', [
    'tokens in secrets, and no tokens',
    { 'spec/serviceAccountTokenInSecrets': true },
    'spec.serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is set but no tokenRequests are specified',
  ]),
]

describe('what the reference says', () => {
  it.each(ROWS)('$of: $case', judge)
})
