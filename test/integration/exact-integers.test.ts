// Integers of 64 bits keep their digits wherever an object meets text: documents, messages, tables, audit events, webhooks,
// policies, patches and field ownership (D19). The platform's own JSON writer throws at them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenServer, openServer, type ServerAnswer } from '../rigs/running-server.ts'
import { ALLOW, openWebhookServer, respond, type WebhookServer } from '../fakes/webhook-server.ts'

/** No double is this number. */
const BIG = '9007199254740993'
const LARGEST = '9223372036854775807'
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const REGISTRATION = '/apis/admissionregistration.k8s.io/v1'
const BIGS = '/apis/exact.example.com/v1/namespaces/default/bigs'

const DEFINITION = `{
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": { "name": "bigs.exact.example.com" },
  "spec": {
    "group": "exact.example.com", "scope": "Namespaced", "names": { "plural": "bigs", "singular": "big", "kind": "Big" },
    "versions": [{
      "name": "v1", "served": true, "storage": true,
      "additionalPrinterColumns": [
        { "name": "Number", "type": "integer", "jsonPath": ".spec.number" },
        { "name": "Keys", "type": "string", "jsonPath": ".spec.keyed" }
      ],
      "selectableFields": [{ "jsonPath": ".spec.number" }],
      "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": { "type": "object", "properties": {
        "number": {
          "type": "integer", "format": "int64", "minimum": -9223372036854775000, "maximum": 9223372036854775000,
          "default": ${BIG}, "example": ${BIG}
        },
        "words": { "type": "integer", "enum": [${BIG}, 1] },
        "steps": { "type": "integer", "multipleOf": 9007199254740994 },
        "text": { "type": "string", "maxLength": ${LARGEST} },
        "ruled": { "type": "integer", "x-kubernetes-validations": [{ "rule": "self != ${BIG}", "message": "not this one" }] },
        "keyed": {
          "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"],
          "items": { "type": "object", "required": ["id"], "properties": { "id": { "type": "integer" }, "v": { "type": "string" } } }
        },
        "open": { "type": "object", "x-kubernetes-preserve-unknown-fields": true }
      } } } } }
    }]
  }
}`

