// The annotation with the time at which an object expires.
export const EXPIRES_AT = 'quarterdeck.io/expires-at'
