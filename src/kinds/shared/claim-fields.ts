// The defaults of persistent volume claims and templates of them.
import { absent, always, blank, type Fields } from '../../schema/defaults/rule.ts'
import { rounded, roundedResources } from './resource-list.ts'

export const CLAIM_FIELDS: Fields = {
  status: always({ phase: blank('Pending'), capacity: rounded, allocatedResources: rounded }),
  spec: always({ volumeMode: absent('Filesystem'), resources: roundedResources }),
}