describe('an integer that no double holds', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-exact-'))
  const auditLog = path.join(folder, 'audit.log')
  let server: OpenServer
  let hooks: WebhookServer

  beforeAll(async () => {
    hooks = await openWebhookServer()
    const policy = path.join(folder, 'audit-policy.yaml')
    writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: RequestResponse\n')
    server = await openServer(['--audit-policy-file', policy, '--audit-log-path', auditLog])
    await server.must(CRDS, { method: 'POST', body: DEFINITION })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await hooks?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  function create(name: string, spec: string): Promise<ServerAnswer> {
    const body = `{"apiVersion":"exact.example.com/v1","kind":"Big","metadata":{"name":"${name}"},"spec":${spec}}`
    return server.request(BIGS, { method: 'POST', body })
  }

  function patch(name: string, type: string, body: string, query = ''): Promise<ServerAnswer> {
    const headers = { 'content-type': `application/${type}` }
    return server.request(`${BIGS}/${name}${query}`, { method: 'PATCH', body, headers })
  }

  it.each([
    ['/openapi/v2', 'application/json', '"maximum":9223372036854775000'],
    ['/openapi/v3/apis/exact.example.com/v1', 'application/json', `"default":${BIG}`],
    ['/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'exact.example.com'],
    ['/openapi/v3/apis/exact.example.com/v1', 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf', BIG],
  ])('is in the document %s as %s', async (document, accept, shown) => {
    await expect.poll(async () => (await server.request(document, { headers: { accept } })).body).toContain(shown)
  })

  it('leaves a definition what it was when it is sent again', async () => {
    const before = (await server.must(`${CRDS}/bigs.exact.example.com`))['metadata'] as Record<string, unknown>
    const headers = { 'content-type': 'application/apply-patch+yaml' }
    const where = `${CRDS}/bigs.exact.example.com?fieldManager=t&force=true`
    await server.must(where, { method: 'PATCH', body: DEFINITION, headers })
    const { metadata } = await server.must(where, { method: 'PATCH', body: DEFINITION, headers })
    expect((metadata as Record<string, unknown>)['generation']).toBe(before['generation'])
  })

  it.each([
    ['a bound is told as the integer that it is', `{"number":${LARGEST}}`, 'less than or equal to 9223372036854774784'],
    [
      'a value is told with its digits',
      `{"words":${LARGEST}}`,
      `Unsupported value: ${LARGEST}: supported values: "${BIG}", "1"`,
    ],
    ['a factor is told with its digits', `{"steps":${BIG}}`, 'should be a multiple of 9007199254740994'],
    ['what is beyond 64 bits is a double', '{"number":9223372036854775808}', 'Invalid value: 9.223372036854776e+18'],
    ['two keys are the same by all their digits', `{"keyed":[{"id":${BIG}},{"id":${BIG}}]}`, `{"id":${BIG}}`],
    ['a rule sees all digits', `{"ruled":${BIG}}`, 'not this one'],
  ])('where an object is refused: %s', async (_name, spec, told) => {
    const answer = await create('refused', spec)
    expect(answer.status).toBe(422)
    expect(answer.json()['message']).toContain(told)
  })

  it('is an entry of its own beside its neighbour that a double cannot tell from it', async () => {
    expect(
      (await create('neighbours', `{"keyed":[{"id":${BIG}},{"id":9007199254740992}],"ruled":9007199254740992}`)).status,
    ).toBe(201)
  })

  it('is stored, served, selected by and shown in tables', async () => {
    expect((await create('shown', `{"open":{"list":[${LARGEST},-${LARGEST}]},"keyed":[{"id":${BIG}}]}`)).status).toBe(
      201,
    )
    const read = await server.request(`${BIGS}/shown`)
    expect(read.body).toContain(`"number":${BIG}`)
    expect(read.body).toContain(`[${LARGEST},-${LARGEST}]`)
    expect((await server.request(`${BIGS}/shown`, { headers: { accept: 'application/yaml' } })).body).toContain(
      `number: ${BIG}`,
    )
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const table = await server.request(`${BIGS}/shown`, { headers: { accept } })
    expect(table.body).toContain(`"cells":["shown",${BIG},"[{\\"id\\":${BIG}}]"]`)
    expect((await server.must(`${BIGS}?fieldSelector=metadata.name=shown,spec.number=${BIG}`))['items']).toHaveLength(1)
    expect((await server.must(`${BIGS}?fieldSelector=spec.number=9007199254740992`))['items']).toHaveLength(0)
  })

  it('is written into audit events, of requests and answers', async () => {
    await create('audited', `{"open":{"a":${LARGEST}}}`)
    const written = (): string => {
      const lines = readFileSync(auditLog, 'utf8').split('\n')
      return lines.findLast((line) => line.includes('"stage":"ResponseComplete"') && line.includes('"audited"')) ?? ''
    }
    await expect.poll(written).toContain(`"requestObject":{"apiVersion":"exact.example.com/v1"`)
    expect(written().split(`"open":{"a":${LARGEST}}`)).toHaveLength(3)
  })

  it('is patched, tested for and owned by all its digits', async () => {
    await create('patched', `{"keyed":[{"id":${BIG},"v":"a"}]}`)
    const merged = await patch('patched', 'merge-patch+json', `{"spec":{"open":{"merged":${LARGEST}}}}`)
    expect(merged.body).toContain(`"merged":${LARGEST}`)
    const test = (value: string): string =>
      `[{"op":"test","path":"/spec/number","value":${value}},{"op":"add","path":"/spec/open/added","value":-${BIG}}]`
    expect((await patch('patched', 'json-patch+json', test('9007199254740994'))).status).toBe(422)
    expect((await patch('patched', 'json-patch+json', test(BIG))).body).toContain(`"added":-${BIG}`)
    const applied = `{"apiVersion":"exact.example.com/v1","kind":"Big","metadata":{"name":"patched"},"spec":{"keyed":[{"id":${BIG},"v":"b"}]}}`
    const conflict = await patch('patched', 'apply-patch+yaml', applied, '?fieldManager=other')
    expect(conflict.json()['message']).toContain(`.spec.keyed[id=${BIG}].v`)
    const forced = await patch('patched', 'apply-patch+yaml', applied, '?fieldManager=other&force=true')
    expect(forced.body).toContain(`"k:{\\"id\\":${BIG}}"`)
  })

  it('goes to webhooks, and comes back from them', async () => {
    const change = `[{"op":"add","path":"/spec/open","value":{"hooked":${LARGEST}}}]`
    hooks.on(
      '/mutate',
      respond({ allowed: true, patchType: 'JSONPatch', patch: Buffer.from(change).toString('base64') }),
    )
    hooks.on('/validate', ALLOW)
    const hook = (at: string): object => ({
      name: `${at}.exact.example.com`,
      clientConfig: { url: `${hooks.url}/${at}`, caBundle: hooks.caBundle },
      rules: [
        {
          operations: at === 'mutate' ? ['CREATE'] : ['*'],
          apiGroups: ['exact.example.com'],
          apiVersions: ['*'],
          resources: ['bigs'],
        },
      ],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    })
    const configuration = (at: string): object => ({ metadata: { name: 'exact' }, webhooks: [hook(at)] })
    const validating = `${REGISTRATION}/validatingwebhookconfigurations`
    const mutating = `${REGISTRATION}/mutatingwebhookconfigurations`
    await server.must(validating, { method: 'POST', body: configuration('validate') })
    await server.must(mutating, { method: 'POST', body: configuration('mutate') })
    let tries = 0
    await expect
      .poll(async () => (await create(`hooked-${++tries}`, `{"words":${BIG}}`)).body)
      .toContain(`"hooked":${LARGEST}`)
    await expect.poll(() => hooks.calls.some(({ path: at }) => at === '/validate')).toBe(true)
    const asked = hooks.calls.findLast(({ path: at }) => at === '/validate')?.text
    expect(asked).toContain(`"words":${BIG}`)
    expect(asked).toContain(`"hooked":${LARGEST}`)
    const options = `{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":${LARGEST}}`
    const length = { 'content-length': String(options.length) }
    await server.must(`${BIGS}/hooked-${tries}`, { method: 'DELETE', body: options, headers: length })
    expect(hooks.calls.at(-1)?.text).toContain(`"gracePeriodSeconds":${LARGEST}`)
    await server.must(`${validating}/exact`, { method: 'DELETE' })
    await server.must(`${mutating}/exact`, { method: 'DELETE' })
  })

  it('is told by policies, to the client and in audit annotations', async () => {
    const name = 'exact'
    const spec = {
      matchConstraints: {
        resourceRules: [
          { operations: ['CREATE'], apiGroups: ['exact.example.com'], apiVersions: ['*'], resources: ['bigs'] },
        ],
      },
      validations: [
        { expression: 'object.metadata.name != "policed"', messageExpression: '"saw " + string(object.spec.number)' },
      ],
      auditAnnotations: [{ key: 'number', valueExpression: '"number " + string(object.spec.number)' }],
    }
    const policies = `${REGISTRATION}/validatingadmissionpolicies`
    const bindings = `${REGISTRATION}/validatingadmissionpolicybindings`
    await server.must(policies, { method: 'POST', body: { metadata: { name }, spec } })
    const binding = { metadata: { name }, spec: { policyName: name, validationActions: ['Deny', 'Audit'] } }
    await server.must(bindings, { method: 'POST', body: binding })
    await expect
      .poll(async () => (await server.request(`${BIGS}?dryRun=All`, { method: 'POST', body: policed() })).body)
      .toContain(`saw ${BIG}`)
    await expect.poll(() => readFileSync(auditLog, 'utf8')).toContain(`"exact/number":"number ${BIG}"`)
    await server.must(`${bindings}/${name}`, { method: 'DELETE' })
  })

  function policed(): string {
    return `{"apiVersion":"exact.example.com/v1","kind":"Big","metadata":{"name":"policed"},"spec":{}}`
  }
})
