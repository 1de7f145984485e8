// Projected volumes: secrets, config maps, the downward API, tokens, trust bundles and certificates in one volume, without
// conflicting paths.
import { shownJson } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrAbsent,
  integerOrZero,
  isGiven,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrAbsent,
  textOrEmpty,
} from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check, PartRule } from '../../../schema/validation/check.ts'
import { dns1123Subdomain, qualifiedName } from '../../../schema/validation/formats.ts'
import { checkLabelSelector } from '../../../schema/validation/labels.ts'
import { checkNonReservedPath } from '../paths.ts'
import { checkSignerName } from '../signer-name.ts'
import { checkDownwardFile } from './downward-api.ts'

interface Projection {
  /** The path of the whole volume. */
  readonly volume: FieldPath
  /** The path of this source. */
  readonly at: FieldPath
  readonly check: Check
  readonly paths: Set<string>
}

type ProjectionRule = (source: ValueMap, projection: Projection) => void

export function checkProjections(volume: ValueMap, at: FieldPath, check: Check): void {
  const paths = new Set<string>()
  check.each(volume, 'sources', at, (source, place) => {
    let found = 0
    for (const [field, rule] of RULES) {
      const projected = mapOrAbsent(source, field)
      if (projected === undefined) continue
      found++
      rule(projected, { volume: at, at: place.child(field), check, paths })
    }
    if (found > 1) check.forbidden(place, 'may not specify more than 1 volume type per source')
  })
}

function take(path: string, shown: string, { volume, check, paths }: Projection): void {
  if (paths.has(path)) check.invalid(volume, shown, 'conflicting duplicate paths')
  else paths.add(path)
}

/** A key of a config map or secret that becomes a file. */
export const checkKeyToPath: PartRule = (item, at, check) => {
  check.fields(item, at, 'core_v1.KeyToPath', 'key', 'path')
  checkNonReservedPath(textOrEmpty(item, 'path'), at.child('path'), check)
  check.fields(item, at, 'core_v1.KeyToPath', 'mode')
}

const keys: ProjectionRule = (source, projection) => {
  const { at, check } = projection
  const name = textOrEmpty(source, 'name')
  check.fields(source, at, 'core_v1.LocalObjectReference')
  check.each(source, 'items', at, (item, place) => {
    checkKeyToPath(item, place, check)
    const path = textOrEmpty(item, 'path')
    if (path !== '') take(path, name, projection)
  })
}

const downwardApi: ProjectionRule = (source, projection) => {
  for (const file of mapsInPlace(source, 'items')) {
    checkDownwardFile(file, projection.at, projection.check)
    const path = textOrEmpty(file, 'path')
    if (path !== '') take(path, path, projection)
  }
}

const MIN_TOKEN_SECONDS = 600
const MAX_TOKEN_SECONDS = 2 ** 32

export function checkTokenSeconds(seconds: number | bigint, at: FieldPath, check: Check): void {
  if (seconds < MIN_TOKEN_SECONDS) check.invalid(at, seconds, 'may not specify a duration less than 10 minutes')
  if (seconds > MAX_TOKEN_SECONDS) check.invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds')
}

const token: ProjectionRule = (source, { volume, at, check }) => {
  checkTokenSeconds(integerOrZero(source, 'expirationSeconds'), at.child('expirationSeconds'), check)
  const path = textOrEmpty(source, 'path')
  if (path === '') check.required(volume.child('path'))
  else checkNonReservedPath(path, volume.child('path'), check)
}

const trustBundle: ProjectionRule = (source, projection) => {
  const { at, check } = projection
  const name = textOrAbsent(source, 'name')
  const signer = textOrAbsent(source, 'signerName')
  if (name !== undefined && signer !== undefined) {
    check.invalid(at, shownJson(source), 'only one of name and signerName may be used')
  } else if (name !== undefined) checkBundleName(source, name, projection)
  else if (signer === undefined) check.required(at, 'either name or signerName must be specified')
  else {
    if (signer === '') check.required(at.child('signerName'), 'must be a valid signer name')
    checkSignerName(signer, at.child('signerName'), check)
    check.part(source, 'labelSelector', at, checkLabelSelector)
  }
  const path = textOrEmpty(source, 'path')
  check.fields(source, at, 'core_v1.ClusterTrustBundleProjection')
  checkNonReservedPath(path, at.child('path'), check)
  take(path, path, projection)
}

function checkBundleName(source: ValueMap, name: string, { at, check }: Projection): void {
  if (name === '') check.required(at.child('name'), 'must be a valid object name')
  // `signer:domain:name`, or a plain name where there is no signer.
  for (const fault of dns1123Subdomain(name.slice(name.lastIndexOf(':') + 1))) {
    check.invalid(at.child('name'), name, `not a valid clustertrustbundlename: ${fault}`)
  }
  if (isGiven(source, 'labelSelector')) {
    const shown = shownJson(source['labelSelector'])
    check.invalid(at.child('labelSelector'), shown, 'labelSelector must be unset if name is specified')
  }
}

const MIN_CERTIFICATE_SECONDS = 3600
const MAX_CERTIFICATE_SECONDS = 91 * 24 * 60 * 60
const MAX_OWN_CERTIFICATE_SECONDS = 24 * 60 * 60
const CERTIFICATE_PATHS: readonly string[] = ['credentialBundlePath', 'keyPath', 'certificateChainPath']

const certificate: ProjectionRule = (source, projection) => {
  const { at, check } = projection
  const signer = textOrEmpty(source, 'signerName')
  checkSignerName(signer, at.child('signerName'), check)
  for (const key of Object.keys(mapOrEmpty(source, 'userAnnotations'))) {
    check.format(at.child('userAnnotations'), key, qualifiedName(key.toLowerCase()))
  }
  check.fields(source, at, 'core_v1.PodCertificateProjection')
  const seconds = integerOrAbsent(source, 'maxExpirationSeconds')
  const secondsAt = at.child('maxExpirationSeconds')
  if (seconds !== undefined) {
    if (seconds < MIN_CERTIFICATE_SECONDS) {
      check.invalid(secondsAt, seconds, 'if provided, maxExpirationSeconds must be >= 3600')
    }
    const most = signer.startsWith('kubernetes.io/') ? MAX_OWN_CERTIFICATE_SECONDS : MAX_CERTIFICATE_SECONDS
    if (seconds > most) check.invalid(secondsAt, seconds, `if provided, maxExpirationSeconds must be <= ${most}`)
  }
  let found = 0
  for (const field of CERTIFICATE_PATHS) {
    const path = textOrEmpty(source, field)
    if (path === '') continue
    found++
    checkNonReservedPath(path, at.child(field), check)
    take(path, path, projection)
  }
  if (found === 0) {
    check.required(at, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath')
  }
}

const RULES: readonly (readonly [string, ProjectionRule])[] = [
  ['secret', keys],
  ['configMap', keys],
  ['downwardAPI', downwardApi],
  ['serviceAccountToken', token],
  ['clusterTrustBundle', trustBundle],
  ['podCertificate', certificate],
]
