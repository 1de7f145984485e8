import { describe, expect, it } from 'vitest'
import { AuthorizerValue, type AuthorizationCheck, compile, type Evaluation, opaque } from '../../../src/cel/cel.ts'

const LIMIT = 1_000_000

function evaluate(expression: string, authorizer?: AuthorizerValue): Evaluation {
  const variables = new Map([['authorizer', opaque('kubernetes.authorization.Authorizer')]])
  const compiled = compile(expression, { variables, hasBind: true, makesPatches: true })
  if (compiled.kind === 'refused') throw new Error(compiled.text)
  return compiled.program.evaluate({ authorizer }, LIMIT)
}

const TRUE: Readonly<Record<string, readonly string[]>> = {
  lists: [
    '[1, 2, 3].isSorted()',
    '[dyn("50%"), dyn(6)].isSorted()',
    '![dyn("50%"), dyn(6), dyn(2)].isSorted()',
    '!["b", "a"].isSorted()',
    '[1, 2, 3].sum() == 6',
    '[duration("1m"), duration("1s")].sum() == duration("1m1s")',
    '["a", "c", "b"].max() == "c"',
    '[3.0, 2.5].min() == 2.5',
    '[1, 2, 2].indexOf(2) == 1',
    '[1, 2, 2].lastIndexOf(2) == 2',
    '[1].lastIndexOf(7) == -1',
    'sets.contains([1, 2, 3], [2, 1])',
    'sets.equivalent([1, 1, 2], [2, 1])',
    '!sets.intersects([1], [2])',
  ],
  'optional members of values without members': [
    "dyn(null).?a.orValue('x') == 'x'",
    '!dyn(5).?a.hasValue()',
    '!dyn(5)[?0].hasValue()',
    '!dyn(null).?a.?b.hasValue()',
  ],
  'lists of mixed types in arguments of format': ["'%s'.format([[1, 'a'].map(x, x).size()]) == '2'"],
  'lists made of lists': [
    '[3, 1, 2].sort() == [1, 2, 3]',
    "['b', 'a', 'é'].sort() == ['a', 'b', 'é']",
    '[].sort() == []',
    '[true, false].sort() == [false, true]',
    '[duration("1m"), duration("1s")].sort()[0] == duration("1s")',
    "['ccc', 'a', 'bb'].sortBy(s, size(s)) == ['a', 'bb', 'ccc']",
    "[{'n': 2}, {'n': 1}].sortBy(x, x.n).map(x, x.n) == [1, 2]",
    '[1, 2, 1].distinct() == [1, 2]',
    '[[1], [1], [2]].distinct() == [[1], [2]]',
    '[1, 2, 3].reverse() == [3, 2, 1]',
    '[1, 2, 3, 4].slice(1, 3) == [2, 3]',
    '[1].slice(1, 1) == []',
    '[[1, 2], [3]].flatten() == [1, 2, 3]',
    '[[[1]], [[2]]].flatten(1) == [[1], [2]]',
    '[[[1]], [[2]]].flatten(7) == [1, 2]',
    'lists.range(3) == [0, 1, 2]',
    '[1, 2].first() == optional.of(1)',
    '[1, 2].last().value() == 2',
    '![].first().hasValue()',
    '[optional.of(1), optional.none()].unwrapOpt() == [1]',
    'optional.unwrap([optional.none(), optional.of(2)]) == [2]',
    "{'a': 1, 'b': 2}.exists_one(k, v, v == 1)",
  ],
  patterns: [
    "'abc 123'.find('[0-9]+') == '123'",
    "'abc'.find('[0-9]+') == ''",
    "'1 22 333'.findAll('[0-9]+') == ['1', '22', '333']",
    "'1 22 333'.findAll('[0-9]+', 2) == ['1', '22']",
    "'abc'.findAll('[0-9]') == []",
    "jsonpatch.escapeKey('k8s.io/a~b') == 'k8s.io~1a~0b'",
  ],
  quantities: [
    "quantity('1Gi').isGreaterThan(quantity('1G'))",
    "quantity('50k').add(20) == quantity('50020')",
    "quantity('50k').sub(quantity('1k')).asInteger() == 49000",
    "!quantity('1.5').isInteger()",
    "sign(quantity('-1')) == -1",
    "quantity('500m').asApproximateFloat() == 0.5",
    "quantity('1000m').compareTo(quantity('1')) == 0",
    "isQuantity('10Mi') && !isQuantity('10Mo')",
  ],
  versions: [
    "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
    "semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta'))",
    "semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))",
    "semver('v1.0', true) == semver('1.0.0')",
    "semver('01.01.01', true).compareTo(semver('1.1.1')) == 0",
    "isSemver('1.0.0') && !isSemver('v1.0') && isSemver('v1.0', true) && !isSemver('hello')",
  ],
  addresses: [
    "ip('10.0.0.1').family() == 4 && ip('::1').family() == 6",
    "isIP('10.0.0.1') && !isIP('010.0.0.1') && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0')",
    "ip.isCanonical('2001:db8::abcd') && !ip.isCanonical('2001:DB8::ABCD') && !ip.isCanonical('2001:db8::0:0:0:abcd')",
    "string(ip('2001:db8:0:0:1:0:0:1')) == '2001:db8::1:0:0:1'",
    "string(ip('::')) == '::' && string(ip('1::')) == '1::' && string(ip('::1')) == '::1'",
    "ip('127.0.0.1').isLoopback() && ip('0.0.0.0').isUnspecified() && ip('169.254.1.1').isLinkLocalUnicast()",
    "ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast()",
    "ip('10.0.0.1').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast()",
    "cidr('192.168.0.0/24').containsIP('192.168.0.1') && !cidr('192.168.0.0/24').containsIP(ip('192.168.1.1'))",
    "cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24') && !cidr('192.168.0.0/24').containsCIDR('192.168.0.0/23')",
    "cidr('192.168.1.5/24').masked() == cidr('192.168.1.0/24') && cidr('192.168.1.5/24').ip() == ip('192.168.1.5')",
    "cidr('::1/128').prefixLength() == 128 && string(cidr('10.0.0.0/8')) == '10.0.0.0/8'",
    "isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0')",
    "type(ip('::1')) == net.IP",
  ],
  urls: [
    "url('https://example.com:8080/a%20b?x=1&x=2&y=').getHost() == 'example.com:8080'",
    "url('https://example.com:8080/a').getHostname() == 'example.com'",
    "url('https://[::1]:80/a').getHostname() == '::1' && url('https://[::1]:80/a').getPort() == '80'",
    "url('/path').getScheme() == '' && url('/path').getEscapedPath() == '/path'",
    "url('https://e.com/?k=a&k=b&z').getQuery() == {'k': ['a', 'b'], 'z': ['']}",
    "isURL('https://example.com/') && isURL('/x') && !isURL('example.com') && !isURL('') && !isURL('https://a b/')",
  ],
  formats: [
    "!format.dns1123Label().validate('my-label').hasValue()",
    "format.dns1123Label().validate('My-Label').hasValue()",
    "format.dns1123Label().validate('a.b').value() == ['must not contain dots']",
    "format.named('uuid').hasValue() && !format.named('none').hasValue()",
    "format.dns1035LabelPrefix().validate('abc-') == optional.none()",
    "format.qualifiedName().validate('a/b/c').hasValue() && !format.qualifiedName().validate('k8s.io/a').hasValue()",
    "format.date().validate('2021-02-30').hasValue() && !format.datetime().validate('2021-01-01T00:00:00Z').hasValue()",
    'format.dns1123Subdomain() == format.dns1123Subdomain() && format.byte() != format.uuid()',
  ],
  'two variables': [
    '[1, 2].all(i, v, i < v)',
    '{"a": 1}.exists(k, v, k == "a" && v == 1)',
    '[5, 6].existsOne(i, v, i == 1)',
    '[1, 2].transformList(i, v, i + v) == [1, 3]',
    '[1, 2].transformList(i, v, v > 1, v) == [2]',
    '{"a": 1}.transformMap(k, v, v + 1) == {"a": 2}',
    '[1, 2].transformMapEntry(i, v, {v: i}) == {1: 0, 2: 1}',
    'cel.bind(x, 2, x * x) == 4',
    'cel.bind(x, 1, cel.bind(x, x + 1, x)) == 2',
    '[1].map(a, optional.of(a).optMap(a, a + 1).value()) == [2]',
  ],
}

