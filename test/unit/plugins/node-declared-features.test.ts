import { expect, it } from 'vitest'
import type { AdmissionRequest } from '../../../src/admission/admission.ts'
import { nodeDeclaredFeatures } from '../../../src/plugins/node-declared-features.ts'
import type { Node } from '../../../src/api/gen/kinds.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { knownObjects } from '../admission/known-objects.ts'
import { requestFor } from '../admission/request-for.ts'

const NODES = knownObjects<Node>(
  { metadata: { name: 'old' }, status: {} },
  { metadata: { name: 'new' }, status: { declaredFeatures: ['InPlacePodLevelResourcesVerticalScaling'] } },
)

function resize(nodeName: string, before: object, after: object): AdmissionRequest {
  const pod = (spec: object): ApiObject =>
    ({ metadata: { name: 'p' }, spec: { nodeName, ...spec } }) as unknown as ApiObject
  return requestFor('pods', pod(after), { operation: 'UPDATE', subresource: 'resize', oldObject: pod(before) })
}

const cpu = (amount: string): object => ({ resources: { requests: { cpu: amount } } })
const init = (amount: string, more: object = {}): object => ({
  initContainers: [{ name: 'i', ...cpu(amount), ...more }],
})

async function validate(request: AdmissionRequest): Promise<void> {
  await nodeDeclaredFeatures(NODES).validate!(request, new AbortController().signal)
}

it.each<[string, AdmissionRequest, string]>([
  [
    'the whole pod',
    resize('old', cpu('1'), cpu('2')),
    'pod update requires features InPlacePodLevelResourcesVerticalScaling which are not available on node "old"',
  ],
  [
    'what runs first',
    resize('new', init('1'), init('2')),
    'pod update requires features InPlacePodVerticalScalingInitContainers which are not available on node "new"',
  ],
  ['the whole pod on a node that is gone', resize('gone', cpu('1'), cpu('2')), 'node "gone" not found'],
])('refuses to change %s where the node does not say that it can', async (_, request, why) => {
  await expect(validate(request)).rejects.toThrow(`pods "p" is forbidden: ${why}`)
})

it.each<[string, AdmissionRequest]>([
  ['says so', resize('new', cpu('1'), cpu('2'))],
  ['needs nothing for it', resize('gone', { containers: [cpu('1')] }, { containers: [cpu('2')] })],
  [
    'goes on with it beside the others',
    resize('old', init('1', { restartPolicy: 'Always' }), init('2', { restartPolicy: 'Always' })),
  ],
  ['is not known yet', resize('', cpu('1'), cpu('2'))],
])('lets it through where the node %s', async (_, request) => {
  await expect(validate(request)).resolves.toBeUndefined()
})
