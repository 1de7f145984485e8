// The load balancer status of services and ingresses.
import type { FieldPath } from '../../api/field-path.ts'
import type { LoadBalancerIngress } from '../../api/gen/kinds.ts'
import { parseIp } from '../../lib/ip-bits.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Subdomain } from '../../schema/validation/formats.ts'
import { checkIp } from './ip-address.ts'

/** Ingresses have no `ipMode`. */
type Balancer = { readonly ingress?: readonly Omit<LoadBalancerIngress, 'ports'>[] }

interface BalancerScope {
  /** The path of the status. */
  readonly at: FieldPath
  readonly check: Check
  /** Whether addresses have an `ipMode`. */
  readonly modes: boolean
}

export function checkLoadBalancer(
  { ingress = [] }: Balancer,
  old: Balancer,
  { at, check, modes }: BalancerScope,
): void {
  const stored = new Set(old.ingress?.map(({ ip = '' }) => ip))
  for (const [i, { ip = '', hostname = '', ipMode }] of ingress.entries()) {
    const place = at.child('ingress').index(i)
    if (ip !== '') checkIp(ip, place.child('ip'), check, { stored })
    if (modes) checkMode(ipMode, ip, place.child('ipMode'), check)
    if (hostname === '') continue
    check.format(place.child('hostname'), hostname, dns1123Subdomain(hostname))
    if (parseIp(hostname) !== undefined) {
      check.invalid(place.child('hostname'), hostname, 'must be a DNS name, not an IP address')
    }
  }
}

function checkMode(mode: string | undefined, ip: string, at: FieldPath, check: Check): void {
  if (mode === undefined) {
    if (ip !== '') check.required(at, 'must be specified when `ip` is set')
  } else if (ip === '') check.forbidden(at, 'may not be specified when `ip` is not set')
  else check.oneOf(at, mode, ['Proxy', 'VIP'])
}

/** The addresses of the load balancer, sorted, each once. */
export function balancerAddresses({ ingress = [] }: Balancer): readonly string[] {
  const all = ingress.map(({ ip, hostname }) => ip || hostname || '')
  return [...new Set(all)].filter((address) => address !== '').sort()
}
