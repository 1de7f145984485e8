// The annotation that tells when an object is to be deleted.
export const EXPIRES_AT = 'quarterdeck.io/expires-at'
