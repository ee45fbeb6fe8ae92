import type { ReactNode } from 'react'
import { Words } from '../parts/words.tsx'
import { usePurse } from '../purse/purse-context.ts'
import { Sign } from '../signs/sign.tsx'
import { useSite, useTakenOver } from '../site/site.ts'
import { CoverLine } from './cover-line.tsx'
import { findCover, limitUrl } from './find-cover.ts'
import { useLimits } from './use-limits.ts'

/** A step whose capability moves tokens of the person who runs it. */
interface SpendingStep {
  readonly key: string
  readonly name: string
  readonly agentId: number
  readonly capability: string
}

/** Shown before a run is paid: each step that moves tokens, its permission, and a link to set the limit and return. */
export function StepLimits({ steps }: { readonly steps: readonly SpendingStep[] }): ReactNode {
  const { platform } = useSite()
  const { wallet } = usePurse()
  const isThere = platform.spend_permissions_address !== null && steps.length > 0
  const { limits } = useLimits(isThere ? wallet?.address : undefined)
  // The page to return to, which the server does not know.
  const back = useTakenOver() ? location.pathname + location.search : undefined
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
