import { beforeEach, describe, expect, it } from 'vitest'
import { CONFIG_MAPS, configMap, PolicyWorld } from './policy-world.ts'

let world: PolicyWorld
beforeEach(() => {
  world = new PolicyWorld()
})

const denied = (message: string): string =>
  `configmaps "m" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: ${message}`
const only = (expression: string, more: object = {}): object => ({ validations: [{ expression, ...more }] })

describe('a validating policy', () => {
  it('refuses what its expression is false for, with the reason and code that it names (W-501)', async () => {
    world.validating('p', only("object.metadata.name != 'm'"))
    expect(await world.validate(configMap('m'))).toMatchObject({
      message: denied("failed expression: object.metadata.name != 'm'"),
      reason: 'Invalid',
      code: 422,
      details: { name: 'm', kind: 'configmaps' },
    })
    expect(await world.validate(configMap('n'))).toBeUndefined()
    world.validating('p', only('false', { reason: 'RequestEntityTooLarge', message: ' no ' }))
    expect(await world.validate(configMap('m'))).toMatchObject({ message: denied('no'), code: 413 })
  })

  it.each([
    ["'too many: ' + string(size(object.data))", 'too many: 2'],
    ["' x '", 'x'],
    ["'two\\nlines'", 'plain'],
    ["'   '", 'plain'],
    ['object.nothing', 'plain'],
    [
      "'abc'.replace('', 'y'.replace('', 'zzzzzzzzzz')).replace('z', 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz')",
      'plain',
    ],
  ])('words a refusal by %s as: %s (W-502)', async (messageExpression, message) => {
    world.validating('p', only('false', { messageExpression, message: 'plain' }))
    expect(await world.validate(configMap('m', { data: { a: '1', b: '2' } }))).toMatchObject({
      message: denied(message),
    })
  })

  it('tells the first denial only, of all policies in the order of their names (W-504)', async () => {
    world.validating('q', only('false', { message: 'second' }))
    world.validating('p', { validations: [{ expression: 'true' }, { expression: 'false', message: 'first' }] })
    const refusal = await world.validate(configMap('m'))
    expect(refusal).toMatchObject({ message: denied('first') })
    expect(refusal?.details?.causes).toEqual([
      { message: denied('first').replace('configmaps "m" is forbidden: ', '') },
    ])
  })

  it('warns and notes where its binding says so (W-503)', async () => {
    world.validating(
      'p',
      {
        validations: [{ expression: 'true' }, { expression: 'false', message: 'm' }],
        auditAnnotations: [
          { key: 'seen', valueExpression: "'name ' + object.metadata.name" },
          { key: 'not', valueExpression: 'null' },
        ],
      },
      { validationActions: ['Warn', 'Audit'] },
    )
    expect(await world.validate(configMap('m'))).toBeUndefined()
    expect(world.warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': m"])
    expect(world.annotations).toEqual({
      'p/seen': 'name m',
      'validation.policy.admission.k8s.io/validation_failure':
        '[{"message":"m","policy":"p","binding":"p","expressionIndex":1,"validationActions":["Warn","Audit"]}]',
    })
  })

  it('notes every failure for the audit log, up to fifty', async () => {
    const failing = Array.from({ length: 60 }, () => ({ expression: 'false', message: 'm' }))
    world.validating('p', { validations: failing.slice(0, 2) }, { validationActions: ['Audit'] })
    world.validating('q', { validations: failing }, { validationActions: ['Audit'] })
    expect(await world.validate(configMap('m'))).toBeUndefined()
    const noted = JSON.parse(world.annotations['validation.policy.admission.k8s.io/validation_failure']!) as {
      policy: string
      expressionIndex: number
    }[]
    expect(noted).toHaveLength(50)
    expect(noted.slice(0, 3).map((one) => `${one.policy} ${one.expressionIndex}`)).toEqual(['p 0', 'p 1', 'q 0'])
  })

  it('does nothing without a binding, nor for what its rules do not name (W-500)', async () => {
    world.validating('p', only('false'))
    expect(world.passesAtOnce).toBe(false)
    expect(await world.validate(configMap('m'), { subresource: 'status' })).toBeUndefined()
    world.unbind('p')
    expect(world.passesAtOnce).toBe(true)
    expect(await world.validate(configMap('m'))).toBeUndefined()
  })

  it.each([
    ['an operation', { resourceRules: [{ ...CONFIG_MAPS.resourceRules[0], operations: ['UPDATE'] }] }],
    ['a name', { resourceRules: [{ ...CONFIG_MAPS.resourceRules[0], resourceNames: ['other'] }] }],
    ['an exclusion', { ...CONFIG_MAPS, excludeResourceRules: CONFIG_MAPS.resourceRules }],
    ['labels of the object', { ...CONFIG_MAPS, objectSelector: { matchLabels: { a: 'b' } } }],
    ['labels of the namespace', { ...CONFIG_MAPS, namespaceSelector: { matchLabels: { a: 'b' } } }],
    ['another group', { resourceRules: [{ ...CONFIG_MAPS.resourceRules[0], apiGroups: ['apps'] }] }],
  ])('is kept from a request by %s, in the policy and in the binding (W-507)', async (_what, match) => {
    world.validating('p', { ...only('false'), matchConstraints: match })
    expect(await world.validate(configMap('m'))).toBeUndefined()
    world.validating('p', only('false'), { matchResources: match })
    expect(await world.validate(configMap('m'))).toBeUndefined()
  })

  it('is asked about other versions of what it names, shown in its own (W-484)', async () => {
    const hpa = {
      resourceRules: [
        { operations: ['*'], apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] },
      ],
    }
    world.validating('p', {
      ...only('has(object.spec.metrics)', { messageExpression: 'request.kind.version' }),
      matchConstraints: hpa,
    })
    const kind = { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' }
    const resource = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' }
    const object = {
      kind: kind.kind,
      apiVersion: 'autoscaling/v2',
      metadata: { name: 'm' },
      spec: { metrics: [{ type: 'Resource' }] },
    }
    const more = { kind, resource, requestKind: kind, requestResource: resource }
    expect(await world.validate(object, more)).toMatchObject({
      message: expect.stringContaining('denied request: v1') as string,
    })
    world.validating('p', { ...only('false'), matchConstraints: { ...hpa, matchPolicy: 'Exact' } })
    expect(await world.validate(object, more)).toBeUndefined()
  })

  it('is not asked about policies, nor about who may do what (W-487)', async () => {
    world.validating('p', {
      ...only('false'),
      matchConstraints: {
        resourceRules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
      },
    })
    const requestKind = { group: 'admissionregistration.k8s.io', version: 'v1', kind: 'ValidatingAdmissionPolicy' }
    expect(await world.validate(configMap('m'), { requestKind })).toBeUndefined()
    const requestResource = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' }
    expect(await world.validate(configMap('m'), { requestResource })).toBeUndefined()
    expect(await world.validate(configMap('m'))).toBeDefined()
  })

  it('speaks of the request, the old object and the namespace (W-499)', async () => {
    world.namespaceLabels = { tier: 'gold' }
    world.validating('p', {
      validations: [
        { expression: "request.operation == 'DELETE' && object == null && oldObject.data.a == '1'" },
        {
          expression:
            "request.userInfo.username == 'someone' && request.resource.resource == 'configmaps' && !request.dryRun",
        },
        { expression: "namespaceObject.metadata.labels['tier'] == 'gold' && namespaceObject.status.phase == 'Active'" },
      ],
    })
    const oldObject = configMap('m', { data: { a: '1' } }) as never
    expect(await world.validate(undefined, { operation: 'DELETE', oldObject, name: 'm' })).toBeUndefined()
  })

  it('evaluates variables when they are looked at, once', async () => {
    world.validating('p', {
      variables: [
        { name: 'bad', expression: 'object.data.nothing' },
        { name: 'count', expression: 'has(object.data) ? size(object.data) : 0' },
        { name: 'double', expression: 'variables.count * 2' },
      ],
      validations: [{ expression: 'variables.double == 4 && variables.count == 2' }],
    })
    expect(await world.validate(configMap('m', { data: { a: '', b: '' } }))).toBeUndefined()
    world.validating('p', {
      variables: [{ name: 'bad', expression: 'object.data.nothing' }],
      ...only('variables.bad == 1'),
    })
    expect(await world.validate(configMap('m', { data: {} }))).toMatchObject({
      message: denied(
        'expression \'variables.bad == 1\' resulted in error: composited variable "bad" fails to evaluate: no such key: nothing',
      ),
    })
  })
})

describe('what goes wrong in a policy (W-506)', () => {
  const failing = [
    [
      'an error',
      only("object.data.zzz == '1'"),
      'expression \'object.data.zzz == "1"\' resulted in error: no such key: data'.replaceAll('"', "'"),
    ],
    [
      'an expensive expression',
      only(
        '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(a, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(b, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(c, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(d, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(e, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(f, a + b + c + d + e + f > 0))))))',
      ),
      'resulted in error: operation cancelled: actual cost limit exceeded',
    ],
    [
      'a match condition',
      {
        matchConditions: [
          { name: 'c', expression: 'object.nothing' },
          { name: 'd', expression: 'object.data.zzz' },
        ],
        ...only('true'),
      },
      'compilation error: must evaluate to bool but got dyn',
    ],
    [
      'an annotation',
      { auditAnnotations: [{ key: 'k', valueExpression: "'x' + object.metadata.nothing" }] },
      'no such key: nothing',
    ],
    [
      'an unknown kind of parameters',
      { paramKind: { apiVersion: 'no.such/v1', kind: 'Nope' }, ...only('true') },
      "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'no.such/v1, Kind=Nope'",
    ],
  ] as const

  it.each(failing)('%s refuses the request', async (_what, spec, message) => {
    world.validating('p', spec)
    expect((await world.validate(configMap('m')))?.message).toContain(message)
  })

  it.each(failing)('%s lets it pass where the policy fails open', async (_what, spec) => {
    world.validating('p', { ...spec, failurePolicy: 'Ignore' })
    expect(await world.validate(configMap('m'))).toBeUndefined()
  })

  it('does not matter where a condition is false', async () => {
    world.validating('p', {
      matchConditions: [
        { name: 'c', expression: 'object.data.zzz == 1' },
        { name: 'd', expression: 'false' },
      ],
      ...only('false'),
    })
    expect(await world.validate(configMap('m'))).toBeUndefined()
  })

  it('is bounded over all of its expressions (W-508)', async () => {
    const expensive =
      '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(a, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(b, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(c, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(d, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(e, a + b + c + d + e > 0)))))'
    world.validating('p', { validations: Array.from({ length: 12 }, () => ({ expression: expensive })) })
    const message = 'validation failed due to running out of cost budget, no further validation rules will be run'
    expect((await world.validate(configMap('m')))?.message).toContain(message)
  })
})

describe('parameters (W-505)', () => {
  const spec = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    ...only('size(object.data) <= int(params.data.max)', { messageExpression: "'at most ' + params.data.max" }),
  }
  const limits = (name: string, max: string, namespace = 'ns'): object => ({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace, labels: { role: 'limit' } },
    data: { max },
  })
  const two = configMap('m', { data: { a: '', b: '' } })

  it("come from the object that the binding names, in its namespace or the request's", async () => {
    world.params = [limits('l', '1'), limits('l', '5', 'far')]
    world.validating('p', spec, { paramRef: { name: 'l', parameterNotFoundAction: 'Deny' } })
    expect(await world.validate(two)).toMatchObject({ message: denied('at most 1') })
    world.validating('p', spec, { paramRef: { name: 'l', namespace: 'far', parameterNotFoundAction: 'Deny' } })
    expect(await world.validate(two)).toBeUndefined()
  })

  it('may be several, which all have to agree', async () => {
    world.params = [limits('l', '5'), limits('k', '1')]
    world.validating('p', spec, {
      paramRef: { selector: { matchLabels: { role: 'limit' } }, parameterNotFoundAction: 'Deny' },
    })
    expect(await world.validate(two)).toMatchObject({ message: denied('at most 1') })
  })

  it('that are not there refuse or are ignored, as the binding says', async () => {
    world.validating('p', spec, { paramRef: { name: 'l', parameterNotFoundAction: 'Deny' } })
    const message =
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction'
    expect(await world.validate(two)).toMatchObject({ message: denied(message) })
    world.validating('p', spec, { paramRef: { name: 'l', parameterNotFoundAction: 'Allow' } })
    expect(await world.validate(two)).toBeUndefined()
  })

  it('in a namespace cannot be found for what is in none', async () => {
    world.validating('p', spec, { paramRef: { name: 'l', parameterNotFoundAction: 'Deny' } })
    const message =
      'failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources'
    expect(await world.validate(two, { namespace: '' })).toMatchObject({ message: denied(message) })
  })

  it('of a namespace are found in that namespace', async () => {
    world.params = [limits('l', '1', 'far')]
    const namespaces = { group: '', version: 'v1', resource: 'namespaces' }
    const matchConstraints = { resourceRules: [{ ...CONFIG_MAPS.resourceRules[0], resources: ['namespaces'] }] }
    const paramRef = { name: 'l', parameterNotFoundAction: 'Deny' }
    world.validating('p', { ...spec, matchConstraints }, { paramRef })
    const request = { resource: namespaces, requestResource: namespaces, namespace: '', name: 'far' }
    expect((await world.validate(two, request))?.message).toContain('at most 1')
  })
})

