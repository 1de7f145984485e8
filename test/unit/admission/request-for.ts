// A request as plugins see it, for tests of single plugins.
import type { AdmissionRequest } from '../../../src/admission/admission.ts'
import type { GroupVersionKind } from '../../../src/api/object.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import { builtInGroups } from '../../../src/schema/built-in-resources.ts'
import { canonicalOf } from '../../corpora/kind-of.ts'

export function requestFor(
  resource: string,
  object: object | undefined,
  more: Partial<AdmissionRequest> = {},
  group = '',
): AdmissionRequest {
  const kind = kindOf(group, resource, more.subresource)
  const place = { group, version: kind.version, resource }
  const shown = object && canonicalOf(kind, object as ValueMap)
  return {
    operation: 'CREATE',
    kind,
    resource: place,
    requestKind: kind,
    requestResource: place,
    subresource: '',
    namespace: 'ns',
    name: typeof shown?.metadata['name'] === 'string' ? shown.metadata['name'] : '',
    object: shown,
    oldObject: undefined,
    user: { name: 'someone', uid: undefined, groups: [], extra: {} },
    dryRun: false,
    options: {},
    warn: () => {},
    annotate: () => {},
    ...more,
    ...(more.oldObject && { oldObject: canonicalOf(kind, more.oldObject) }),
  }
}

/** The kind that is sent to a resource or a subresource. */
function kindOf(group: string, resource: string, subresource: string | undefined): GroupVersionKind {
  const { versions = [] } = builtInGroups().find((found) => found.group === group) ?? {}
  const row = versions.flatMap(({ resources }) => resources).find(({ plural }) => plural === resource)
  const below = row?.subresources.find(({ name }) => name === subresource)
  if (below !== undefined) return { group: below.group, version: below.version, kind: below.kind }
  const { version, kind } = row ?? { version: 'v1', kind: '' }
  return { group, version, kind }
}
