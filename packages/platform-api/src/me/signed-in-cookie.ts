/**
 * The cookie that tells the pages of a platform whether anybody is signed in, without asking. It says nothing else and
 * opens nothing: the session is in a cookie that no script reads.
 */
export const SIGNED_IN_COOKIE = 'farebox_signed_in'
