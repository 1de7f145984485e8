import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/api/status.ts'
import { encodingOfBody, parseAccept } from '../../../src/codec/media-type.ts'
import {
  type Offer,
  negotiate,
  negotiateForm,
  negotiateStatus,
  negotiateWatch,
  type Asked,
  Negotiator,
} from '../../../src/codec/negotiate.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const SVC_PROTOBUF = 'application/vnd.svc.protobuf'
const THREE = `application/json, application/yaml, ${PROTOBUF}`
const STREAMS = `application/json;stream=watch, ${PROTOBUF};stream=watch`

const builtIn: Offer = { router: true, collection: true, protobuf: true, transforms: 'all', cbor: false }
const named: Offer = { ...builtIn, collection: false }
const custom: Offer = { ...builtIn, router: false, protobuf: false }
const withCbor: Offer = { ...builtIn, cbor: true }

const asking = (accept: string | undefined, contentType?: string) => ({ accept, contentType })

function refusal(run: () => unknown): ApiError {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('was not refused')
}

describe('the encoding of an answer (R-220 to R-223, R-232)', () => {
  it.each<[string, string | undefined, string]>([
    ['nothing is asked for', undefined, 'application/json'],
    ['an empty header', '', 'application/json'],
    ['anything', '*/*', 'application/json'],
    ['anything of a kind', 'application/*', 'application/json'],
    ['YAML', 'application/yaml', 'application/yaml'],
    ['protobuf', PROTOBUF, PROTOBUF],
    ['protobuf of the other brand', SVC_PROTOBUF, SVC_PROTOBUF],
    ['the first among equals', 'application/yaml, application/json', 'application/yaml'],
    ['the heavier', 'application/yaml;q=0.5, application/json;q=0.9', 'application/json'],
    ['the heavier, protobuf too', `${PROTOBUF};q=0.2, application/yaml;q=0.3`, 'application/yaml'],
    ['what can be served', 'text/html, application/yaml', 'application/yaml'],
    ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
    ['unknown parameters', 'application/json;charset=utf-8', 'application/json'],
    ['a weight of zero excludes nothing', 'application/yaml;q=0', 'application/yaml'],
    ['a weight that is none counts as zero', 'application/yaml;q=x, application/json;q=0.1', 'application/json'],
    ['the more specific among equals', '*/*, application/yaml', 'application/yaml'],
    ['weight goes before specificity', '*/*;q=1, application/yaml;q=0.1', 'application/json'],
    ['clauses that make no sense are skipped', 'json, a/b/c, application/, application/yaml', 'application/yaml'],
    ['a parameter that is none', 'application/json;as=Table=x, application/yaml', 'application/json'],
    ['a form that there is not', 'application/json;as=Chair;g=meta.k8s.io;v=v1, application/yaml', 'application/yaml'],
  ])('%s', (_name, accept, contentType) => {
    expect(negotiate(asking(accept), builtIn).contentType).toBe(contentType)
  })

  it('a star alone means anything, where no router comes first', () => {
    expect(negotiate(asking('*'), custom).contentType).toBe('application/json')
    expect(negotiateStatus(asking('*'), false)?.contentType).toBe('application/json')
    expect(refusal(() => negotiate(asking('*'), builtIn)).code).toBe(406)
    expect(refusal(() => negotiateWatch(asking('*;q=0.5'), builtIn)).code).toBe(406)
  })

  it('CBOR is there with its gate only', () => {
    expect(negotiate(asking('application/cbor'), withCbor).encoding).toBe('cbor')
    expect(refusal(() => negotiate(asking('application/cbor'), builtIn)).code).toBe(406)
    expect(refusal(() => negotiate(asking('application/cbor-seq'), { ...withCbor, collection: false })).code).toBe(406)
  })

  it('custom resources have no protobuf but for their metadata (R-227, P-355, D16)', () => {
    expect(negotiate(asking(`${PROTOBUF}, application/json`), custom).encoding).toBe('json')
    expect(negotiate(asking(`${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`), custom).encoding).toBe(
      'protobuf',
    )
    expect(refusal(() => negotiate(asking(PROTOBUF), custom)).message).toBe(
      `only the following media types are accepted: ${THREE}`,
    )
  })

  it('tells whether indented JSON is asked for', () => {
    expect(negotiate(asking('application/json;pretty=1'), builtIn).pretty).toBe(true)
    expect(negotiate(asking('application/json'), builtIn).pretty).toBe(false)
  })
})