describe.each(Object.entries(TRUE))('%s', (_name, expressions) => {
  it.each(expressions)('%s', (expression) => {
    expect(evaluate(expression)).toMatchObject({ kind: 'value', value: true })
  })
})

const FAULTS: readonly (readonly [string, string])[] = [
  ["int('many') == 1", "type conversion error from 'string' to 'int'"],
  ['{"a": 1}.b == 1', 'no such key: b'],
  ['[1][3] == 1', 'index out of bounds: 3'],
  ['1 / 0 == 1', 'division by zero'],
  ['9223372036854775807 + 1 > 0', 'integer overflow'],
  ['-9223372036854775808 % -1 == 0', 'integer overflow'],
  ['[1].slice(0, 2) == []', 'cannot slice(0, 2), list is length 1'],
  ['[1].slice(1, 0) == []', 'cannot slice(1, 0), start index must be less than or equal to end index'],
  ['[1].slice(-1, 0) == []', 'cannot slice(-1, 0), negative indexes not supported'],
  ['[[1]].flatten(-1) == [1]', 'level must be non-negative'],
  [
    "sign(quantity('x')) == 1",
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  ["ip('fe80::1%eth0').family() == 6", 'IP address "fe80::1%eth0" with zone value is not allowed'],
  ['[].max() == 1', 'max called on empty list'],
  ['optional.none().value() == 1', 'optional.none() dereference'],
  ['lists.range(-1) == []', 'lists.range: size must be non-negative, got -1'],
  ["semver('1.2').major() == 1", 'No Major.Minor.Patch elements found'],
]

describe('errors', () => {
  it.each(FAULTS)('%s gives: %s', (expression, message) => {
    expect(evaluate(expression)).toMatchObject({ kind: 'error', message })
  })

  it('count only where nothing else decides', () => {
    expect(evaluate('1 / 0 > 0 || true')).toMatchObject({ value: true })
    expect(evaluate('false && 1 / 0 > 0')).toMatchObject({ value: false })
    expect(evaluate('[1, 0].exists(x, 1 / x > 0)')).toMatchObject({ value: true })
  })
})

describe('the authorizer', () => {
  const asked: AuthorizationCheck[] = []
  const authorizer = new AuthorizerValue((check) => {
    asked.push(check)
    return { allowed: check.verb === 'get', reason: 'because', error: '' }
  })

  it('is asked for what the expression names', () => {
    const expression =
      "authorizer.serviceAccount('ns', 'sa').group('apps').resource('deployments').subresource('scale').namespace('n').name('d').check('get').allowed()"
    expect(evaluate(expression, authorizer)).toMatchObject({ value: true })
    expect(asked.at(-1)).toMatchObject({
      kind: 'resource',
      serviceAccount: { namespace: 'ns', name: 'sa' },
      group: 'apps',
      resource: 'deployments',
      subresource: 'scale',
      namespace: 'n',
      name: 'd',
      verb: 'get',
    })
  })

  it('says why, and may be asked twice but not three times', () => {
    const once = "authorizer.path('/x').check('post').reason() == 'because'"
    expect(evaluate(once, authorizer)).toMatchObject({ value: true })
    expect(evaluate(`${once} && ${once}`, authorizer)).toMatchObject({ value: true })
    expect(evaluate(`${once} && ${once} && ${once}`, authorizer)).toMatchObject({ kind: 'overBudget' })
  })
})
