// Metrics of the allocation of cluster IPs and node ports to services, and of the faults in it.
import { counter, histogram, Measures } from '../../../lib/measure.ts'

const ADDRESSES = 'kube_apiserver_clusterip_allocator_'
const PORTS = 'kube_apiserver_nodeport_allocator_'
const BOUNDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** `static`: the client named the address or port. */
type Scope = 'static' | 'dynamic'

export class ServiceMeasures extends Measures {
  readonly addresses = counter(`${ADDRESSES}allocation_total`, 'Cluster IPs allocated.', ['cidr', 'scope'])
  readonly addressErrors = counter(`${ADDRESSES}allocation_errors_total`, 'Failed cluster IP allocations.', [
    'cidr',
    'scope',
  ])
  readonly addressSeconds = histogram(`${ADDRESSES}allocation_duration_seconds`, 'Seconds to allocate a cluster IP.', {
    labels: ['cidr'],
    bounds: BOUNDS,
  })
  readonly ports = counter(`${PORTS}allocation_total`, 'Node ports allocated.', ['scope'])
  readonly portErrors = counter(`${PORTS}allocation_errors_total`, 'Failed node port allocations.', ['scope'])
  readonly addressRepairs = repairs('apiserver_clusterip_repair_ip_errors_total')
  readonly portRepairs = repairs('apiserver_nodeport_repair_port_errors_total')
  readonly addressRepairErrors = failures('apiserver_clusterip_repair_reconcile_errors_total')
  readonly portRepairErrors = failures('apiserver_nodeport_repair_reconcile_errors_total')

  /** Allocates an address and counts the outcome. Undefined: no address could be allocated. */
  async address<T>(cidr: string, scope: Scope, allocate: () => Promise<T | undefined>): Promise<T | undefined> {
    const began = performance.now()
    const allocated = await allocate()
    if (allocated === undefined) this.addressErrors.of(cidr, scope).value++
    else {
      this.addresses.of(cidr, scope).value++
      this.addressSeconds.of(cidr).observe((performance.now() - began) / 1000)
    }
    return allocated
  }

  async port<T>(scope: Scope, allocate: () => Promise<T | undefined>): Promise<T | undefined> {
    const allocated = await allocate()
    const family = allocated === undefined ? this.portErrors : this.ports
    family.of(scope).value++
    return allocated
  }
}

function repairs(name: string): ReturnType<typeof counter> {
  return counter(name, 'Allocations repaired, by type: leak (no service uses it) or repair (it was missing).', ['type'])
}

function failures(name: string): ReturnType<typeof counter> {
  return counter(name, 'Failed reconciliations of service allocations.')
}
