// One write of a service: the addresses and ports that it needs and does not have yet are claimed, those that it no longer
// needs are given back once it is stored. In a dry run nothing is claimed, and placeholders are shown (W-394).
import { type FieldError, invalid, shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { invalidError } from '../../../api/invalid-error.ts'
import { numberOrZero, textsInPlace, textsOnly } from '../../../api/members.ts'
import { metaText, specOf } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { ApiError } from '../../../api/status.ts'
import { own, type Value, type ValueMap } from '../../../api/value.ts'
import type { RegistryParts, Reservation, ReserveRequest, WriteContext } from '../../../registry/registry.ts'
import { addressAt, canonicalAddress, offsetOf } from './address-range.ts'
import { addressFaults } from './addresses.ts'
import {
  addressChoice,
  claim,
  claimAny,
  type ClaimBook,
  type ClaimContext,
  isClaimed,
  type Owner,
  PORT_BOOK,
  portChoice,
  release,
  type ServiceNetwork,
} from './claims.ts'
import { withFamilies, withPolicy } from './families.ts'
import { isExternalName, needsHealthCheckPort, needsNodePorts, NO_ADDRESS, portsIn } from './fields.ts'

const KIND = { group: '', kind: 'Service' } as const
const SPEC = FieldPath.root('spec')
const TAKEN = 'provided port is already allocated'

export interface ReservationParts {
  readonly network: ServiceNetwork
  readonly book: ClaimBook
  readonly registry: RegistryParts
  readonly change: ReserveRequest
  readonly context: WriteContext
}

interface Claimed {
  readonly book: ClaimBook
  readonly name: string
}

export class ServiceReservation {
  readonly #parts: ReservationParts
  readonly #claims: ClaimContext
  /** To be given back where the service is not stored. */
  readonly #claimed: Claimed[] = []
  /** To be given back where it is. */
  readonly #needless: Claimed[] = []
  #placeholders = 0

  constructor(parts: ReservationParts) {
    this.#parts = parts
    const { now, signal } = parts.context
    this.#claims = { store: parts.registry.store, now, signal }
  }

  async make(object: ApiObject): Promise<Reservation> {
    const { stored } = this.#parts.change
    const owner = ownerOf(object)
    const old = stored === undefined ? undefined : specOf(stored)
    try {
      const withAddresses = await this.#withAddresses(this.#withFamilies(object, old), old, owner)
      const spec = await this.#withPorts(withAddresses, old, owner)
      return { object: { ...object, spec }, settle: (isStored) => this.#settle(isStored, owner) }
    } catch (error) {
      await this.#settle(false, owner)
      throw error
    }
  }

  /** Everything that a service had. */
  async giveBackAll(service: ApiObject): Promise<void> {
    const spec = specOf(service)
    for (const claim of [...this.#addressesOf(spec), ...nodePortsOf(spec)]) this.#needless.push(claim)
    await this.#settle(true, ownerOf(service))
  }

  async #settle(isStored: boolean, owner: Owner): Promise<void> {
    if (this.#parts.context.dryRun) return
    for (const { book, name } of isStored ? this.#needless : this.#claimed) {
      await release(book, name, owner, this.#claims)
    }
  }

  #addressesOf(spec: ValueMap): readonly Claimed[] {
    const addresses = textsOnly(spec, 'clusterIPs').filter((address) => address !== NO_ADDRESS && address !== '')
    return addresses.map((address) => ({ book: this.#parts.book, name: canonicalAddress(address) }))
  }

  #refuse(object: ApiObject, faults: readonly FieldError[]): ApiError {
    return invalidError(KIND, metaText(object, 'name'), faults)
  }

  #withFamilies(object: ApiObject, old: ValueMap | undefined): ValueMap {
    const spec = withPolicy(specOf(object), old)
    const { gates } = this.#parts.context
    const faults = addressFaults(spec, { gates, namespaced: true })
    if (faults.length > 0) throw this.#refuse(object, faults)
    const { ranges } = this.#parts.network
    const result = withFamilies(
      spec,
      ranges.map(({ family }) => family),
    )
    if (result.kind === 'faults') throw this.#refuse(object, result.faults)
    return result.spec
  }

  /** New services, and those that led elsewhere by name until now, get an address of each family. */
  async #withAddresses(spec: ValueMap, old: ValueMap | undefined, owner: Owner): Promise<ValueMap> {
    const isNew = old === undefined || isExternalName(old)
    if (isExternalName(spec)) {
      if (!isNew) for (const claim of this.#addressesOf(old)) this.#needless.push(claim)
      return spec
    }
    const asked = textsInPlace(spec, 'clusterIPs')
    if (!isNew || asked[0] === NO_ADDRESS) return spec
    const addresses: string[] = []
    for (const [i, family] of textsInPlace(spec, 'ipFamilies').entries()) {
      const range = this.#parts.network.ranges.find((candidate) => candidate.family === family)
      if (range === undefined) continue
      const address = asked[i] ?? ''
      addresses.push(
        address === ''
          ? await this.#anyAddress(range, owner)
          : await this.#thisAddress({ range, address, asked, owner }),
      )
    }
    return { ...spec, clusterIP: addresses[0] ?? '', clusterIPs: addresses }
  }

  async #anyAddress(range: ServiceNetwork['ranges'][number], owner: Owner): Promise<string> {
    if (this.#parts.context.dryRun) return addressAt(range, 0n)
    const { book } = this.#parts
    const { measures } = this.#parts.network
    const name = await measures.address(range.text, 'dynamic', () =>
      claimAny(book, addressChoice(range), owner, this.#claims),
    )
    if (name === undefined) {
      const why = `failed to allocate a serviceIP for Service ${JSON.stringify(owner.name)}: range is full`
      throw new ApiError('InternalError', `Internal error occurred: ${why}`, {
        details: { causes: [{ message: why }] },
      })
    }
    this.#claimed.push({ book, name })
    return name
  }

  async #thisAddress({ range, address, asked, owner }: AskedAddress): Promise<string> {
    const { book, context } = this.#parts
    const refuse = (why: string): ApiError => {
      const detail = `failed to allocate IP ${address}: ${why}`
      return invalidError(KIND, owner.name, [invalid(SPEC.child('clusterIPs'), shownJson(asked), detail)])
    }
    const isInside = offsetOf(range, address) !== undefined
    if (context.dryRun) {
      if (isInside) return address
      throw refuse(`the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range.text}`)
    }
    const { measures } = this.#parts.network
    const name = canonicalAddress(address)
    const given = await measures.address(range.text, 'static', async () =>
      isInside && (await claim(book, name, owner, this.#claims)) ? name : undefined,
    )
    if (!isInside) throw refuse('the provided network does not match the current range')
    if (given === undefined) throw refuse('provided IP is already allocated')
    this.#claimed.push({ book, name })
    return address
  }

  async #withPorts(spec: ValueMap, old: ValueMap | undefined, owner: Owner): Promise<ValueMap> {
    const before = new Set(old === undefined ? [] : nodePortsOf(old).map(({ name }) => name))
    let next = spec
    if (needsNodePorts(spec)) {
      const ports = await this.#nodePorts(spec, { before, isNew: old === undefined, owner })
      if (ports.length > 0) next = { ...next, ports }
    }
    if (needsHealthCheckPort(spec)) {
      const asked = numberOrZero(spec, 'healthCheckNodePort')
      const at = SPEC.child('healthCheckNodePort')
      const isKept = old !== undefined && needsHealthCheckPort(old)
      if (!isKept) next = { ...next, healthCheckNodePort: await this.#port(asked, { at, owner }) }
    }
    const after = new Set(nodePortsOf(next).map(({ name }) => name))
    for (const name of before) if (!after.has(name)) this.#needless.push({ book: PORT_BOOK, name })
    return next
  }

  /** Ports of one number in several protocols share a port on the nodes, where nothing else is asked for. */
  async #nodePorts(spec: ValueMap, { before, isNew, owner }: PortsRequest): Promise<readonly ValueMap[]> {
    const ports = portsIn(spec)
    const mayChoose = own(spec, 'allocateLoadBalancerNodePorts') !== false
    const byNumber = new Map<number, number>()
    const result: ValueMap[] = []
    for (const [i, port] of ports.entries()) {
      const at = SPEC.child('ports').index(i).child('nodePort')
      const asked = numberOrZero(port, 'nodePort')
      const number = numberOrZero(port, 'port')
      if (asked === 0 && !mayChoose) {
        result.push(port)
        continue
      }
      const sibling = isNew ? (byNumber.get(number) ?? 0) : 0
      const wish = asked !== 0 ? asked : isNew && sibling === 0 ? requestedFor(number, ports) : 0
      const isHad = before.has(String(wish)) || (wish !== 0 && wish === sibling)
      const nodePort = isHad ? wish : wish === 0 && sibling !== 0 ? sibling : await this.#port(wish, { at, owner })
      byNumber.set(number, byNumber.get(number) ?? nodePort)
      result.push({ ...port, nodePort })
    }
    return result
  }

  /** This port, or any where it is 0. */
  async #port(asked: number, { at, owner }: { readonly at: FieldPath; readonly owner: Owner }): Promise<number> {
    const refuse = (why: string): ApiError => invalidError(KIND, owner.name, [invalid(at, asked, why)])
    const { first, last } = this.#parts.network.nodePorts
    if (this.#parts.context.dryRun) {
      if (asked === 0) return last + 2 + this.#placeholders++
      if (await isClaimed(PORT_BOOK, String(asked), this.#claims)) throw refuse(TAKEN)
      return asked
    }
    const { measures } = this.#parts.network
    if (asked !== 0) {
      const isInside = asked >= first && asked <= last
      const given = await measures.port('static', async () =>
        isInside && (await claim(PORT_BOOK, String(asked), owner, this.#claims)) ? asked : undefined,
      )
      if (!isInside) {
        throw refuse(`provided port is not in the valid range. The range of valid ports is ${first}-${last}`)
      }
      if (given === undefined) throw refuse(TAKEN)
      this.#claimed.push({ book: PORT_BOOK, name: String(asked) })
      return asked
    }
    const name = await measures.port('dynamic', () =>
      claimAny(PORT_BOOK, portChoice({ first, last }), owner, this.#claims),
    )
    if (name === undefined) {
      const why = 'failed to allocate a nodePort: range is full'
      throw new ApiError('InternalError', `Internal error occurred: ${why}`, {
        details: { causes: [{ message: why }] },
      })
    }
    this.#claimed.push({ book: PORT_BOOK, name })
    return Number(name)
  }
}

interface AskedAddress {
  readonly range: ServiceNetwork['ranges'][number]
  readonly address: string
  readonly asked: readonly Value[]
  readonly owner: Owner
}

interface PortsRequest {
  readonly before: ReadonlySet<string>
  readonly isNew: boolean
  readonly owner: Owner
}

function ownerOf(service: ApiObject): Owner {
  return { namespace: metaText(service, 'namespace'), name: metaText(service, 'name') }
}

function requestedFor(port: number, ports: readonly ValueMap[]): number {
  const asking = ports.find((other) => numberOrZero(other, 'port') === port && numberOrZero(other, 'nodePort') !== 0)
  return asking === undefined ? 0 : numberOrZero(asking, 'nodePort')
}

export function nodePortsOf(spec: ValueMap): readonly Claimed[] {
  if (!needsNodePorts(spec)) return []
  const numbers = new Set(portsIn(spec).map((port) => numberOrZero(port, 'nodePort')))
  numbers.add(numberOrZero(spec, 'healthCheckNodePort'))
  return [...numbers].filter((number) => number !== 0).map((number) => ({ book: PORT_BOOK, name: String(number) }))
}
