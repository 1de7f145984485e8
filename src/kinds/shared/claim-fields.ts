// The defaults of a claim, alone or as a template of one.
import { absent, always, blank, type Fields } from '../../schema/defaults/rule.ts'
import { rounded, roundedResources } from './resource-list.ts'

/** The members of a claim, alone or as a template of one. */
export const CLAIM_FIELDS: Fields = {
  status: always({ phase: blank('Pending'), capacity: rounded, allocatedResources: rounded }),
  spec: always({ volumeMode: absent('Filesystem'), resources: roundedResources }),
}
