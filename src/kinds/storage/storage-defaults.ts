// The defaults of claims and volumes, and of the storage group.
import { SHARED_SOURCES } from '../shared/pod-spec/defaults.ts'
import { rounded, roundedResources } from '../shared/resource-list.ts'
import { absent, always, blank, empty, type Fields, gated, type Rule, within } from '../../schema/defaults/rule.ts'

/** The members of a claim, alone or as a template of one. */
export const CLAIM_FIELDS: Fields = {
  status: always({ phase: blank('Pending'), capacity: rounded, allocatedResources: rounded }),
  spec: always({ volumeMode: absent('Filesystem'), resources: roundedResources }),
}

export const persistentVolumeClaim: Rule = within(CLAIM_FIELDS)

export const persistentVolume: Rule = within({
  status: always({ phase: blank('Pending') }),
  spec: always({
    persistentVolumeReclaimPolicy: blank('Retain'),
    volumeMode: absent('Filesystem'),
    capacity: rounded,
    ...SHARED_SOURCES,
  }),
})

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
