import { describe, it } from 'vitest'
import { expectDefaults, named } from '../../defaulting.ts'

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'apiextensions.k8s.io/v1 CustomResourceDefinition',
        given: { spec: { names: { kind: 'Foo' }, versions: [{ name: 'v1' }, { name: 'v2', storage: true }] } },
        meant: {
          spec: {
            names: { kind: 'Foo', singular: 'foo', listKind: 'FooList' },
            conversion: { strategy: 'None' },
            versions: [{ name: 'v1' }, { name: 'v2', storage: true }],
          },
          status: { storedVersions: ['v2'] },
        },
      },
      {
        of: 'apiextensions.k8s.io/v1 CustomResourceDefinition',
        as: 'with names and a webhook',
        given: {
          spec: {
            names: { kind: 'Foo', singular: 's', listKind: 'L' },
            conversion: { strategy: 'Webhook', webhook: { clientConfig: { service: {} } } },
            versions: [{ name: 'v1', storage: true }],
          },
          status: { storedVersions: ['v0'] },
        },
        meant: {
          spec: {
            names: { kind: 'Foo', singular: 's', listKind: 'L' },
            conversion: { strategy: 'Webhook', webhook: { clientConfig: { service: { port: 443 } } } },
            versions: [{ name: 'v1', storage: true }],
          },
          status: { storedVersions: ['v0'] },
        },
      },
    ]),
  )('%s', expectDefaults)
})
