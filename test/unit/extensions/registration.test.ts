import { describe, expect, expectTypeOf, it } from 'vitest'
import { k8s } from '../../../src/client/client.ts'
import type { AdmissionRequest, AdmissionResult, Extension } from '../../../src/extensions/extensions.ts'
import { type Description, extensible, nameOf } from '../../../src/extensions/registration.ts'

function described(extension: Extension): readonly Description[] {
  const descriptions: Description[] = []
  extension(
    extensible((description) => {
      descriptions.push(description)
      return () => descriptions.splice(descriptions.indexOf(description), 1)
    }),
  )
  return descriptions
}

describe('a function that is added', () => {
  it('admits as a webhook with defaults does', () => {
    expect(described((server) => server.admit({ name: 'a', resource: k8s.Deployment }, () => {}))).toEqual([
      {
        kind: 'admit',
        type: 'validating',
        webhook: {
          name: 'a',
          sideEffects: 'None',
          timeoutSeconds: 10,
          rules: [
            { operations: ['CREATE', 'UPDATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] },
          ],
          admissionReviewVersions: ['v1'],
        },
      },
    ])
  })

  it('says all that a webhook can say', () => {
    const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['CONNECT'], resources: ['pods/exec'] } as const
    const more = {
      failurePolicy: 'Ignore',
      matchPolicy: 'Exact',
      namespaceSelector: { matchLabels: { a: 'b' } },
      reinvocationPolicy: 'IfNeeded',
      sideEffects: 'Some',
      timeoutSeconds: 1,
    } as const
    const [description] = described((server) =>
      server.admit(
        { name: 'a', type: 'mutating', rules: [rule], ...more, objectSelector: undefined as never },
        () => {},
      ),
    )
    expect(description).toEqual({
      kind: 'admit',
      type: 'mutating',
      webhook: { name: 'a', rules: [rule], ...more, admissionReviewVersions: ['v1'] },
    })
  })

  it('authorizes, and converts', () => {
    const resource = { definition: { spec: { group: 'x.io', names: { kind: 'Foo' } } }, convert: () => ({}) }
    const descriptions = described((server) => {
      server.authorize(() => {})
      server.authorize(() => {}, { name: 'b', failurePolicy: 'NoOpinion', timeoutSeconds: 1 })
      server.convert(resource)
      server.convert({ group: 'x.io', kind: 'Bar' }, (object) => object)
    })
    expect(descriptions).toEqual([
      { kind: 'authorize', authorizer: { name: 'function', onFailure: 'deny', timeoutMs: 3000 } },
      { kind: 'authorize', authorizer: { name: 'b', onFailure: 'no-opinion', timeoutMs: 1000 } },
      { kind: 'convert', of: { group: 'x.io', kind: 'Foo' } },
      { kind: 'convert', of: { group: 'x.io', kind: 'Bar' } },
    ])
    expect(descriptions.map(nameOf)).toEqual(['function', 'b', 'Foo.x.io', 'Bar.x.io'])
  })

  it('is typed by its rule: the objects by the operations, the result by what it may do', () => {
    type Objects<O extends 'CREATE' | 'UPDATE' | 'DELETE'> = Pick<AdmissionRequest<k8s.Pod, O>, 'object' | 'oldObject'>
    expectTypeOf<Objects<'CREATE'>>().toEqualTypeOf<{ readonly object: k8s.Pod; readonly oldObject: null }>()
    expectTypeOf<Objects<'UPDATE'>>().toEqualTypeOf<{ readonly object: k8s.Pod; readonly oldObject: k8s.Pod }>()
    expectTypeOf<Objects<'DELETE'>>().toEqualTypeOf<{ readonly object: null; readonly oldObject: k8s.Pod }>()
    expectTypeOf<{ object: k8s.Pod }>().toExtend<AdmissionResult<k8s.Pod, 'mutating'>>()
    expectTypeOf<{ allowed: false }>().toExtend<AdmissionResult<k8s.Pod, 'mutating'>>()
    expectTypeOf<AdmissionResult<k8s.Pod, 'validating'>>().extract<{ object: unknown }>().toBeNever()
    described((server) => {
      server.admit({ name: 'a', resource: k8s.Pod }, (request) => {
        expectTypeOf(request.object).toEqualTypeOf<k8s.Pod>()
        expectTypeOf(request.operation).toEqualTypeOf<'CREATE' | 'UPDATE'>()
      })
      server.admit({ name: 'b', resource: k8s.Pod, operations: ['DELETE'] }, (request) => {
        expectTypeOf(request.oldObject).toEqualTypeOf<k8s.Pod>()
      })
    })
  })

  it('is gone when it is disposed of', () => {
    expect(described((server) => server.authorize(() => {})[Symbol.dispose]())).toEqual([])
  })
})
