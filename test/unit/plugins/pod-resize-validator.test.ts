import { expect, it } from 'vitest'
import type { AdmissionRequest } from '../../../src/admission/admission.ts'
import { podResizeValidator } from '../../../src/plugins/pod-resize-validator.ts'
import type { Node } from '../../../src/api/gen/kinds.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import { knownObjects } from '../admission/known-objects.ts'
import { requestFor } from '../admission/request-for.ts'

const NODES = knownObjects<Node>(
  { metadata: { name: 'n' }, status: { allocatable: { cpu: '1', memory: '1Gi' } } },
  { metadata: { name: 'w', labels: { 'kubernetes.io/os': 'windows' } } },
)

function resize(nodeName: string, requests: object): AdmissionRequest {
  const pod = {
    metadata: { name: 'p', generation: 2 },
    spec: { nodeName, containers: [{ name: 'c', resources: { requests } }] },
  }
  const oldObject = { metadata: { name: 'p', generation: 1 }, spec: { nodeName } } as unknown as ApiObject
  return requestFor('pods', pod, { operation: 'UPDATE', subresource: 'resize', oldObject })
}

it.each<[string, AdmissionRequest, string, string]>([
  [
    'beyond its node',
    resize('n', { cpu: '3', memory: '2Gi' }),
    `node didn't have enough allocatable resources: cpu, requested: 3000, allocatable: 1000; memory, requested: 2147483648, allocatable: 1073741824`,
    'NodeCapacity',
  ],
  [
    'on another system',
    resize('w', { cpu: '1' }),
    'pod resize is only supported on linux nodes, node "w" is "windows"',
    'UnsupportedPlatform',
  ],
])('refuses a resize %s (W-478)', async (_, request, why, reason) => {
  const refusal = Promise.resolve().then(() =>
    podResizeValidator(NODES).validate!(request, new AbortController().signal),
  )
  const error = await refusal.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ message: `pods "p" is forbidden: ${why}`, details: { causes: [{ reason }] } })
})

it('refuses a resize on a node that is not there', async () => {
  const validate = async (): Promise<void> =>
    podResizeValidator(NODES).validate!(resize('x', {}), new AbortController().signal)
  await expect(validate()).rejects.toThrow('pods "p" is forbidden: node "x" not found')
})

it.each<[string, AdmissionRequest]>([
  ['fits', resize('n', { cpu: '1' })],
  ['is of a pod without a node', resize('', { cpu: '9' })],
  ['changes nothing', ((request) => ({ ...request, oldObject: request.object }))(resize('n', { cpu: '9' }))],
])('lets a resize through that %s', async (_, request) => {
  await expect(podResizeValidator(NODES).validate!(request, new AbortController().signal)).resolves.toBeUndefined()
})
