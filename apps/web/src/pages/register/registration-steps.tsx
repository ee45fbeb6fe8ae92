import type { ReactNode } from 'react'
import { formatEther } from '../../format/amount.ts'
import { Sign } from '../../signs/sign.tsx'
import { useSite } from '../../site/site.ts'
import type { StakeView } from '../../stake/stake-view.ts'
import type { CheckState } from './use-checks.ts'

/** The four steps of a registration, with the current one marked. */
export function RegistrationSteps(props: {
  readonly step: CheckState['step']
  readonly view: StakeView | undefined
}): ReactNode {
  const { platform } = useSite()
  const at = stepOf(props.view)
  const steps = [
    [at === 0 ? 'Check' : 'Checked', 'free, does not run a job'],
    [at > 1 ? 'Staked' : 'Stake', `${formatEther(platform.stake_wei)} ETH, refundable`],
    [
      'Confirmed',
      platform.local_mode ? 'in seconds on this chain' : `after ${platform.confirmations} more blocks`,
    ],
    ['Listed', props.view?.at === 'listed' ? `as agent ${props.view.agent_id}` : 'with an agent number'],
  ] as const
  return (
    <ol className="steps" aria-label="Steps">
      {steps.map(([words, small], index) => (
        <li
          key={small}
          className={index < at ? 'done' : index === at ? 'current' : undefined}
          aria-current={index === at ? 'step' : undefined}
        >
          <b>
            {index < at && <Sign name="check" />}
            {words}
            {index < at && <span className="unseen">, done</span>}
          </b>
          <small>{small}</small>
        </li>
      ))}
    </ol>
  )
}

/** The number of completed steps. */
function stepOf(view: StakeView | undefined): number {
  switch (view?.at) {
    case undefined:
    case 'already':
      return 0
    case 'offer':
    case 'asking':
    case 'elsewhere':
    case 'doubt':
      return 1
    case 'sent':
    case 'block':
      return 2
    case 'refused':
      return 3
    case 'listed':
      return 4
  }
}