describe('the form of an answer (R-224 to R-226, D1)', () => {
  it.each([
    ['application/json;as=Table;g=meta.k8s.io;v=v1', { as: 'Table', apiVersion: 'meta.k8s.io/v1' }, 'k8s'],
    ['application/json;as=Table;v=v1;g=meta.svc.io', { as: 'Table', apiVersion: 'meta.svc.io/v1' }, 'svc'],
    ['application/yaml;as=Table;g=meta.k8s.io;v=v1beta1', { as: 'Table', apiVersion: 'meta.k8s.io/v1beta1' }, 'k8s'],
    [
      `${SVC_PROTOBUF};as=PartialObjectMetadataList;g=meta.svc.io;v=v1`,
      { as: 'PartialObjectMetadataList', apiVersion: 'meta.svc.io/v1' },
      'svc',
    ],
    [`${PROTOBUF};as=Table;g=meta.k8s.io;v=v1`, { as: 'Table', apiVersion: 'meta.k8s.io/v1' }, 'k8s'],
  ])('%s', (accept, transform, brand) => {
    expect(negotiate(asking(accept), builtIn)).toMatchObject({ transform, brand })
  })

  it('is not repeated in the content type', () => {
    expect(negotiate(asking('application/json;as=Table;g=meta.k8s.io;v=v1'), builtIn).contentType).toBe(
      'application/json',
    )
  })

  it('falls back to what is accepted next', () => {
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1alpha1, application/json'
    expect(negotiate(asking(accept), builtIn).transform).toBeUndefined()
    expect(
      negotiate(asking('application/json;as=Table;g=meta.k8s.io;v=v1, application/json'), {
        ...builtIn,
        transforms: 'none',
      }).transform,
    ).toBeUndefined()
  })

  it('takes the brand of the body where Accept has none', () => {
    expect(negotiate(asking('application/json', SVC_PROTOBUF), builtIn).brand).toBe('svc')
    expect(negotiate(asking('*/*', 'application/json'), builtIn).brand).toBe('k8s')
  })
})

describe('an answer that cannot be given (R-019, R-221)', () => {
  it.each([
    [
      'a list, by the router',
      () => negotiate(asking('text/html'), builtIn),
      `406: Not Acceptable\n\nAvailable representations: ${THREE}, ${STREAMS}`,
      {},
    ],
    [
      'an object, by the router',
      () => negotiate(asking('image/png, text/*'), named),
      `406: Not Acceptable\n\nAvailable representations: ${THREE}`,
      {},
    ],
    [
      'types are compared with their case',
      () => negotiate(asking('Application/JSON'), named),
      `406: Not Acceptable\n\nAvailable representations: ${THREE}`,
      {},
    ],
    [
      'a custom resource',
      () => negotiate(asking('text/html'), custom),
      `only the following media types are accepted: ${THREE}`,
      undefined,
    ],
    [
      'an unknown form',
      () => negotiate(asking('application/json;as=Chair;g=meta.k8s.io;v=v1'), builtIn),
      `only the following media types are accepted: ${THREE}`,
      undefined,
    ],
    [
      'half a form',
      () => negotiate(asking('application/json;as=Table'), builtIn),
      `only the following media types are accepted: ${THREE}`,
      undefined,
    ],
    [
      'another group',
      () => negotiate(asking('application/json;as=Table;g=other.example;v=v1'), builtIn),
      `only the following media types are accepted: ${THREE}`,
      undefined,
    ],
    [
      'an unknown stream',
      () => negotiate(asking('application/json;stream=other'), named),
      `only the following media types are accepted: ${THREE}`,
      undefined,
    ],
    [
      'a form of a kind without any',
      () => negotiate(asking('application/json;as=Table;g=meta.k8s.io;v=v1'), { ...builtIn, transforms: 'none' }),
      `only the following media types are accepted: ${THREE}`,
      undefined,
    ],
    [
      'a Table of what is not stored',
      () => negotiate(asking('application/json;as=Table;g=meta.k8s.io;v=v1'), { ...builtIn, transforms: 'metadata' }),
      `only the following media types are accepted: ${THREE}`,
      undefined,
    ],
    [
      'a watch in YAML',
      () => negotiateWatch(asking('application/yaml'), builtIn),
      `only the following media types are accepted: ${STREAMS}`,
      undefined,
    ],
    [
      'a watch of custom resources in protobuf',
      () => negotiateWatch(asking(PROTOBUF), custom),
      `only the following media types are accepted: ${THREE}`,
      undefined,
    ],
    [
      'with the gate for CBOR',
      () => negotiateWatch(asking('application/yaml'), withCbor),
      `only the following media types are accepted: ${STREAMS}, application/cbor-seq`,
      undefined,
    ],
  ])('%s', (_name, run, message, details) => {
    const error = refusal(run)
    expect([error.code, error.reason, error.message, error.details]).toEqual([406, 'NotAcceptable', message, details])
  })
})

