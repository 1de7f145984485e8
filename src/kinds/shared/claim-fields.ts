// The defaults of persistent volume claims and of their templates.
import type { PersistentVolumeClaim } from '../../api/gen/kinds.ts'
import { absent, always, blank, type Fields } from '../../schema/defaults/rule.ts'
import { rounded, roundedResources } from './resource-list.ts'

export const CLAIM_FIELDS: Fields<Pick<PersistentVolumeClaim, 'spec' | 'status'>> = {
  status: always({ phase: blank('Pending'), capacity: rounded, allocatedResources: rounded }),
  spec: always({ volumeMode: absent('Filesystem'), resources: roundedResources }),
}
