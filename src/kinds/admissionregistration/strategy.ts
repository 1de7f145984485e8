// The strategy of all kinds of this group. Names that end with `.static.k8s.io` are reserved for configurations from the operator's files.
import { FieldPath } from '../../api/field-path.ts'
import type { ObjectMeta } from '../../api/gen/kinds.ts'
import type { WriteContext } from '../../registry/registry.ts'
import type { Check } from '../../schema/validation/check.ts'
import { GENERATION_OF_SPEC } from '../shared/strategies.ts'

const STATIC_SUFFIX = '.static.k8s.io'
const STATIC_GATE = 'ManifestBasedAdmissionControlConfig'
const IS_STATIC = `names ending with "${STATIC_SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`

interface Named {
  readonly metadata: ObjectMeta
}

export const CONFIGURATION = {
  conditionalUpdate: true,
  generation: GENERATION_OF_SPEC,
  warnings: (
    { metadata: { name = '' } }: Named,
    stored: Named | undefined,
    { gates }: WriteContext,
  ): readonly string[] =>
    name.endsWith(STATIC_SUFFIX) && (stored !== undefined || !gates.has(STATIC_GATE))
      ? [`metadata.name: ${IS_STATIC}`]
      : [],
} as const

/** Refuses a new object with a reserved name. Existing objects may still change. */
export function checkStaticName({ metadata: { name = '' } }: Named, check: Check): void {
  if (name.endsWith(STATIC_SUFFIX) && check.gate(STATIC_GATE)) {
    check.invalid(FieldPath.root('metadata').child('name'), name, IS_STATIC)
  }
}
