import { describe, expect, expectTypeOf, it } from 'vitest'
import { k8s } from '../../../src/client/client.ts'
import type { AdmissionRequest, AdmissionResult, Extensible, Extension } from '../../../src/extensions/extensions.ts'
import {
  type Description,
  type ExtensionPoints,
  extensible,
  nameOf,
  register,
} from '../../../src/extensions/registration.ts'

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

  it.each<[string, (server: never) => unknown, string]>([
    [
      'without a function',
      (server: Extensible) => server.admit({ name: 'a', rules: [] }, undefined as never),
      'function is missing',
    ],
    [
      'without a function to authorize',
      (server: Extensible) => server.authorize(undefined as never),
      'function is missing',
    ],
    [
      'without a function to convert',
      (server: Extensible) => server.convert({ group: 'a', kind: 'A' }, 'a' as never),
      'convert: function must be a function, not "a"',
    ],
    [
      'with a misspelt option',
      (server: Extensible) => server.authorize(() => {}, { failurepolicy: 'NoOpinion' } as never),
      'authorize: there is no "failurepolicy"; did you mean failurePolicy?',
    ],
    [
      'with operations beside rules',
      (server: Extensible) => server.admit({ name: 'a', operations: ['DELETE'], rules: [] }, () => {}),
      'admission function "a": its operations need a resource; its rules have their own',
    ],
  ])('is refused %s', (_title, add, message) => {
    expect(() => described(add as Extension)).toThrow(message)
  })

  it('is gone when it is disposed of', () => {
    expect(described((server) => server.authorize(() => {})[Symbol.dispose]())).toEqual([])
  })
})

const RULE = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }
const admission = (webhook: object, type = 'validating'): object => ({
  kind: 'admit',
  type,
  webhook: { name: 'a', rules: [], timeoutSeconds: 1, sideEffects: 'None', ...webhook },
})
const authorization = (authorizer: object): object => ({
  kind: 'authorize',
  authorizer: { name: 'a', onFailure: 'deny', timeoutMs: 1000, ...authorizer },
})

describe('a description from another process', () => {
  const taken: unknown[] = []
  const take = (...args: readonly unknown[]): (() => void) => {
    taken.push(...args.slice(0, -1))
    return () => {}
  }
  const points: ExtensionPoints = { admit: take, convert: take, authorize: take }
  const registered = (description: unknown, file?: string) =>
    register(points, description as Description, () => Promise.resolve({}), file)

  it.each<[string, unknown, RegExp]>([
    ['of a kind that there is not', { kind: 'constructor' }, /^a function is for admission, conversion or auth/],
    [
      'without a webhook',
      { kind: 'admit', type: 'validating' },
      /^admission function: its name must have 1 to 253 characters$/,
    ],
    ['with a name that is no text', admission({ name: { length: 1 } }), /its name must have 1 to 253 characters$/],
    ['with a long name', admission({ name: 'x'.repeat(254) }), /its name must have 1 to 253 characters$/],
    ['of another type', admission({}, 'other'), /"a": its type is mutating or validating$/],
    ['without rules', admission({ rules: {} }), /"a": say either its resource or its rules$/],
    ['with rules that are none', admission({ rules: [null] }), /"a": say either its resource or its rules$/],
    ['with time that is a text', admission({ timeoutSeconds: '1' }), /"a": its timeoutSeconds must be more than 0/],
    ['without time', admission({ timeoutSeconds: undefined }), /"a": its timeoutSeconds must be more than 0/],
    [
      'with another policy',
      admission({ failurePolicy: 'ignore' }),
      /"a": its failurePolicy must be one of Fail Ignore$/,
    ],
    ['with other side effects', admission({ sideEffects: [] }), /"a": its sideEffects must be one of None/],
    [
      'with a misspelt member',
      admission({ objectselector: {} }),
      /there is no "objectselector"; did you mean objectSelector/,
    ],
    [
      'with a misspelt rule',
      admission({ rules: [{ ...RULE, operation: ['DELETE'] }] }),
      /there is no "operation"; did/,
    ],
    [
      'with a rule without operations',
      admission({ rules: [{ ...RULE, operations: undefined }] }),
      /its operations must be a/,
    ],
    [
      'with operations that are a text',
      admission({ rules: [{ ...RULE, operations: 'DELETE' }] }),
      /its operations must be a/,
    ],
    ['with no resources', admission({ rules: [{ ...RULE, resources: [] }] }), /its resources must be a list of texts/],
    [
      'with groups that are no texts',
      admission({ rules: [{ ...RULE, apiGroups: [7] }] }),
      /its apiGroups must be a list/,
    ],
    [
      'with a misspelt selector',
      admission({ objectSelector: { matchlabels: {} } }),
      /"matchlabels"; did you mean match/,
    ],
    ['with a malformed selector', admission({ objectSelector: 7 }), /"a": its objectSelector is malformed$/],
    ['without an authorizer', { kind: 'authorize' }, /^authorization function: its name must have/],
    ['with another outcome', authorization({ onFailure: 'allow' }), /its failurePolicy is Deny or NoOpinion$/],
    ['with an authorizer without end', authorization({ timeoutMs: 30_001 }), /its timeoutSeconds must be more than 0/],
    [
      'with an authorizer before its time',
      authorization({ timeoutMs: null }),
      /its timeoutSeconds must be more than 0/,
    ],
    ['with a kind that is no text', { kind: 'convert', of: { group: 'a', kind: 7 } }, /^conversion function: its kind/],
    ['without a group', { kind: 'convert', of: { kind: 'A' } }, /^conversion function: its group must have/],
  ])('%s is refused', (_title, description, message) => {
    expect(() => registered(description)).toThrow(message)
    expect(taken).toEqual([])
  })

  it('that is right is taken, with the name of the file for an authorizer that has none', () => {
    registered(authorization({ name: 'function' }), 'a.ts')
    registered({ kind: 'convert', of: { group: 'x.io', kind: 'Foo' } })
    expect(taken).toEqual([
      { name: 'a.ts', onFailure: 'deny', timeoutMs: 1000 },
      { group: 'x.io', kind: 'Foo' },
    ])
  })
})
