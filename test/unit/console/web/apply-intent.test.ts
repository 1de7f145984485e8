import { expect, it } from 'vitest'
import { applyIntent, MANAGER } from '../../../../src/console/web/apply-intent.ts'

it('is what the console has changed or applied before, with the keys that it is found by', () => {
  const edited = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'u',
      labels: { a: '1', b: '2' },
      finalizers: ['x', 'y'],
      managedFields: [
        { manager: 'helm', fieldsV1: { 'f:spec': { 'f:paused': {} } } },
        { manager: MANAGER, subresource: 'status', fieldsV1: { 'f:status': {} } },
        {
          manager: MANAGER,
          operation: 'Update',
          fieldsV1: {
            'f:metadata': { 'f:finalizers': { 'v:"y"': {} } },
            'f:spec': { 'f:template': { 'f:containers': { 'k:{"name":"c"}': { 'f:image': {} } } } },
          },
        },
        {
          manager: MANAGER,
          operation: 'Apply',
          fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:b': {} } }, 'f:spec': { 'f:gone': {} } },
        },
      ],
    },
    spec: { paused: true, template: { containers: [{ name: 'b' }, { name: 'c', image: 'nginx:2', tty: true }] } },
  }
  expect(applyIntent(edited)).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', labels: { b: '2' }, finalizers: ['y'] },
    spec: { template: { containers: [{ name: 'c', image: 'nginx:2' }] } },
  })
})
