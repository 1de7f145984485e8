// The strategy of all kinds of this group. Names with one suffix are reserved for manifest-based configurations.
import { metaText } from '../../api/object-members.ts'
import { GENERATION_OF_SPEC } from '../shared/strategies.ts'
import type { KindStrategy } from '../strategy.ts'

const STATIC_SUFFIX = '.static.k8s.io'

export const CONFIGURATION: KindStrategy = {
  conditionalUpdate: true,
  generation: GENERATION_OF_SPEC,
  warnings: (object) =>
    metaText(object, 'name').endsWith(STATIC_SUFFIX)
      ? [
          `metadata.name: names ending with "${STATIC_SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`,
        ]
      : [],
}
