/** Where the sources lie that are broken. */
export const AGENT = 'packages/farebox/src'
export const FACILITATOR = 'packages/facilitator/src'
export const PAYMENTS = 'packages/payments/src'
export const PROTOCOL = 'packages/protocol/src'
export const CLIENT = 'packages/client/src'
