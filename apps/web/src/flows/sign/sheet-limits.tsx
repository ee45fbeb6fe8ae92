import type { Flow } from '@farebox/flows/document/flow'
import { useEffect, useState, type ReactNode } from 'react'
import { StepLimits } from '../../limits/step-limits.tsx'
import { useSite } from '../../site/site.ts'
import { createCapabilityCatalog } from '../document/capability-catalog.ts'
import { listSpending, type SpendingStep } from '../document/list-spending.ts'

/** Beside the payments of a run: what its steps are permitted to move. Nothing where none of them moves anything. */
export function SheetLimits({ flow }: { readonly flow: Flow }): ReactNode {
  const { ask, platform } = useSite()
  const [steps, setSteps] = useState<readonly SpendingStep[]>([])
  const isThere = platform.spend_permissions_address !== null
  useEffect(() => {
    if (!isThere) return undefined
    let isGone = false
    const catalog = createCapabilityCatalog(ask)
    catalog.refresh(flow).then(
      () => {
        if (!isGone) setSteps(listSpending(flow, catalog))
      },
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [ask, flow, isThere])
  return <StepLimits steps={steps} />
}
