// The flags of queries on lists and watches.
import { count, flagsOf, on, pairs } from './flag.ts'

export const QUERY_FLAGS = flagsOf('Requests', {
  'query-scan-limit': count(
    'Maximum number of objects on which a query evaluates its where expression. A query that needs more objects is refused.',
    '200000',
  ),
  'accessible-lists': on(
    'Accept the parameter accessible=true in lists and watches over all namespaces. They then return only the objects that the caller may read, and are not forbidden.',
  ),
  index: pairs(
    'RESOURCE=FIELD[,FIELD...]',
    'Fields to index for queries, such as pods=status.phase,spec.serviceAccountName or deployments.apps=spec.replicas. May be repeated.',
  ),
})

export type QueryFlag = (typeof QUERY_FLAGS)[number]['name']
