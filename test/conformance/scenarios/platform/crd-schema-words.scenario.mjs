// Covers W-622, P-320, P-323 to P-326, P-335 to P-337, P-339.
import { widgetDefinition, worded } from '../lib.mjs'

const RULES = 'x-kubernetes-validations'

/** What a rule may speak of: a number, a text, a list, a field called like a word of the language. */
const ruled = (rule, more = {}) => ({
  type: 'object',
  properties: {
    a: { type: 'integer' },
    b: { type: 'string' },
    l: { type: 'array', items: { type: 'string' } },
    namespace: { type: 'string' },
  },
  [RULES]: [{ rule, ...more }],
})

const warned = { pick: (body) => (body?.kind === 'Status' ? worded.pick(body) : body?.kind) }

export default {
  title: 'What schemas of definitions may say, and how they are refused',
  async run(t) {
    const refuse = (spec) => {
      const version = { schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All'
      return t.post(path, widgetDefinition(t, { version }), { ...warned, label: JSON.stringify(spec).slice(-120) })
    }
    for (const rule of ["self.namespace == 'x'", "self.__namespace__ == 'x'", 'self.a > 1', "self.b.matches('^a')"]) await refuse(ruled(rule))
    for (const rule of ['self.nope == 1', '1', 'cel.bind(x, self.a, x > 1)', 'self.l.all(x, self.l.all(y, x == y))', 'request.user == 1']) await refuse(ruled(rule))
    await refuse(ruled('oldSelf.a == self.a', { optionalOldSelf: true }))
    await refuse(ruled('self.a > 1', { optionalOldSelf: true }))
    await refuse(ruled('self.a > 1', { messageExpression: '1' }))
    await refuse(ruled('self.a > 1', { reason: 'Bad' }))
    await refuse(ruled('self.a > 1', { fieldPath: '.nope' }))
    await refuse(ruled('self.a > 1', { message: 'a\nb' }))
    for (const format of ['int32', 'bogus', 'date-time']) for (const type of ['string', 'integer', 'number']) await refuse({ type, format })
    await refuse({ type: 'object', allOf: [{ default: {} }] })
    await refuse({ type: 'object', anyOf: [{ properties: { c: { minLength: 1 } } }], properties: { a: { type: 'string' } } })
    await refuse({ type: 'object', properties: { a: { 'x-kubernetes-preserve-unknown-fields': true, [RULES]: [{ rule: 'self.x == 1' }] } } })
    await refuse({ type: 'array', items: { type: 'string', [RULES]: [{ rule: 'self == oldSelf' }] } })
    await refuse({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' })
    await refuse({ type: 'object', 'x-kubernetes-embedded-resource': true })
    await refuse({ type: 'string', 'x-kubernetes-int-or-string': true })
  },
}
