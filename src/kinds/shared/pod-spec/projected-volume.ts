// Projected volumes: secrets, config maps, the downward API, tokens, trust bundles and certificates in one volume, without
// conflicting paths.
import type {
  ClusterTrustBundleProjection,
  DownwardAPIProjection,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  SecretProjection,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../../api/gen/kinds.ts'
import { shownJson } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { type Check, givenParts, type PartRule, type PartRules } from '../../../schema/validation/check.ts'
import { dns1123Subdomain, qualifiedName } from '../../../schema/validation/formats.ts'
import { checkLabelSelector } from '../../../schema/validation/labels.ts'
import { checkNonReservedPath } from '../paths.ts'
import { checkSignerName } from '../signer-name.ts'
import { checkDownwardFile } from './downward-api.ts'

interface Projection {
  /** The path of the whole volume. */
  readonly volume: FieldPath<ProjectedVolumeSource>
  readonly check: Check
  readonly paths: Set<string>
}

type ProjectionRule<T> = (source: T, at: FieldPath<T>, projection: Projection) => void

export function checkProjections(
  volume: ProjectedVolumeSource,
  at: FieldPath<ProjectedVolumeSource>,
  check: Check,
): void {
  const paths = new Set<string>()
  check.each(volume, 'sources', at, (source, place) => {
    const parts = givenParts(source, place, RULES, { volume: at, check, paths })
    for (const part of parts) part.check()
    if (parts.length > 1) check.forbidden(place, 'may not specify more than 1 volume type per source')
  })
}

function take(path: string, shown: string, { volume, check, paths }: Projection): void {
  if (paths.has(path)) check.invalid(volume, shown, 'conflicting duplicate paths')
  else paths.add(path)
}

/** A key of a config map or secret that becomes a file. */
export const checkKeyToPath: PartRule<KeyToPath> = (item, at, check) => {
  check.fields(item, at, 'core_v1.KeyToPath', 'key', 'path')
  checkNonReservedPath(item.path, at.child('path'), check)
  check.fields(item, at, 'core_v1.KeyToPath', 'mode', 'user')
}

const keys: ProjectionRule<SecretProjection> = (source, at, projection) => {
  const { check } = projection
  const { name = '' } = source
  check.fields(source, at, 'core_v1.LocalObjectReference')
  check.each(source, 'items', at, (item, place) => {
    checkKeyToPath(item, place, check)
    if (item.path !== '') take(item.path, name, projection)
  })
}

const downwardApi: ProjectionRule<DownwardAPIProjection> = (source, at, projection) => {
  for (const file of source.items ?? []) {
    checkDownwardFile(file, at, projection.check)
    if (file.path !== '') take(file.path, file.path, projection)
  }
}

const MIN_TOKEN_SECONDS = 600
const MAX_TOKEN_SECONDS = 2 ** 32

export function checkTokenSeconds(seconds: number | bigint, at: FieldPath, check: Check): void {
  if (seconds < MIN_TOKEN_SECONDS) check.invalid(at, seconds, 'may not specify a duration less than 10 minutes')
  if (seconds > MAX_TOKEN_SECONDS) check.invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds')
}

const token: ProjectionRule<ServiceAccountTokenProjection> = (source, at, { volume, check }) => {
  const { expirationSeconds = 0, path } = source
  checkTokenSeconds(expirationSeconds, at.child('expirationSeconds'), check)
  if (path === '') check.required(volume.place('path'))
  else checkNonReservedPath(path, volume.place('path'), check)
  check.fields(source, at, 'core_v1.ServiceAccountTokenProjection')
}

const trustBundle: ProjectionRule<ClusterTrustBundleProjection> = (source, at, projection) => {
  const { check } = projection
  const { name, signerName: signer, path } = source
  if (name !== undefined && signer !== undefined) {
    check.invalid(at, shownJson(source), 'only one of name and signerName may be used')
  } else if (name !== undefined) checkBundleName(source, name, at, check)
  else if (signer === undefined) check.required(at, 'either name or signerName must be specified')
  else {
    if (signer === '') check.required(at.child('signerName'), 'must be a valid signer name')
    checkSignerName(signer, at.child('signerName'), check)
    check.part(source, 'labelSelector', at, checkLabelSelector)
  }
  check.fields(source, at, 'core_v1.ClusterTrustBundleProjection')
  checkNonReservedPath(path, at.child('path'), check)
  take(path, path, projection)
}

function checkBundleName(
  source: ClusterTrustBundleProjection,
  name: string,
  at: FieldPath<ClusterTrustBundleProjection>,
  check: Check,
): void {
  if (name === '') check.required(at.child('name'), 'must be a valid object name')
  // `signer:domain:name`, or a plain name without a signer.
  for (const fault of dns1123Subdomain(name.slice(name.lastIndexOf(':') + 1))) {
    check.invalid(at.child('name'), name, `not a valid clustertrustbundlename: ${fault}`)
  }
  if (source.labelSelector !== undefined) {
    const shown = shownJson(source.labelSelector)
    check.invalid(at.child('labelSelector'), shown, 'labelSelector must be unset if name is specified')
  }
}

const MIN_CERTIFICATE_SECONDS = 3600
const MAX_CERTIFICATE_SECONDS = 91 * 24 * 60 * 60
const MAX_OWN_CERTIFICATE_SECONDS = 24 * 60 * 60
const CERTIFICATE_PATHS = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const

const certificate: ProjectionRule<PodCertificateProjection> = (source, at, projection) => {
  const { check } = projection
  const { signerName: signer = '', maxExpirationSeconds: seconds } = source
  checkSignerName(signer, at.child('signerName'), check)
  for (const key of Object.keys(source.userAnnotations ?? {})) {
    check.format(at.child('userAnnotations'), key, qualifiedName(key.toLowerCase()))
  }
  check.fields(source, at, 'core_v1.PodCertificateProjection')
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
    const { [field]: path } = source
    if (path === undefined) continue
    found++
    checkNonReservedPath(path, at.child(field), check)
    take(path, path, projection)
  }
  if (found === 0) {
    check.required(at, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath')
  }
}

const RULES: PartRules<VolumeProjection, Projection> = {
  secret: keys,
  configMap: keys,
  downwardAPI: downwardApi,
  serviceAccountToken: token,
  clusterTrustBundle: trustBundle,
  podCertificate: certificate,
}
