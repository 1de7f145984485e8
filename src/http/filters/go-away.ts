// Tells one in so many clients on HTTP/2 to connect anew, so that with several servers behind a balancer the connections do
// not all stay with the one that has been up longest (P-232). What is under way on the connection is finished.
import type { Filter } from '../http.ts'

/** `chance`: of one answer, 0 to 1. */
export function sendAwaySometimes(chance: number): Filter {
  if (chance === 0) return (next) => next
  return (next) => (request) => {
    if (request.remote.protocol === 'h2' && Math.random() < chance) request.responder.sendAway()
    return next(request)
  }
}
