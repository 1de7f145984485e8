import { assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  asName,
  conditionReason,
  configKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  dns1123SubdomainWithUnderscore,
  environmentName,
  httpHeaderName,
  labelValue,
  pathSegment,
  percentage,
  portName,
  qualifiedName,
  wildcardDns1123Subdomain,
} from '../../../../src/schema/validation/formats.ts'

const label = expect.stringContaining("regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'")
const subdomain = expect.stringContaining("(e.g. 'example.com', regex used for validation is '[a-z0-9]")
const key = expect.stringMatching(
  /^name part must consist of alphanumeric .*'\(\[A-Za-z0-9\]\[-A-Za-z0-9_.\]\*\)\?\[A-Za-z0-9\]'\)$/,
)

const rows: readonly (readonly [(text: string) => readonly string[], string, readonly unknown[]])[] = [
  [dns1123Label, 'a', []],
  [dns1123Label, '0-a', []],
  [dns1123Label, 'a.b', ['must not contain dots']],
  [dns1123Label, 'a.', [label]],
  [dns1123Label, '', [label]],
  [dns1123Label, '-a', [label]],
  [dns1123Label, 'a-', [label]],
  [dns1123Label, 'x'.repeat(64), ['must be no more than 63 characters']],
  [dns1123Label, 'é', [label]],
  [dns1123Subdomain, 'a.b-c.0', []],
  [dns1123Subdomain, 'a..b', [subdomain]],
  [dns1123Subdomain, 'a.-b', [subdomain]],
  [dns1123Subdomain, 'a-.b', [subdomain]],
  [dns1123Subdomain, 'A_b', [subdomain]],
  [dns1123Subdomain, 'n'.repeat(254), ['must be no more than 253 characters']],
  [dns1123Subdomain, 'N'.repeat(254), ['must be no more than 253 characters', subdomain]],
  [dns1123SubdomainWithUnderscore, '_a._b-c_d', []],
  [dns1123SubdomainWithUnderscore, 'a._', [expect.stringContaining("'_', '-' or '.'")]],
  [dns1035Label, 'a0', []],
  [dns1035Label, '0a', [expect.stringContaining('a DNS-1035 label must consist of')]],
  [wildcardDns1123Subdomain, '*.a.b', []],
  [wildcardDns1123Subdomain, '*a.b', [expect.stringContaining("must start with '*.'")]],
  [qualifiedName, 'example.com/My.Name_1', []],
  [qualifiedName, 'bad key', [key]],
  [qualifiedName, '', ['name part must be non-empty', key]],
  [qualifiedName, '/a', ['prefix part must be non-empty']],
  [qualifiedName, 'A/b', [expect.stringContaining('prefix part a lowercase RFC 1123 subdomain')]],
  [qualifiedName, 'a/b/c', [expect.stringContaining("with an optional DNS subdomain prefix and '/'")]],
  [qualifiedName, 'n'.repeat(64), ['name part must be no more than 63 bytes']],
  [labelValue, '', []],
  [labelValue, 'a b', [expect.stringContaining("(e.g. 'MyValue',  or 'my_value',  or '12345', regex")]],
  [labelValue, 'x'.repeat(64), ['must be no more than 63 bytes']],
  [pathSegment, 'system:x', []],
  [pathSegment, '..', ["may not be '..'"]],
  [pathSegment, 'a%/b', ["may not contain '/'", "may not contain '%'"]],
  [portName, 'http-1', []],
  [
    portName,
    '-1--',
    [
      'must contain at least one letter (a-z)',
      'must not contain consecutive hyphens',
      'must not begin or end with a hyphen',
    ],
  ],
  [
    portName,
    'UPPER-is-far-too-long',
    ['must be no more than 15 characters', 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
  ],
  [environmentName, 'A B.c-1', []],
  [environmentName, '', ['environment variable name must be non-empty']],
  [environmentName, 'A=B', [expect.stringContaining("printable ASCII characters other than '='")]],
  [configKey, 'a.b_C-1', []],
  [configKey, '.', ["must not be '.'"]],
  [configKey, '..', ["must not be '..'"]],
  [configKey, '..a', ["must not start with '..'"]],
  [configKey, 'k'.repeat(254), ['must be no more than 253 characters']],
  [percentage, '93%', []],
  [percentage, '%', [expect.stringContaining("(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')")]],
  [httpHeaderName, 'X-A', []],
  [httpHeaderName, 'a_b', [expect.stringContaining("(e.g. 'X-Header-Name', regex")]],
  [conditionReason, 'A_b:c', []],
  [conditionReason, 'A:', [expect.stringContaining("must end with an alphanumeric character or '_'")]],
]

describe('formats', () => {
  it.each(rows.map(([format, text, expected]) => [format.name, text, expected, format] as const))(
    '%s of %j finds %j',
    (_, text, expected, format) => {
      expect(format(text)).toEqual(expected)
    },
  )

  it('lets a prefix of a generated name end in a dash', () => {
    expect(asName(dns1123Label)('a-', true)).toEqual([])
    expect(asName(dns1123Label)('a-', false)).toHaveLength(1)
  })

  it.each([
    [dns1123Label, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 63],
    [dns1123Subdomain, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/, 253],
    [labelValue, /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/, 63],
    [dns1035Label, /^[a-z]([-a-z0-9]*[a-z0-9])?$/, 63],
  ] as const)('%o takes exactly what its expression takes', (format, expression, max) => {
    const text = string({ unit: constantFrom('a', 'z', '0', '9', '-', '.', '_', 'A', '/', ' ', 'é'), maxLength: 80 })
    assert(
      property(text, (value) => {
        expect(format(value).length === 0).toBe(expression.test(value) && value.length <= max)
      }),
    )
  })
})
