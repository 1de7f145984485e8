// Checks the audience of a token that a kubelet requests. The pod must request the audience in a projected volume, or a CSI driver of its
// volumes must request it, or the node must be authorized for it (P-107).
import { quoted } from '../api/field-error.ts'
import type {
  CSIDriver,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
  Pod,
  ServiceAccount,
  TokenRequest,
  Volume,
} from '../api/gen/kinds.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { AdmissionRequest } from '../admission/admission.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import { volumeClaimOf } from './pod-references.ts'

export interface TokenParts {
  readonly authorizer: Authorizer
  readonly nodes: ObjectReader<Node>
  readonly pods: ObjectReader<Pod>
  readonly accounts: ObjectReader<ServiceAccount>
  readonly claims: ObjectReader<PersistentVolumeClaim>
  readonly volumes: ObjectReader<PersistentVolume>
  readonly drivers: ObjectReader<CSIDriver>
  readonly gates: ReadonlySet<string>
}

/** The reason why the token is refused. Undefined: it is allowed. */
export async function audienceRefusal(
  parts: TokenParts,
  { request, asked, pod }: { readonly request: AdmissionRequest; readonly asked: TokenRequest; readonly pod: Pod },
  signal: AbortSignal,
): Promise<string | undefined> {
  const audiences = asked.spec.audiences ?? []
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences'
  const audience = audiences[0] ?? ''
  const problems = new Set<string>()
  for (const volume of pod.spec.volumes ?? []) {
    if (podRequests(volume, audience)) return undefined
    const requests = await driverRequests(parts, { pod, volume, namespace: request.namespace, audience }, signal)
    if (requests === true) return undefined
    if (requests !== false) problems.add(requests)
  }
  if (problems.size > 0) {
    const listed = problems.size === 1 ? [...problems][0] : `[${[...problems].join(', ')}]`
    return `error validating audience ${quoted(audience)}: ${listed}`
  }
  const verb = 'request-serviceaccounts-token-audience'
  const place = { group: '', version: 'v1', resource: audience, namespace: request.namespace, name: request.name }
  const decision = await parts.authorizer.authorize({ kind: 'resource', user: request.user, verb, ...place }, signal)
  if (decision.kind === 'allow') return undefined
  const { name } = request.user
  const why =
    decision.problem === undefined
      ? `${name} is not authorized to request tokens for this audience`
      : `error authorizing ${name} to request tokens for this audience: ${decision.problem}`
  return `audience ${quoted(audience)} not found in pod spec volume, ${why}`
}

function podRequests({ projected }: Volume, audience: string): boolean {
  return (projected?.sources ?? []).some(
    ({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? '') === audience,
  )
}

interface AskedDriver {
  readonly pod: Pod
  readonly volume: Volume
  readonly namespace: string
  readonly audience: string
}

/** Whether the CSI driver of the volume requests the audience. A text says why that cannot be determined. */
async function driverRequests(parts: TokenParts, asked: AskedDriver, signal: AbortSignal): Promise<boolean | string> {
  const source = await sourceOf(parts, asked, signal)
  if (typeof source === 'string') return source
  const driver = driverIn(source)
  if (driver === '') return false
  const found = await parts.drivers.find('', driver, signal)
  if (found === undefined) return `csidriver.storage.k8s.io ${quoted(driver)} not found`
  return (found.spec.tokenRequests ?? []).some(({ audience }) => audience === asked.audience)
}

/** The volume, or the persistent volume of its claim. A text says why the claim or the persistent volume is not found. */
async function sourceOf(
  parts: TokenParts,
  { pod, volume, namespace }: AskedDriver,
  signal: AbortSignal,
): Promise<Volume | PersistentVolumeSpec | string> {
  const claim = volumeClaimOf(pod, volume)
  if (claim === undefined) return volume
  const found = await parts.claims.find(namespace, claim, signal)
  if (found === undefined) return `persistentvolumeclaim ${quoted(claim)} not found`
  const { volumeName: name = '' } = found.spec
  const claimed = await parts.volumes.find('', name, signal)
  return claimed === undefined ? `persistentvolume ${quoted(name)} not found` : claimed.spec
}

/** In-tree volumes and the CSI drivers that replace them. */
const MIGRATED = {
  awsElasticBlockStore: 'ebs.csi.aws.com',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  cinder: 'cinder.csi.openstack.org',
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  portworxVolume: 'pxd.portworx.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
} as const satisfies { readonly [N in keyof PersistentVolumeSpec]?: string }

function driverIn(source: Volume | PersistentVolumeSpec): string {
  if (source.csi !== undefined) return source.csi.driver
  const migrated = Object.entries(MIGRATED).find(([member]) => source[member as keyof typeof MIGRATED] !== undefined)
  return migrated?.[1] ?? ''
}
