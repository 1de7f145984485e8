import { describe, expect, it } from 'vitest'
import { deviceExpressionFault } from '../../../../src/kinds/resource/device-expressions.ts'

describe('an expression that chooses devices', () => {
  it.each([
    'device.driver == "x.example.com"',
    'device.attributes["x.example.com"].model.matches("^a.*b$")',
    'device.attributes["x.example.com"].version.isGreaterThan(semver("1.0.0"))',
    'device.capacity["x.example.com"].memory.compareTo(quantity("1Gi")) >= 0',
    'cel.bind(x, device.attributes["x.example.com"], x.one && x.other)',
    'device.attributes["x.example.com"].healthy',
    'device.allowMultipleAllocations',
  ])('may be %s', (expression) => {
    expect(deviceExpressionFault(expression)).toBeUndefined()
  })

  it.each([
    ['device.nope', 'invalid', "undefined field 'nope'"],
    ['object.x', 'invalid', "undeclared reference to 'object'"],
    ['device.driver', 'invalid', 'must evaluate to bool or the unknown type, not string'],
    ['device.driver ==', 'invalid', "Syntax error: mismatched input '<EOF>'"],
    [
      'device.attributes.all(a, device.attributes[a].all(b, device.attributes.all(c, device.attributes[c].all(d, d.matches("x")))))',
      'forbidden',
      'too complex, exceeds cost limit',
    ],
  ])('may not be %s', (expression, kind, problem) => {
    expect(deviceExpressionFault(expression)).toMatchObject({ kind, problem: expect.stringContaining(problem) })
  })

  it('may look for a value in an attribute if attributes may be lists', () => {
    const expression = 'device.attributes["a.example.com"].b.includes("c")'
    expect(deviceExpressionFault(expression)).toMatchObject({
      problem: expect.stringContaining("undeclared reference to 'includes'") as string,
    })
    expect(deviceExpressionFault(expression, true)).toBeUndefined()
  })
})
