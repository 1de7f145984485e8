import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named, SELECTION } from '../defaulting.ts'
import { judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('admissionregistration.k8s.io MutatingWebhookConfiguration has these columns', () =>
    expectColumns('admissionregistration.k8s.io MutatingWebhookConfiguration', [
      'Name : string name',
      'Webhooks : integer',
      'Age',
    ]))

  it('admissionregistration.k8s.io ValidatingWebhookConfiguration has these columns', () =>
    expectColumns('admissionregistration.k8s.io ValidatingWebhookConfiguration', [
      'Name : string name',
      'Webhooks : integer',
      'Age',
    ]))

  it.each<CellRow>([
    ['admissionregistration.k8s.io MutatingWebhookConfiguration', 'two', { webhooks: [{}, {}] }, [2]],
    ['admissionregistration.k8s.io ValidatingWebhookConfiguration', 'none', {}, [0]],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration',
        given: { webhooks: [{ clientConfig: { service: {} }, rules: [{}] }] },
        meant: {
          webhooks: [
            {
              ...SELECTION,
              failurePolicy: 'Fail',
              timeoutSeconds: 10,
              reinvocationPolicy: 'Never',
              clientConfig: { service: { port: 443 } },
              rules: [{ scope: '*' }],
            },
          ],
        },
      },
      {
        of: 'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration',
        given: { webhooks: [{ clientConfig: { url: 'u' } }] },
        meant: { webhooks: [{ ...SELECTION, failurePolicy: 'Fail', timeoutSeconds: 10, clientConfig: { url: 'u' } }] },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  const WEBHOOKS = 'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration'
  it.each<Row>([
    ...rows(
      WEBHOOKS,
      [
        'a short name',
        { 'webhooks/0/name': 'a' },
        'webhooks[0].name: Invalid value: "a": should be a domain with at least three segments separated by dots',
      ],
      [
        'no way to it',
        { 'webhooks/0/clientConfig': {} },
        'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
      ],
      [
        'an open way to it',
        { 'webhooks/0/clientConfig': { url: 'http://u@example.com/?q#f' } },
        'webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
        'webhooks[0].clientConfig.url: Invalid value: "u": user information is not permitted in the URL',
        'webhooks[0].clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
        'webhooks[0].clientConfig.url: Invalid value: "q": query parameters are not permitted in the URL',
      ],
      [
        'no way at all',
        { 'webhooks/0/clientConfig': { url: 'https://a b/' } },
        'webhooks[0].clientConfig.url: Required value: url must be a valid URL: parse "https://a b/": invalid character " " in host name; desired format: https://host[/path]',
      ],
      [
        'side effects',
        { 'webhooks/0/sideEffects': 'Some' },
        'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      ],
      [
        'a long wait',
        { 'webhooks/0/timeoutSeconds': 31 },
        'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
      ],
      [
        'an unknown version',
        { 'webhooks/0/admissionReviewVersions': ['v7'] },
        'webhooks[0].admissionReviewVersions: Invalid value: ["v7"]: must include at least one of v1, v1beta1',
      ],
      [
        'everything and more',
        { 'webhooks/0/rules/0/operations': ['*', 'CREATE'] },
        'webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if \'*\' is present, must not specify other operations',
      ],
    ),
    ...rows('admissionregistration.k8s.io/v1 MutatingWebhookConfiguration', [
      'an unknown way to be asked again',
      { 'webhooks/0/reinvocationPolicy': 'Odd' },
      'webhooks[0].reinvocationPolicy: Unsupported value: "Odd": supported values: "IfNeeded", "Never"',
    ]),
  ])('$of: $case', judge)
})
