/**
 * A cookie that lets the pages of a platform know, without a request, whether a user is signed in. It holds nothing else
 * and grants no access: the session is in an HttpOnly cookie that scripts cannot read.
 */
export const SIGNED_IN_COOKIE = 'farebox_signed_in'
