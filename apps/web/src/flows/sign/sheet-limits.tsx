import type { Flow } from '@farebox/flows/document/flow'
import type { ReactNode } from 'react'
import { StepLimits } from '../../limits/step-limits.tsx'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'
import { createCapabilityCatalog } from '../document/capability-catalog.ts'
import { listSpending } from '../document/list-spending.ts'

/** The tokens that the steps of a run are permitted to move. Renders nothing when no step moves tokens. */
export function SheetLimits({ flow }: { readonly flow: Flow }): ReactNode {
  const { ask, platform } = useSite()
  const isThere = platform.spend_permissions_address !== null
  const { answer: steps = [] } = useRead(isThere ? JSON.stringify(flow.steps) : undefined, async () => {
    const catalog = createCapabilityCatalog(ask)
    await catalog.refresh(flow)
    return listSpending(flow, catalog)
  })
  return <StepLimits steps={steps} />
}
