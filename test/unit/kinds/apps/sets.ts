// What the validations of all sets of pods have in common.
import { NOT_NEGATIVE, type Row, rows } from '../judging.ts'

const MISMATCH = 'Invalid value: {"app":"b"}: `selector` does not match template `labels`'

/** What all sets of pods have in common. */
export const sets = (kind: string): readonly Row[] => [
  ...rows(
    `apps/v1 ${kind}`,
    [
      'an empty selector',
      { 'spec/selector': {} },
      // Sets of replicas are told that they are deployments.
      `spec.selector: Invalid value: {}: empty selector is invalid for ${kind.toLowerCase().replace('replicaset', 'deployment')}`,
    ],
    [
      'labels of others',
      { 'spec/template/metadata/labels': { app: 'b' } },
      `spec.template.metadata.labels: ${MISMATCH}`,
    ],
    [
      'pods that end',
      { 'spec/template/spec/restartPolicy': 'Never' },
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
    [
      'pods with a deadline',
      { 'spec/template/spec/activeDeadlineSeconds': 5 },
      // And deployments that they are sets of replicas.
      `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${kind.replace('Deployment', 'ReplicaSet')} is not Supported`,
    ],
    ['no containers', { 'spec/template/spec/containers': [] }, 'spec.template.spec.containers: Required value'],
    [
      'ready before they start',
      { 'spec/minReadySeconds': -1 },
      `spec.minReadySeconds: Invalid value: -1: ${NOT_NEGATIVE}`,
    ],
  ),
]
