// The load balancer status of services and ingresses.
import type { FieldPath } from '../../api/field-path.ts'
import { textOfEach, textOrAbsent, textOrEmpty } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import { listAt, textAt } from '../../codec/tables/reading.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Subdomain } from '../../schema/validation/formats.ts'
import { checkIp, parseIp } from './ip-address.ts'

interface BalancerScope {
  /** The path of the status. */
  readonly at: FieldPath
  readonly check: Check
  /** Whether addresses have an `ipMode`. */
  readonly modes: boolean
}

export function checkLoadBalancer(balancer: ValueMap, old: ValueMap, { at, check, modes }: BalancerScope): void {
  const stored = new Set(textOfEach(old, 'ingress', 'ip'))
  check.each(balancer, 'ingress', at, (entry, place) => {
    const ip = textOrEmpty(entry, 'ip')
    if (ip !== '') checkIp(ip, place.child('ip'), check, { stored })
    if (modes) checkMode(entry, place.child('ipMode'), check)
    const hostname = textOrEmpty(entry, 'hostname')
    if (hostname === '') return
    check.format(place.child('hostname'), hostname, dns1123Subdomain(hostname))
    if (parseIp(hostname) !== undefined) {
      check.invalid(place.child('hostname'), hostname, 'must be a DNS name, not an IP address')
    }
  })
}

function checkMode(entry: ValueMap, at: FieldPath, check: Check): void {
  const mode = textOrAbsent(entry, 'ipMode')
  const ip = textOrEmpty(entry, 'ip')
  if (mode === undefined) {
    if (ip !== '') check.required(at, 'must be specified when `ip` is set')
  } else if (ip === '') check.forbidden(at, 'may not be specified when `ip` is not set')
  else check.oneOf(at, mode, ['Proxy', 'VIP'])
}

/** The addresses of the load balancer, sorted, each once. */
export function balancerAddresses(object: ValueMap): readonly string[] {
  const all = listAt(object, 'status', 'loadBalancer', 'ingress').map(
    (point) => textAt(point, 'ip') || textAt(point, 'hostname'),
  )
  return [...new Set(all)].filter((address) => address !== '').sort()
}
