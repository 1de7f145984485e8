// One write of a service. It claims the addresses and ports that the service needs and does not have yet, and releases unneeded addresses
// and ports once the service is stored. A dry run claims nothing and shows placeholders (W-394).
import { type FieldError, invalid, shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import type { Service, ServicePort, ServiceSpec } from '../../../api/gen/kinds.ts'
import { invalidError } from '../../../api/invalid-error.ts'
import { metaText } from '../../../api/object-members.ts'
import { ApiError } from '../../../api/status.ts'
import type { RegistryParts, Reservation, ReserveRequest, WriteContext } from '../../../registry/registry.ts'
import { addressAt, canonicalAddress, offsetOf } from './address-range.ts'
import { addressFaults } from './addresses.ts'
import {
  addressChoice,
  claim,
  claimAny,
  type ClaimType,
  type ClaimContext,
  isClaimed,
  type Owner,
  PORT_CLAIMS,
  portChoice,
  release,
  type ServiceNetwork,
} from './claims.ts'
import { withFamilies, withPolicy } from './families.ts'
import { isExternalName, needsHealthCheckPort, needsNodePorts, NO_ADDRESS, portsIn } from './fields.ts'

const KIND = { group: '', kind: 'Service' } as const
const SPEC = FieldPath.root<ServiceSpec>('spec')
const TAKEN = 'provided port is already allocated'

interface ReservationParts {
  readonly network: ServiceNetwork
  readonly addresses: ClaimType
  readonly registry: RegistryParts
  readonly change: ReserveRequest<Service>
  readonly context: WriteContext
}

interface Claimed {
  readonly type: ClaimType
  readonly name: string
}

type Range = ServiceNetwork['ranges'][number]

export class ServiceReservation {
  readonly #parts: ReservationParts
  readonly #claims: ClaimContext
  readonly #owner: Owner
  /** The claims to release if the service is not stored. */
  readonly #claimed: Claimed[] = []
  /** The claims to release if the service is stored. */
  readonly #needless: Claimed[] = []
  #placeholders = 0

  constructor(parts: ReservationParts) {
    this.#parts = parts
    const { now, random, signal } = parts.context
    this.#claims = { store: parts.registry.store, now, random, signal }
    const service = parts.change.object ?? parts.change.stored ?? {}
    this.#owner = { namespace: metaText(service, 'namespace'), name: metaText(service, 'name') }
  }

  async make(object: Service): Promise<Reservation<Service>> {
    const { stored } = this.#parts.change
    const old = stored?.spec
    try {
      const withAddresses = await this.#withAddresses(this.#withFamilies(object.spec, old), old)
      const spec = await this.#withPorts(withAddresses, old)
      return { object: { ...object, spec }, settle: (isStored) => this.#settle(isStored) }
    } catch (error) {
      await this.#settle(false)
      throw error
    }
  }

  /** Releases all addresses and ports of a service. */
  async releaseAll(service: Service): Promise<void> {
    for (const claim of [...this.#addressesOf(service.spec), ...nodePortsOf(service.spec)]) this.#needless.push(claim)
    await this.#settle(true)
  }

  async #settle(isStored: boolean): Promise<void> {
    if (this.#parts.context.dryRun) return
    for (const { type, name } of isStored ? this.#needless : this.#claimed) {
      await release(type, name, this.#owner, this.#claims)
    }
  }

  /** Claims an address or port. False: another service has it. */
  async #claim(type: ClaimType, name: string): Promise<boolean> {
    const isClaimed = await claim(type, name, this.#owner, this.#claims)
    if (isClaimed) this.#claimed.push({ type, name })
    return isClaimed
  }

  /** Claims any free address or port. Undefined: all are taken. */
  async #claimAny(type: ClaimType, choice: Parameters<typeof claimAny>[1]): Promise<string | undefined> {
    const name = await claimAny(type, choice, this.#owner, this.#claims)
    if (name !== undefined) this.#claimed.push({ type, name })
    return name
  }

  #addressesOf(spec: ServiceSpec): readonly Claimed[] {
    const addresses = (spec.clusterIPs ?? []).filter((address) => address !== NO_ADDRESS && address !== '')
    return addresses.map((address) => ({ type: this.#parts.addresses, name: canonicalAddress(address) }))
  }

  #refuse(...faults: readonly FieldError[]): ApiError {
    return invalidError(KIND, this.#owner.name, faults)
  }

  #withFamilies(given: ServiceSpec, old: ServiceSpec | undefined): ServiceSpec {
    const spec = withPolicy(given, old)
    const { context, network } = this.#parts
    const faults = addressFaults(spec, { gates: context.gates, namespaced: true })
    if (faults.length > 0) throw this.#refuse(...faults)
    const families = network.ranges.map(({ family }) => family)
    const result = withFamilies(spec, families)
    if (result.kind === 'faults') throw this.#refuse(...result.faults)
    return result.spec
  }

  /** New services, and services that had an external name until now, get an address of each family. */
  async #withAddresses(spec: ServiceSpec, old: ServiceSpec | undefined): Promise<ServiceSpec> {
    const isNew = old === undefined || isExternalName(old)
    if (isExternalName(spec)) {
      if (!isNew) this.#needless.push(...this.#addressesOf(old))
      return spec
    }
    const asked = spec.clusterIPs ?? []
    if (!isNew || asked[0] === NO_ADDRESS) return spec
    const addresses: string[] = []
    for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
      const range = this.#parts.network.ranges.find((candidate) => candidate.family === family)
      if (range === undefined) continue
      const address = asked[i] ?? ''
      addresses.push(address === '' ? await this.#anyAddress(range) : await this.#thisAddress(range, address, asked))
    }
    return { ...spec, clusterIP: addresses[0] ?? '', clusterIPs: addresses }
  }

  async #anyAddress(range: Range): Promise<string> {
    const { addresses, context, network } = this.#parts
    if (context.dryRun) return addressAt(range, 0n)
    const name = await network.measures.address(range.text, 'dynamic', () =>
      this.#claimAny(addresses, addressChoice(range)),
    )
    if (name === undefined) throw rangeIsFull(`a serviceIP for Service ${JSON.stringify(this.#owner.name)}`)
    return name
  }

  async #thisAddress(range: Range, address: string, asked: readonly string[]): Promise<string> {
    const { addresses, context, network } = this.#parts
    const refuse = (why: string): ApiError =>
      this.#refuse(invalid(SPEC.child('clusterIPs'), shownJson(asked), `failed to allocate IP ${address}: ${why}`))
    const isInside = offsetOf(range, address) !== undefined
    if (context.dryRun) {
      if (isInside) return address
      throw refuse(`the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range.text}`)
    }
    const claimed = await network.measures.address(range.text, 'static', async () =>
      isInside && (await this.#claim(addresses, canonicalAddress(address))) ? address : undefined,
    )
    if (!isInside) throw refuse('the provided network does not match the current range')
    if (claimed === undefined) throw refuse('provided IP is already allocated')
    return address
  }

  async #withPorts(spec: ServiceSpec, old: ServiceSpec | undefined): Promise<ServiceSpec> {
    const before = new Set(old === undefined ? [] : nodePortsOf(old).map(({ name }) => name))
    let next = spec
    if (needsNodePorts(spec)) {
      const ports = await this.#nodePorts(spec, before, old === undefined)
      if (ports.length > 0) next = { ...next, ports }
    }
    if (needsHealthCheckPort(spec) && !(old !== undefined && needsHealthCheckPort(old))) {
      const asked = spec.healthCheckNodePort ?? 0
      next = { ...next, healthCheckNodePort: await this.#port(asked, SPEC.child('healthCheckNodePort')) }
    }
    const after = new Set(nodePortsOf(next).map(({ name }) => name))
    for (const name of before) if (!after.has(name)) this.#needless.push({ type: PORT_CLAIMS, name })
    return next
  }

  /** Ports of one number in several protocols share a node port, unless the ports request other node ports. */
  async #nodePorts(spec: ServiceSpec, before: ReadonlySet<string>, isNew: boolean): Promise<readonly ServicePort[]> {
    const ports = portsIn(spec)
    const mayChoose = spec.allocateLoadBalancerNodePorts !== false
    const byNumber = new Map<number, number>()
    const result: ServicePort[] = []
    for (const [i, port] of ports.entries()) {
      const asked = port.nodePort ?? 0
      const number = port.port
      if (asked === 0 && !mayChoose) {
        result.push(port)
        continue
      }
      const sibling = isNew ? (byNumber.get(number) ?? 0) : 0
      const wish = asked !== 0 ? asked : isNew && sibling === 0 ? requestedFor(number, ports) : 0
      const isHad = before.has(String(wish)) || (wish !== 0 && wish === sibling)
      const at = SPEC.child('ports').index(i).child('nodePort')
      const nodePort = isHad ? wish : wish === 0 && sibling !== 0 ? sibling : await this.#port(wish, at)
      byNumber.set(number, byNumber.get(number) ?? nodePort)
      result.push({ ...port, nodePort })
    }
    return result
  }

  /** Claims the node port `asked`, or any node port if `asked` is 0. */
  async #port(asked: number, at: FieldPath): Promise<number> {
    const refuse = (why: string): ApiError => this.#refuse(invalid(at, asked, why))
    const { context, network } = this.#parts
    const { first, last } = network.nodePorts
    if (context.dryRun) {
      if (asked === 0) return last + 2 + this.#placeholders++
      if (await isClaimed(PORT_CLAIMS, String(asked), this.#claims)) throw refuse(TAKEN)
      return asked
    }
    if (asked === 0) {
      const name = await network.measures.port('dynamic', () =>
        this.#claimAny(PORT_CLAIMS, portChoice({ first, last })),
      )
      if (name === undefined) throw rangeIsFull('a nodePort')
      return Number(name)
    }
    const isInside = asked >= first && asked <= last
    const claimed = await network.measures.port('static', async () =>
      isInside && (await this.#claim(PORT_CLAIMS, String(asked))) ? asked : undefined,
    )
    if (!isInside) {
      throw refuse(`provided port is not in the valid range. The range of valid ports is ${first}-${last}`)
    }
    if (claimed === undefined) throw refuse(TAKEN)
    return asked
  }
}

function rangeIsFull(what: string): ApiError {
  const why = `failed to allocate ${what}: range is full`
  return new ApiError('InternalError', `Internal error occurred: ${why}`, { details: { causes: [{ message: why }] } })
}

function requestedFor(port: number, ports: readonly ServicePort[]): number {
  const asking = ports.find((other) => other.port === port && (other.nodePort ?? 0) !== 0)
  return asking?.nodePort ?? 0
}

export function nodePortsOf(spec: ServiceSpec): readonly Claimed[] {
  if (!needsNodePorts(spec)) return []
  const numbers = new Set(portsIn(spec).map((port) => port.nodePort ?? 0))
  numbers.add(spec.healthCheckNodePort ?? 0)
  return [...numbers].filter((number) => number !== 0).map((number) => ({ type: PORT_CLAIMS, name: String(number) }))
}
