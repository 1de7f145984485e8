// The strategy of services: cluster IPs and node ports are claimed before a service is stored, and released when it is deleted
// or was not stored after all.
import type { Service } from '../../../api/gen/kinds.ts'
import { metaText } from '../../../api/object-members.ts'
import { ApiError } from '../../../api/status.ts'
import { equalValues } from '../../../api/value.ts'
import { InvariantError } from '../../../lib/errors.ts'
import { readDeleteOptions } from '../../../registry/delete-options.ts'
import { deleteObject } from '../../../registry/delete.ts'
import type { RegistryParts, Reservation, ReserveRequest, Resource, WriteContext } from '../../../registry/registry.ts'
import type { KindNeeds } from '../../needs.ts'
import { WITH_STATUS } from '../../shared/strategies.ts'
import type { KindStrategy } from '../../strategy.ts'
import { addressClaims } from './claims.ts'
import { preparedForCreate, preparedForUpdate } from './fields.ts'
import { ServiceReservation } from './reservation.ts'
import { serviceStatusWarnings, serviceWarnings } from './warnings.ts'

/** The strategy at level 1.36: endpoints are deleted with their service. */
export function serviceStrategy(parts: KindNeeds): KindStrategy<Service> {
  return strategyOf(parts, (service, context, registry) =>
    deleteEndpoints(needed(parts.find('', 'endpoints')), service, context, registry),
  )
}

/** The strategy at later levels: endpoints stay. */
export function serviceStrategyAlone(parts: KindNeeds): KindStrategy<Service> {
  return strategyOf(parts, () => Promise.resolve())
}

/** Deletes dependent objects after the deletion of a service. */
type AfterRemoval = (service: Service, context: WriteContext, registry: RegistryParts) => Promise<void>

function strategyOf(parts: KindNeeds, afterRemoval: AfterRemoval): KindStrategy<Service> {
  return {
    createOnUpdate: true,
    status: WITH_STATUS,
    answersDeleteWithObject: true,
    prepareForCreate: preparedForCreate,
    prepareForUpdate: preparedForUpdate,
    firstStatus: () => ({ loadBalancer: {} }),
    warnings: serviceWarnings,
    statusWarnings: serviceStatusWarnings,
    reserve: (change, context, registry) => reserve({ ...parts, afterRemoval }, change, context, registry),
  }
}

function needed(resource: Resource | undefined): Resource {
  if (resource === undefined) throw new InvariantError('services are served, but a resource that they need is not')
  return resource
}

async function reserve(
  parts: KindNeeds & { readonly afterRemoval: AfterRemoval },
  change: ReserveRequest<Service>,
  context: WriteContext,
  registry: RegistryParts,
): Promise<Reservation<Service>> {
  const { object, stored } = change
  if (object !== undefined && stored !== undefined && equalValues(object.spec, stored.spec)) {
    return { object, settle: () => Promise.resolve() }
  }
  const reservation = new ServiceReservation({
    network: parts.network,
    addresses: addressClaims(needed(parts.find('networking.k8s.io', 'ipaddresses'))),
    registry,
    change,
    context,
  })
  if (object !== undefined) return reservation.make(object)
  return {
    object: undefined,
    settle: async (isRemoved) => {
      if (!isRemoved || stored === undefined) return
      await reservation.releaseAll(stored)
      await parts.afterRemoval(stored, context, registry)
    },
  }
}

/** Endpoints are deleted with their service. Slices belong to the controllers that made them (W-556). */
async function deleteEndpoints(
  endpoints: Resource,
  service: Service,
  context: WriteContext,
  registry: RegistryParts,
): Promise<void> {
  const options = readDeleteOptions({}, { mayIgnoreReadErrors: false, isCollection: false })
  const request = { name: metaText(service, 'name'), options, withoutAdmission: true }
  try {
    await deleteObject(registry, endpoints, request, { ...context, namespace: metaText(service, 'namespace') })
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'NotFound')) throw error
  }
}
