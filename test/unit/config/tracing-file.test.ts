import { describe, expect, it } from 'vitest'
import { readTracingFile } from '../../../src/config/tracing-file.ts'

const NAMES = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'TracingConfiguration' }

describe('a TracingConfiguration (P-492)', () => {
  it.each<[string, object, object]>([
    [
      'the collector on this machine',
      {},
      { url: 'http://localhost:4317', protocol: 'grpc', samplingRatePerMillion: 0 },
    ],
    ['an older version', { apiVersion: 'apiserver.config.k8s.io/v1beta1' }, { protocol: 'grpc' }],
    [
      'a host',
      { endpoint: 'otel:4317', samplingRatePerMillion: 5 },
      { url: 'http://otel:4317', samplingRatePerMillion: 5 },
    ],
    ['a host by DNS', { endpoint: 'dns:///otel:4317' }, { url: 'http://otel:4317', protocol: 'grpc' }],
    ['a socket', { endpoint: 'unix:///run/otel.sock' }, { url: 'unix:///run/otel.sock', protocol: 'grpc' }],
    ['a socket by its path', { endpoint: 'unix:/run/otel.sock' }, { url: 'unix:///run/otel.sock', protocol: 'grpc' }],
    ['a socket beside us', { endpoint: 'unix:o.sock' }, { url: `unix://${process.cwd()}/o.sock`, protocol: 'grpc' }],
    ['HTTP', { endpoint: 'https://otel/v1/traces' }, { url: 'https://otel/v1/traces', protocol: 'http' }],
  ])('means %s', (_, given, expected) => {
    expect(readTracingFile({ ...NAMES, ...given })).toMatchObject(expected)
  })

  it.each<[string, object, string]>([
    [
      'another kind',
      { kind: 'EncryptionConfiguration' },
      'must be a TracingConfiguration of apiserver.config.k8s.io/v1',
    ],
    ['another version', { apiVersion: 'v1' }, 'must be a TracingConfiguration'],
    ['a field that nobody knows', { samplingRate: 1 }, 'unknown field "samplingRate"'],
    ['too many', { samplingRatePerMillion: 1_000_001 }, 'samplingRatePerMillion: Invalid value: "1000001"'],
    ['too few', { samplingRatePerMillion: -1 }, 'samplingRatePerMillion: Invalid value'],
    ['no number', { samplingRatePerMillion: [] }, 'samplingRatePerMillion: Invalid value'],
    ['another scheme', { endpoint: 'xds:///otel' }, 'endpoint: Invalid value: "xds:///otel"'],
    ['no path', { endpoint: 'unix:' }, 'endpoint: Invalid value: "unix:"'],
    ['a host of a socket', { endpoint: 'unix://otel' }, 'endpoint: Invalid value'],
    ['no place', { endpoint: 'otel 4317' }, 'endpoint: Invalid value'],
    ['a broken URL', { endpoint: 'http://' }, 'endpoint: Invalid value'],
  ])('is refused with %s', (_, given, message) => {
    expect(() => readTracingFile({ ...NAMES, ...given })).toThrow(message)
  })
})
