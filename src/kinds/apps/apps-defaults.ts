// The defaults of the workloads in the apps group.
import type { ValueMap } from '../../api/value.ts'
import { CLAIM_FIELDS } from '../storage/storage-defaults.ts'
import { podTemplate } from '../shared/pod-spec/defaults.ts'
import { absent, always, blank, both, each, gated, type Rule, where, within } from '../../schema/defaults/rule.ts'

const template = always(podTemplate)

const rollingUpdate = (strategy: ValueMap): boolean => strategy['type'] === 'RollingUpdate'

/** A strategy that nobody chose is a rolling update with settings of its own. */
const chosenStrategy: Rule = (given, context, parent) => {
  const strategy = always({ type: blank('RollingUpdate') })(given, context, parent)
  return strategy === given ? given : always({ rollingUpdate: absent({}) })(strategy, context, parent)
}

const DaemonSet = within({
  // Counted by the server; where nobody has said it yet it is there as zero, and is owned like what was said.
  metadata: always({ annotations: always({ 'deprecated.daemonset.template.generation': blank('0') }) }),
  spec: always({
    template,
    updateStrategy: always({
      type: blank('RollingUpdate'),
      rollingUpdate: where(rollingUpdate, always({ maxUnavailable: absent(1), maxSurge: absent(0) })),
    }),
    revisionHistoryLimit: absent(10),
  }),
})

const Deployment = within({
  spec: always({
    template,
    replicas: absent(1),
    strategy: always({
      type: blank('RollingUpdate'),
      rollingUpdate: where(rollingUpdate, always({ maxUnavailable: absent('25%'), maxSurge: absent('25%') })),
    }),
    revisionHistoryLimit: absent(10),
    progressDeadlineSeconds: absent(600),
  }),
})

const ReplicaSet = within({ spec: always({ template, replicas: absent(1) }) })

const StatefulSet = within({
  spec: always({
    template,
    podManagementPolicy: blank('OrderedReady'),
    updateStrategy: both(
      chosenStrategy,
      within({
        rollingUpdate: where(
          rollingUpdate,
          within({ partition: absent(0), maxUnavailable: gated('MaxUnavailableStatefulSet', absent(1)) }),
        ),
      }),
    ),
    persistentVolumeClaimRetentionPolicy: always({ whenDeleted: blank('Retain'), whenScaled: blank('Retain') }),
    replicas: absent(1),
    revisionHistoryLimit: absent(10),
    volumeClaimTemplates: each(
      within({ apiVersion: () => 'v1', kind: () => 'PersistentVolumeClaim', ...CLAIM_FIELDS }),
    ),
  }),
})

export const APPS: Readonly<Record<string, Rule>> = { DaemonSet, Deployment, ReplicaSet, StatefulSet }
