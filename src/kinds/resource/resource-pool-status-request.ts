// Requests for the status of resource pools. Off by default.
import type { ValueMap } from '../../api/value.ts'
import { column, integer, NAME, tableOf, text } from '../../codec/tables/column.ts'
import { ageOf } from '../../codec/tables/elapsed.ts'
import { listAt, numberAt, orNone, textAt } from '../../codec/tables/reading.ts'
import type { Kind } from '../kind.ts'
import { stateOf } from '../shared/condition-column.ts'

/** The sum over the pools that a request asks about. */
function poolSum(field: string): (request: ValueMap) => string {
  return (request) => {
    const pools = listAt(request, 'status', 'pools')
    return pools.length === 0
      ? '<none>'
      : String(pools.reduce<number>((sum, pool) => sum + Number(numberAt(pool, field)), 0))
  }
}

export const RESOURCE_POOL_STATUS_REQUEST: Kind = {
  columns: tableOf([
    NAME,
    column('Driver', 'The driver of the pools.', text('spec', 'driver')),
    column('Total', 'How many devices there are.', poolSum('totalDevices')),
    column('Available', 'How many devices are free.', poolSum('availableDevices')),
    column('Allocated', 'How many devices are taken.', poolSum('allocatedDevices')),
    column('Unavailable', 'How many devices cannot be had.', poolSum('unavailableDevices')),
    column('Errors', 'What went wrong.', (one) => orNone(textAt(one, 'status', 'validationError'))),
    integer('Pools', 'How many pools there are.', (one) => numberAt(one, 'status', 'poolCount')),
    column('Status', 'Whether it was answered.', (one) => stateOf(one, ['Complete', 'Failed'], 'Pending')),
    column('Completed', 'How long ago it was answered.', (one, now) => {
      const time = textAt(one, 'status', 'observationTime')
      return time === '' ? '<none>' : ageOf(time, now)
    }),
  ]),
}
