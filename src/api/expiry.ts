// The annotation with the time at which an object is to be deleted.
export const EXPIRES_AT = 'quarterdeck.io/expires-at'
