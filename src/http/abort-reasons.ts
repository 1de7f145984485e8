// The reasons for which a request's signal fires. Each reason leads to a different end: an answer, no answer, or a clean stop.

/** The deadline has passed. The answer is 504 if nothing was sent yet. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  override readonly message = 'the request timed out'
}

/** The client has gone, and does not read the answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

/** The server stops. Streams end normally, and other cancelled requests are refused with 503. */
export class ServerClosingError extends Error {
  override readonly name = 'ServerClosingError'
}