describe('the authorizer in a policy (W-499)', () => {
  const may = only("authorizer.requestResource.check('custom').allowed()", { message: 'may not' })

  it.each([
    ['at once', (): { kind: 'allow' } => ({ kind: 'allow' })],
    ['in time', async (): Promise<{ kind: 'allow' }> => Promise.resolve({ kind: 'allow' })],
  ])('answers %s', async (_when, decide) => {
    world.validating('p', may)
    expect(await world.validate(configMap('m'))).toMatchObject({ message: denied('may not') })
    world.decide = decide
    expect(await world.validate(configMap('m'))).toBeUndefined()
    expect(world.asked.at(-1)).toMatchObject({
      kind: 'resource',
      verb: 'custom',
      resource: 'configmaps',
      namespace: 'ns',
      name: 'm',
      user: { name: 'someone' },
    })
  })

  it.each([
    ["fieldSelector('spec.nodeName=a')", { fields: [{ field: 'spec.nodeName', operator: '=', value: 'a' }] }],
    ["labelSelector('x in (1, 2)')", { labels: [{ kind: 'in', key: 'x', values: ['1', '2'] }] }],
    ["fieldSelector('a=b=c')", { fields: undefined, labels: undefined }],
  ])('is told what the question is narrowed to: %s', async (narrowing, selectors) => {
    world.validating('p', only(`authorizer.group('').resource('pods').${narrowing}.check('list').allowed()`))
    await world.validate(configMap('m'))
    const [access] = world.asked
    expect(access?.kind === 'resource' && access.selectors?.()).toMatchObject(selectors)
  })

  it('says why it decided so, and what broke on the way', async () => {
    world.decide = () => ({ kind: 'no-opinion', reason: 'nobody knows', problem: 'a decider is down' })
    const check = "authorizer.path('/x').check('get')"
    world.validating('p', only(`${check}.reason() == 'nobody knows' && ${check}.error() == 'a decider is down'`))
    expect(await world.validate(configMap('m'))).toBeUndefined()
  })

  it('is asked once for the same, also for a service account', async () => {
    world.decide = () => Promise.reject(new Error('down'))
    const check = "authorizer.serviceAccount('a', 'b').path('/x').check('get')"
    world.validating('p', { validations: [{ expression: `${check}.errored() && ${check}.error() == 'down'` }] })
    expect(await world.validate(configMap('m'))).toBeUndefined()
    expect(world.asked).toEqual([
      {
        kind: 'path',
        verb: 'get',
        path: '/x',
        user: {
          name: 'system:serviceaccount:a:b',
          uid: undefined,
          groups: ['system:serviceaccounts', 'system:serviceaccounts:a'],
          extra: {},
        },
      },
    ])
  })
})
