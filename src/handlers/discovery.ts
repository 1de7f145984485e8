// Discovery: `/api`, `/apis` and the paths below them, in all encodings, plain and aggregated.
import { createHash } from 'node:crypto'
import type { ValueMap } from '../api/value.ts'
import { plainJson } from '../codec/json-encode.ts'
import { negotiate, type NegotiatedForm, negotiateForm, type Offer } from '../codec/negotiate.ts'
import { methodNotAllowedError, unknownResourceError } from '../http/errors.ts'
import type { Handler, HttpRequest, HttpResponse } from '../http/http.ts'
import { wantsPretty } from '../http/pretty.ts'
import { pageNotFound } from '../http/responses.ts'
import type { Route } from '../http/router.ts'
import { getOrInsert } from '../lib/map-entries.ts'
import {
  aggregatedItem,
  coreVersionsDocument,
  groupDocument,
  groupListDocument,
  resourceListDocument,
} from '../registry/discovery.ts'
import type { DiscoveryGroup } from '../registry/discovery.ts'
import { askedBy, headerOf, type KindSchema } from './resource-parts.ts'
import { respond } from './respond.ts'

export interface DiscoveryParts {
  /** All groups in the order of discovery, the core group first. The list is the same as long as nothing changes. */
  readonly groups: () => readonly DiscoveryGroup[]
  /** Adds the groups without resources, which only `/apis` names. Only plain discovery has them. */
  readonly withNamed: (groups: readonly DiscoveryGroup[]) => readonly DiscoveryGroup[]
  /** The `host:port` at which clients reach the server. */
  readonly serverAddress: () => string
  readonly kind: (group: string, version: string, kind: string) => KindSchema
  readonly cbor: boolean
}

const AGGREGATED = { group: 'apidiscovery.k8s.io', version: 'v2', kind: 'APIGroupDiscoveryList' } as const
const AGGREGATED_TYPE = { kind: AGGREGATED.kind, apiVersion: `${AGGREGATED.group}/${AGGREGATED.version}` } as const

export function discoveryRoutes(parts: DiscoveryParts): Route[] {
  const aggregated = new Aggregated()
  return [
    { path: '/api', subtree: true, handler: showVersions(parts) },
    { path: '/api', handler: showCore(parts, aggregated), listed: () => ['/api', '/api/v1'] },
    { path: '/apis', subtree: true, handler: showVersions(parts) },
    { path: '/apis', handler: showGroups(parts, aggregated), listed: () => ['/apis', '/apis/', ...pathsOf(parts)] },
  ]
}

function pathsOf(parts: DiscoveryParts): readonly string[] {
  const named = parts.groups().filter(({ group }) => group !== '')
  return named.flatMap(({ group, versions }) => [
    `/apis/${group}`,
    ...versions.map(({ version }) => `/apis/${group}/${version}`),
  ])
}

function showCore(parts: DiscoveryParts, aggregated: Aggregated): Handler {
  return (request) => {
    onlyGet(request)
    const core = parts.groups().filter(({ group }) => group === '')
    const form = negotiateForm(askedBy(request), [AGGREGATED], parts.cbor)
    if (form !== undefined) return aggregated.answer(parts, request, { form, groups: core })
    return plain(parts, request, coreVersionsDocument(core[0], parts.serverAddress()), true)
  }
}

function showGroups(parts: DiscoveryParts, aggregated: Aggregated): Handler {
  return (request) => {
    const groups = parts.groups().filter(({ group }) => group !== '')
    const form = negotiateForm(askedBy(request), [AGGREGATED], parts.cbor)
    if (form !== undefined) return aggregated.answer(parts, request, { form, groups })
    return plain(parts, request, groupListDocument(parts.withNamed(parts.groups())), false)
  }
}

