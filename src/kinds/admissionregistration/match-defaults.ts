// The defaults of how requests are chosen.
import { absent, each, type Fields, within } from '../../schema/defaults/rule.ts'

export const rules = each(within({ scope: absent('*') }))

export const SELECTION: Fields = {
  matchPolicy: absent('Equivalent'),
  namespaceSelector: absent({}),
  objectSelector: absent({}),
}

export const matchResources = within({ ...SELECTION, resourceRules: rules, excludeResourceRules: rules })
