// The client configuration of webhooks: a URL or a service, and the review versions.
import type { FieldPath } from '../../api/field-path.ts'
import type { WebhookClientConfig } from '../../api/gen/kinds.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1035Label, dns1123Subdomain, portNumber } from '../../schema/validation/formats.ts'
import { parseWebAddress } from './web-address.ts'

const FORM = '; desired format: https://host[/path]'

/** The supported versions of reviews. */
export const REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1']

type Service = NonNullable<WebhookClientConfig['service']>

export function checkClientConfig({ url, service }: WebhookClientConfig, at: FieldPath, check: Check): void {
  if (url !== undefined && service === undefined) checkAddress(url, at.child('url'), check)
  else if (url === undefined && service !== undefined) checkService(service, at.child('service'), check)
  else check.required(at, 'exactly one of url or service is required')
}

function checkAddress(text: string, at: FieldPath, check: Check): void {
  const parsed = parseWebAddress(text)
  if (parsed.kind === 'fault') {
    check.required(at, `url must be a valid URL: ${parsed.text}${FORM}`)
    return
  }
  const { scheme, host, user, query, fragment } = parsed.address
  if (scheme !== 'https') check.invalid(at, scheme, `'https' is the only allowed URL scheme${FORM}`)
  if (host === '') check.invalid(at, host, `host must be specified${FORM}`)
  if (user !== undefined) check.invalid(at, user, 'user information is not permitted in the URL')
  if (fragment !== '') check.invalid(at, fragment, 'fragments are not permitted in the URL')
  if (query !== '') check.invalid(at, query, 'query parameters are not permitted in the URL')
}

function checkService({ namespace, name, port = 0, path }: Service, at: FieldPath, check: Check): void {
  // The reference mixes up the paths of the two fields.
  if (namespace === '') check.required(at.child('name'))
  if (name === '') check.required(at.child('namespace'))
  const faults = portNumber(port)
  if (faults.length > 0) check.invalid(at.child('port'), port, `port is not valid: ${faults.join(', ')}`)
  if (path !== undefined) checkPath(path, at.child('path'), check)
}

function checkPath(path: string, at: FieldPath, check: Check): void {
  if (path === '' || path === '/') return
  if (path === '//') {
    check.invalid(at, path, 'segment[0] may not be empty')
    return
  }
  if (!path.startsWith('/')) check.invalid(at, path, "must start with a '/'")
  const inner = path.slice(1, path.endsWith('/') && path.length > 1 ? -1 : undefined)
  for (const [i, step] of inner.split('/').entries()) {
    if (step === '') check.invalid(at, path, `segment[${i}] may not be empty`)
    else for (const fault of dns1123Subdomain(step)) check.invalid(at, path, `segment[${i}]: ${fault}`)
  }
}

interface ReviewScope {
  readonly check: Check
  /** The detail if no version is given. */
  readonly missing: string
  /** Whether one of the versions must be supported. */
  readonly needsKnown: boolean
}

export function checkReviewVersions(versions: readonly string[], at: FieldPath, scope: ReviewScope): void {
  const { check, missing, needsKnown } = scope
  if (versions.length === 0) {
    check.required(at, missing)
    return
  }
  const seen = new Set<string>()
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) check.invalid(at.index(i), version, 'duplicate version')
    else check.format(at.index(i), version, dns1035Label(version))
    seen.add(version)
  }
  if (needsKnown && !knowsReview(versions)) {
    check.invalid(at, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)
  }
}

export function knowsReview(versions: readonly string[]): boolean {
  return versions.some((version) => REVIEW_VERSIONS.includes(version))
}
