import type { AgentRow, ListingStatus } from './agent-row.ts'

/** Why callers are not sent to pay an agent, as a sentence; `undefined` when it can be paid. */
export function whyNotPayable(agent: AgentRow): string | undefined {
  if (agent.standing !== 'listed') return NOT_PAYABLE[agent.standing]
  if (agent.declaration === undefined || agent.wallet === undefined)
    return 'It has not shown a declaration yet, so there is nothing to pay for.'
  if (agent.provenWallet !== agent.wallet)
    return 'Its wallet is not the one it proved to be its own: nobody is sent to pay it until it is proved again.'
  if (agent.paymentProblem !== undefined)
    return `It could not take its last payment: ${agent.paymentProblem}. No order is sent to it until its owner has it looked at again, or for a day.`
  return undefined
}

/** SQL condition on a row of `agents` that is true when {@link whyNotPayable} returns `undefined`. */
export const IS_PAYABLE = `(agents.standing = 'listed' and agents.declaration is not null and agents.wallet is not null
  and agents.proven_wallet = agents.wallet and agents.payment_problem is null)`

const NOT_PAYABLE: { readonly [standing in Exclude<ListingStatus, 'listed'>]: string } = {
  provisional: 'It serves no declaration at /about: it is shown, and cannot be paid.',
  waiting: 'It is registered and has not been looked at yet.',
  refused: 'It is not what its registration says.',
  'taken-down': 'It was taken down.',
  deregistered: 'It was deregistered.',
}
