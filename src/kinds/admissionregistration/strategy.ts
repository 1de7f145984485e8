// The strategy of all kinds of this group. Names with one suffix are reserved for manifest-based configurations.
import type { ObjectMeta } from '../../api/gen/kinds.ts'
import { GENERATION_OF_SPEC } from '../shared/strategies.ts'

const STATIC_SUFFIX = '.static.k8s.io'

interface Named {
  readonly metadata: ObjectMeta
}

export const CONFIGURATION = {
  conditionalUpdate: true,
  generation: GENERATION_OF_SPEC,
  warnings: ({ metadata: { name = '' } }: Named): readonly string[] =>
    name.endsWith(STATIC_SUFFIX)
      ? [
          `metadata.name: names ending with "${STATIC_SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`,
        ]
      : [],
} as const