describe('a watch (R-140, R-167, D29)', () => {
  it.each([
    ['nothing is asked for', undefined, builtIn, 'application/json'],
    ['JSON', 'application/json;stream=watch', builtIn, 'application/json'],
    ['protobuf', `${PROTOBUF};stream=watch`, builtIn, `${PROTOBUF};stream=watch`],
    ['protobuf of the other brand', SVC_PROTOBUF, builtIn, `${SVC_PROTOBUF};stream=watch`],
    ['what YAML falls back to', 'application/yaml, application/json', builtIn, 'application/json'],
    ['CBOR', 'application/cbor', withCbor, 'application/cbor-seq'],
    ['a CBOR sequence', 'application/cbor-seq', withCbor, 'application/cbor-seq'],
  ])('%s', (_name, accept, offer, contentType) => {
    expect(negotiateWatch(asking(accept), offer).contentType).toBe(contentType)
  })
})

describe('a stream for browsers', () => {
  it.each<[string, Offer]>([
    ['built-in', builtIn],
    ['custom', custom],
  ])('is a form of watches of %s resources, tables too', (_name, offer) => {
    expect(negotiateWatch(asking('text/event-stream'), offer)).toMatchObject({
      encoding: 'json',
      contentType: 'text/event-stream',
      transform: undefined,
    })
    const table = negotiateWatch(asking('text/event-stream;as=Table;g=meta.k8s.io;v=v1'), offer)
    expect(table).toMatchObject({ contentType: 'text/event-stream', transform: { as: 'Table' } })
    expect(negotiateWatch(asking('application/json, text/event-stream'), offer).contentType).toBe('application/json')
  })

  it('is no form of anything else', () => {
    expect(refusal(() => negotiate(asking('text/event-stream'), builtIn)).message).toContain('406: Not Acceptable')
    expect(refusal(() => negotiate(asking('text/event-stream'), custom)).code).toBe(406)
    expect(refusal(() => negotiateWatch(asking('text/*'), builtIn)).message).toContain('406: Not Acceptable')
    expect(negotiateStatus(asking('text/event-stream'), false)).toBeUndefined()
  })
})

describe('a Status (R-008)', () => {
  it.each([
    ['YAML', 'application/yaml', 'application/yaml'],
    ['protobuf', PROTOBUF, PROTOBUF],
    ['the clause without a form', 'application/json;as=Table;g=meta.k8s.io;v=v1,application/yaml', 'application/yaml'],
    ['nothing fits', 'application/json;as=Table;g=meta.k8s.io;v=v1', undefined],
    ['nothing fits at all', 'text/html', undefined],
  ])('%s', (_name, accept, contentType) => {
    expect(negotiateStatus(asking(accept), false)?.contentType).toBe(contentType)
  })
})

describe('a form that only some endpoints have (R-306)', () => {
  const aggregated = { group: 'apidiscovery.k8s.io', version: 'v2', kind: 'APIGroupDiscoveryList' }

  it('wins whatever its weight, and is repeated in the content type', () => {
    const accept = 'application/json, application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;q=0.1'
    expect(negotiateForm(asking(accept), [aggregated], false)).toMatchObject({
      encoding: 'json',
      contentType: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    })
  })

  it('is known in the other brand, and in protobuf', () => {
    const accept = `${PROTOBUF};g=apidiscovery.svc.io;v=v2;as=APIGroupDiscoveryList`
    expect(negotiateForm(asking(accept), [aggregated], false)).toMatchObject({
      encoding: 'protobuf',
      form: { group: 'apidiscovery.svc.io' },
    })
  })

  it.each([
    'application/json',
    'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
    'text/html;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  ])('is not there for %s', (accept) => {
    expect(negotiateForm(asking(accept), [aggregated], false)).toBeUndefined()
  })
})

