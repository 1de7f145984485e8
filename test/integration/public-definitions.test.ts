// What a few public projects define, and what becomes of the objects that they ship beside it. The reference's verdicts on these and
// on hundreds more are asked for in test/reference/public-definitions.test.ts; here ours are held to a record of them.
import { expect, it } from 'vitest'
import { type PublicDefinition, readCorpus } from '../corpora/public-corpus.ts'
import { namespaceOf, type PublicDocument } from '../corpora/public-modules.ts'
import { FEW_PROJECTS } from '../corpora/public-projects.ts'
import { openServer, type OpenServer } from '../rigs/running-server.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Bare definitions, which get their schemas before they are applied. */
const REFUSED_DEFINITIONS: Readonly<Record<string, string>> = {
  'config/crd-base/multicluster.x-k8s.io_serviceexports.yaml#0': 'Invalid spec.versions[].schema.openAPIV3Schema',
  'config/crd-base/multicluster.x-k8s.io_serviceimports.yaml#0': 'Invalid spec.versions[].schema.openAPIV3Schema',
}

/** What is wrong with the samples that the Gateway API itself calls invalid; all others are right. */
const INVALID = 'hack/invalid-examples/'
const REFUSED_SAMPLES: Readonly<Record<string, string>> = {
  'standard/gatewayclass/invalid-controller': 'spec.controllerName',
  'standard/gateway/duplicate-listeners': 'spec.listeners[] spec.listeners',
  'standard/gateway/hostname-tcp': 'spec.listeners',
  'standard/gateway/hostname-udp': 'spec.listeners',
  'standard/gateway/invalid-addresses': '<nil> spec.addresses[].value',
  'standard/gateway/invalid-listener-name': 'spec.listeners[].name',
  'standard/gateway/invalid-listener-port': 'spec.listeners[].port',
  'standard/gateway/invalid-tls-mode': 'spec.listeners',
  'standard/gateway/tlsconfig-tcp': 'spec.listeners',
  'experimental/httproute/invalid-filter-externalauth-bad-http-path':
    'spec.rules[].filters[].externalAuth.http.path spec.rules[].filters[].externalAuth.backendRef <nil>',
  'experimental/httproute/invalid-filter-externalauth-empty': 'spec.rules[].filters[]',
  'experimental/httproute/invalid-filter-externalauth-no-protocol':
    'spec.rules[].filters[].externalAuth.backendRef spec.rules[].filters[].externalAuth.protocol <nil>',
  'experimental/httproute/invalid-header-value': 'spec.rules[].filters[].responseHeaderModifier.add[].value',
  'standard/httproute/duplicate-header-match': 'spec.rules[].matches[].headers[]',
  'standard/httproute/duplicate-query-match': 'spec.rules[].matches[].queryParams[]',
  'standard/httproute/httproute-portless-backend': 'spec.rules[].backendRefs[]',
  'standard/httproute/httproute-portless-service': 'spec.rules[].backendRefs[]',
  'standard/httproute/invalid-backend-group': 'spec.rules[].backendRefs[].group',
  'standard/httproute/invalid-backend-kind': 'spec.rules[].backendRefs[].kind',
  'standard/httproute/invalid-backend-port': 'spec.rules[].backendRefs[].port',
  'standard/httproute/invalid-filter-duplicate-header': 'spec.rules[].filters[].requestHeaderModifier.remove[]',
  'standard/httproute/invalid-filter-duplicate': 'spec.rules[].filters',
  'standard/httproute/invalid-filter-empty': 'spec.rules[].filters[]',
  'standard/httproute/invalid-filter-wrong-field': 'spec.rules[].filters[]',
  'standard/httproute/invalid-header-name': 'spec.rules[].matches[].headers[].name',
  'standard/httproute/invalid-hostname': 'spec.hostnames[] spec.rules[].backendRefs[]',
  'standard/httproute/invalid-httpredirect-hostname': 'spec.rules[].filters[].requestRedirect.hostname spec.rules[]',
  'standard/httproute/invalid-method': 'spec.rules[].matches[].method <nil>',
  'standard/httproute/invalid-path-alphanum-specialchars-mix': 'spec.rules[].matches[].path',
  'standard/httproute/invalid-path-specialchars': 'spec.rules[].matches[].path',
  'standard/httproute/invalid-request-redirect-with-backendref': 'spec.rules[]',
  'standard/referencegrant/missing-from': 'spec.from',
  'standard/referencegrant/missing-ns': 'spec.from[].namespace',
  'standard/referencegrant/missing-to': 'spec.to',
  'standard/tlsroute/invalid-hostname': 'spec.hostnames[] spec.hostnames spec.rules[].backendRefs[]',
  'standard/tlsroute/no-hostname': 'spec.hostnames <nil>',
}

/** Accepted, or the reason and the fields. */
async function verdict(server: OpenServer, path: string, { text }: PublicDocument): Promise<string> {
  const headers = { 'content-type': 'application/yaml' }
  const answer = await server.request(path, { method: 'POST', body: text, headers })
  if (answer.status === 201) return 'accepted'
  const { reason, details } = answer.json() as {
    reason?: string
    details?: { causes?: readonly { field?: string }[] }
  }
  const fields = new Set(details?.causes?.map(({ field }) => field?.replaceAll(/\[\d+\]/g, '[]') ?? ''))
  return [reason, ...fields].join(' ')
}

async function sampleVerdicts(
  server: OpenServer,
  one: PublicDefinition,
  samples: ReadonlyMap<string, readonly PublicDocument[]>,
): Promise<ReadonlyMap<string, string>> {
  const verdicts = new Map<string, string>()
  for (const version of one.versions) {
    for (const sample of samples.get(`${one.group}/${version} ${one.names.kind}`) ?? []) {
      const namespace = namespaceOf(sample)
      await server.request('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: namespace } } })
      const place = one.isNamespaced ? `namespaces/${namespace}/` : ''
      const path = `/apis/${one.group}/${version}/${place}${one.names.plural}?dryRun=All`
      verdicts.set(sample.place, await verdict(server, path, sample))
    }
  }
  return verdicts
}

it('accepts what public projects define, and of their samples those that are right', async () => {
  const { definitions, samples } = await readCorpus(FEW_PROJECTS)
  await using server = await openServer()
  const accepted = new Set<string>()
  const refused: Record<string, string> = {}
  const judged = new Set<string>()
  const refusedSamples: Record<string, string> = {}
  for (const one of definitions) {
    // Of several of one name the first is tried.
    if (accepted.has(one.name)) continue
    const said = await verdict(server, DEFINITIONS, one)
    if (said !== 'accepted') {
      refused[one.place] = said
      continue
    }
    accepted.add(one.name)
    for (const [place, told] of await sampleVerdicts(server, one, samples)) {
      judged.add(place)
      if (told !== 'accepted') refusedSamples[place] = told
    }
  }
  const wrong = Object.entries(REFUSED_SAMPLES).map(([file, where]) => [`${INVALID}${file}.yaml#0`, `Invalid ${where}`])
  expect(refused).toEqual(REFUSED_DEFINITIONS)
  expect(refusedSamples).toEqual(Object.fromEntries(wrong))
  expect([accepted.size, judged.size]).toEqual([45, 171])
})