/** The paths below `/api` and `/apis`: a group, or a version with its resources. A slash at the end changes nothing. */
function showVersions(parts: DiscoveryParts): Handler {
  return (request) => {
    const path = request.path.replace(/\/+$/, '')
    const [, root, ...names] = path.split('/')
    if (names.length === 0) {
      if (root === 'apis') return plain(parts, request, groupListDocument(parts.withNamed(parts.groups())), false)
      return showCore(parts, new Aggregated())(request)
    }
    const [groupName, version] = root === 'api' ? ['', names[0]] : [names[0] ?? '', names[1]]
    const groups = version === undefined ? parts.withNamed(parts.groups()) : parts.groups()
    const group = groups.find((known) => known.group === groupName)
    if (group === undefined || names.length > (root === 'api' ? 1 : 2)) return pageNotFound()
    if (version === undefined) {
      const isRouted = groupName === 'apiregistration.k8s.io'
      if (isRouted) onlyGet(request)
      return plain(parts, request, groupDocument(group), isRouted)
    }
    const found = group.versions.find((known) => known.version === version)
    if (found === undefined) {
      // A group that definitions made has no routes of its own (R-044).
      if (group.versions.every(({ custom }) => custom === true)) return pageNotFound()
      throw unknownResourceError()
    }
    const isRouted = found.custom !== true
    if (isRouted) onlyGet(request)
    return plain(parts, request, resourceListDocument({ group: groupName, version }, found), isRouted)
  }
}

/** Some of these paths accept only GET, like paths of resources. The others accept every method. */
function onlyGet({ method }: HttpRequest): void {
  if (method !== 'GET') throw methodNotAllowedError()
}

function plain(parts: DiscoveryParts, request: HttpRequest, document: ValueMap, router: boolean): HttpResponse {
  const offer: Offer = { router, collection: false, protobuf: true, transforms: 'none', cbor: parts.cbor }
  const form = negotiate(askedBy(request), offer)
  const kind = parts.kind('', 'v1', document['kind'] as string)
  const bytes = Buffer.from(plainJson(document))
  return respond({ ...form, pretty: form.pretty || wantsPretty(request) }, kind, { bytes, object: () => document }, 200)
}

interface AggregatedDocument {
  readonly groups: readonly DiscoveryGroup[]
  readonly bytes: Buffer
  readonly tag: string
}

/** The aggregated document. It is made once for each state of the groups, from the remembered texts of unchanged groups. */
class Aggregated {
  readonly #texts = new WeakMap<DiscoveryGroup, string>()
  #made: AggregatedDocument | undefined

  answer(
    parts: DiscoveryParts,
    request: HttpRequest,
    { form, groups }: { readonly form: NegotiatedForm; readonly groups: readonly DiscoveryGroup[] },
  ): HttpResponse {
    const { bytes, tag } = this.#document(groups)
    const headers = { etag: tag, vary: 'Accept', 'cache-control': 'public' }
    if (headerOf(request, 'if-none-match') === tag) return { status: 304, headers, body: { kind: 'empty' } }
    const schema = parts.kind(AGGREGATED.group, AGGREGATED.version, AGGREGATED.kind)
    const object = (): ValueMap => ({ ...AGGREGATED_TYPE, metadata: {}, items: groups.map(aggregatedItem) })
    const view = { ...form, pretty: form.pretty || wantsPretty(request) }
    const response = respond(view, schema, { bytes, object }, 200)
    return { ...response, headers: { ...response.headers, ...headers } }
  }

  #document(groups: readonly DiscoveryGroup[]): AggregatedDocument {
    const known = this.#made
    const isSame = known?.groups.length === groups.length && known.groups.every((group, i) => group === groups[i])
    if (known !== undefined && isSame) return known
    const contents = `"metadata":{},"items":[${groups.map((group) => getOrInsert(this.#texts, group, textOf)).join()}]}`
    const tag = `"${createHash('sha512').update(`{${contents}`).digest('hex').toUpperCase()}"`
    const bytes = Buffer.from(`${plainJson(AGGREGATED_TYPE).slice(0, -1)},${contents}`)
    this.#made = { groups, bytes, tag }
    return this.#made
  }
}

function textOf(group: DiscoveryGroup): string {
  return plainJson(aggregatedItem(group))
}
