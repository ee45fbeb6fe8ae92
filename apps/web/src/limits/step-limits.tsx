import { useEffect, useState, type ReactNode } from 'react'
import type { AgentPage } from '@farebox/platform-api/agent'
import { Words } from '../parts/words.tsx'
import { usePurse } from '../purse/purse-context.ts'
import { Sign } from '../signs/sign.tsx'
import { useSite } from '../site/site.ts'
import { CoverLine } from './cover-line.tsx'
import { findCover, limitUrl } from './find-cover.ts'
import { useLimits } from './use-limits.ts'

/** A step whose capability moves tokens of who runs it. */
export interface SpendingStep {
  readonly key: string
  readonly name: string
  readonly agentId: number
  readonly capability: string
}

/** Before a run is paid: each step that moves tokens, what it is permitted, and the way to its limit and back. */
export function StepLimits({ steps }: { readonly steps: readonly SpendingStep[] }): ReactNode {
  const { platform } = useSite()
  const { wallet } = usePurse()
  const isThere = platform.spend_permissions_address !== null && steps.length > 0
  const { limits } = useLimits(isThere ? wallet?.address : undefined)
  // Where the reader is, and comes back to; a server does not know.
  const [back, setBack] = useState<string>()
  useEffect(() => setBack(location.pathname + location.search), [])
  if (!isThere) return null
  return (
    <ul className="step-limits" aria-label="Steps that move your USDC">
      {steps.map(({ key, name, agentId, capability }) => {
        const cover = limits && findCover(limits, agentId, capability)
        const isCovered = cover?.kind === 'covered'
        return (
          <li key={key} className="small">
            <Sign name={isCovered ? 'check' : 'warn'} />
            <span>
              <b>
                <Words of={name} most={64} />
              </b>{' '}
              moves your USDC: <CoverLine cover={cover} />.{' '}
              <a href={limitUrl(agentId, capability, back)}>{isCovered ? 'Change' : 'Set a limit'}</a>
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** Which of these steps move tokens, by what their agents declare now. */
export function spendingSteps(
  steps: readonly SpendingStep[],
  declares: (step: SpendingStep) => boolean,
): readonly SpendingStep[] {
  const seen = new Set<string>()
  return steps.filter(step => {
    const id = `${step.agentId} ${step.capability}`
    if (seen.has(id) || !declares(step)) return false
    seen.add(id)
    return true
  })
}

/** The capability of an agent's page, by its name. */
export function capabilityOf(agent: AgentPage, name: string): AgentPage['capabilities'][number] | undefined {
  return agent.capabilities.find(one => one.name === name)
}
