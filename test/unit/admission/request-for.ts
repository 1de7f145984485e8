// A request as plugins see it, for tests of single plugins.
import type { AdmissionRequest } from '../../../src/admission/admission.ts'
import type { ApiObject } from '../../../src/api/object.ts'

export function requestFor(
  resource: string,
  object: object | undefined,
  more: Partial<AdmissionRequest> = {},
  group = '',
): AdmissionRequest {
  const shown = object as ApiObject | undefined
  const [kind, place] = [
    { group, version: 'v1', kind: '' },
    { group, version: 'v1', resource },
  ]
  return {
    operation: 'CREATE',
    kind,
    resource: place,
    requestKind: kind,
    requestResource: place,
    subresource: '',
    namespace: 'ns',
    name: typeof shown?.metadata?.['name'] === 'string' ? shown.metadata['name'] : '',
    object: shown,
    oldObject: undefined,
    user: { name: 'someone', uid: undefined, groups: [], extra: {} },
    dryRun: false,
    options: {},
    warn: () => {},
    annotate: () => {},
    ...more,
  }
}