describe('the encoding of a body (R-020, W-025 to W-027, D16)', () => {
  const types = { protobuf: true, cbor: false }

  it.each<[string, string | undefined, string]>([
    ['nothing is said', undefined, 'json'],
    ['parameters', 'application/json; charset=utf-8', 'json'],
    ['another case', 'Application/YAML', 'yaml'],
    ['a quoted parameter', 'application/json; charset="utf-8"; a=b;', 'json'],
    ['protobuf', PROTOBUF, 'protobuf'],
    ['protobuf of the other brand', SVC_PROTOBUF, 'protobuf'],
  ])('%s', (_name, contentType, encoding) => {
    expect(encodingOfBody(contentType, types)).toBe(encoding)
  })

  it.each([
    ['text', 'text/plain', types],
    ['no type at all', 'json', types],
    ['protobuf for a custom resource', PROTOBUF, { protobuf: false, cbor: false }],
    ['CBOR without its gate', 'application/cbor', types],
    ['a parameter without a value', 'application/json; charset', types],
    ['a parameter with two values', 'application/json; charset=utf-8; charset=latin-1', types],
    ['a quote that does not end', 'application/json; charset="utf-8', types],
    ['two types', 'application/json, application/yaml', types],
  ])('is refused: %s', (_name, contentType, accepted) => {
    const error = refusal(() => encodingOfBody(contentType, accepted))
    expect([error.code, error.message]).toEqual([
      415,
      `the body of the request was in an unknown format - accepted media types include: ${THREE}`,
    ])
  })
})

describe('any header', () => {
  it('is read without fail', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'application/json;q=0.5,*as=Table'.split('')), maxLength: 60 })
    fc.assert(
      fc.property(fc.oneof(texts, fc.string()), (header) => {
        for (const clause of parseAccept(header)) expect(Number.isFinite(clause.weight)).toBe(true)
        try {
          negotiate(asking(header), builtIn)
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError)
        }
      }),
    )
  })
})

describe('what was negotiated before', () => {
  it('is remembered, but not where it is long', () => {
    const negotiator = new Negotiator()
    const short = asking('application/yaml')
    const long = asking(`application/yaml${',text/html'.repeat(1000)}`)
    expect(negotiator.negotiate(short, builtIn)).toBe(negotiator.negotiate(short, builtIn))
    expect(negotiator.negotiate(long, builtIn)).not.toBe(negotiator.negotiate(long, builtIn))
    expect(negotiator.negotiate(long, builtIn)).toEqual(negotiator.negotiate(short, builtIn))
  })

  it('is never that of another offer or another body', () => {
    const negotiator = new Negotiator()
    const others: readonly (readonly [Asked, Offer])[] = [
      [asking('application/yaml'), { ...builtIn, router: false }],
      [asking('application/yaml'), { ...builtIn, collection: false }],
      [asking('application/yaml'), { ...builtIn, protobuf: false }],
      [asking('application/yaml'), { ...builtIn, transforms: 'none' }],
      [asking('application/yaml'), { ...builtIn, cbor: true }],
      [asking('application/yaml'), { ...builtIn, passed: 'text/plain' }],
      [{ ...asking('application/yaml'), contentType: PROTOBUF }, builtIn],
      [asking('application/json'), builtIn],
    ]
    const forms = [[asking('application/yaml'), builtIn] as const, ...others].map(([asked, offer]) =>
      negotiator.negotiate(asked, offer),
    )
    expect(new Set(forms).size).toBe(forms.length)
    for (const [i, [asked, offer]] of others.entries()) {
      expect(negotiator.negotiate({ ...asked }, { ...offer })).toBe(forms[i + 1])
    }
  })

  it('is forgotten where there is too much of it', () => {
    const negotiator = new Negotiator()
    const first = negotiator.negotiate(asking('application/json'), builtIn)
    for (let i = 0; i < 250; i++)
      negotiator.negotiate({ accept: 'application/json', contentType: `text/${i}` }, builtIn)
    expect(negotiator.negotiate(asking('application/json'), builtIn)).toBe(first)
    for (let i = 250; i < 260; i++)
      negotiator.negotiate({ accept: 'application/json', contentType: `text/${i}` }, builtIn)
    expect(negotiator.negotiate(asking('application/json'), builtIn)).not.toBe(first)
  })
})
