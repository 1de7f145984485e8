// The defaults of claims and volumes, and of the storage group.
import { absent, always, empty, gated, type Rule, within } from '../../schema/defaults/rule.ts'
import { SHARED_SOURCES } from '../shared/pod-spec/defaults.ts'
import { rounded } from '../shared/resource-list.ts'

export const STORAGE: Readonly<Record<string, Rule>> = {
  CSIDriver: within({
    spec: always({
      attachRequired: absent(true),
      podInfoOnMount: absent(false),
      storageCapacity: absent(false),
      fsGroupPolicy: absent('ReadWriteOnceWithFSType'),
      volumeLifecycleModes: empty(['Persistent']),
      requiresRepublish: absent(false),
      seLinuxMount: absent(false),
      preventPodSchedulingIfMissing: gated('VolumeLimitScaling', absent(false)),
    }),
  }),
  StorageClass: within({ reclaimPolicy: absent('Delete'), volumeBindingMode: absent('Immediate') }),
  VolumeAttachment: within({
    spec: within({ source: within({ inlineVolumeSpec: within({ capacity: rounded, ...SHARED_SOURCES }) }) }),
  }),
}
