// The flags of queries on lists and watches.
import { count, flagsOf } from './flag.ts'

export const QUERY_FLAGS = flagsOf('Requests', {
  'query-scan-limit': count(
    'The most objects that a query with a where expression evaluates it on. Beyond it, the query is refused.',
    '200000',
  ),
})

export type QueryFlag = (typeof QUERY_FLAGS)[number]['name']
