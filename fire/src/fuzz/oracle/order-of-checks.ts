/**
 * The order in which `POST /execute` is judged (D14), written down a second time, apart from the code it judges: of
 * all that is wrong with a request the earliest decides the answer. The numbers only order.
 */
export const ORDER_OF_CHECKS = {
  route: 0,
  size: 1,
  /** Without a payment header, out of dev mode, the price is the answer. */
  demand: 2,
  body: 3,
  service_version: 4,
  job_id: 5,
  task: 6,
  deadline: 7,
  capability: 8,
  secret: 9,
  payer: 10,
  repeat: 11,
  terms: 12,
  lateness: 13,
  claim: 14,
  verify: 15,
  input: 16,
  handler: 17,
  output: 18,
  settle: 19,
} as const

export type Check = keyof typeof ORDER_OF_CHECKS

/** The checks that fall away where nobody pays. */
const OF_PAYMENTS: ReadonlySet<Check> = new Set(['demand', 'secret', 'payer', 'terms', 'verify', 'settle'])

export function isOfPayments(check: Check): boolean {
  return OF_PAYMENTS.has(check)
}
